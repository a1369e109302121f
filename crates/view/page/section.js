// The section plane, in front of which everything is cut away.

import { along, dot } from "./vectors.js";

/**
 * @typedef {import("./vectors.js").Vector} Vector
 *
 * @typedef {object} Section
 * @property {Vector} normal unit vector towards what is cut away
 * @property {number} offset distance of the plane from the origin along the normal (m)
 */

/** Names and normals of the planes to choose from. @type {[string, Vector][]} */
export const DIRECTIONS = [
  ["x", [1, 0, 0]],
  ["−x", [-1, 0, 0]],
  ["y", [0, 1, 0]],
  ["−y", [0, -1, 0]],
  ["z", [0, 0, 1]],
  ["−z", [0, 0, -1]],
];

/**
 * The plane at a share of the size of the scene, -1 to 1, from its middle.
 * @param {number} direction index, or -1 for none @param {number} share
 * @param {Vector} center @param {number} radius of the scene
 * @returns {Section | undefined}
 */
export function sectionAt(direction, share, center, radius) {
  if (direction < 0) return undefined;
  const [, normal] = DIRECTIONS[direction];
  return { normal, offset: dot(along(center, share * radius, normal), normal) };
}

/** Whether a place is cut away. @param {Section} section @param {ArrayLike<number>} place */
export const isCutAway = (section, place) => dot(place, section.normal) > section.offset;
