// What becomes of the words that were said: kept or not, to be downloaded, to be deleted.

import { find } from "./dom.js";
import { say } from "./i18n.js";
import { locale } from "./language.js";
import { becomeAnother, person } from "./person.js";
import { deleteMemory, downloadMemory } from "./server.js";

/** @typedef {import("./wire").MemoryTold} MemoryTold */

const ENDINGS = { markdown: "md", json: "json", srt: "srt" };

/** Within which the second press has to come. */
const SURE_MS = 5_000;

export class History {
  /** Whether the server knows us again the next time. */
  isKept = false;
  #told = find("kept", HTMLElement);
  #delete = find("delete", HTMLButtonElement);
  #notSure = 0;

  /** @param {MemoryTold} told */
  show({ keep, expires_after_days: days }) {
    this.isKept = keep !== "off";
    this.#told.textContent = say(`keep_${keep}`, { days });
  }

  /**
   * Since when, where the conversation goes on from an earlier one.
   * @param {MemoryTold} told
   */
  continuation({ earlier_at_s }) {
    if (earlier_at_s === null) return null;
    const when = new Date(1_000 * earlier_at_s).toLocaleString(locale, {
      dateStyle: "long",
      timeStyle: "short",
    });
    return say("continues", { when });
  }

  /** Asks for another press first. Whether this was that. */
  isSure() {
    const wasAsked = "asked" in this.#delete.dataset;
    this.#ask(!wasAsked);
    return wasAsked;
  }

  /** Everything that was ever said in this browser. Throws a Problem. */
  async delete() {
    await deleteMemory(person());
    becomeAnother();
    this.isKept = false;
    this.#told.textContent = say("deleted");
  }

  /**
   * The last conversation, as a file. Throws a Problem.
   * @param {keyof typeof ENDINGS} format
   */
  async download(format) {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(await downloadMemory(person(), format, locale));
    link.download = `parley.${ENDINGS[format]}`;
    link.click();
    URL.revokeObjectURL(link.href);
  }

  /** @param {boolean} isAsked */
  #ask(isAsked) {
    clearTimeout(this.#notSure);
    this.#delete.toggleAttribute("data-asked", isAsked);
    this.#delete.textContent = say(isAsked ? "deleteSurely" : "delete");
    if (isAsked) this.#notSure = setTimeout(() => this.#ask(false), SURE_MS);
  }
}
