// One sentence about what is wrong and what to do, above the controls.

import { find } from "./dom.js";

export class Notice {
  #box = find("notice", HTMLElement);
  #text = find("notice-text", HTMLElement);

  constructor() {
    find("notice-dismiss", HTMLButtonElement).onclick = () => this.clear();
  }

  /** @param {import("./errors.js").Problem} problem */
  show({ message, isPassing }) {
    this.#box.dataset.passing = String(isPassing);
    this.#box.hidden = false;
    // The same sentence again is not news to a screen reader.
    if (this.#text.textContent !== message) this.#text.textContent = message;
  }

  clear() {
    this.#box.hidden = true;
    this.#text.textContent = "";
  }

  /** Takes away what has mended by itself. */
  clearPassing() {
    if (this.#box.dataset.passing === "true") this.clear();
  }
}
