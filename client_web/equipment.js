// One person's microphone, camera and screen while they talk: on, off, muted, swapped, unplugged.

import * as devices from "./devices.js";
import { Problem } from "./errors.js";

/**
 * @typedef {import("./devices.js").Device} Device
 * @typedef {import("./devices.js").Source} Source
 */

export class Equipment {
  /** @type {Record<Source, MediaStreamTrack | null>} */
  #tracks = { microphone: null, camera: null, screen: null };
  #isMuted = false;
  #isPressed = false;
  #isReleased = false;
  /** @type {import("./call.js").Line | null} */
  #call = null;
  #views;
  #meter;

  /**
   * @param {import("./session.js").Views} views
   * @param {import("./meter.js").Meter} meter
   */
  constructor(views, meter) {
    this.#views = views;
    this.#meter = meter;
  }

  /** @param {Source} source */
  has(source) {
    return this.#tracks[source] !== null;
  }

  /** Puts what is on, and what will be, on this call's line. @param {import("./call.js").Line} call */
  async connect(call) {
    this.#call = call;
    await call.useMicrophone(this.#tracks.microphone);
    await call.usePicture(this.#picture);
  }

  /** Never throws: the conversation goes on without a device. @param {Source} source */
  async switchOn(source) {
    const { notice } = this.#views;
    try {
      const track = await devices.open(source);
      if (this.#isReleased || this.#tracks[source]) return track.stop();
      track.onended = () => void this.#miss(source);
      this.#tracks[source] = track;
      notice.clear();
    } catch (error) {
      if (this.#isReleased) return;
      notice.show(Problem.from(error));
    }
    await this.#apply(source);
    await this.list();
  }

  /** @param {Source} source */
  async switchOff(source) {
    this.#tracks[source]?.stop();
    this.#tracks[source] = null;
    await this.#apply(source);
  }

  /**
   * @param {Device} device
   * @param {string} deviceId
   */
  async choose(device, deviceId) {
    devices.remember(device, deviceId);
    if (device === "camera" && !this.has("camera")) return;
    // Phones cannot open a second camera while the first one runs.
    await this.switchOff(device);
    await this.switchOn(device);
  }

  /** @param {boolean} isMuted */
  mute(isMuted) {
    this.#isMuted = isMuted;
    this.#applyMute();
  }

  get isMuted() {
    return this.#isMuted;
  }

  /** @param {boolean} isPressed while it is, a muted microphone is heard as well */
  press(isPressed) {
    this.#isPressed = isPressed;
    this.#applyMute();
  }

  /** Shows which devices there are: some were plugged in or pulled out. */
  async list() {
    await this.#views.page.listDevices(this.#tracks);
  }

  /** Leaves no device on, not even one that is still being opened. */
  release() {
    this.#isReleased = true;
    for (const track of Object.values(this.#tracks)) track?.stop();
    this.#tracks = { microphone: null, camera: null, screen: null };
    this.#showPicture();
  }

  /** A shared screen goes before the camera, which comes back afterwards. */
  get #picture() {
    return this.#tracks.screen ?? this.#tracks.camera;
  }

  #showPicture() {
    this.#views.page.showPicture(this.#picture, {
      camera: this.has("camera"),
      screen: this.has("screen"),
    });
  }

  /** It was unplugged, or the system took it away. @param {Source} source */
  async #miss(source) {
    // A screen is no longer shared because the person told the browser so.
    if (source !== "screen") this.#views.notice.show(new Problem(`${source}Gone`));
    await this.switchOff(source);
  }

  /** Puts the source's track, or none, on the line and on the page. @param {Source} source */
  async #apply(source) {
    if (source !== "microphone") {
      this.#showPicture();
      await this.#call?.usePicture(this.#picture);
      return;
    }
    const { page } = this.#views;
    const track = this.#tracks.microphone;
    this.#applyMute();
    const onLevel = (/** @type {number} */ peak) => page.showLevel("user", peak);
    if (track) void this.#meter.watch("user", track, { onLevel });
    await this.#call?.useMicrophone(track);
  }

  /** How long the microphone keeps a sound before it gives it on, as far as it says. */
  get capturingMs() {
    const settings = this.#tracks.microphone?.getSettings() ?? {};
    return "latency" in settings ? 1_000 * Number(settings.latency) : 0;
  }

  #applyMute() {
    const { page } = this.#views;
    const track = this.#tracks.microphone;
    const isHeard = track !== null && (this.#isPressed || !this.#isMuted);
    if (track) track.enabled = isHeard;
    page.showMicrophone(!track ? "missing" : this.#isMuted ? "muted" : "on");
    page.showListening(isHeard);
  }
}
