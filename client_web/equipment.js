// One person's microphone and camera while they talk: on, off, muted, swapped, unplugged.

import * as devices from "./devices.js";
import { Problem } from "./errors.js";

/** @typedef {import("./devices.js").Device} Device */

export class Equipment {
  /** @type {Record<Device, MediaStreamTrack | null>} */
  #tracks = { microphone: null, camera: null };
  #isMuted = false;
  #isPressed = false;
  #isReleased = false;
  /** @type {import("./call.js").Call | null} */
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

  /** @param {Device} device */
  has(device) {
    return this.#tracks[device] !== null;
  }

  /** Puts what is on, and what will be, on this call's line. @param {import("./call.js").Call} call */
  async connect(call) {
    this.#call = call;
    await call.useMicrophone(this.#tracks.microphone);
    await call.useCamera(this.#tracks.camera);
  }

  /** Never throws: the conversation goes on without a device. @param {Device} device */
  async switchOn(device) {
    const { notice } = this.#views;
    try {
      const track = await devices.open(device);
      if (this.#isReleased || this.#tracks[device]) return track.stop();
      track.onended = () => void this.#miss(device);
      this.#tracks[device] = track;
      notice.clear();
    } catch (error) {
      if (this.#isReleased) return;
      notice.show(Problem.from(error));
    }
    await this.#apply(device);
    await this.list();
  }

  /** @param {Device} device */
  async switchOff(device) {
    this.#tracks[device]?.stop();
    this.#tracks[device] = null;
    await this.#apply(device);
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
    this.#tracks = { microphone: null, camera: null };
    this.#views.page.showCamera(null);
  }

  /** The device was unplugged, or the system took it away. @param {Device} device */
  async #miss(device) {
    this.#views.notice.show(new Problem(`${device}Gone`));
    await this.switchOff(device);
  }

  /** Puts the device's track, or none, on the line and on the page. @param {Device} device */
  async #apply(device) {
    const { page } = this.#views;
    const track = this.#tracks[device];
    if (device === "camera") {
      page.showCamera(track);
      await this.#call?.useCamera(track);
      return;
    }
    this.#applyMute();
    const onLevel = (/** @type {number} */ peak) => page.showLevel("user", peak);
    if (track) void this.#meter.watch("user", track, { onLevel });
    await this.#call?.useMicrophone(track);
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
