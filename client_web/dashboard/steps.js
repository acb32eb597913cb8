// Which of the four steps a stage belongs to.

/** @typedef {import("./wire").StepName} StepName */

/** @type {Record<string, StepName>} */
const STEP_OF = {
  uplink: "capture",
  capture_and_uplink: "capture",
  endpointing: "analyse",
  pause: "analyse",
  asr: "analyse",
  vision: "analyse",
  queue: "decide",
  prefill: "decide",
  first_phrase: "decide",
};

/**
 * @param {string} stage or a ledger's line
 * @returns {StepName | "whole"}
 */
export function stepOf(stage) {
  if (stage === "voice_to_voice") return "whole";
  return STEP_OF[stage.replaceAll(" ", "_")] ?? "respond";
}
