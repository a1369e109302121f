// What the graphics card keeps of the bodies: buffers that are filled anew for each frame.

import { FARTHEST } from "./camera.js";
import { attribute, refill } from "./gl.js";
import { across, along, dot, minus } from "./vectors.js";

/** @typedef {import("./vectors.js").Vector} Vector */


/**
 * @typedef {object} Plane
 * @property {string} name
 * @property {Vector} point
 * @property {Vector} normal
 *
 * @typedef {object} Contents what is drawn
 * @property {import("./surface.js").Surface} surface
 * @property {Uint32Array} bodyOf the body of each vertex
 * @property {Uint32Array} lines
 * @property {Uint32Array} points vertices that are drawn as balls
 * @property {number[]} radii of rods, by body (m); 0 of others
 * @property {Plane[]} planes
 * @property {import("./colours.js").Colour[]} colours of bodies
 * @property {boolean[]} solid whether the triangles of a body enclose a solid
 * @property {number} moving how many bodies have values
 * @property {number} movingVertices how many vertices these have
 * @property {Vector} center
 * @property {number} radius of where most happens
 * @property {number} reach how far from its middle everything reaches
 */

/** Triangles and points, which share their vertices; lines as ribbons; squares of planes. */
export class Geometry {
  /** @param {WebGL2RenderingContext} gl @param {Contents} contents */
  constructor(gl, contents) {
    this.gl = gl;
    this.contents = contents;
    const { surface, bodyOf, lines, points, radii } = contents;
    const count = surface.vertices;
    this.values = new Float32Array(count);
    this.mesh = gl.createVertexArray();
    gl.bindVertexArray(this.mesh);
    this.buffers = {
      positions: attribute(gl, "position", 3, 12 * count),
      normals: attribute(gl, "normal", 3, 12 * count),
      values: attribute(gl, "value", 1, 4 * count),
    };
    const bodies = new Uint32Array(count);
    bodies.set(bodyOf);
    surface.doubled.forEach((source, i) => { bodies[surface.sources + i] = bodyOf[source]; });
    attribute(gl, "body", 1, bodies);
    /** Where the indices of points and of lines begin (bytes). */
    this.pointsAt = 4 * surface.triangles.length;
    this.linesAt = this.pointsAt + 4 * points.length;
    const indices = new Uint32Array(surface.triangles.length + points.length + lines.length);
    indices.set(surface.triangles);
    indices.set(points, this.pointsAt / 4);
    indices.set(lines, this.linesAt / 4);
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, indices, gl.STATIC_DRAW);
    this.ribbons = new Ribbons(gl, lines, bodyOf, radii);
    this.squares = gl.createVertexArray();
    gl.bindVertexArray(this.squares);
    attribute(gl, "position", 3, squares(contents));
    gl.bindVertexArray(null);
  }

  /** Hands positions, normals and values of a frame to the graphics card. */
  upload() {
    const { gl, values, buffers } = this;
    const { surface } = this.contents;
    surface.doubled.forEach((source, i) => { values[surface.sources + i] = values[source]; });
    refill(gl, buffers.positions, surface.positions);
    refill(gl, buffers.normals, surface.normals);
    refill(gl, buffers.values, values);
    this.ribbons.upload(surface.positions, values);
  }

  /** The ball around everything in this frame, its place and size in steps. */
  ball() {
    const { positions, sources } = this.contents.surface;
    const [least, most] = [[1e30, 1e30, 1e30], [-1e30, -1e30, -1e30]];
    for (let at = 0; at < 3 * sources; at += 3) {
      for (let k = 0; k < 3; k++) {
        const x = positions[at + k];
        if (x < least[k]) least[k] = x;
        if (x > most[k]) most[k] = x;
      }
    }
    const size = Math.hypot(...minus(most, least)) / 2 || this.contents.radius;
    const radius = 2 ** (Math.ceil(4 * Math.log2(1.15 * size)) / 4);
    const grain = radius / 16;
    const rounded = (/** @type {number} */ k) => grain * Math.round((least[k] + most[k]) / 2 / grain);
    return { center: /** @type {Vector} */ ([rounded(0), rounded(1), rounded(2)]), radius: 1.1 * radius };
  }
}

/** Lines as ribbons: an instance each, with both its ends. */
class Ribbons {
  /** @param {WebGL2RenderingContext} gl @param {Uint32Array} lines @param {Uint32Array} bodyOf @param {number[]} radii */
  constructor(gl, lines, bodyOf, radii) {
    this.gl = gl;
    this.lines = lines;
    this.count = lines.length / 2;
    const { count } = this;
    this.array = gl.createVertexArray();
    gl.bindVertexArray(this.array);
    this.ends = [new Float32Array(3 * count), new Float32Array(3 * count)];
    this.values = [new Float32Array(count), new Float32Array(count)];
    this.endBuffers = [attribute(gl, "position", 3, 12 * count, 1), attribute(gl, "other", 3, 12 * count, 1)];
    this.valueBuffers = [attribute(gl, "value", 1, 4 * count, 1), attribute(gl, "otherValue", 1, 4 * count, 1)];
    attribute(gl, "body", 1, Uint32Array.from({ length: count }, (_, i) => bodyOf[lines[2 * i]]), 1);
    attribute(gl, "thick", 1, Float32Array.from({ length: count }, (_, i) => radii[bodyOf[lines[2 * i]]]), 1);
  }

  /** @param {Float32Array} positions @param {Float32Array} values */
  upload(positions, values) {
    if (this.count === 0) return;
    for (const end of [0, 1]) {
      for (let i = 0; i < this.count; i++) {
        const vertex = this.lines[2 * i + end];
        for (let k = 0; k < 3; k++) this.ends[end][3 * i + k] = positions[3 * vertex + k];
        this.values[end][i] = values[vertex];
      }
      refill(this.gl, this.endBuffers[end], this.ends[end]);
      refill(this.gl, this.valueBuffers[end], this.values[end]);
    }
  }
}

/** A square of each plane, around what there is to see. @param {Contents} contents */
function squares({ planes, center, reach }) {
  const corners = planes.flatMap(({ point, normal }) => {
    const foot = along(center, dot(minus(point, center), normal), normal);
    const [first, second] = across(normal);
    const half = FARTHEST * reach;
    const corner = (/** @type {number} */ u, /** @type {number} */ v) => along(along(foot, u * half, first), v * half, second);
    return [...corner(-1, -1), ...corner(1, -1), ...corner(-1, 1), ...corner(1, 1)];
  });
  return Float32Array.from(corners);
}
