// The planner: two calculators that need nothing from the server.

import { find, make } from "../dom.js";
import { locale } from "../language.js";
import { boxesFor, byLength } from "./arithmetic.js";
import { say, translateDocument } from "./i18n.js";

translateDocument();
document.title = say("title");

const draft = find("draft", HTMLFormElement);
const crowd = find("crowd", HTMLFormElement);

/**
 * What is in a form; null where a number is missing or out of its range.
 * @template {string} Name
 * @param {HTMLFormElement} form
 * @param {Name[]} names
 * @returns {Record<Name, number> | null}
 */
function numbers(form, ...names) {
  if (!form.checkValidity()) return null;
  const given = new FormData(form);
  if (names.some((name) => given.get(name) === "")) return null;
  const pairs = names.map((name) => [name, Number(given.get(name))]);
  return Object.fromEntries(pairs);
}

function showDraft() {
  const given = numbers(draft, "acceptance", "draftCost", "checkCost");
  if (!given) return;
  for (const label of draft.querySelectorAll("label")) {
    const [output, input] = [label.querySelector("output"), label.querySelector("input")];
    if (output && input) output.value = decimal(Number(input.value));
  }
  const lengths = byLength(given);
  const best = lengths.reduce((a, b) => (b.speedUp > a.speedUp ? b : a));
  const scale = Math.max(2, best.speedUp);
  find("lengths", HTMLElement).replaceChildren(
    ...lengths.map(({ length, speedUp }) => {
      const bar = make("span", "bar");
      bar.style.inlineSize = `${(100 * speedUp) / scale}%`;
      const track = make("span", "track", bar);
      const line = make("li", "", String(length), track, decimal(speedUp));
      line.ariaLabel = say("lengthSays", { length, speed: decimal(speedUp) });
      line.classList.toggle("best", length === best.length);
      return line;
    }),
  );
  find("best", HTMLElement).textContent = best.length
    ? say("best", {
        length: best.length,
        tokens: decimal(best.tokensPerStep),
        speed: decimal(best.speedUp),
      })
    : say("none");
}

function showCrowd() {
  const given = numbers(crowd, "people", "talking", "callersABox", "price");
  const told = find("boxes", HTMLElement);
  if (!given) return told.replaceChildren(make("dt", "", say("unclear")), make("dd", "", ""));
  const { callers, boxes, anHour } = boxesFor(given);
  /** @type {[string, string][]} */
  const rows = [
    [say("callers"), callers.toLocaleString(locale)],
    [say("boxes"), boxes.toLocaleString(locale)],
    [say("anHour"), money(anHour)],
    [say("aMonth"), money(24 * 30 * anHour)],
  ];
  told.replaceChildren(
    ...rows.flatMap(([name, value]) => [make("dt", "", name), make("dd", "", value)]),
  );
}

/** @param {number} n */
const decimal = (n) => n.toFixed(2);

/** @param {number} n */
const money = (n) => n.toLocaleString(locale, { maximumFractionDigits: n < 100 ? 2 : 0 });

for (const form of [draft, crowd]) form.addEventListener("submit", (event) => event.preventDefault());
draft.addEventListener("input", showDraft);
crowd.addEventListener("input", showCrowd);
showDraft();
showCrowd();
