// What is remembered from one line to the next, so that nothing is lost between them or said twice.

/** @typedef {import("./wire").ClientEvent} ClientEvent */

/** More than anybody does in the seconds that a dead line may go unnoticed. */
const KEPT_EVENTS = 64;

export class Memory {
  /** What the server knows our conversation by. @type {string | null} */
  token = null;
  /** The last of the server's events that we got. @type {string | null} */
  lastEventId = null;
  /** Ours, as far as we do not know that they came through. @type {Kept[]} */
  #sent = [];
  #beganAt = 0;

  /** @typedef {{ event: ClientEvent & { event_id: string }, atMs: number }} Kept */

  /**
   * The event with an id by which the server can tell that it came through.
   * @param {ClientEvent} event
   */
  keep(event) {
    const id = crypto.getRandomValues(new Uint32Array(3)).join("");
    const kept = { ...event, event_id: `event_${id}` };
    this.#sent.push({ event: kept, atMs: performance.now() });
    this.#sent.splice(0, this.#sent.length - KEPT_EVENTS);
    return kept;
  }

  /** From now on events go out on a new line. */
  begin() {
    this.#beganAt = performance.now();
  }

  /** What was sent on this line, but for the last milliseconds, has come through. @param {number} ms */
  confirm(ms) {
    const until = performance.now() - ms;
    this.#sent = this.#sent.filter(({ atMs }) => atMs < this.#beganAt || atMs >= until);
  }

  /**
   * The events of former lines that have to be sent again on this one.
   * @param {string | null} lastEventId the last of ours that the server got
   */
  unconfirmed(lastEventId) {
    const last = this.#sent.findIndex(({ event }) => event.event_id === lastEventId);
    const again = this.#sent.slice(last + 1).filter(({ atMs }) => atMs < this.#beganAt);
    this.#sent = this.#sent.slice(last + 1);
    for (const kept of again) kept.atMs = performance.now();
    return again.map(({ event }) => event);
  }
}
