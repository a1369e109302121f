// The plots below the picture, and their numbers at the time of the film.

import { shownName } from "./names.js";
import { quantity } from "./numbers.js";
import { Plot } from "./plot.js";

/** @typedef {import("./history.js").History} History */
/** @typedef {import("./plot.js").Curve} Curve */

/**
 * @typedef {object} Kind of a curve
 * @property {string} column of the history
 * @property {string} [name]
 * @property {string} colour
 * @property {number} [width]
 * @property {number[]} [dash]
 * @property {boolean} [hidden] until it is asked for
 *
 * @typedef {object} Panel
 * @property {string} title
 * @property {string} what it is, at length
 * @property {string} unit
 * @property {import("./plot.js").Axis} axis
 * @property {boolean} zero whether zero is always shown
 * @property {Kind[]} curves
 * @property {"tall" | "low"} height
 */

/** @type {Kind[]} */
const ENERGIES = [
  { column: "kinetic", colour: "--kinetic" },
  { column: "motion", colour: "--motion", width: 1.2, dash: [2, 3] },
  { column: "elastic", colour: "--elastic" },
  { column: "gravity", colour: "--gravity" },
  { column: "total", colour: "--total", width: 1.8 },
  { column: "target", colour: "--target", width: 1.6, dash: [6, 4] },
];

/** @type {Panel[]} */
const OTHERS = [
  { title: "alpha", what: "how far A-search corrected velocities in each step", unit: "", axis: "linear", zero: false, height: "low", curves: [{ column: "alpha", colour: "--alpha" }] },
  { title: "smallest distance", what: "between surfaces, after each step: never zero", unit: "m", axis: "powers", zero: false, height: "low", curves: [{ column: "min_distance", colour: "--proof" }] },
  { title: "smallest det F", what: "the most compressed element, after each step: never zero", unit: "", axis: "linear", zero: false, height: "low", curves: [{ column: "min_det_f", colour: "--proof" }] },
  { title: "residual", what: "how exactly each step was solved: Newton's last step, as a velocity", unit: "m/s", axis: "powers", zero: false, height: "low", curves: [{ column: "residual", colour: "--proof" }] },
];

/** Terms that are next to nothing beside the others. */
const SMALL = ["contact"];

/** Columns of the history between these are energies of terms. */
const [TERMS_AFTER, TERMS_BEFORE] = ["potential", "total"];

/**
 * What is plotted of a history: only what it has.
 * @param {History} history
 * @returns {Panel[]}
 */
function panels(history) {
  const terms = history.names.slice(history.names.indexOf(TERMS_AFTER) + 1, history.names.indexOf(TERMS_BEFORE));
  const usual = ENERGIES.map(({ column }) => column);
  const others = terms.filter((name) => !usual.includes(name));
  const shades = ["--other-a", "--other-b", "--other-c"];
  /** @type {Kind[]} */
  const rest = others.map((column, i) => ({ column, colour: shades[i % shades.length], hidden: i >= shades.length || SMALL.includes(column) }));
  /** @type {Panel} */
  const energy = { title: "energy", what: "of everything that moves", unit: "J", axis: "linear", zero: false, height: "tall", curves: [...ENERGIES, ...rest] };
  const all = [energy, ...OTHERS].map((panel) => ({ ...panel, curves: panel.curves.filter(({ column }) => history.column(column)) }));
  return all.filter(({ curves }) => curves.length > 0);
}

/** All plots. */
export class Panels {
  /**
   * @param {HTMLElement} place
   * @param {History} history
   * @param {[number, number]} span of the time axis
   * @param {Map<string, boolean>} [choices] whether a curve was shown or hidden by hand
   */
  constructor(place, history, span, choices = new Map()) {
    this.history = history;
    this.span = span;
    this.choices = choices;
    /** What was put into the page. @type {HTMLElement[]} */
    this.elements = [];
    /** @type {{column: ArrayLike<number>, unit: string, element: HTMLElement, said: string}[]} */
    this.numbers = [];
    this.plots = panels(history).map((panel) => this.#panel(place, panel));
    this.cursor = document.createElement("div");
    this.cursor.className = "cursor";
    if (this.plots.length > 0) this.#put(place, this.cursor);
    this.rows = place;
  }

  /** @param {HTMLElement} place @param {HTMLElement[]} elements */
  #put(place, ...elements) {
    place.append(...elements);
    this.elements.push(...elements);
  }

