// Light or dark: colours of the style sheet that the picture is drawn with.

/** @typedef {import("./vectors.js").Vector} Vector */

/** The colours of background, planes and their lines, as the style sheet has them. */
export function themed() {
  const style = getComputedStyle(document.documentElement);
  const colour = (/** @type {string} */ name) => rgb(style.getPropertyValue(name).trim());
  return { background: colour("--picture"), plane: colour("--plane"), ink: colour("--ink") };
}

/**
 * `#rrggbb` as numbers from 0 to 1.
 * @param {string} hex
 * @returns {Vector}
 */
function rgb(hex) {
  const value = Number.parseInt(hex.slice(1), 16);
  return [(value >> 16) / 255, ((value >> 8) & 255) / 255, (value & 255) / 255];
}

/** Calls when the theme changes. @param {() => void} changed */
export function onTheme(changed) {
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", changed);
}
