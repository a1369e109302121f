// Vectors of three and matrices of four by four, column by column.

/** @typedef {[number, number, number]} Vector */
/** @typedef {number[]} Matrix */

/** @param {ArrayLike<number>} a @param {ArrayLike<number>} b */
export const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];

/** @param {ArrayLike<number>} a @param {ArrayLike<number>} b @returns {Vector} */
export const minus = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];

/**
 * a + s b
 * @param {ArrayLike<number>} a @param {number} s @param {ArrayLike<number>} b
 * @returns {Vector}
 */
export const along = (a, s, b) => [a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2]];

/** @param {ArrayLike<number>} a @param {ArrayLike<number>} b @returns {Vector} */
export const cross = (a, b) => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
];

/** @param {Vector} a @returns {Vector} */
export function unit(a) {
  const length = Math.hypot(...a) || 1;
  return [a[0] / length, a[1] / length, a[2] / length];
}

/**
 * Two unit vectors across a unit vector and each other.
 * @param {Vector} normal
 * @returns {[Vector, Vector]}
 */
export function across(normal) {
  const first = unit(cross(normal, Math.abs(normal[1]) < 0.9 ? [0, 1, 0] : [0, 0, 1]));
  return [first, cross(first, normal)];
}

/** @param {Matrix} a @param {Matrix} b @returns {Matrix} */
export function product(a, b) {
  const out = new Array(16).fill(0);
  for (let column = 0; column < 4; column++)
    for (let row = 0; row < 4; row++)
      for (let k = 0; k < 4; k++) out[4 * column + row] += a[4 * k + row] * b[4 * column + k];
  return out;
}

/**
 * From the world into the axes of a camera that looks against `back`.
 * @param {Vector} right @param {Vector} up @param {Vector} back @param {Vector} eye
 * @returns {Matrix}
 */
export const view = (right, up, back, eye) => [
  right[0], up[0], back[0], 0,
  right[1], up[1], back[1], 0,
  right[2], up[2], back[2], 0,
  -dot(right, eye), -dot(up, eye), -dot(back, eye), 1,
];

/**
 * @param {number} tangent of half the vertical field of view
 * @param {number} aspect width over height
 * @param {number} near
 * @param {number} far
 * @returns {Matrix}
 */
export const perspective = (tangent, aspect, near, far) => [
  1 / (tangent * aspect), 0, 0, 0,
  0, 1 / tangent, 0, 0,
  0, 0, (far + near) / (near - far), -1,
  0, 0, (2 * far * near) / (near - far), 0,
];

/**
 * A cube of half width `radius` around the origin of the camera.
 * @param {number} radius
 * @returns {Matrix}
 */
export const parallel = (radius) => [
  1 / radius, 0, 0, 0,
  0, 1 / radius, 0, 0,
  0, 0, -1 / radius, 0,
  0, 0, 0, 1,
];