  /** Takes all of it out of the page. */
  remove() {
    this.elements.forEach((element) => element.remove());
  }

  /** @param {HTMLElement} place @param {Panel} panel */
  #panel(place, panel) {
    const keys = document.createElement("div");
    keys.className = `keys ${panel.height}`;
    const canvas = document.createElement("canvas");
    canvas.className = `plot ${panel.height}`;
    canvas.setAttribute("role", "img");
    canvas.setAttribute("aria-label", `${panel.title} over time: ${panel.what}`);
    canvas.title = `${panel.title}: ${panel.what}`;
    const ends = document.createElement("div");
    ends.className = "ends";
    ends.setAttribute("aria-hidden", "true");
    const told = (/** @type {number} */ value) => quantity(value, panel.unit);
    const plot = new Plot(canvas, ends, this.history.times, this.span, { axis: panel.axis, zero: panel.zero, told });
    /** @type {Set<Kind>} */
    const shown = new Set(panel.curves.filter(({ column, hidden }) => this.choices.get(column) ?? !hidden));
    const choose = () => {
      const curves = panel.curves.filter((kind) => shown.has(kind));
      plot.curves = curves.map((kind) => ({ width: 1.3, dash: [], ...kind, values: this.history.columns.get(kind.column) ?? [] }));
    };
    for (const kind of panel.curves) {
      const name = panel.curves.length > 1 ? kind.column : panel.title;
      keys.append(this.#key(kind, shownName(name), panel, shown, () => { choose(); plot.draw(); }));
    }
    choose();
    this.#put(place, keys, canvas, ends);
    return plot;
  }

  /**
   * The name of a curve and its number at the time; of several, each can be hidden.
   * @param {Kind} kind @param {string} name @param {Panel} panel @param {Set<Kind>} shown
   * @param {() => void} chosen
   */
  #key(kind, name, panel, shown, chosen) {
    const several = panel.curves.length > 1;
    const key = document.createElement(several ? "button" : "div");
    key.className = "key";
    key.style.setProperty("--of", `var(${kind.colour})`);
    key.classList.toggle("dashed", kind.dash !== undefined);
    const [label, number] = [document.createElement("span"), document.createElement("output")];
    label.textContent = name;
    number.value = "–";
    key.append(label, number);
    key.title = several ? `${name}: show or hide` : panel.what;
    this.numbers.push({ column: this.history.columns.get(kind.column) ?? [], unit: panel.unit, element: number, said: "" });
    if (!several) return key;
    const tell = () => key.setAttribute("aria-pressed", String(shown.has(kind)));
    tell();
    key.addEventListener("click", () => {
      if (shown.has(kind)) shown.delete(kind);
      else shown.add(kind);
      this.choices.set(kind.column, shown.has(kind));
      tell();
      chosen();
    });
    return key;
  }

  draw() {
    this.plots.forEach((plot) => plot.draw());
  }

  /** Shows the numbers of a time. @param {number} time */
  at(time) {
    const step = this.history.step(time);
    for (const number of this.numbers) {
      const said = step < 0 ? "–" : quantity(number.column[step], number.unit);
      if (said === number.said) continue;
      number.said = said;
      number.element.textContent = said;
    }
    const [start, end] = this.span;
    this.rows.style.setProperty("--time", String(end > start ? (time - start) / (end - start) : 0));
  }

  /**
   * Tells at which time one points.
   * @param {(time: number) => void} pointed
   */
  scrubbed(pointed) {
    for (const { canvas } of this.plots) {
      const seek = (/** @type {PointerEvent} */ event) => {
        const box = canvas.getBoundingClientRect();
        const share = Math.min(1, Math.max(0, (event.clientX - box.left) / box.width));
        pointed(this.span[0] + share * (this.span[1] - this.span[0]));
      };
      canvas.addEventListener("pointerdown", (event) => {
        canvas.setPointerCapture(event.pointerId);
        seek(event);
      });
      canvas.addEventListener("pointermove", (event) => {
        if (canvas.hasPointerCapture(event.pointerId)) seek(event);
      });
    }
  }
}
