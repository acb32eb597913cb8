// One WebRTC call: sound both ways, the camera one way, and the events' data channel.

import { Problem } from "./errors.js";
import { exchange } from "./server.js";

/**
 * @typedef {import("./wire").ClientEvent} ClientEvent
 * @typedef {import("./wire").ServerEvent} ServerEvent
 *
 * @typedef {object} Listener
 * @property {(event: ServerEvent) => void} onEvent
 * @property {(voice: MediaStreamTrack) => void} onVoice
 * @property {(line: "good" | "weak" | "lost") => void} onLine
 */

/** Host candidates are there at once; a virtual interface may take seconds over its own. */
const GATHERING_MS = 300;
const CONNECTING_MS = 10_000;

/** The server looks at the newest frame only: few, sharp ones leave it the processor. */
const CAMERA_ENCODING = { maxFramerate: 8, maxBitrate: 1_500_000 };

export class Call {
  #peer;
  #events;
  #microphone;
  #camera;
  /** From the first event that could be sent until we close it ourselves. */
  #isUp = false;
  #listener;

  /** @param {Listener} listener */
  constructor(listener) {
    if (!("RTCPeerConnection" in window)) throw new Problem("noWebRtc");
    this.#listener = listener;
    this.#peer = new RTCPeerConnection({ iceServers: [], bundlePolicy: "max-bundle" });
    this.#events = this.#peer.createDataChannel("oai-events");
    // The camera has its place from the start, so that turning it on needs no second offer.
    this.#microphone = this.#peer.addTransceiver("audio", { direction: "sendrecv" }).sender;
    this.#camera = this.#peer.addTransceiver("video", {
      direction: "sendonly",
      sendEncodings: [CAMERA_ENCODING],
    }).sender;
    this.#peer.ontrack = ({ track, receiver }) => {
      playAtOnce(receiver);
      listener.onVoice(track);
    };
    this.#events.onmessage = ({ data }) => listener.onEvent(JSON.parse(data));
    this.#events.onclose = () => this.#lose();
    this.#peer.onconnectionstatechange = () => this.#watch();
  }

  /**
   * Resolves when events can be sent. Throws a Problem; close the call then.
   * @param {AbortSignal} signal
   */
  async connect(signal) {
    await this.#peer.setLocalDescription();
    await this.#gathered();
    const offer = /** @type {RTCSessionDescription} */ (this.#peer.localDescription).sdp;
    const answer = await exchange(offer, signal);
    signal.throwIfAborted();
    await this.#peer.setRemoteDescription({ type: "answer", sdp: answer });
    await this.#opened(signal);
  }

  /** @param {ClientEvent} event dropped when the line is down */
  send(event) {
    if (this.#events.readyState === "open") this.#events.send(JSON.stringify(event));
  }

  /** @param {MediaStreamTrack | null} track */
  async useMicrophone(track) {
    await this.#microphone.replaceTrack(track);
  }

  /** @param {MediaStreamTrack | null} track */
  async useCamera(track) {
    await this.#camera.replaceTrack(track);
  }

  close() {
    this.#isUp = false;
    this.#peer.close();
  }

  /** @returns {Promise<void>} */
  #gathered() {
    const peer = this.#peer;
    return new Promise((resolve) => {
      const look = () => peer.iceGatheringState === "complete" && resolve();
      peer.addEventListener("icegatheringstatechange", look);
      setTimeout(resolve, GATHERING_MS);
      look();
    });
  }

  /**
   * @param {AbortSignal} signal
   * @returns {Promise<void>}
   */
  #opened(signal) {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Problem("noPath")), CONNECTING_MS);
      signal.addEventListener("abort", () => {
        clearTimeout(timer);
        reject(signal.reason);
      });
      this.#events.onopen = () => {
        clearTimeout(timer);
        this.#isUp = true;
        resolve();
      };
    });
  }

  #watch() {
    switch (this.#peer.connectionState) {
      case "connected":
        return this.#listener.onLine("good");
      case "disconnected":
        return this.#listener.onLine("weak");
      case "failed":
        return this.#lose();
    }
  }

  #lose() {
    if (this.#isUp) this.#listener.onLine("lost");
  }
}

/**
 * Asks for the shortest jitter buffer; browsers lengthen it when the line needs it.
 * @param {RTCRtpReceiver} receiver
 */
function playAtOnce(receiver) {
  // The standard's name, and the older one that some browsers know.
  Object.assign(receiver, { jitterBufferTarget: 0, playoutDelayHint: 0 });
}
