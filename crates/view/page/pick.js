// What is under the pointer.

import { along, cross, dot, minus } from "./vectors.js";

/** @typedef {import("./vectors.js").Vector} Vector */

/**
 * The vertex nearest to where a ray meets what is drawn first, and that place.
 * @param {import("./surface.js").Surface} surface
 * @param {Uint32Array} loose vertices of points and lines
 * @param {{eye: Vector, direction: Vector}} ray
 * @param {number} slack how far a ray may pass a loose vertex, at distance 1
 * @returns {{vertex: number, place: Vector} | undefined}
 */
export function pick(surface, loose, ray, slack) {
  const hit = firstTriangle(surface, ray);
  let [nearest, vertex] = [hit?.distance ?? Infinity, hit?.vertex ?? -1];
  for (const candidate of loose) {
    const from = minus(surface.positions.subarray(3 * candidate, 3 * candidate + 3), ray.eye);
    const distance = dot(from, ray.direction);
    if (distance <= 0 || distance >= nearest) continue;
    const off = minus(from, [0, 1, 2].map((k) => distance * ray.direction[k]));
    if (Math.hypot(...off) < slack * distance) [nearest, vertex] = [distance, candidate];
  }
  if (vertex < 0) return undefined;
  const source = vertex < surface.sources ? vertex : surface.doubled[vertex - surface.sources];
  return { vertex: source, place: along(ray.eye, nearest, ray.direction) };
}

/**
 * The first triangle along a ray (Möller and Trumbore 1997).
 * @param {import("./surface.js").Surface} surface
 * @param {{eye: Vector, direction: Vector}} ray
 */
function firstTriangle({ positions, triangles }, { eye, direction }) {
  /** @type {{distance: number, vertex: number} | undefined} */
  let first;
  const at = (/** @type {number} */ vertex) => 3 * vertex;
  for (let t = 0; t < triangles.length; t += 3) {
    const [a, b, c] = [at(triangles[t]), at(triangles[t + 1]), at(triangles[t + 2])];
    const [ux, uy, uz] = [positions[b] - positions[a], positions[b + 1] - positions[a + 1], positions[b + 2] - positions[a + 2]];
    const [vx, vy, vz] = [positions[c] - positions[a], positions[c + 1] - positions[a + 1], positions[c + 2] - positions[a + 2]];
    const [px, py, pz] = cross(direction, [vx, vy, vz]);
    const volume = ux * px + uy * py + uz * pz;
    if (volume === 0) continue;
    const [sx, sy, sz] = [eye[0] - positions[a], eye[1] - positions[a + 1], eye[2] - positions[a + 2]];
    const u = (sx * px + sy * py + sz * pz) / volume;
    if (u < 0 || u > 1) continue;
    const q = cross([sx, sy, sz], [ux, uy, uz]);
    const v = dot(direction, q) / volume;
    if (v < 0 || u + v > 1) continue;
    const distance = (vx * q[0] + vy * q[1] + vz * q[2]) / volume;
    if (distance <= 0 || (first && distance >= first.distance)) continue;
    const corner = u > 0.5 ? 1 : v > 0.5 ? 2 : u + v > 0.5 ? (u > v ? 1 : 2) : 0;
    first = { distance, vertex: triangles[t + corner] };
  }
  return first;
}
