// Which voice answers: one of those that the server offers, as the person chose.

import { find } from "./dom.js";

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
    const options = voices.map(({ id, summary }) => new Option(summary, id));
    this.#select.replaceChildren(...options);
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
