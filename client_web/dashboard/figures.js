// Quality, tokens and the machine, beside the latency.

import { find, make } from "../dom.js";
import { locale } from "../language.js";
import { ms, say, sayIfKnown } from "./i18n.js";

const MEGABYTE = 1_000_000;

export class Figures {
  #quality = find("quality", HTMLElement);
  #tokens = find("tokens", HTMLElement);
  #machine = find("machine", HTMLElement);

  /** @param {import("./wire").Report} report */
  showReport({ quality, tokens }) {
    this.#quality.replaceChildren(
      ...figure(say("inTime"), say("inTimeOf", { n: quality.in_time, all: quality.waited })),
      ...figure(say("turns"), count(quality.turns)),
      ...figure(say("interruptions"), count(quality.interruptions)),
      ...figure(say("repeats"), count(quality.repeats)),
      ...figure(say("apologies"), count(quality.apologies)),
      ...figure(say("fillers"), count(quality.fillers)),
      ...figure(say("lesser"), count(quality.degraded)),
    );
    this.#tokens.replaceChildren(
      ...figure(say("read"), count(tokens.prompt - tokens.cached)),
      ...figure(say("kept"), share(tokens.cached, tokens.prompt)),
      ...figure(say("written"), count(tokens.reply)),
      ...figure(say("accepted"), share(tokens.accepted, tokens.drafted)),
      ...(tokens.cost === null ? [] : figure(say("cost"), price(tokens.cost))),
    );
  }

  /** @param {import("./wire").Vitals} vitals */
  showVitals({ loop_lag_ms, memory_bytes, workers }) {
    this.#machine.replaceChildren(
      ...figure(say("lag"), ms(loop_lag_ms)),
      ...figure(say("process_media"), bytes(memory_bytes)),
      ...workers.flatMap(({ name, is_ready, restarts, memory_bytes }) => {
        const label = sayIfKnown(`process_${name}`) ?? name;
        const troubles = [
          ...(is_ready ? [] : [say("notReady")]),
          ...(restarts ? [say("restarted", { n: restarts })] : []),
        ];
        return figure([label, ...troubles].join(" · "), bytes(memory_bytes), troubles.length > 0);
      }),
    );
  }
}

/**
 * @param {string} name
 * @param {string} value
 * @param {boolean} [isTrouble]
 */
function figure(name, value, isTrouble = false) {
  const className = isTrouble ? "trouble" : "";
  return [make("dt", className, name), make("dd", className, value)];
}

/** @param {number} n */
const count = (n) => n.toLocaleString(locale);

/**
 * @param {number} part
 * @param {number} whole
 */
const share = (part, whole) =>
  whole ? say("share", { percent: Math.round((100 * part) / whole) }) : "–";

/** @param {number} cost in whatever currency the settings have */
const price = (cost) => cost.toLocaleString(locale, { maximumSignificantDigits: 2 });

/** @param {number} n */
function bytes(n) {
  if (!n) return "–";
  const megabytes = n / MEGABYTE;
  return megabytes < 1_000
    ? say("megabytes", { n: Math.round(megabytes) })
    : say("gigabytes", { n: (megabytes / 1_000).toFixed(1) });
}
