// The composition root: asks the server again and again while somebody looks.

import { find, make } from "../dom.js";
import { pause } from "../server.js";
import { Figures } from "./figures.js";
import { say, stageName, translateDocument } from "./i18n.js";
import { LivePicture } from "./live.js";
import { fetchNow, fetchReport } from "./server.js";
import { showStages } from "./stages.js";
import { Turns } from "./turns.js";

const ASK_AGAIN_MS = 2_000;

translateDocument();
document.title = say("title");
const live = new LivePicture();
const figures = new Figures();
const turns = new Turns(find("turns", HTMLElement));

/** @param {AbortSignal} signal aborted when nobody looks */
async function watch(signal) {
  let seen = -1;
  /** @type {string | null | undefined} */
  let reported;
  for (;;) {
    try {
      const now = await fetchNow(seen, signal);
      live.show(now);
      figures.showVitals(now.vitals);
      seen = now.version;
      if (now.last_turn !== reported) {
        showReport(await fetchReport(signal));
        reported = now.last_turn;
      }
      showNotice("");
    } catch {
      if (signal.aborted) return;
      showNotice(say("away"));
      seen = -1;
      await pause(ASK_AGAIN_MS, signal).catch(() => undefined);
    }
  }
}

/** @param {import("./wire").Report} report */
function showReport(report) {
  live.promiseMs = report.promise_ms;
  showStages(find("stages", HTMLElement), report);
  figures.showReport(report);
  turns.show(report);
  find("alerts", HTMLElement).replaceChildren(
    ...report.alerts.map((alert) => make("p", "", alertSentence(alert))),
  );
}

/** @param {import("./wire").Alert} alert */
function alertSentence({ stage, percentile, value_ms, limit_ms, n_turns }) {
  const value = Math.round(value_ms ?? 0);
  const what = stage === "voice_to_voice" ? say("wholeWait") : stageName(stage);
  return say("alert", { stage: what, percentile, value, limit: limit_ms, turns: n_turns });
}

/** @param {string} sentence */
function showNotice(sentence) {
  const notice = find("away", HTMLElement);
  // The same sentence again is not news to a screen reader.
  if (notice.textContent !== sentence) notice.textContent = sentence;
  notice.hidden = !sentence;
}

/** @type {AbortController | null} */
let watching = null;

function watchWhileSeen() {
  watching?.abort();
  watching = document.hidden ? null : new AbortController();
  if (watching) void watch(watching.signal);
}

document.addEventListener("visibilitychange", watchWhileSeen);
watchWhileSeen();
