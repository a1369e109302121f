// The table of steps: energies, alpha, and what proves each step.

import { Cursor, unpacked } from "./blocks.js";
import { block } from "./film.js";

export class History {
  /**
   * @param {string[]} columns
   * @param {number} rows
   * @param {ArrayBuffer} data column after column; what is empty is not a number
   */
  constructor(columns, rows, data) {
    const cursor = new Cursor(data);
    /** @type {Map<string, Float32Array>} */
    this.columns = new Map(columns.map((name) => [name, cursor.singles(rows)]));
    this.names = columns;
    this.rows = rows;
    this.times = this.columns.get("time") ?? new Float32Array(0);
  }

  /**
   * The numbers of a column that holds any.
   * @param {string} name
   */
  column(name) {
    const numbers = this.columns.get(name);
    return numbers?.some(Number.isFinite) ? numbers : undefined;
  }

  /**
   * The last step that has ended at a time; -1 before the first.
   * @param {number} time
   */
  step(time) {
    let [low, high] = [-1, this.rows];
    // Times have single precision here.
    const until = time * (1 + 1e-6) + 1e-12;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (this.times[middle] <= until) low = middle;
      else high = middle;
    }
    return low;
  }
}

/**
 * The history of a page.
 * @param {{columns: string[], rows: number}} header
 * @param {Document} page
 */
export async function recorded(header, page) {
  return new History(header.columns, header.rows, await unpacked(block("history", page)));
}
