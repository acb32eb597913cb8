// One conversation, from Start to Stop.

import { Call } from "./call.js";
import { Clock, nowMs } from "./clock.js";
import { isCameraWanted, rememberCameraWanted } from "./devices.js";
import { Equipment } from "./equipment.js";
import { Problem } from "./errors.js";
import { Meter } from "./meter.js";
import { Narrator } from "./narrator.js";
import { pause, untilReady } from "./server.js";
import { Voices } from "./voices.js";

/**
 * @typedef {import("./wire").ClientEvent} ClientEvent
 * @typedef {import("./wire").ServerEvent} ServerEvent
 *
 * @typedef {object} Views
 * @property {import("./page.js").Page} page
 * @property {import("./captions.js").Captions} captions
 * @property {import("./notice.js").Notice} notice
 */

const CALL_AGAIN_MS = 3_000;
const PING_MS = 5_000;
const STOPPED = Symbol("the person pressed Stop");

export class Session {
  #leaving = new AbortController();
  #meter = new Meter();
  #clock = new Clock();
  /** @type {Call | null} */
  #call = null;
  #views;
  #narrator;

  /** @param {Views} views */
  constructor(views) {
    this.#views = views;
    this.#narrator = new Narrator(views);
    this.equipment = new Equipment(views, this.#meter);
    this.voices = new Voices((event) => this.#send(event));
  }

  /** Resolves when the conversation is over, whoever ended it; nothing is live then. */
  async run() {
    const { signal } = this.#leaving;
    const over = new Promise((resolve) => signal.addEventListener("abort", resolve));
    this.#begin().catch((error) => this.#leaving.abort(error));
    await over;
    this.#release();
    if (signal.reason === STOPPED) this.#views.notice.clear();
    else this.#views.notice.show(Problem.from(signal.reason));
  }

  stop() {
    this.#leaving.abort(STOPPED);
  }

  /** @param {string} text */
  type(text) {
    const id = `item_${crypto.getRandomValues(new Uint32Array(2)).join("")}`;
    this.#views.captions.row(id, "user").finish(text);
    const content = [{ type: "input_text", text }];
    this.#send({
      type: "conversation.item.create",
      item: { id, type: "message", role: "user", content },
    });
    this.#send({ type: "response.create" });
  }

  interrupt() {
    this.#send({ type: "response.cancel" });
    this.#send({ type: "output_audio_buffer.clear" });
  }

  /** With no microphone: tries again to get one. */
  async toggleMute() {
    const { equipment } = this;
    if (!equipment.has("microphone")) return equipment.switchOn("microphone");
    equipment.mute(!equipment.isMuted);
    this.#send({ type: "assistant.mute", muted: equipment.isMuted });
  }

  async toggleCamera() {
    const isWanted = !this.equipment.has("camera");
    rememberCameraWanted(isWanted);
    await (isWanted ? this.equipment.switchOn("camera") : this.equipment.switchOff("camera"));
  }

  /** @param {boolean} isPressed */
  talk(isPressed) {
    this.equipment.press(isPressed);
    this.#send({ type: "assistant.push_to_talk", pressed: isPressed });
  }

  async #begin() {
    const { page, captions, notice } = this.#views;
    notice.clear();
    captions.clear();
    page.showState("connecting");
    await this.#ready();
    await this.equipment.switchOn("microphone");
    await this.#connect();
    notice.clearPassing();
    page.showState("listening");
    this.#keepTime();
    if (isCameraWanted()) await this.equipment.switchOn("camera");
  }

  async #ready() {
    const { notice } = this.#views;
    await untilReady(this.#leaving.signal, (problem) => notice.show(problem));
  }

  /** Calls until the server takes the call. */
  async #connect() {
    const { signal } = this.#leaving;
    for (;;) {
      signal.throwIfAborted();
      const call = (this.#call = new Call({
        onEvent: (event) => this.#take(event),
        onVoice: (voice) => this.#hear(voice),
        onLine: (line) => this.#noteLine(line),
      }));
      try {
        await this.equipment.connect(call);
        return await call.connect(signal);
      } catch (error) {
        call.close();
        const problem = Problem.from(error);
        if (signal.aborted || !problem.isPassing) throw error;
        this.#views.notice.show(problem);
        await pause(CALL_AGAIN_MS, signal);
        await this.#ready();
      }
    }
  }

  #release() {
    this.#call?.close();
    this.#meter.close();
    this.equipment.release();
    this.#views.page.playVoice(null);
    this.#views.page.showState("idle");
  }

  /** @param {ServerEvent} event */
  #take(event) {
    if (event.type === "assistant.pong") return this.#clock.take(event);
    this.voices.take(event);
    this.#narrator.tell(event);
  }

  /** @param {MediaStreamTrack} voice */
  #hear(voice) {
    this.#views.page.playVoice(voice);
    void this.#meter.watch("assistant", voice, {
      onLevel: (peak) => this.#views.page.showLevel("assistant", peak),
      onOnset: (atMs) =>
        this.#send({
          type: "assistant.playout",
          heard_at_ms: atMs,
          clock_offset_ms: this.#clock.offsetMs,
        }),
    });
  }

  /** @param {"good" | "weak" | "lost"} line */
  #noteLine(line) {
    const { notice } = this.#views;
    if (line === "lost") this.#leaving.abort(new Problem("lineLost"));
    else if (line === "weak") notice.show(new Problem("lineWeak"));
    else notice.clearPassing();
  }

  #keepTime() {
    const ping = () => this.#send({ type: "assistant.ping", sent_at_ms: nowMs() });
    const timer = setInterval(ping, PING_MS);
    this.#leaving.signal.addEventListener("abort", () => clearInterval(timer));
    ping();
  }

  /** @param {ClientEvent} event */
  #send(event) {
    this.#call?.send(event);
  }
}
