// One call over a WebSocket, for networks that let no UDP through: sound both ways, no pictures.

import { Problem } from "./errors.js";
import { openSocket } from "./server.js";

/**
 * @typedef {import("./call.js").Line} Line
 * @typedef {import("./wire").ClientEvent} ClientEvent
 * @typedef {import("./wire").ServerEvent} ServerEvent
 */

const RATE_HZ = 24_000;
const CONNECTING_MS = 5_000;

/** Sound that comes late is played this much later still, so that the next is in time. */
const BUFFER_S = 0.06;

/** @implements {Line} */
export class SocketCall {
  #context = new AudioContext({ latencyHint: "interactive" });
  #loaded = this.#context.audioWorklet?.addModule(
    new URL("microphone-worklet.js", import.meta.url),
  );
  #voice = this.#context.createMediaStreamDestination();
  /** When all sound that has come will have been played, on the context's clock. */
  #playedAt_s = 0;
  /** @type {WebSocket | null} */
  #socket = null;
  /** @type {MediaStreamAudioSourceNode | null} */
  #microphone = null;
  #isUp = false;
  #listener;

  /** @param {import("./call.js").Listener} listener */
  constructor(listener) {
    this.#listener = listener;
  }

  /**
   * Resolves when events can be sent. Throws a Problem; close the call then.
   * @param {AbortSignal} signal
   */
  async connect(signal) {
    const socket = (this.#socket = openSocket());
    socket.onmessage = ({ data }) => this.#take(JSON.parse(data));
    await new Promise((resolve, reject) => {
      const fail = () => reject(new Problem("noSocket"));
      const timer = setTimeout(fail, CONNECTING_MS);
      signal.addEventListener("abort", () => reject(signal.reason));
      socket.onclose = fail;
      socket.onopen = () => {
        clearTimeout(timer);
        resolve(null);
      };
    });
    socket.onclose = () => this.#lose();
    this.#isUp = true;
    const [track] = this.#voice.stream.getAudioTracks();
    if (track) this.#listener.onVoice(track);
  }

  /** @param {ClientEvent} event dropped when the line is down */
  send(event) {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(event));
  }

  /** @param {MediaStreamTrack | null} track */
  async useMicrophone(track) {
    this.#microphone?.disconnect();
    this.#microphone = null;
    if (!track || !this.#loaded) return;
    await this.#loaded;
    const node = new AudioWorkletNode(this.#context, "microphone", { numberOfOutputs: 0 });
    node.port.onmessage = ({ data }) =>
      this.send({ type: "input_audio_buffer.append", audio: toBase64(data) });
    this.#microphone = this.#context.createMediaStreamSource(new MediaStream([track]));
    this.#microphone.connect(node);
  }

  oneWayMs = null;

  /** There is no room for pictures. */
  async usePicture() {}

  heed() {}

  /** Ends the conversation: the server does not keep it. */
  close() {
    this.#isUp = false;
    this.#socket?.close();
    this.#microphone?.disconnect();
    if (this.#context.state !== "closed") void this.#context.close();
  }

  hangUp() {
    this.close();
  }

  /** @param {ServerEvent} event */
  #take(event) {
    if (event.type === "response.output_audio.delta") this.#play(fromBase64(event.delta));
    this.#listener.onEvent(event);
  }

  /** @param {Int16Array} pcm */
  #play(pcm) {
    if (pcm.length === 0) return;
    const buffer = this.#context.createBuffer(1, pcm.length, RATE_HZ);
    buffer.copyToChannel(Float32Array.from(pcm, (sample) => sample / 32_768), 0);
    const source = this.#context.createBufferSource();
    source.buffer = buffer;
    source.connect(this.#voice);
    const now_s = this.#context.currentTime;
    if (this.#playedAt_s < now_s) this.#playedAt_s = now_s + BUFFER_S;
    source.start(this.#playedAt_s);
    this.#playedAt_s += buffer.duration;
  }

  #lose() {
    if (!this.#isUp) return;
    this.close();
    this.#listener.onLine("lost");
  }
}

/** @param {ArrayBuffer} buffer */
function toBase64(buffer) {
  return btoa(String.fromCharCode(...new Uint8Array(buffer)));
}

/** @param {string} text */
function fromBase64(text) {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  return new Int16Array(bytes.buffer, 0, bytes.length >> 1);
}
