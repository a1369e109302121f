// Numbers with their units, as people read them.

/** @type {[number, string][]} */
const PREFIXES = [
  [1e9, "G"],
  [1e6, "M"],
  [1e3, "k"],
  [1, ""],
  [1e-3, "m"],
  [1e-6, "µ"],
  [1e-9, "n"],
];

/**
 * The prefix that suits a number of this size.
 * @param {number} size
 * @returns {[number, string]}
 */
function prefix(size) {
  return PREFIXES.find(([factor]) => size >= 0.9995 * factor) ?? [1, ""];
}

/**
 * A unit of the scene in place of one of SI.
 * @typedef {{symbol: string, factor: number}} ShownUnit
 */

/** @type {Map<string, ShownUnit>} units of the scene by those of SI */
let shownUnits = new Map();

/**
 * Shows quantities in the units of a scene; those that are not listed remain in SI.
 * @param {Record<string, ShownUnit>} units by units of SI
 */
export function showIn(units) {
  shownUnits = new Map(Object.entries(units));
}

/**
 * Three digits and a unit with its prefix; a dash for what is not there. Units of other systems take no prefix.
 * @param {number} value in SI
 * @param {string} unit of SI
 */
export function quantity(value, unit) {
  if (!Number.isFinite(value)) return "–";
  const other = shownUnits.get(unit);
  if (other) return `${value === 0 ? "0" : plain(other.factor * value)} ${other.symbol}`;
  if (value === 0) return unit ? `0 ${unit}` : "0";
  if (!unit) return plain(value);
  const [factor, letter] = prefix(Math.abs(value));
  if (Math.abs(value) < 1e-9) return `${plain(value)} ${unit}`;
  return `${digits(value / factor)} ${letter}${unit}`;
}

/**
 * A number without a unit.
 * @param {number} value
 */
function plain(value) {
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-3 || size >= 1e5)) return withMinus(value.toExponential(1));
  return digits(value);
}

/**
 * Three digits, or all before the point.
 * @param {number} value
 */
function digits(value) {
  const size = Math.abs(value);
  return withMinus(size >= 100 ? value.toFixed(0) : value.toPrecision(3));
}

/** @param {string} text */
function withMinus(text) {
  return text.replaceAll("-", "−");
}

/**
 * A time with as many decimals as neighbouring frames differ in.
 * @param {number} time
 * @param {number} apart
 */
export function seconds(time, apart) {
  const decimals = apart > 0 ? Math.min(6, Math.max(2, Math.ceil(-Math.log10(apart)) + 1)) : 2;
  return time.toFixed(decimals);
}
