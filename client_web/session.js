// One conversation, from Start to Stop.

import { Call } from "./call.js";
import { Clock, nowMs } from "./clock.js";
import { isCameraWanted, rememberCameraWanted } from "./devices.js";
import { Equipment } from "./equipment.js";
import { Problem } from "./errors.js";
import { Heartbeat } from "./heartbeat.js";
import { say } from "./i18n.js";
import { Memory } from "./memory.js";
import { Meter } from "./meter.js";
import { Narrator } from "./narrator.js";
import { person } from "./person.js";
import { iceServers, pause, untilReady } from "./server.js";
import { SocketCall } from "./socket-call.js";
import { Voices } from "./voices.js";

/**
 * @typedef {import("./wire").ClientEvent} ClientEvent
 * @typedef {import("./wire").ServerEvent} ServerEvent
 *
 * @typedef {object} Views
 * @property {import("./page.js").Page} page
 * @property {import("./captions.js").Captions} captions
 * @property {import("./notice.js").Notice} notice
 * @property {import("./history.js").History} history
 */

/** How long to wait before each new try; the last counts for all that follow. */
const TRY_AGAIN_MS = [0, 500, 1_000, 2_000, 3_000];

/** The server keeps a conversation for so long. */
const GIVE_UP_MS = 600_000;

const STOPPED = Symbol("the person pressed Stop");

export class Session {
  #leaving = new AbortController();
  #meter = new Meter();
  #clock = new Clock();
  #memory = new Memory();
  /** @type {import("./call.js").Line | null} */
  #call = null;
  /** No UDP gets through, so calls go over WebSockets. */
  #isNarrow = false;
  /** @type {RTCIceServer[]} */
  #iceServers = [];
  #wasUp = false;
  /** @type {Heartbeat | null} */
  #heartbeat = null;
  /** Whose turn it is, as the server told it last. @type {import("./wire").State} */
  #state = "listening";
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

  async toggleScreen() {
    const { equipment } = this;
    await (equipment.has("screen") ? equipment.switchOff("screen") : equipment.switchOn("screen"));
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
    if (isCameraWanted() && !this.#isNarrow) await this.equipment.switchOn("camera");
  }

  async #ready() {
    const { notice } = this.#views;
    const { signal } = this.#leaving;
    const health = await untilReady(signal, (problem) => notice.show(problem));
    this.#iceServers = health.has_ice_servers ? await iceServers(signal) : [];
  }

  /** Calls until the server takes the call. */
  async #connect() {
    const { page, notice } = this.#views;
    const { signal } = this.#leaving;
    const giveUpAt = performance.now() + GIVE_UP_MS;
    let nBlocked = 0;
    for (let n = 0; ; n++) {
      signal.throwIfAborted();
      const call = (this.#call = this.#newCall());
      try {
        await this.equipment.connect(call);
        await call.connect(signal, this.#memory);
        this.#memory.begin();
        this.#wasUp = true;
        break;
      } catch (error) {
        call.close();
        const problem = Problem.from(error);
        // Where there was a path there may be one again soon.
        const isBlocked = problem.kind === "noPath" && !signal.aborted;
        if (isBlocked && ++nBlocked > (this.#memory.token ? 1 : 0)) {
          call.hangUp();
          await this.#goNarrow(problem);
          continue;
        }
        if (signal.aborted || !this.#mayMend(problem, giveUpAt)) throw error;
        notice.show(problem);
        await pause(TRY_AGAIN_MS[n] ?? TRY_AGAIN_MS.at(-1) ?? 0, signal);
        await this.#ready();
      }
    }
    notice.clearPassing();
    page.showState(this.#state);
    this.#heartbeat = new Heartbeat({
      ping: () => this.#call?.send({ type: "assistant.ping", sent_at_ms: nowMs() }),
      onDead: () => this.#lose(),
    });
  }

  /** @returns {import("./call.js").Line} */
  #newCall() {
    const listener = {
      /** @param {ServerEvent} event */
      onEvent: (event) => this.#take(event),
      /** @param {MediaStreamTrack} voice */
      onVoice: (voice) => this.#hear(voice),
      /** @param {"good" | "weak" | "lost"} line */
      onLine: (line) => this.#noteLine(line),
    };
    return this.#isNarrow ? new SocketCall(listener) : new Call(listener, this.#iceServers);
  }

  /** From now on over WebSockets, where the server keeps no conversation. @param {Problem} problem */
  async #goNarrow(problem) {
    const { captions } = this.#views;
    this.#isNarrow = true;
    captions.note(`${problem.message} ${say("narrow")}`);
    if (this.#memory.token) this.#noteForgotten();
    this.#memory = new Memory();
    this.#state = "listening";
    this.#views.page.showPictureButtons(false);
    await this.equipment.switchOff("screen");
    await this.equipment.switchOff("camera");
  }

  /**
   * Whether to try again. No path for the sound is no reason to give up when there was one.
   * @param {Problem} problem
   * @param {number} giveUpAt
   */
  #mayMend(problem, giveUpAt) {
    if (performance.now() > giveUpAt) return false;
    if (problem.kind === "noPath") return this.#memory.token !== null;
    return problem.isPassing || (problem.kind === "noSocket" && this.#wasUp);
  }

  /** The line is dead: makes another. The conversation goes on where it was. */
  #lose() {
    const { page, notice } = this.#views;
    this.#heartbeat?.stop();
    this.#call?.close();
    if (this.#isNarrow) {
      this.#memory = new Memory();
      this.#state = "listening";
      this.#noteForgotten();
    }
    page.showState("connecting");
    notice.show(new Problem("lineLost"));
    this.#connect().catch((error) => this.#leaving.abort(error));
  }

