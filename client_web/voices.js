// Which voice answers: one of those that the server offers, as the person chose.

import { find } from "./dom.js";
import { locale } from "./language.js";

/**
 * @typedef {import("./wire").ClientEvent} ClientEvent
 * @typedef {import("./wire").ServerEvent} ServerEvent
 * @typedef {import("./wire").Voice} Voice
 */

const CHOSEN = "parley.voice";

export class Voices {
  #select = find("voice-choice", HTMLSelectElement);
  #inForce = "";
  #send;

  /** @param {(event: ClientEvent) => void} send */
  constructor(send) {
    this.#send = send;
  }

  /** @param {ServerEvent} event */
  take(event) {
    switch (event.type) {
      case "session.created":
      case "session.updated":
        this.#inForce = event.session.audio.output.voice;
        this.#select.value = this.#inForce;
        return;
      case "assistant.voices":
        return this.#offer(event.voices);
    }
  }

  /** For this conversation and the next ones. @param {string} id */
  choose(id) {
    localStorage.setItem(CHOSEN, id);
    this.#want(id);
  }

  /** @param {Voice[]} voices */
  #offer(voices) {
    this.#select.replaceChildren(...voices.map(option));
    this.#select.value = this.#inForce;
    const chosen = localStorage.getItem(CHOSEN);
    if (chosen !== this.#inForce && voices.some(({ id }) => id === chosen))
      this.#want(/** @type {string} */ (chosen));
  }

  /** @param {string} voice */
  #want(voice) {
    const session = { type: /** @type {const} */ ("realtime"), audio: { output: { voice } } };
    this.#send({ type: "session.update", session });
  }
}

/** Such as piper-en-us-joe-medium, espeak-ng-fr. */
const NAME = /^(?:piper-[a-z]+-[a-z]+-(.+)-[a-z]+|(espeak-ng)-.+)$/;

/** Short enough for a phone; the rest shows when it is pointed at. @param {Voice} voice */
function option({ id, summary, languages }) {
  const [, piper, espeak] = NAME.exec(id) ?? [];
  const name = piper ? `${piper[0]?.toUpperCase()}${piper.slice(1)}` : espeak;
  const made = new Option(name ? [name, ...languages.map(languageName)].join(" · ") : summary, id);
  made.title = summary;
  return made;
}

const names = new Intl.DisplayNames(locale, { type: "language" });

/** @param {string} code */
function languageName(code) {
  try {
    return names.of(code) ?? code;
  } catch {
    return code; // espeak-ng has some that are no standard's
  }
}
