// A camera that turns about a point.

import { across, along, cross, dot, minus, parallel, perspective, product, unit, view } from "./vectors.js";

/** @typedef {import("./vectors.js").Vector} Vector */

/** Tangent of half the vertical field of view. */
const TANGENT = Math.tan((34 / 2) * (Math.PI / 180));
/** Room left around what is framed. */
const MARGIN = 1.08;
/** Where one looks from at the beginning: to the right and above (radians). */
const HOME = { yaw: 0.45, pitch: 0.3 };
/** How far planes are seen, as a multiple of how far everything reaches. */
export const FARTHEST = 6;
const STEEPEST = Math.PI / 2 - 0.001;

export class Camera {
  /**
   * @param {number[]} bounds least and most coordinates of everything
   * @param {number[][]} outline points around where most of it happens
   * @param {Vector} up unit vector
   */
  constructor(bounds, outline, up) {
    this.tangent = TANGENT;
    this.up = up;
    /** Two directions across it, along which one looks and not, at yaw zero. */
    this.level = level(up);
    this.outline = outline.length > 0 ? outline.flat() : bounds;
    const [least, most] = box(this.outline);
    /** The middle and the size of where most of it happens. */
    this.center = middle(least, most);
    this.radius = Math.hypot(...minus(most, least)) / 2 || 1;
    /** How far from there everything reaches. */
    this.reach = Math.max(this.radius, Math.hypot(...[0, 1, 2].map((k) => Math.max(this.center[k] - bounds[k], bounds[k + 3] - this.center[k]))));
    this.target = this.center;
    this.aspect = 1;
    this.distance = 1;
    this.yaw = HOME.yaw;
    this.pitch = HOME.pitch;
    this.frame(this.outline);
  }

  /** To where it was at the beginning. */
  home() {
    this.yaw = HOME.yaw;
    this.pitch = HOME.pitch;
    this.frame(this.outline);
  }

  /**
   * Moves until all points are seen, and turns about their middle.
   * @param {ArrayLike<number>} points three coordinates each
   */
  frame(points) {
    this.target = middle(...box(points));
    const { right, up, back } = this.axes();
    const [wide, tall] = [TANGENT * this.aspect, TANGENT].map((tangent) => tangent / MARGIN);
    let distance = 0.01 * this.radius;
    for (let at = 0; at < points.length; at += 3) {
      const from = minus([points[at], points[at + 1], points[at + 2]], this.target);
      const out = Math.max(Math.abs(dot(from, right)) / wide, Math.abs(dot(from, up)) / tall);
      distance = Math.max(distance, dot(from, back) + out);
    }
    this.distance = distance;
  }

  /** Unit vectors to the right, upwards and backwards, as the camera sees them. */
  axes() {
    const [sy, cy, sp, cp] = [Math.sin(this.yaw), Math.cos(this.yaw), Math.sin(this.pitch), Math.cos(this.pitch)];
    const { side, front } = this.level;
    const back = mixed(sy * cp, side, sp, this.up, cy * cp, front);
    const right = mixed(cy, side, 0, this.up, -sy, front);
    return { right, up: cross(back, right), back };
  }

  /** @returns {Vector} */
  eye() {
    return along(this.target, this.distance, this.axes().back);
  }

  /** From the world to the picture, and the nearest and farthest that is seen. */
  matrix() {
    const { right, up, back } = this.axes();
    const eye = this.eye();
    const near = 0.02 * this.distance;
    const far = Math.hypot(...minus(eye, this.center)) + FARTHEST * this.reach + 2 * this.distance;
    const projection = perspective(TANGENT, this.aspect, near, far);
    return { matrix: product(projection, view(right, up, back, eye)), near, far };
  }

  /** How long a pixel is at the target. @param {number} height of the picture in pixels */
  pixel(height) {
    return (2 * TANGENT * this.distance) / height;
  }

  /** @param {number} yaw @param {number} pitch in radians */
  turn(yaw, pitch) {
    this.yaw += yaw;
    this.pitch = Math.min(STEEPEST, Math.max(-STEEPEST, this.pitch + pitch));
  }

  /** Moves the target in the plane of the picture. @param {number} x @param {number} y in metres */
  pan(x, y) {
    const { right, up } = this.axes();
    this.target = along(along(this.target, x, right), y, up);
  }

  /**
   * Comes nearer by a factor to what is seen at a place of the picture (-1 to 1).
   * @param {number} factor @param {number} [x] @param {number} [y]
   */
  zoom(factor, x = 0, y = 0) {
    const before = this.distance;
    this.distance = Math.min(200 * this.radius, Math.max(1e-3 * this.radius, before * factor));
    const moved = TANGENT * (before - this.distance);
    this.pan(x * this.aspect * moved, y * moved);
  }

  /**
   * The direction from the eye through a place of the picture (-1 to 1).
   * @param {number} x @param {number} y
   */
  ray(x, y) {
    const { right, up, back } = this.axes();
    const forward = along(along([-back[0], -back[1], -back[2]], TANGENT * this.aspect * x, right), TANGENT * y, up);
    return { eye: this.eye(), direction: unit(forward) };
  }
}

/** The least and the most of coordinates. @param {ArrayLike<number>} coordinates @returns {[Vector, Vector]} */
function box(coordinates) {
  /** @type {[Vector, Vector]} */
  const [least, most] = [[Infinity, Infinity, Infinity], [-Infinity, -Infinity, -Infinity]];
  for (let i = 0; i < coordinates.length; i++) {
    least[i % 3] = Math.min(least[i % 3], coordinates[i]);
    most[i % 3] = Math.max(most[i % 3], coordinates[i]);
  }
  return [least, most];
}

/** @param {Vector} a @param {Vector} b @returns {Vector} */
const middle = (a, b) => [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2, (a[2] + b[2]) / 2];

/**
 * Directions across `up`: x and z of the scene where up is y.
 * @param {Vector} up
 */
export function level(up) {
  const side = unit(Math.abs(up[0]) < 0.9 ? cross(up, cross([1, 0, 0], up)) : cross(up, [0, 0, 1]));
  return { side, front: cross(side, up) };
}

/**
 * a u + b v + c w
 * @param {number} a @param {Vector} u @param {number} b @param {Vector} v @param {number} c @param {Vector} w
 */
export const mixed = (a, u, b, v, c, w) => along(along([a * u[0], a * u[1], a * u[2]], b, v), c, w);

/**
 * What a light far away sees of a ball.
 * @param {Vector} toLight unit vector
 * @param {Vector} center
 * @param {number} radius
 */
export function lightMatrix(toLight, center, radius) {
  const [right, up] = across(toLight);
  return product(parallel(radius), view(right, up, toLight, center));
}
