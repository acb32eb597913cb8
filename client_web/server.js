// What the page asks the server over HTTP: are you ready, will you take a call, is it over?

import { Problem } from "./errors.js";
import { refusal } from "./reasons.js";
import { credentials, subprotocols } from "./token.js";

const ASK_AGAIN_MS = 1_000;
const HANG_UP_MS = 2_000;

/** @typedef {{ has_ice_servers?: boolean }} Health what we read of it */

/**
 * Resolves once the server can take a call.
 * @param {AbortSignal} signal
 * @param {(problem: Problem) => void} onWaiting why it cannot yet, after each time of asking
 */
export async function untilReady(signal, onWaiting) {
  for (;;) {
    const told = await health(signal);
    if (!(told instanceof Problem)) return told;
    onWaiting(told);
    await pause(ASK_AGAIN_MS, signal);
  }
}

/**
 * @param {AbortSignal} signal
 * @returns {Promise<Health | Problem>}
 */
async function health(signal) {
  try {
    const answer = await fetch("healthz", { cache: "no-store", signal });
    if (answer.ok) return answer.json();
    // A proxy that answers for the server has other numbers.
    return new Problem(answer.status === 503 ? "serverWarming" : "serverAway");
  } catch {
    signal.throwIfAborted();
    return new Problem("serverAway");
  }
}

/**
 * Who helps to find a path, with credentials that are good for a new call.
 * @param {AbortSignal} signal
 * @returns {Promise<RTCIceServer[]>}
 */
export async function iceServers(signal) {
  const answer = await fetch("v1/assistant/ice_servers", {
    headers: credentials(),
    cache: "no-store",
    signal,
  });
  // Whoever is not let in is told so when it calls.
  return answer.ok ? (await answer.json()).ice_servers : [];
}

/**
 * Our offer for the server's answer, both SDP, and where the call can be ended.
 * @param {string} offer
 * @param {AbortSignal} signal
 * @param {import("./memory.js").Memory} memory
 */
export async function exchange(offer, signal, { token, lastEventId }) {
  /** @type {Record<string, string>} */
  const headers = { "Content-Type": "application/sdp", ...credentials() };
  if (token) headers["Assistant-Resume"] = token;
  if (lastEventId) headers["Last-Event-ID"] = lastEventId;
  const answer = await fetch("v1/realtime/calls", {
    method: "POST",
    headers,
    body: offer,
    signal,
  }).catch(() => {
    signal.throwIfAborted();
    throw new Problem("serverAway");
  });
  const text = await answer.text();
  if (answer.ok) return { answer: text, location: answer.headers.get("Location") };
  if (answer.status === 401) throw new Problem("keyNeeded", { page: location.origin });
  if (answer.status === 503) throw new Problem("serverBusy");
  throw new Problem("serverRefused", { reason: reasonIn(text) ?? `HTTP ${answer.status}` });
}

/** A line for events and sound; whoever is not let in sees it close. */
export function openSocket() {
  const url = new URL("v1/realtime", document.baseURI);
  url.protocol = url.protocol.replace("http", "ws");
  return new WebSocket(url, subprotocols());
}

/**
 * Ends a call, even while the page is being closed. Resolves once the server knows, or does not
 * answer: it finds out by itself then.
 * @param {string} location of the call
 */
export async function hangUp(location) {
  const id = location.split("/").at(-1);
  await fetch(`v1/realtime/calls/${id}`, {
    method: "DELETE",
    headers: credentials(),
    keepalive: true,
    signal: AbortSignal.timeout(HANG_UP_MS),
  }).catch(() => undefined);
}

/**
 * @param {string} person
 * @param {string} format
 * @param {string} language
 */
export async function downloadMemory(person, format, language) {
  const answer = await askMemory("GET", person, `?${new URLSearchParams({ format, language })}`);
  if (answer.status === 404) throw new Problem("nothingSaid");
  return (await granted(answer)).blob();
}

/** @param {string} person */
export async function deleteMemory(person) {
  await granted(await askMemory("DELETE", person));
}

/**
 * @param {"GET" | "DELETE"} method
 * @param {string} person
 * @param {string} query
 */
function askMemory(method, person, query = "") {
  return fetch(`v1/assistant/memory${query}`, {
    method,
    headers: { "Assistant-Person": person, ...credentials() },
    cache: "no-store",
  }).catch(() => {
    throw new Problem("serverAway");
  });
}

/** @param {Response} answer */
async function granted(answer) {
  if (answer.ok) return answer;
  if (answer.status === 401) throw new Problem("keyNeeded", { page: location.origin });
  const reason = reasonIn(await answer.text()) ?? `HTTP ${answer.status}`;
  throw new Problem("serverError", { reason });
}

/**
 * @param {string} text
 * @returns {string | undefined}
 */
function reasonIn(text) {
  try {
    const { error } = JSON.parse(text);
    return error && refusal(error);
  } catch {
    return undefined;
  }
}

/**
 * @param {number} ms
 * @param {AbortSignal} signal
 * @returns {Promise<void>}
 */
export function pause(ms, signal) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });
}
