// A turn as it passes: capture, analyse, decide, respond, each lighting up with its milliseconds.

import { find, make } from "../dom.js";
import { ms, say } from "./i18n.js";

/**
 * @typedef {import("./wire").StepName} StepName
 * @typedef {import("./wire").LiveTurn} LiveTurn
 * @typedef {import("./wire").Now} Now
 */

/** @type {StepName[]} */
export const STEPS = ["capture", "analyse", "decide", "respond"];

/** A smooth counter would keep the processor busy that does the thinking. */
const TICK_MS = 100;

export class LivePicture {
  promiseMs = 1_000;
  #list = find("steps", HTMLElement);
  #caption = find("turn", HTMLElement);
  #wait = find("wait", HTMLElement);
  #sessions = find("sessions", HTMLElement);
  #steps = STEPS.map(tile);
  #parts = STEPS.slice(1).map((step) => make("span", step));
  /** @type {LiveTurn | null} */
  #turn = null;
  /** When `#turn` came, on the page's clock. */
  #cameAtMs = 0;
  #timer = 0;

  constructor() {
    this.#list.replaceChildren(...this.#steps.map(({ element }) => element));
    this.#wait.append(...this.#parts, make("span", "promise"));
  }

  /** @param {Now} now */
  show({ turn, sessions }) {
    this.#turn = turn;
    this.#cameAtMs = performance.now();
    this.#draw();
    this.#caption.textContent = turn ? caption(turn) : say("nobodyYet");
    this.#sessions.replaceChildren(...(sessions.length ? sessions.map(chip) : [nobody()]));
    clearInterval(this.#timer);
    const isUnderWay = turn?.steps.some(({ duration_ms }) => duration_ms === null);
    if (isUnderWay) this.#timer = setInterval(() => this.#draw(), TICK_MS);
  }

  #draw() {
    const turn = this.#turn;
    const sinceMs = performance.now() - this.#cameAtMs;
    const lengths = STEPS.map((name) => {
      const step = turn?.steps.find(({ step }) => step === name);
      if (!step) return null;
      return step.duration_ms ?? Math.max(0, (turn?.elapsed_ms ?? 0) - step.start_ms + sinceMs);
    });
    const waitMs = lengths.slice(1).reduce((sum, length) => (sum ?? 0) + (length ?? 0), 0) ?? 0;
    const axisMs = Math.max(1.25 * this.promiseMs, waitMs);
    this.#steps.forEach(({ element, time }, n) => {
      const name = STEPS[n];
      const running = turn?.steps.some((step) => step.step === name && step.duration_ms === null);
      const length = lengths[n] ?? null;
      const isSounding = name === "respond" && turn?.is_speaking && length !== null;
      element.dataset.state =
        length === null ? "waiting" : running || isSounding ? "running" : "done";
      time.textContent = length === null ? "–" : ms(length);
    });
    this.#parts.forEach((part, n) => {
      part.style.inlineSize = `${(100 * (lengths[n + 1] ?? 0)) / axisMs}%`;
    });
    this.#wait.style.setProperty("--promise", String(this.promiseMs / axisMs));
    this.#wait.dataset.promise = say("promise", { ms: this.promiseMs });
    this.#list.toggleAttribute("data-over", turn?.is_over ?? false);
  }
}

/** @param {StepName} step */
function tile(step) {
  const time = make("strong", "time", "–");
  const element = make(
    "li",
    step,
    make("span", "name", say(step)),
    time,
    make("span", "meaning", say(`${step}_means`)),
  );
  return { element, time };
}

/** @param {LiveTurn} turn */
function caption({ session_id, turn_id, voice_to_voice_ms, is_speaking, is_over }) {
  const parts = [`${session_id} ${turn_id}`];
  if (voice_to_voice_ms !== null) parts.push(say("waited", { ms: Math.round(voice_to_voice_ms) }));
  if (is_speaking) parts.push(say("speaking"));
  else if (!is_over) parts.push(say("underWay"));
  else if (voice_to_voice_ms === null) parts.push(say("brokenOff"));
  return parts.join(" · ");
}

/** @param {import("./wire").LiveSession} session */
function chip({ session_id, age_s, n_turns, step, is_listening }) {
  const minutes = Math.floor(age_s / 60);
  const seconds = String(Math.floor(age_s % 60)).padStart(2, "0");
  const doing = is_listening || !step ? say("listening") : say(step);
  const about = ` ${minutes}:${seconds} · ${say("turnsTaken", { n: n_turns })} · `;
  return make("li", "", make("code", "", session_id), about, make("b", "", doing));
}

const nobody = () => make("li", "hint", say("nobody"));
