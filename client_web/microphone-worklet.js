// Runs on the audio thread: the microphone as PCM16 at 24 kHz, whatever rate the device has.

const RATE_HZ = 24_000;
/** 40 ms. */
const CHUNK = 960;

registerProcessor(
  "microphone",
  class extends AudioWorkletProcessor {
    #chunk = new Int16Array(CHUNK);
    #filled = 0;
    #sum = 0;
    #weight = 0;
    #step = sampleRate / RATE_HZ;

    /** @param {Float32Array[][]} inputs */
    process([channels]) {
      const samples = channels?.[0];
      if (samples) for (let i = 0; i < samples.length; i++) this.#take(samples[i] ?? 0);
      return true;
    }

    /** Each sample that goes out is the mean of those that come in during its time. @param {number} sample */
    #take(sample) {
      let left = 1;
      while (this.#weight + left >= this.#step) {
        const part = this.#step - this.#weight;
        this.#put((this.#sum + part * sample) / this.#step);
        left -= part;
        this.#sum = this.#weight = 0;
      }
      this.#sum += left * sample;
      this.#weight += left;
    }

    /** @param {number} sample */
    #put(sample) {
      this.#chunk[this.#filled++] = Math.max(-1, Math.min(1, sample)) * 32_767;
      if (this.#filled < CHUNK) return;
      this.port.postMessage(this.#chunk.buffer, [this.#chunk.buffer]);
      this.#chunk = new Int16Array(CHUNK);
      this.#filled = 0;
    }
  },
);