  #release() {
    this.#heartbeat?.stop();
    this.#call?.hangUp();
    this.#meter.close();
    this.equipment.release();
    this.#views.page.playVoice(null);
    this.#views.page.showRecording(false);
    this.#views.page.showPictureButtons(true);
    this.#views.page.showState("idle");
  }

  /** @param {ServerEvent} event */
  #take(event) {
    this.#heartbeat?.heard();
    if (event.type === "assistant.pong") {
      this.#memory.confirm(nowMs() - event.sent_at_ms);
      return this.#clock.take(event);
    }
    this.#memory.lastEventId = event.event_id;
    if (event.type === "session.created")
      this.#call?.send({ type: "assistant.remember", person: person() });
    if (event.type === "assistant.resume") return this.#resume(event);
    if (event.type === "assistant.state") this.#state = event.state;
    if (event.type === "input_audio_buffer.speech_started") this.#call?.heed(true);
    if (event.type === "input_audio_buffer.speech_stopped") this.#call?.heed(false);
    this.voices.take(event);
    this.#narrator.tell(event);
  }

  /** Where the server keeps what was said it tells by itself what it goes on from. */
  #noteForgotten() {
    if (!this.#views.history.isKept) this.#views.captions.note(say("forgotten"));
  }

  /** @param {import("./wire").Resume} resume */
  #resume({ token, last_event_id }) {
    if (this.#memory.token && this.#memory.token !== token) {
      this.#state = "listening";
      this.#noteForgotten();
    }
    this.#memory.token = token;
    for (const event of this.#memory.unconfirmed(last_event_id)) this.#call?.send(event);
  }

  /** @param {MediaStreamTrack} voice */
  #hear(voice) {
    this.#views.page.playVoice(voice);
    void this.#meter.watch("assistant", voice, {
      onLevel: (peak) => this.#views.page.showLevel("assistant", peak),
      onOnset: (atMs) =>
        this.#call?.send({
          type: "assistant.playout",
          heard_at_ms: atMs,
          clock_offset_ms: this.#clock.offsetMs,
          uplink_ms: this.#uplinkMs(),
        }),
    });
  }

  /** How long a sound takes from the microphone to the server: half a round trip, and the device. */
  #uplinkMs() {
    const onTheWayMs = this.#call?.oneWayMs ?? this.#clock.oneWayMs;
    return onTheWayMs === null ? null : this.equipment.capturingMs + onTheWayMs;
  }

  /** @param {"good" | "weak" | "lost"} line */
  #noteLine(line) {
    const { notice } = this.#views;
    if (line === "lost") this.#lose();
    else if (line === "weak") notice.show(new Problem("lineWeak"));
    else notice.clearPassing();
  }

  /** It reaches the server even when the line is lost meanwhile. @param {ClientEvent} event */
  #send(event) {
    this.#call?.send(this.#memory.keep(event));
  }
}