// Runs on the audio thread: how loud a sound is, and when it begins.

const REPORT_S = 0.1;
/** Peak above which a sound counts as audible, full scale being 1. */
const AUDIBLE = 0.01;
/** Quiet that must come before a sound that counts as beginning: longer than a pause for breath. */
const QUIET_S = 0.4;

registerProcessor(
  "meter",
  class extends AudioWorkletProcessor {
    #peak = 0;
    #reportAt_s = 0;
    #audibleUntil_s = -Infinity;

    /** @param {Float32Array[][]} inputs */
    process([channels]) {
      const samples = channels?.[0];
      if (samples) for (let i = 0; i < samples.length; i++) this.#take(samples[i] ?? 0, i);
      if (currentTime >= this.#reportAt_s) {
        this.port.postMessage({ level: this.#peak });
        this.#peak = 0;
        this.#reportAt_s = currentTime + REPORT_S;
      }
      return true;
    }

    /**
     * @param {number} sample
     * @param {number} index
     */
    #take(sample, index) {
      const loudness = Math.abs(sample);
      if (loudness > this.#peak) this.#peak = loudness;
      if (loudness < AUDIBLE) return;
      const at_s = currentTime + index / sampleRate;
      if (at_s - this.#audibleUntil_s > QUIET_S) this.port.postMessage({ onsetAt_s: at_s });
      this.#audibleUntil_s = at_s;
    }
  },
);
