// What the page shows beside the words: whose turn it is, loudness, devices, the camera, the last turn.

import * as devices from "./devices.js";
import { find, make } from "./dom.js";
import { say } from "./i18n.js";
import { locale } from "./language.js";
import { showTimeline } from "./timeline.js";

/**
 * @typedef {"idle" | "connecting" | import("./wire").State} PageState
 * @typedef {import("./devices.js").Device} Device
 * @typedef {import("./wire").Scene} Scene
 */

/** Quietest level that moves the meter; speech lies some 40 dB above it. */
const METER_FLOOR_DB = -50;

export class Page {
  #body = document.body;
  #start = find("start", HTMLButtonElement);
  #details = find("details", HTMLButtonElement);
  #state = find("state", HTMLElement);
  #mute = find("mute", HTMLButtonElement);
  #talk = find("talk", HTMLButtonElement);
  #camera = find("camera", HTMLButtonElement);
  #screen = find("screen", HTMLButtonElement);
  #preview = find("preview", HTMLVideoElement);
  #voice = find("voice", HTMLAudioElement);
  #recording = find("recording", HTMLElement);
  #looked = find("looked", HTMLImageElement);
  #lookedAt = find("looked-at", HTMLTimeElement);
  #scene = find("scene", HTMLElement);
  #timeline = find("timeline", HTMLElement);
  #meter = find("meter", HTMLElement);

  /** @param {PageState} state */
  showState(state) {
    const isCalling = state !== "idle";
    const isUp = isCalling && state !== "connecting";
    const wasUp = !this.#talk.disabled;
    this.#body.dataset.state = state;
    if (isCalling) delete this.#body.dataset.fresh;
    else this.showDetails(false);
    this.#state.textContent = isCalling ? say(state) : "";
    this.#start.querySelector("span")?.replaceChildren(say(isCalling ? "stop" : "start"));
    for (const control of document.querySelectorAll("[data-in-call]"))
      if ("disabled" in control) control.disabled = !isUp;
    // Space would press Stop again; on this button it talks.
    if (isUp && !wasUp && document.activeElement === this.#start) this.#talk.focus();
    if (state !== "listening") this.showHearing(false);
  }

  /** On a narrow screen they stand in the conversation's place. @param {boolean} isOpen */
  showDetails(isOpen) {
    this.#body.toggleAttribute("data-details", isOpen);
    this.#details.ariaExpanded = String(isOpen);
  }

  get hasDetails() {
    return this.#body.hasAttribute("data-details");
  }

  /** @param {boolean} isHearing the person is saying something */
  showHearing(isHearing) {
    this.#body.toggleAttribute("data-hearing", isHearing);
  }

  /**
   * @param {"user" | "assistant"} side
   * @param {number} peak 0 to 1
   */
  showLevel(side, peak) {
    const db = 20 * Math.log10(Math.max(peak, 1e-6));
    const level = Math.max(0, 1 - db / METER_FLOOR_DB);
    this.#meter.style.setProperty(`--${side}`, level.toFixed(2));
  }

  /** @param {"on" | "muted" | "missing"} state */
  showMicrophone(state) {
    const texts = /** @type {const} */ ({ on: "mute", muted: "unmute", missing: "noMicrophone" });
    this.#mute.dataset.microphone = state;
    this.#mute.ariaPressed = String(state !== "on");
    this.#mute.querySelector("span")?.replaceChildren(say(texts[state]));
  }

  /** @param {boolean} isListening the microphone is on, so that listening is what we do */
  showListening(isListening) {
    find("listening", HTMLElement).textContent = say(isListening ? "listening" : "deaf");
    if (!isListening) this.showLevel("user", 0);
  }

  /**
   * @param {MediaStreamTrack | null} track what is being shown
   * @param {{ camera: boolean, screen: boolean }} isOn
   */
  showPicture(track, isOn) {
    this.#preview.srcObject = track && new MediaStream([track]);
    this.#body.toggleAttribute("data-picture", track !== null);
    this.#camera.ariaPressed = String(isOn.camera);
    this.#screen.ariaPressed = String(isOn.screen);
    this.#looked.hidden = true;
    this.#looked.removeAttribute("src");
    this.#scene.replaceChildren();
  }

  /** @param {boolean} hasRoom the line carries pictures */
  showPictureButtons(hasRoom) {
    this.#camera.hidden = !hasRoom;
    this.#screen.hidden = !hasRoom || !devices.canShareScreen;
  }

  /** The frame that the server has just looked at, and what it saw in it. @param {Scene} scene */
  showScene({ picture, facts }) {
    this.#looked.src = picture;
    this.#looked.hidden = picture.endsWith(",");
    this.#lookedAt.textContent = new Date().toLocaleTimeString(locale);
    this.#scene.replaceChildren(...facts.map((fact) => make("li", "", fact)));
  }

  /** @param {boolean} isOn the server keeps what is said and shown */
  showRecording(isOn) {
    this.#recording.hidden = !isOn;
  }

  /** @param {import("./wire").Timeline} timeline */
  showTimeline(timeline) {
    showTimeline(this.#timeline, timeline);
  }

  /** @param {MediaStreamTrack | null} track */
  playVoice(track) {
    this.#voice.srcObject = track && new MediaStream([track]);
  }

  /** @param {Record<Device, MediaStreamTrack | null>} tracks those in use */
  async listDevices({ microphone, camera }) {
    await devices.list(find("microphone-choice", HTMLSelectElement), "microphone", microphone);
    await devices.list(find("camera-choice", HTMLSelectElement), "camera", camera);
  }
}
