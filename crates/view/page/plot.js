// Curves over time, on the time axis of the slider.

/**
 * @typedef {object} Curve
 * @property {ArrayLike<number>} values
 * @property {string} colour a variable of the style sheet
 * @property {number} width
 * @property {number[]} dash
 *
 * @typedef {"linear" | "powers"} Axis
 */

/** Room above and below curves (pixels). */
const ROOM = 5;
/** Plots as low as this have no room for both ends of their axis (pixels). */
const LOW = 26;

export class Plot {
  /**
   * @param {HTMLCanvasElement} canvas
   * @param {HTMLElement} ends where the ends of the axis are told
   * @param {ArrayLike<number>} times
   * @param {[number, number]} span of the time axis
   * @param {{axis: Axis, zero: boolean, told: (value: number) => string}} options whether zero is
   * always in it, and how its ends are told
   */
  constructor(canvas, ends, times, span, options) {
    this.canvas = canvas;
    this.ends = ends;
    this.times = times;
    this.span = span;
    this.options = options;
    /** @type {Curve[]} */
    this.curves = [];
  }

  /** Draws all curves. */
  draw() {
    const { canvas } = this;
    const density = devicePixelRatio || 1;
    const [width, height] = [canvas.clientWidth, canvas.clientHeight];
    if (width === 0) return;
    [canvas.width, canvas.height] = [Math.round(width * density), Math.round(height * density)];
    const context = canvas.getContext("2d");
    if (!context) return;
    context.scale(density, density);
    const style = getComputedStyle(canvas);
    const limits = this.#limits();
    if (!limits) return;
    this.#tell(limits, height);
    this.#zero(context, style, limits, width, height);
    for (const curve of this.curves) this.#curve(context, style, curve, limits, width, height);
  }

  /** @returns {[number, number] | undefined} */
  #limits() {
    let [least, most] = [Infinity, -Infinity];
    for (const { values } of this.curves) {
      for (let i = 0; i < values.length; i++) {
        const value = this.#shown(values[i]);
        if (value < least) least = value;
        if (value > most) most = value;
      }
    }
    if (least > most) return undefined;
    if (this.options.zero) [least, most] = [Math.min(0, least), Math.max(0, most)];
    const span = most - least;
    if (span > 1e-9 * Math.max(Math.abs(least), Math.abs(most))) return [least, most];
    const around = this.options.axis === "powers" ? 0.5 : Math.abs(least) / 10 || 1;
    return [least - around, most + around];
  }

  /** @param {number} value */
  #shown(value) {
    if (this.options.axis === "linear") return Number.isFinite(value) ? value : NaN;
    return value > 0 && Number.isFinite(value) ? Math.log10(value) : NaN;
  }

  /** Tells the ends of the axis; of a low plot the upper one. @param {[number, number]} limits @param {number} height */
  #tell([least, most], height) {
    const told = (/** @type {number} */ at) => {
      if (this.options.axis === "powers") return this.options.told(10 ** at);
      // What is next to zero on this axis is rounding.
      return this.options.told(Math.abs(at) < 1e-4 * (most - least) ? 0 : at);
    };
    const ends = (height > LOW ? [most, least] : [most]).map(told);
    if (ends[0] === ends[1]) [ends[0], ends[1]] = [most, least].map((end) => end.toPrecision(6));
    this.ends.replaceChildren(
      ...ends.map((end) => {
        const element = document.createElement("span");
        element.textContent = end;
        return element;
      }),
    );
  }

  /**
   * A line at zero, where the axis passes it.
   * @param {CanvasRenderingContext2D} context @param {CSSStyleDeclaration} style
   * @param {[number, number]} limits @param {number} width @param {number} height
   */
  #zero(context, style, [least, most], width, height) {
    if (this.options.axis === "powers" || least > 0 || most < 0) return;
    const y = Math.round(this.#y(0, [least, most], height)) + 0.5;
    context.strokeStyle = style.getPropertyValue("--edge");
    context.beginPath();
    context.moveTo(0, y);
    context.lineTo(width, y);
    context.stroke();
  }

  /** @param {number} shown @param {[number, number]} limits @param {number} height */
  #y(shown, [least, most], height) {
    return height - ROOM - ((shown - least) / (most - least)) * (height - 2 * ROOM);
  }

  /**
   * A curve; where there are more steps than pixels, the least and the most of each pixel.
   * @param {CanvasRenderingContext2D} context @param {CSSStyleDeclaration} style @param {Curve} curve
   * @param {[number, number]} limits @param {number} width @param {number} height
   */
  #curve(context, style, curve, limits, width, height) {
    const [start, end] = this.span;
    const scale = width / (end - start || 1);
    context.strokeStyle = style.getPropertyValue(curve.colour);
    context.lineWidth = curve.width;
    context.lineJoin = "round";
    context.setLineDash(curve.dash);
    context.beginPath();
    let down = false;
    let [column, low, high] = [-1, 0, 0];
    for (let i = 0; i < curve.values.length; i++) {
      const value = this.#shown(curve.values[i]);
      if (Number.isNaN(value)) {
        down = false;
        continue;
      }
      const x = (this.times[i] - start) * scale;
      const y = this.#y(value, limits, height);
      if (down && Math.floor(2 * x) === column && y >= low && y <= high) continue;
      if (Math.floor(2 * x) !== column) [column, low, high] = [Math.floor(2 * x), y, y];
      [low, high] = [Math.min(low, y), Math.max(high, y)];
      if (down) context.lineTo(x, y);
      else context.moveTo(x, y);
      down = true;
    }
    context.stroke();
    context.setLineDash([]);
  }
}
