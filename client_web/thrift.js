// Pure: what we send on a line that does not carry everything. Pictures give way to sound.

/**
 * @typedef {object} Spending
 * @property {number} pictureBits a second; 0 for no pictures
 * @property {number} pictureRate frames a second
 * @property {number} heedfulRate the same while the person speaks: a question is answered with what
 *   is shown at its end
 * @property {number} soundBits
 *
 * @typedef {object} Report what the other end says of our sound
 * @property {number} loss the share of packets that did not arrive, 0 to 1
 * @property {number | null} roundTripMs
 */

/**
 * The server looks at one frame now and then: few, sharp ones leave it the processor.
 * @type {Spending[]}
 */
const STEPS = [
  { pictureBits: 1_500_000, pictureRate: 2, heedfulRate: 8, soundBits: 32_000 },
  { pictureBits: 400_000, pictureRate: 1, heedfulRate: 4, soundBits: 32_000 },
  { pictureBits: 100_000, pictureRate: 0.5, heedfulRate: 2, soundBits: 32_000 },
  { pictureBits: 0, pictureRate: 0.5, heedfulRate: 0.5, soundBits: 24_000 },
];

/** Redundancy makes up for a few lost packets. */
const MUCH_LOSS = 0.05;
const LITTLE_LOSS = 0.02;
/** A round trip this much longer than the shortest: packets wait in line. */
const QUEUEING_MS = 200;
/** Good reports in a row before we spend more. */
const PATIENCE = 5;

export class Thrift {
  #step = 0;
  #nGood = 0;
  #shortestMs = Infinity;

  get spending() {
    return /** @type {Spending} */ (STEPS[this.#step]);
  }

  /**
   * Whether it changes what we spend.
   * @param {Report} report
   */
  take({ loss, roundTripMs }) {
    if (roundTripMs !== null) this.#shortestMs = Math.min(this.#shortestMs, roundTripMs);
    const waitsMs = roundTripMs === null ? 0 : roundTripMs - this.#shortestMs;
    const isBad = loss > MUCH_LOSS || waitsMs > QUEUEING_MS;
    this.#nGood = !isBad && loss < LITTLE_LOSS ? this.#nGood + 1 : 0;
    if (isBad) return this.#go(1);
    if (this.#nGood < PATIENCE) return false;
    this.#nGood = 0;
    return this.#go(-1);
  }

  /** @param {1 | -1} by */
  #go(by) {
    const before = this.#step;
    this.#step = Math.min(Math.max(before + by, 0), STEPS.length - 1);
    return this.#step !== before;
  }
}
