// How far the server's clock is from ours, learned from pings (Cristian's algorithm).

/** Milliseconds since the epoch, finer than Date.now and never set back. */
export const nowMs = () => performance.timeOrigin + performance.now();

export class Clock {
  #bestRoundTripMs = Infinity;

  /** From here to the server at best; null until a pong has come. @type {number | null} */
  oneWayMs = null;

  /** Add this to our clock to get the server's; null until a pong has come. @type {number | null} */
  offsetMs = null;

  /** @param {{ sent_at_ms: number, server_at_ms: number }} pong */
  take(pong) {
    const roundTripMs = nowMs() - pong.sent_at_ms;
    if (roundTripMs > this.#bestRoundTripMs) return; // the quickest answer errs least
    this.#bestRoundTripMs = roundTripMs;
    this.oneWayMs = roundTripMs / 2;
    this.offsetMs = pong.server_at_ms - (pong.sent_at_ms + roundTripMs / 2);
  }
}
