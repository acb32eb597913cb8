// Loudness of the microphone and of the assistant, and the moment at which an answer becomes audible.

export class Meter {
  #context = new AudioContext({ latencyHint: "interactive" });
  #loaded = this.#load();
  /** Ends the watching of a name. @type {Map<string, () => void>} */
  #ends = new Map();

  /** Whether there is a meter. Pages on plain http have no audio worklets and do without. */
  async #load() {
    if (!this.#context.audioWorklet) return false;
    try {
      await this.#context.audioWorklet.addModule(new URL("meter-worklet.js", import.meta.url));
      return true;
    } catch (error) {
      console.warn("no level meter:", error);
      return false;
    }
  }

  /**
   * Reports ten times a second: often enough to look alive, and this machine may have a model to run.
   * A later track of the same name takes the place of the earlier one.
   * @param {string} name
   * @param {MediaStreamTrack} track
   * @param {{ onLevel: (peak: number) => void, onOnset?: (atMs: number) => void }} report
   *   `peak` from 0 to 1; `atMs` since the epoch, when the sound leaves the loudspeaker
   */
  async watch(name, track, { onLevel, onOnset }) {
    if (!(await this.#loaded) || this.#context.state === "closed") return;
    this.#ends.get(name)?.();
    const source = this.#context.createMediaStreamSource(new MediaStream([track]));
    const node = new AudioWorkletNode(this.#context, "meter");
    node.port.onmessage = ({ data }) =>
      "level" in data ? onLevel(data.level) : onOnset?.(this.#epochMs(data.onsetAt_s));
    // The node puts out silence; it runs reliably only when something pulls it.
    source.connect(node).connect(this.#context.destination);
    this.#ends.set(name, () => {
      source.disconnect();
      node.disconnect();
      node.port.onmessage = null;
    });
  }

  /** @param {number} at_s on the audio clock */
  #epochMs(at_s) {
    const { contextTime, performanceTime } = this.#context.getOutputTimestamp();
    // Both are 0 until the loudspeaker has played something.
    const onsetMs = performanceTime
      ? performanceTime + 1_000 * (at_s - (contextTime ?? 0))
      : performance.now();
    return performance.timeOrigin + onsetMs;
  }

  close() {
    void this.#context.close();
  }
}
