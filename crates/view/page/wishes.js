// A world at this moment: its states come in, and what is wished for goes out.

/** Bytes of a state before its positions: time, milliseconds and pace. */
const STATE_HEAD = 24;

/**
 * @typedef {object} WorldState
 * @property {number} time (s)
 * @property {number} milliseconds that it took to compute
 * @property {number} pace how fast the world's time goes; 1 is real time
 * @property {Float32Array} positions of what moves
 */

/**
 * The states that whoever simulates shows; of those that came at once the newest.
 * @param {number} vertices that move
 * @returns {AsyncGenerator<WorldState>}
 */
export async function* states(vertices) {
  const answer = await fetch("states").catch(() => undefined);
  const reader = answer?.ok ? answer.body?.getReader() : undefined;
  if (!reader) return;
  const size = STATE_HEAD + 12 * vertices;
  let [kept, filled] = [new Uint8Array(2 * size), 0];
  for (;;) {
    const { done, value } = await reader.read().catch(() => ({ done: true, value: undefined }));
    if (done || !value) return;
    if (filled + value.length > kept.length) {
      const larger = new Uint8Array(2 * (filled + value.length));
      larger.set(kept.subarray(0, filled));
      kept = larger;
    }
    kept.set(value, filled);
    filled += value.length;
    const whole = Math.floor(filled / size);
    if (whole === 0) continue;
    const newest = kept.slice((whole - 1) * size, whole * size).buffer;
    kept.copyWithin(0, whole * size, filled);
    filled -= whole * size;
    const [time, milliseconds, pace] = new Float64Array(newest, 0, 3);
    yield { time, milliseconds, pace, positions: new Float32Array(newest, STATE_HEAD) };
  }
}

/**
 * @typedef {{Pull: {vertex: number, place: import("./vectors.js").Vector}}} Pull
 * @typedef {Pull | "LetGo" | "Pause" | "GoOn" | "Restart"} Wish
 */

/** What is wished for, one after the other; of places to pull to that wait the last counts. */
export class Wishes {
  /** @type {Wish[]} */
  #waiting = [];
  #busy = false;

  /** @param {Wish} wish */
  send(wish) {
    if (typeof wish === "object" && typeof this.#waiting.at(-1) === "object") this.#waiting.pop();
    this.#waiting.push(wish);
    this.#go();
  }

  async #go() {
    if (this.#busy) return;
    this.#busy = true;
    for (let wish = this.#waiting.shift(); wish; wish = this.#waiting.shift()) {
      const headers = { "Content-Type": "application/json" };
      // Who simulates may have ended; the page says so when no more states come.
      await fetch("wish", { method: "POST", headers, body: JSON.stringify(wish) }).catch(() => undefined);
    }
    this.#busy = false;
  }
}
