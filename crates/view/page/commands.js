// Connection to a live simulation: receives states, sends commands.

/** Bytes of a state before its positions: time, milliseconds and pace. */
const STATE_HEAD = 24;

/**
 * @typedef {object} WorldState
 * @property {number} time (s)
 * @property {number} milliseconds of computing time
 * @property {number} pace simulated seconds per second; 1 is real time
 * @property {Float32Array} positions of the moving vertices
 */

/**
 * The states that the server sends; of several that arrive together only the newest.
 * @param {number} vertices number of moving vertices
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
 * @typedef {Pull | "LetGo" | "Pause" | "GoOn" | "Restart"} Command
 */

/** Sends commands one after the other; of several waiting drag positions only the last. */
export class Commands {
  /** @type {Command[]} */
  #waiting = [];
  #busy = false;

  /** @param {Command} command */
  send(command) {
    if (typeof command === "object" && typeof this.#waiting.at(-1) === "object") this.#waiting.pop();
    this.#waiting.push(command);
    this.#go();
  }

  async #go() {
    if (this.#busy) return;
    this.#busy = true;
    for (let command = this.#waiting.shift(); command; command = this.#waiting.shift()) {
      const headers = { "Content-Type": "application/json" };
      // The server may have ended; the page reports it when no more states arrive.
      await fetch("command", { method: "POST", headers, body: JSON.stringify(command) }).catch(() => undefined);
    }
    this.#busy = false;
  }
}
