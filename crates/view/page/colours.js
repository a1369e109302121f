// Colours of bodies and of values.

import { stem } from "./names.js";

/** @typedef {[number, number, number]} Colour red, green and blue, 0 to 1 */

/** Equally bright hues: of bodies that differ, or of groups of bodies where there are many. */
const MANY = 16;
const LIGHTNESS = 0.7;
const CHROMA = 0.115;
/** Of the first body (degrees); the next ones are a golden ratio of the circle apart. */
const FIRST_HUE = 250;
const HUES_APART = 137.508;

/** Of what does not move. @type {Colour} */
const STILL = [0.62, 0.63, 0.64];

/**
 * A colour of given lightness, colourfulness and hue (Ottosson 2020, Oklab).
 * @param {number} lightness @param {number} chroma @param {number} degrees
 * @returns {Colour}
 */
function oklch(lightness, chroma, degrees) {
  const [a, b] = [Math.cos, Math.sin].map((of) => chroma * of((degrees * Math.PI) / 180));
  const [l, m, s] = [
    lightness + 0.3963377774 * a + 0.2158037573 * b,
    lightness - 0.1055613458 * a - 0.0638541728 * b,
    lightness - 0.0894841775 * a - 1.291485548 * b,
  ].map((root) => root ** 3);
  const linear = [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ];
  const shown = linear.map((x) => {
    const clipped = Math.min(1, Math.max(0, x));
    return clipped <= 0.0031308 ? 12.92 * clipped : 1.055 * clipped ** (1 / 2.4) - 0.055;
  });
  return /** @type {Colour} */ (shown);
}

/**
 * @typedef {object} Paint of all bodies
 * @property {Colour[]} ofBody
 * @property {{name: string, count: number, colour: Colour}[]} legend those that move
 */

/**
 * Each body has its own colour; where there are many, those that a scene repeats share one.
 * @param {{name: string, kind: "body" | "obstacle"}[]} all
 * @returns {Paint}
 */
export function paint(all) {
  const shared = all.filter(({ kind }) => kind === "body").length > MANY;
  /** @type {Map<string, {name: string, count: number, colour: Colour}>} */
  const groups = new Map();
  const ofBody = all.map(({ name, kind }, i) => {
    if (kind === "obstacle") return STILL;
    const key = shared ? stem(name) : String(i);
    const group = groups.get(key) ?? { name: shared ? key : name, count: 0, colour: hue(groups.size) };
    group.count += 1;
    groups.set(key, group);
    return group.colour;
  });
  return { ofBody, legend: [...groups.values()] };
}

/** @param {number} place among the groups */
function hue(place) {
  return oklch(LIGHTNESS + 0.06 * [0, 1, -1][place % 3], CHROMA, FIRST_HUE + HUES_APART * place);
}

/** @param {Colour} colour */
export const css = (colour) => `rgb(${colour.map((x) => Math.round(255 * x)).join(" ")})`;

/** Viridis (van der Walt, Smith and Firing 2015) at equal distances, without its darkest end. */
const VIRIDIS = [
  [74, 52, 128], [59, 81, 139], [44, 113, 142], [33, 144, 141],
  [39, 173, 129], [92, 200, 99], [170, 220, 50], [253, 231, 37],
];

/** How many colours the table of the scale has. */
export const SHADES = 256;

/** The colours of values from the least to the most, RGBA. */
export function shades() {
  const table = new Uint8Array(4 * SHADES);
  for (let i = 0; i < SHADES; i++) {
    const at = (i / (SHADES - 1)) * (VIRIDIS.length - 1);
    const low = Math.min(VIRIDIS.length - 2, Math.floor(at));
    const mixed = VIRIDIS[low].map((from, k) => Math.round(from + (at - low) * (VIRIDIS[low + 1][k] - from)));
    table.set([...mixed, 255], 4 * i);
  }
  return table;
}

/** The scale as a background of the legend. */
export function gradient() {
  return `linear-gradient(to right, ${VIRIDIS.map((colour) => `rgb(${colour.join(" ")})`).join(", ")})`;
}
