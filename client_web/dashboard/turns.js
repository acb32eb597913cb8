// The last turns as waterfalls on one axis. Opening one tells what was cached, accepted, degraded.

import { make } from "../dom.js";
import { locale } from "../language.js";
import { explain } from "../reasons.js";
import { showTimeline } from "../timeline.js";
import { ms, say, stageName } from "./i18n.js";
import { stepOf } from "./steps.js";

/**
 * @typedef {import("./wire").Turn} Turn
 * @typedef {import("./wire").Report} Report
 */

const clock = new Intl.DateTimeFormat(locale, { timeStyle: "medium", hourCycle: "h23" });

export class Turns {
  /** What is shown, by name: a turn that somebody has opened stays open. @type {Map<string, Row>} */
  #rows = new Map();
  #list;

  /** @param {HTMLElement} list */
  constructor(list) {
    this.#list = list;
  }

  /** @param {Report} report */
  show({ turns, promise_ms }) {
    const waits = turns.map((turn) => turn.voice_to_voice_ms ?? 0);
    const axisMs = Math.max(1.2 * promise_ms, Math.min(Math.max(...waits, 0), 3 * promise_ms));
    const rows = new Map(turns.map((turn) => [turn.name, this.#rows.get(turn.name) ?? row(turn)]));
    for (const [name, { element }] of this.#rows) if (!rows.has(name)) element.remove();
    let after = /** @type {Element | null} */ (null);
    for (const { element } of rows.values()) {
      const place = after ? after.nextElementSibling : this.#list.firstElementChild;
      if (place !== element) this.#list.insertBefore(element, place);
      after = element;
    }
    this.#rows = rows;
    this.#list.style.setProperty("--axis", String(axisMs));
    this.#list.style.setProperty("--promise", String(promise_ms / axisMs));
  }
}

/** @typedef {{ element: HTMLElement }} Row */

/**
 * @param {Turn} turn
 * @returns {Row}
 */
function row(turn) {
  const summary = make(
    "summary",
    "",
    make("time", "", clock.format(1_000 * turn.ended_at)),
    waterfall(turn),
    make("span", "wait", turn.voice_to_voice_ms === null ? "–" : ms(turn.voice_to_voice_ms)),
    make("span", "marks", marks(turn)),
  );
  const details = make("details", "", summary);
  details.dataset.status = turn.status;
  details.ontoggle = () => {
    if (details.open && details.childElementCount === 1) details.append(story(turn));
  };
  return { element: make("li", "", details) };
}

/** @param {Turn} turn */
function waterfall({ lines }) {
  const track = make("span", "waterfall");
  for (const { name, start_ms, duration_ms, overlapped } of lines) {
    if (overlapped) continue;
    const piece = make("span", stepOf(name));
    piece.style.setProperty("--start", String(start_ms));
    piece.style.setProperty("--length", String(duration_ms));
    track.append(piece);
  }
  track.ariaHidden = "true";
  return track;
}

/** @param {Turn} turn */
function marks({ status, was_typed, was_interrupted, degraded }) {
  const found = [];
  if (was_typed) found.push(say("typed"));
  if (was_interrupted) found.push(say("interrupted"));
  else if (status === "cancelled") found.push(say("cancelled"));
  if (status === "failed") found.push(say("failed"));
  if (degraded.length) found.push(say("gaveLess"));
  return found.join(" · ");
}

/** @param {Turn} turn */
function story(turn) {
  const times = make("div", "times");
  showTimeline(times, { type: "assistant.timeline", ...turn });
  const heading = make("h3", "", `${say("why")} · ${turn.session_id} ${turn.turn_id}`);
  const list = make("ul", "", ...why(turn).map((sentence) => make("li", "", sentence)));
  return make("div", "story", times, make("div", "", heading, list));
}

/** @param {Turn} turn */
function why(turn) {
  const { stats, overruns, degraded } = turn;
  const said = turn.speech_s
    ? say("answered", { s: turn.speech_s.toFixed(1) })
    : say("notSpoken");
  const sentences = [said];
  if (stats) {
    const { cached_tokens: cached, prompt_tokens: prompt } = stats;
    sentences.push(say("cached", { cached, prompt }));
    if (stats.reread_tokens) sentences.push(say("reread", { n: stats.reread_tokens }));
    sentences.push(say("writtenTokens", { n: stats.reply_tokens }));
    if (stats.queue_ms >= 1) sentences.push(say("queued", { ms: Math.round(stats.queue_ms) }));
    const { drafted_tokens: drafted, accepted_tokens: accepted } = stats;
    if (drafted) sentences.push(say("acceptedOf", { drafted, accepted }));
  }
  if (turn.is_repeat) sentences.push(say("repeated"));
  if (turn.had_filler) sentences.push(say("filled"));
  for (const { stage, late_ms } of overruns)
    sentences.push(say("lateBy", { stage: stageName(stage), ms: Math.round(late_ms) }));
  for (const { stage, reason, code } of degraded) {
    // Whoever runs the server may read an engine's own words.
    const why = code === "error" ? reason : explain(code);
    sentences.push(say("lesserBy", { stage: stageName(stage), reason: why }));
  }
  if (!overruns.length && !degraded.length && turn.status === "completed")
    sentences.push(say("allWell"));
  return sentences;
}
