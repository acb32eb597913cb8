// Where the time of the last turn went, as bars on one axis.

import { make } from "./dom.js";
import { say, sayIfKnown } from "./i18n.js";

/** Under a second feels like talk; past two, people fidget. */
const TALK_MS = 1_000;
const FIDGET_MS = 2_000;

/**
 * @typedef {import("./wire").Timeline} Timeline
 * @typedef {import("./wire").Line} Line
 */

/**
 * @param {HTMLElement} element
 * @param {Timeline} timeline
 */
export function showTimeline(element, { voice_to_voice_ms, lines, stats }) {
  const hasWait = voice_to_voice_ms !== null || lines.length > 0;
  const parts = hasWait ? wait(voice_to_voice_ms, lines) : [make("p", "hint", say("noWait"))];
  if (stats) parts.push(figures(stats));
  element.replaceChildren(...parts);
}

/**
 * @param {number | null} voice_to_voice_ms
 * @param {Line[]} lines
 */
function wait(voice_to_voice_ms, lines) {
  const ends = lines.map((line) => line.start_ms + line.duration_ms);
  const axisMs = Math.max(TALK_MS, voice_to_voice_ms ?? 0, ...ends);
  const axis = make("div", "bar axis", make("span", "", say("milliseconds", { ms: TALK_MS })));
  const bars = make("div", "bars", ...lines.map((line) => bar(line, axisMs)), axis);
  bars.style.setProperty("--second", String(TALK_MS / axisMs));

  /** @type {HTMLElement[]} */
  const parts = [bars];
  if (voice_to_voice_ms !== null) parts.unshift(headline(voice_to_voice_ms));
  if (lines.some((line) => line.overlapped)) parts.push(make("p", "hint", say("overlap")));
  return parts;
}

/** @param {number} totalMs */
function headline(totalMs) {
  const total = make("strong", "total", ms(totalMs));
  total.dataset.pace = totalMs < TALK_MS ? "talk" : totalMs < FIDGET_MS ? "slow" : "fidget";
  return make("p", "headline", total, " ", make("span", "hint", say("wordToSound")));
}

/**
 * @param {Line} line
 * @param {number} axisMs
 */
function bar({ name, start_ms, duration_ms, overlapped }, axisMs) {
  const fill = make("span", overlapped ? "fill overlapped" : "fill");
  fill.style.marginInlineStart = `${(100 * Math.max(0, start_ms)) / axisMs}%`;
  fill.style.inlineSize = `${(100 * duration_ms) / axisMs}%`;
  const label = sayIfKnown(`line_${name.replaceAll(" ", "_")}`) ?? name;
  return make(
    "div",
    "bar",
    make("span", "label", label),
    make("span", "track", fill),
    make("span", "value", ms(duration_ms)),
  );
}

/** @param {import("./wire").Stats} stats */
function figures({ ttft_ms, tpot_ms, cached_tokens, prompt_tokens, recalled, cost, by }) {
  if (recalled) return make("p", "hint", say(`recalled_${recalled}`));
  const list = make("dl", "figures");
  const figure = (/** @type {string} */ name, /** @type {string} */ value) =>
    list.append(make("dt", "", name), make("dd", "", value));
  if (by) {
    const reason = sayIfKnown(`by_${by.reason}`) ?? by.reason;
    const where = by.is_remote ? "elsewhere" : "here";
    figure(say("answeredBy"), say(where, { model: by.model, reason }));
  }
  if (cost) figure(say("cost"), cost.toPrecision(2));
  figure(say("firstToken"), ms(ttft_ms));
  if (tpot_ms !== null) figure(say("perToken"), ms(tpot_ms));
  figure(say("kept"), say("keptOf", { cached: cached_tokens, prompt: prompt_tokens }));
  return list;
}

/** @param {number} duration */
const ms = (duration) => say("milliseconds", { ms: Math.round(duration) });
