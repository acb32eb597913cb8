// Each stage's percentiles against its deadline, as a staircase that ends at the promise.

import { make } from "../dom.js";
import { say, stageName } from "./i18n.js";
import { stepOf } from "./steps.js";

/**
 * @typedef {import("./wire").Report} Report
 * @typedef {import("./wire").Stage} Stage
 */

/**
 * @param {HTMLElement} element
 * @param {Report} report
 */
export function showStages(element, { stages, promise_ms, quality }) {
  if (!stages.length) return element.replaceChildren(make("p", "hint", say("noTurns")));
  const ends = stages.map(({ done }) => done.p99_ms);
  const axisMs = Math.max(1.1 * promise_ms, Math.min(Math.max(...ends), 3 * promise_ms));
  const head = row("head", [say("stage"), "P50", "P95", "P99"], say("done"), say("late"), "columnheader");
  const table = make("div", "staircase", head, ...stages.map((stage) => stair(stage, axisMs)));
  table.role = "table";
  table.ariaLabel = say("stages");
  element.replaceChildren(table, make("p", "hint", say("stagesHint", { n: quality.waited })));
}

/**
 * @param {Stage} stage
 * @param {number} axisMs
 */
function stair({ stage, added, done, deadline_ms, n_late }, axisMs) {
  const numbers = [added.p50_ms, added.p95_ms, added.p99_ms].map((ms) => String(Math.round(ms)));
  const late = n_late ? String(n_late) : "";
  const whole = stage === "voice_to_voice";
  const strip = make("span", "strip");
  /** @param {string} className @param {number} startMs @param {number} endMs */
  const part = (className, startMs, endMs) => {
    const start = Math.min(100, (100 * Math.max(0, startMs)) / axisMs);
    const end = Math.min(100, (100 * endMs) / axisMs);
    const piece = make("span", className);
    piece.style.insetInlineStart = `${start}%`;
    piece.style.inlineSize = `${Math.max(0, end - start)}%`;
    strip.append(piece);
  };
  part("usual", whole ? 0 : done.p50_ms - added.p50_ms, done.p50_ms);
  part("slow", done.p50_ms, done.p95_ms);
  part("p99", done.p99_ms, done.p99_ms);
  if (deadline_ms !== null) part("deadline", deadline_ms, deadline_ms);
  const line = row(stepOf(stage), [stageName(stage), ...numbers], strip, late, "cell");
  const limit = deadline_ms ?? Infinity;
  line.dataset.pace = done.p50_ms > limit ? "late" : done.p95_ms > limit ? "slow" : "in time";
  return line;
}

/**
 * @param {string} className
 * @param {string[]} cells
 * @param {Node | string} strip
 * @param {string} late
 * @param {string} role
 */
function row(className, cells, strip, late, role) {
  const made = [...cells, strip, late].map((content) => {
    const cell = make("span", "", content);
    cell.role = role;
    return cell;
  });
  const line = make("div", `stair ${className}`, ...made);
  line.role = "row";
  return line;
}
