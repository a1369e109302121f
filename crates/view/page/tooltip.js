// What is said of the body under the pointer.

import { nameElement } from "./names.js";

/** Distance from the pointer (pixels). */
const APART = 14;

export class Tooltip {
  /** @param {HTMLElement} element */
  constructor(element) {
    this.element = element;
  }

  hide() {
    this.element.hidden = true;
  }

  /**
   * @param {string} name
   * @param {string[]} lines
   * @param {number} x @param {number} y in the picture (pixels)
   */
  show(name, lines, x, y) {
    const { element } = this;
    const rows = lines.map((line) => {
      const row = document.createElement("div");
      row.textContent = line;
      return row;
    });
    element.replaceChildren(nameElement(name), ...rows);
    element.hidden = false;
    const room = /** @type {HTMLElement} */ (element.offsetParent);
    const left = x + APART + element.offsetWidth > room.clientWidth ? x - APART - element.offsetWidth : x + APART;
    const top = y + APART + element.offsetHeight > room.clientHeight ? y - APART - element.offsetHeight : y + APART;
    element.style.left = `${Math.max(0, left)}px`;
    element.style.top = `${Math.max(0, top)}px`;
  }
}
