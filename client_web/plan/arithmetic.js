// Pure: the same arithmetic as assistant/plan/drafting.py, and how many boxes that makes.

const LONGEST = 12;

/**
 * Of every draft length from 0 on. Costs are in tokens of the brain.
 * @param {{ acceptance: number, draftCost: number, checkCost: number }} given
 */
export function byLength({ acceptance, draftCost, checkCost }) {
  return Array.from({ length: LONGEST + 1 }, (_, length) => {
    let tokensPerStep = 0;
    for (let i = 0; i <= length; i++) tokensPerStep += acceptance ** i;
    const cost = 1 + length * (checkCost + draftCost);
    return { length, tokensPerStep, speedUp: tokensPerStep / cost };
  });
}

/** @param {{ people: number, talking: number, callersABox: number, price: number }} given */
export function boxesFor({ people, talking, callersABox, price }) {
  const callers = Math.ceil((people * talking) / 100);
  const boxes = Math.ceil(callers / callersABox);
  return { callers, boxes, anHour: boxes * price };
}
