// Hold to talk: a button, or the space bar wherever it does not mean something else.

const SPACE_HAS_A_MEANING = "input, textarea, select, button, summary, a[href]";

/**
 * @param {HTMLButtonElement} button
 * @param {(isPressed: boolean) => void} onChange
 */
export function pushToTalk(button, onChange) {
  const press = (/** @type {boolean} */ isPressed) => {
    if (isPressed === (button.ariaPressed === "true") || (isPressed && button.disabled)) return;
    button.ariaPressed = String(isPressed);
    onChange(isPressed);
  };
  const isOurs = (/** @type {KeyboardEvent} */ { code, target }) =>
    code === "Space" &&
    target instanceof Element &&
    (button.contains(target) || !target.closest(SPACE_HAS_A_MEANING));

  button.addEventListener("pointerdown", (event) => {
    button.setPointerCapture(event.pointerId);
    press(true);
  });
  for (const end of ["pointerup", "pointercancel", "lostpointercapture"])
    button.addEventListener(end, () => press(false));
  button.addEventListener("contextmenu", (event) => event.preventDefault()); // a long touch

  addEventListener("keydown", (event) => {
    if (!isOurs(event)) return;
    event.preventDefault(); // space also scrolls
    press(true);
  });
  addEventListener("keyup", (event) => {
    if (event.code === "Space") press(false);
  });
  addEventListener("blur", () => press(false));
}
