// One WebRTC call: sound both ways, pictures one way, and the events' data channel.

import { Problem } from "./errors.js";
import { exchange, hangUp } from "./server.js";
import { Thrift } from "./thrift.js";

/**
 * What carries sound and events; a Call, or a SocketCall where no UDP gets through.
 *
 * @typedef {object} Line
 * @property {(signal: AbortSignal, memory: import("./memory.js").Memory) => Promise<void>} connect
 * @property {(event: ClientEvent) => void} send
 * @property {(track: MediaStreamTrack | null) => Promise<void>} useMicrophone
 * @property {(track: MediaStreamTrack | null) => Promise<void>} usePicture
 * @property {(isHeedful: boolean) => void} heed the person speaks, or does no more
 * @property {number | null} oneWayMs for a packet of sound to the server; null where it is not known
 * @property {() => void} close
 * @property {() => void} hangUp
 *
 * @typedef {import("./wire").ClientEvent} ClientEvent
 * @typedef {import("./wire").ServerEvent} ServerEvent
 *
 * @typedef {object} Listener
 * @property {(event: ServerEvent) => void} onEvent
 * @property {(voice: MediaStreamTrack) => void} onVoice
 * @property {(line: "good" | "weak" | "lost") => void} onLine
 *   lost: it was up, and is no more
 */

/** Long enough for a bad line, short enough for another way to be tried within five seconds. */
const CONNECTING_MS = 3_500;

const LOOK_MS = 2_000;

/** @implements {Line} */
export class Call {
  #peer;
  #events;
  #microphone;
  #picture;
  /** From the first event that could be sent until it is lost or closed. */
  #isUp = false;
  /** @type {string | null} */
  #location = null;
  /** Where the server says that it can be reached. @type {string[]} */
  #addresses = [];
  #thrift = new Thrift();
  #isHeedful = false;
  #looking = 0;
  /** @type {number | null} */
  oneWayMs = null;
  #listener;

  /**
   * @param {Listener} listener
   * @param {RTCIceServer[]} iceServers
   */
  constructor(listener, iceServers) {
    if (!("RTCPeerConnection" in window)) throw new Problem("noWebRtc");
    this.#listener = listener;
    this.#peer = new RTCPeerConnection({ iceServers, bundlePolicy: "max-bundle" });
    this.#events = this.#peer.createDataChannel("oai-events");
    // Pictures have their place from the start, so that showing some needs no second offer.
    const { picture, sound } = this.#encodings;
    this.#microphone = this.#peer.addTransceiver("audio", {
      direction: "sendrecv",
      sendEncodings: [sound],
    }).sender;
    this.#picture = this.#peer.addTransceiver("video", {
      direction: "sendonly",
      sendEncodings: [picture],
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
   *
   * Our addresses are not waited for: the server learns them from our packets.
   * @param {AbortSignal} signal
   * @param {import("./memory.js").Memory} memory of the call that this one goes on with
   */
  async connect(signal, memory) {
    await this.#peer.setLocalDescription();
    const offer = /** @type {RTCSessionDescription} */ (this.#peer.localDescription).sdp;
    const { answer, location } = await exchange(offer, signal, memory);
    this.#location = location;
    this.#addresses = addressesIn(answer);
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
    if (!this.#isClosed) await this.#microphone.replaceTrack(track);
  }

  /** @param {MediaStreamTrack | null} track of a camera or a screen */
  async usePicture(track) {
    if (!this.#isClosed) await this.#picture.replaceTrack(track);
  }

  /** @param {boolean} isHeedful pictures come faster while the person speaks */
  heed(isHeedful) {
    this.#isHeedful = isHeedful;
    if (!this.#isClosed) void spend(this.#picture, this.#encodings.picture);
  }

  get #encodings() {
    return encodings(this.#thrift.spending, this.#isHeedful);
  }

  /** Devices may still be switched until the next call has taken over. */
  get #isClosed() {
    return this.#peer.signalingState === "closed";
  }

  /** Leaves the line; the server keeps the conversation for a while. */
  close() {
    this.#isUp = false;
    clearInterval(this.#looking);
    this.#peer.close();
  }

  /** Ends the conversation. Without a line the server knows no such call: it is told first. */
  hangUp() {
    this.#isUp = false;
    clearInterval(this.#looking);
    this.#events.onmessage = this.#peer.ontrack = this.#peer.onconnectionstatechange = null;
    const told = this.#location ? hangUp(this.#location) : Promise.resolve();
    void told.then(() => this.#peer.close());
  }

  /**
   * @param {AbortSignal} signal
   * @returns {Promise<void>}
   */
  #opened(signal) {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(this.#noPath()), CONNECTING_MS);
      signal.addEventListener("abort", () => {
        clearTimeout(timer);
        reject(signal.reason);
      });
      this.#events.onopen = () => {
        clearTimeout(timer);
        this.#isUp = true;
        this.#looking = setInterval(() => this.#save(), LOOK_MS);
        resolve();
      };
    });
  }

  #noPath() {
    return new Problem("noPath", { tried: this.#addresses.join(", ") });
  }

  /** Pictures give way to sound where the line does not carry both. */
  async #save() {
    for (const report of (await this.#microphone.getStats()).values()) {
      if (report.type !== "remote-inbound-rtp") continue;
      const { fractionLost: loss, roundTripTime = null } = report;
      this.oneWayMs = roundTripTime && 500 * roundTripTime;
      if (!this.#thrift.take({ loss, roundTripMs: roundTripTime && 1_000 * roundTripTime })) return;
      const { picture, sound } = this.#encodings;
      await Promise.all([spend(this.#picture, picture), spend(this.#microphone, sound)]);
    }
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
    if (!this.#isUp) return;
    this.close();
    this.#listener.onLine("lost");
  }
}

/** @param {string} answer */
function addressesIn(answer) {
  const candidates = answer.matchAll(/^a=candidate:\S+ \d+ (\S+) \d+ (\S+) (\d+) typ/gm);
  const told = [...candidates].map(
    ([, transport, address, port]) => `${transport?.toUpperCase()} ${address}:${port}`,
  );
  return [...new Set(told)];
}

/**
 * Asks for the shortest jitter buffer; browsers lengthen it when the line needs it.
 * @param {RTCRtpReceiver} receiver
 */
function playAtOnce(receiver) {
  // The standard's name, and the older one that some browsers know.
  Object.assign(receiver, { jitterBufferTarget: 0, playoutDelayHint: 0 });
}

/**
 * @param {import("./thrift.js").Spending} spending
 * @param {boolean} isHeedful
 * @returns {Record<"picture" | "sound", RTCRtpEncodingParameters>}
 */
function encodings({ pictureBits, pictureRate, heedfulRate, soundBits }, isHeedful) {
  return {
    picture: {
      active: pictureBits > 0,
      maxFramerate: isHeedful ? heedfulRate : pictureRate,
      ...(pictureBits > 0 && { maxBitrate: pictureBits }),
      priority: "very-low",
    },
    sound: { maxBitrate: soundBits, priority: "high" },
  };
}

/**
 * @param {RTCRtpSender} sender
 * @param {RTCRtpEncodingParameters} encoding
 */
async function spend(sender, encoding) {
  const parameters = sender.getParameters();
  for (const one of parameters.encodings) Object.assign(one, encoding);
  await sender.setParameters(parameters);
}
