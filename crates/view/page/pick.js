// What is under the pointer.

import { isCutAway } from "./section.js";
import { along } from "./vectors.js";

/**
 * @typedef {import("./vectors.js").Vector} Vector
 *
 * @typedef {object} Ray
 * @property {Vector} eye
 * @property {Vector} direction unit vector
 *
 * @typedef {object} Met what a ray meets first
 * @property {number} distance infinite if it meets nothing
 * @property {number} vertex the nearest one, or -1
 */

/**
 * The vertex nearest to where a ray meets what is drawn first, and that place.
 * @param {import("./surface.js").Surface} surface
 * @param {Uint32Array} loose vertices of points and lines
 * @param {Ray} ray
 * @param {number} slack how far a ray may pass a loose vertex, at distance 1
 * @param {import("./section.js").Section} [section]
 * @returns {{vertex: number, place: Vector} | undefined}
 */
export function pick(surface, loose, ray, slack, section) {
  const hit = firstTriangle(surface, ray, section);
  const point = firstPoint(surface.positions, loose, ray, slack, section);
  const { vertex, distance } = point.distance < hit.distance ? point : hit;
  if (vertex < 0) return undefined;
  const source = vertex < surface.sources ? vertex : surface.doubled[vertex - surface.sources];
  return { vertex: source, place: along(ray.eye, distance, ray.direction) };
}

/**
 * The first point that a ray comes near to.
 * @param {Float32Array} positions @param {Uint32Array} loose @param {Ray} ray @param {number} slack
 * @param {import("./section.js").Section} [section]
 * @returns {Met}
 */
function firstPoint(positions, loose, { eye, direction }, slack, section) {
  const [ex, ey, ez] = eye;
  const [dx, dy, dz] = direction;
  const first = { distance: Infinity, vertex: -1 };
  for (let i = 0; i < loose.length; i++) {
    const at = 3 * loose[i];
    const x = positions[at] - ex, y = positions[at + 1] - ey, z = positions[at + 2] - ez;
    const distance = x * dx + y * dy + z * dz;
    if (distance <= 0 || distance >= first.distance) continue;
    const off = x * x + y * y + z * z - distance * distance;
    if (section && isCutAway(section, positions.subarray(at, at + 3))) continue;
    if (off < (slack * distance) ** 2) [first.distance, first.vertex] = [distance, loose[i]];
  }
  return first;
}

/**
 * The first triangle along a ray (Möller and Trumbore 1997).
 * @param {import("./surface.js").Surface} surface
 * @param {Ray} ray
 * @param {import("./section.js").Section} [section]
 * @returns {Met}
 */
function firstTriangle({ positions, triangles }, { eye, direction }, section) {
  const [ex, ey, ez] = eye;
  const [dx, dy, dz] = direction;
  const first = { distance: Infinity, vertex: -1 };
  for (let t = 0; t < triangles.length; t += 3) {
    const a = 3 * triangles[t], b = 3 * triangles[t + 1], c = 3 * triangles[t + 2];
    const ax = positions[a], ay = positions[a + 1], az = positions[a + 2];
    const ux = positions[b] - ax, uy = positions[b + 1] - ay, uz = positions[b + 2] - az;
    const vx = positions[c] - ax, vy = positions[c + 1] - ay, vz = positions[c + 2] - az;
    const px = dy * vz - dz * vy, py = dz * vx - dx * vz, pz = dx * vy - dy * vx;
    const volume = ux * px + uy * py + uz * pz;
    if (volume === 0) continue;
    const sx = ex - ax, sy = ey - ay, sz = ez - az;
    const u = (sx * px + sy * py + sz * pz) / volume;
    if (u < 0 || u > 1) continue;
    const qx = sy * uz - sz * uy, qy = sz * ux - sx * uz, qz = sx * uy - sy * ux;
    const v = (dx * qx + dy * qy + dz * qz) / volume;
    if (v < 0 || u + v > 1) continue;
    const distance = (vx * qx + vy * qy + vz * qz) / volume;
    if (distance <= 0 || distance >= first.distance) continue;
    if (section && isCutAway(section, along(eye, distance, direction))) continue;
    const corner = u > 0.5 ? 1 : v > 0.5 ? 2 : u + v > 0.5 ? (u > v ? 1 : 2) : 0;
    [first.distance, first.vertex] = [distance, triangles[t + corner]];
  }
  return first;
}
