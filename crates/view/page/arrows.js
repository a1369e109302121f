// Forces as arrows: an instance each, from the point where it acts.

import { attribute, refill } from "./gl.js";

export class Arrows {
  /** @param {WebGL2RenderingContext} gl @param {number} most how many there can be */
  constructor(gl, most) {
    this.gl = gl;
    this.count = 0;
    this.array = gl.createVertexArray();
    gl.bindVertexArray(this.array);
    /** Where they start, and where they end. */
    this.ends = [new Float32Array(3 * most), new Float32Array(3 * most)];
    this.buffers = [attribute(gl, "position", 3, 12 * most, 1), attribute(gl, "other", 3, 12 * most, 1)];
    gl.bindVertexArray(null);
  }

  /** Hands so many of them to the graphics card. @param {number} count */
  upload(count) {
    this.count = count;
    if (count === 0) return;
    for (const end of [0, 1]) refill(this.gl, this.buffers[end], this.ends[end].subarray(0, 3 * count));
  }
}
