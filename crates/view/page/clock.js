// What time it is in the film.

/** How much faster than the world the film may go. */
export const SPEEDS = [0.02, 0.05, 0.1, 0.25, 0.5, 1, 2, 4];

export class Clock {
  /** @param {number[]} times of all frames (s) */
  constructor(times) {
    this.times = times;
    this.time = times[0] ?? 0;
    this.speed = 1;
    this.playing = false;
    this.repeating = true;
    /** Called when playing begins or ends, or the speed changes. @type {() => void} */
    this.changed = () => {};
  }

  get end() {
    return this.times[this.times.length - 1] ?? 0;
  }

  get start() {
    return this.times[0] ?? 0;
  }

  /** @param {boolean} playing */
  play(playing) {
    if (playing && this.time >= this.end) this.time = this.start;
    this.playing = playing && this.end > this.start;
    this.changed();
  }

  /** Faster by some places in the list of speeds. @param {number} places */
  faster(places) {
    const at = SPEEDS.indexOf(this.speed) + places;
    this.speed = SPEEDS[Math.min(SPEEDS.length - 1, Math.max(0, at))];
    this.changed();
  }

  /** Stops at a time. @param {number} time */
  seek(time) {
    this.time = Math.min(this.end, Math.max(this.start, time));
    if (this.playing) this.play(false);
  }

  /**
   * Goes on by some seconds of the world, no farther than to what is decoded.
   * @param {number} elapsed @param {number} decoded the time of the last decoded frame
   */
  advance(elapsed, decoded) {
    if (!this.playing) return;
    // Of a tab that was hidden the time is not made up for.
    this.time = Math.min(this.time + Math.min(elapsed, 0.1) * this.speed, decoded);
    if (this.time < this.end) return;
    if (this.repeating) this.time = this.start;
    else this.play(false);
  }
}
