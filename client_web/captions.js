// The conversation in words: a row for everything that either side said, as it is being said.

import { make } from "./dom.js";
import { say, sayIfKnown } from "./i18n.js";
import { listing } from "./language.js";
import { explain } from "./reasons.js";

export class Captions {
  /** @type {Map<string, Row>} by item id */
  #rows = new Map();
  #list;

  /** @param {HTMLElement} list */
  constructor(list) {
    this.#list = list;
  }

  clear() {
    this.#rows.clear();
    this.#list.replaceChildren();
  }

  /**
   * The row of an item. A new one keeps its place in the order, and shows once there are words.
   * @param {string} id
   * @param {Side} side
   */
  row(id, side) {
    const known = this.#rows.get(id);
    if (known) return known;
    const row = new Row(side);
    this.#rows.set(id, row);
    this.#list.append(row.element);
    return row;
  }

  /** @param {string} id of an item that is no more */
  remove(id) {
    this.#rows.get(id)?.element.remove();
    this.#rows.delete(id);
  }

  /**
   * A quiet remark between the rows.
   * @param {import("./wire").Degraded} degraded
   */
  remark({ stage, code }) {
    const what = sayIfKnown(`degraded_${stage}`) ?? say("degraded");
    this.note(sayIfKnown(`remark_${code}`) ?? `${what} · ${explain(code)}`);
  }

  /** @param {string} doing what is going on, of one or several tools */
  work(doing) {
    const texts = doing
      .split(", ")
      .map((each) => sayIfKnown(`doing_${each.replaceAll(" ", "_")}`) ?? each);
    this.mention(`${texts.join(listing)} …`);
  }

  /** @param {string} sentence about something that is less than it should be */
  note(sentence) {
    this.#list.append(make("p", "remark", sentence));
  }

  /** @param {string} sentence about something that is as it should be */
  mention(sentence) {
    this.#list.append(make("p", "remark mention", sentence));
  }
}

/** @typedef {"user" | "assistant"} Side */

class Row {
  #committed = make("span", "committed");
  #tentative = make("span", "tentative");
  #words = make("p", "words", this.#committed, this.#tentative);
  #sources = make("p", "hint");
  #hasPartials = false;

  /** @param {Side} side */
  constructor(side) {
    const name = make("span", "name", say(side === "user" ? "you" : "assistant"));
    this.element = make("div", `row ${side}`, name, this.#words);
    // Screen readers wait for the end of a row instead of reading every word of it.
    this.element.ariaBusy = "true";
    this.element.hidden = true;
  }

  /** @param {string} delta */
  append(delta) {
    // Partials carry the same words, and more.
    if (!this.#hasPartials) this.#show(this.#committed.textContent + delta, "");
  }

  /**
   * @param {string} committed
   * @param {string} tentative
   */
  revise(committed, tentative) {
    this.#hasPartials = true;
    this.#show(committed, tentative);
  }

  /** @param {string} text */
  finish(text) {
    this.#show(text, "");
    this.element.ariaBusy = "false";
  }

  /** @param {string[]} sources in the documents */
  cite(sources) {
    this.#sources.textContent = say("sources", { where: sources.join(" · ") });
    this.element.append(this.#sources);
  }

  interrupt() {
    this.#words.dataset.interrupted = say("interrupted");
    this.element.ariaBusy = "false";
  }

  /**
   * @param {string} committed
   * @param {string} tentative
   */
  #show(committed, tentative) {
    this.#committed.textContent = committed;
    this.#tentative.textContent = needsSpace(committed, tentative) ? ` ${tentative}` : tentative;
    this.element.hidden = !committed && !tentative;
  }
}

/**
 * Chinese and Japanese are written without spaces.
 * @param {string} before
 * @param {string} after
 */
function needsSpace(before, after) {
  return (
    before !== "" &&
    after !== "" &&
    !/^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u.test(after)
  );
}
