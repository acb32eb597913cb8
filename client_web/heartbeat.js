// Tells a dead line: we ping every second, and something has to come back.

const PING_MS = 1_000;
const DEAD_AFTER_MS = 4_000;

export class Heartbeat {
  #heardAt = performance.now();
  #timer;

  /**
   * @param {{ ping: () => void, onDead: () => void }} line
   */
  constructor({ ping, onDead }) {
    ping();
    this.#timer = setInterval(() => {
      if (performance.now() - this.#heardAt < DEAD_AFTER_MS) return ping();
      this.stop();
      onDead();
    }, PING_MS);
  }

  /** Something came from the other end. */
  heard() {
    this.#heardAt = performance.now();
  }

  stop() {
    clearInterval(this.#timer);
  }
}
