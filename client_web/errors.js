// What can go wrong, each as a Problem with a sentence that says what to do.

import { say } from "./i18n.js";

/**
 * @typedef {"microphoneInsecure" | "microphoneMissing" | "microphoneDenied" | "microphoneBusy"
 *   | "microphoneGone" | "cameraInsecure" | "cameraMissing" | "cameraDenied" | "cameraBusy"
 *   | "cameraGone" | "screenInsecure" | "screenMissing" | "screenDenied" | "screenBusy" | "serverAway" | "serverWarming" | "serverBusy" | "serverRefused"
 *   | "keyNeeded" | "serverError" | "nothingSaid" | "noPath" | "noSocket" | "lineWeak" | "lineLost" | "noWebRtc" | "unexpected"} ProblemKind
 */

/** These mend by themselves; the page waits or tries again until they have. */
const PASSING = new Set(["serverAway", "serverWarming", "serverBusy", "lineWeak", "lineLost"]);

export class Problem extends Error {
  /**
   * @param {ProblemKind} kind
   * @param {Record<string, string>} [gaps]
   */
  constructor(kind, gaps) {
    super(say(`problem_${kind}`, gaps));
    this.kind = kind;
    this.isPassing = PASSING.has(kind);
  }

  /**
   * Whatever was thrown, as a Problem.
   * @param {unknown} error
   */
  static from(error) {
    if (error instanceof Problem) return error;
    const reason = error instanceof Error ? error.message : String(error);
    return new Problem("unexpected", { reason });
  }

  /**
   * A device was asked for by a page that is neither https nor localhost.
   * @param {import("./devices.js").Source} device
   */
  static insecure(device) {
    const local = `http://localhost${location.port && `:${location.port}`}`;
    return new Problem(`${device}Insecure`, { local });
  }

  /**
   * What getUserMedia or getDisplayMedia threw.
   * @param {unknown} error
   * @param {import("./devices.js").Source} device
   */
  static fromDevice(error, device) {
    switch (error instanceof DOMException ? error.name : "") {
      case "NotAllowedError":
      case "SecurityError":
        return new Problem(`${device}Denied`);
      case "NotFoundError":
      case "OverconstrainedError":
        return new Problem(`${device}Missing`);
      case "NotReadableError":
      case "AbortError":
        return new Problem(`${device}Busy`);
      default:
        return Problem.from(error);
    }
  }
}
