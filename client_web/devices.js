// Microphone, camera and screen: opening them, and which one the person chose.

import { Problem } from "./errors.js";
import { say } from "./i18n.js";

/**
 * @typedef {"microphone" | "camera"} Device
 * @typedef {Device | "screen"} Source
 */

/** @type {Record<Device, MediaDeviceKind>} */
const KINDS = { microphone: "audioinput", camera: "videoinput" };

/** @type {Record<Device, MediaTrackConstraints>} */
const CONSTRAINTS = {
  microphone: {
    channelCount: 1,
    echoCancellation: true,
    noiseSuppression: true,
    autoGainControl: true,
  },
  // Nobody looks at more pixels than this.
  camera: { width: { ideal: 960 }, height: { ideal: 720 }, frameRate: { ideal: 15 } },
};

/** Phones cannot share their screen. */
export const canShareScreen = Boolean(navigator.mediaDevices?.getDisplayMedia);

/**
 * A live track of the chosen device, or of the standard one; of a screen, what the person picks now.
 * Throws a Problem.
 * @param {Source} source
 */
export async function open(source) {
  // Browsers hide mediaDevices from pages that are neither https nor localhost.
  if (!navigator.mediaDevices) throw Problem.insecure(source);
  try {
    const stream = await (source === "screen" ? openScreen() : openDevice(source));
    const track = /** @type {MediaStreamTrack} */ (stream.getTracks()[0]);
    // On a thin line a browser then sends fewer pictures, not smaller ones: there may be text in them.
    if (track.kind === "video") track.contentHint = "detail";
    return track;
  } catch (error) {
    throw Problem.fromDevice(error, source);
  }
}

function openScreen() {
  return navigator.mediaDevices.getDisplayMedia({ video: { frameRate: { ideal: 5 } } });
}

/** @param {Device} device */
function openDevice(device) {
  const chosen = remembered(device);
  const wanted = { ...CONSTRAINTS[device], ...(chosen && { deviceId: { ideal: chosen } }) };
  return navigator.mediaDevices.getUserMedia(
    device === "camera" ? { video: wanted } : { audio: wanted },
  );
}

/**
 * Fills a select with the devices there are; the one in use is selected.
 * @param {HTMLSelectElement} select
 * @param {Device} device
 * @param {MediaStreamTrack | null} track the one in use
 */
export async function list(select, device, track) {
  const all = (await navigator.mediaDevices?.enumerateDevices()) ?? [];
  const ours = all.filter((one) => one.kind === KINDS[device]);
  const inUse = track?.getSettings().deviceId ?? remembered(device);
  const options = ours.map((one, i) => {
    const numbered = say("numbered", { kind: say(device), number: i + 1 });
    const isSelected = one.deviceId === inUse;
    return new Option(one.label || numbered, one.deviceId, isSelected, isSelected);
  });
  if (options.length === 0) options.push(new Option(say("standard"), ""));
  select.replaceChildren(...options);
}

/**
 * @param {Device} device
 * @param {string} deviceId
 */
export function remember(device, deviceId) {
  localStorage.setItem(`parley.${device}`, deviceId);
}

/** @param {Device} device */
function remembered(device) {
  return localStorage.getItem(`parley.${device}`);
}

/** Whether the camera goes on by itself at Start: asked for by the address, or left on last time. */
export function isCameraWanted() {
  return (
    new URLSearchParams(location.search).get("camera") === "1" ||
    localStorage.getItem("parley.camera-on") === "1"
  );
}

/** @param {boolean} isWanted */
export function rememberCameraWanted(isWanted) {
  localStorage.setItem("parley.camera-on", isWanted ? "1" : "0");
}
