// Cut faces of solids with the values inside: where tetrahedra meet the section plane.

import { attribute } from "./gl.js";

/** @typedef {import("./section.js").Section} Section */

/** Corners of the triangles of a quadrilateral. */
const HALVES = [0, 1, 2, 0, 2, 3];

/** Triangles where tetrahedra meet a plane, with values and bodies at their corners. */
export class CutFaces {
  /** @param {WebGL2RenderingContext} gl */
  constructor(gl) {
    this.gl = gl;
    this.array = gl.createVertexArray();
    gl.bindVertexArray(this.array);
    this.buffers = [attribute(gl, "position", 3, 0), attribute(gl, "value", 1, 0), attribute(gl, "body", 1, 0)];
    gl.bindVertexArray(null);
    this.positions = new Float32Array(0);
    this.values = new Float32Array(0);
    this.bodies = new Uint32Array(0);
    /** How many corners there are. */
    this.count = 0;
  }

  /** Has no triangles from now on. */
  clear() {
    this.count = 0;
  }

  /**
   * Cuts tetrahedra, whose corners are places with values.
   * @param {Section} section
   * @param {Uint32Array} tets four corners each
   * @param {Float32Array} places @param {Float32Array} values @param {Uint32Array} bodyOf
   */
  cut({ normal, offset }, tets, places, values, bodyOf) {
    this.count = 0;
    const [nx, ny, nz] = normal;
    const heights = new Float32Array(places.length / 3);
    for (let i = 0, at = 0; i < heights.length; i++, at += 3) {
      heights[i] = nx * places[at] + ny * places[at + 1] + nz * places[at + 2] - offset;
    }
    /** @type {number[]} */
    const above = [];
    /** @type {number[]} */
    const below = [];
    for (let at = 0; at < tets.length; at += 4) {
      above.length = below.length = 0;
      for (let k = 0; k < 4; k++) (heights[tets[at + k]] > 0 ? above : below).push(tets[at + k]);
      if (above.length === 0 || below.length === 0) continue;
      // Around the polygon, each edge is in a face of the tetrahedron.
      const [single, others] = above.length === 1 ? [above, below] : [below, above];
      const edges = single.length === 1
        ? others.map((other) => [single[0], other])
        : [[above[0], below[0]], [above[0], below[1]], [above[1], below[1]], [above[1], below[0]]];
      this.#add(edges, heights, places, values, bodyOf);
    }
  }

  /**
   * Adds the polygon through the points of edges at the height zero.
   * @param {number[][]} edges @param {Float32Array} heights @param {Float32Array} places
   * @param {Float32Array} values @param {Uint32Array} bodyOf
   */
  #add(edges, heights, places, values, bodyOf) {
    const corners = edges.length === 3 ? 3 : HALVES.length;
    if (this.count + corners > this.values.length) this.#grow();
    for (let k = 0; k < corners; k++) {
      const [a, b] = edges[HALVES[k]];
      const share = heights[a] / (heights[a] - heights[b]);
      for (let i = 0; i < 3; i++) {
        this.positions[3 * this.count + i] = places[3 * a + i] + share * (places[3 * b + i] - places[3 * a + i]);
      }
      this.values[this.count] = values[a] + share * (values[b] - values[a]);
      this.bodies[this.count] = bodyOf[a];
      this.count++;
    }
  }

  #grow() {
    const size = Math.max(3072, 2 * this.values.length);
    const { positions, values, bodies } = this;
    this.positions = new Float32Array(3 * size);
    this.positions.set(positions);
    this.values = new Float32Array(size);
    this.values.set(values);
    this.bodies = new Uint32Array(size);
    this.bodies.set(bodies);
  }

  /** Hands the triangles to the graphics card. */
  upload() {
    const { gl, count } = this;
    const data = [this.positions.subarray(0, 3 * count), this.values.subarray(0, count), this.bodies.subarray(0, count)];
    this.buffers.forEach((buffer, i) => {
      gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
      gl.bufferData(gl.ARRAY_BUFFER, data[i], gl.DYNAMIC_DRAW);
    });
  }
}
