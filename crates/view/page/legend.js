// What colours mean.

import { css, gradient } from "./colours.js";
import { nameElement } from "./names.js";
import { quantity } from "./numbers.js";

/**
 * Bodies and their colours.
 * @param {HTMLElement} place
 * @param {import("./colours.js").Paint} paint
 */
export function showBodies(place, paint) {
  const list = document.createElement("ul");
  for (const { name, count, colour } of paint.legend) {
    const [row, swatch] = [document.createElement("li"), document.createElement("span")];
    swatch.className = "swatch";
    swatch.style.backgroundColor = css(colour);
    row.append(swatch, nameElement(name));
    if (count > 1) row.append(` × ${count}`);
    list.append(row);
  }
  place.replaceChildren(list);
}

/**
 * The scale of a field.
 * @param {HTMLElement} place
 * @param {import("./film.js").FieldHeader} field
 */
export function showScale(place, field) {
  const [bar, ends] = [document.createElement("div"), document.createElement("div")];
  bar.className = "scale";
  bar.style.backgroundImage = gradient();
  ends.className = "ends";
  const { least, most, beyond } = field;
  /** @type {[string, number][]} */
  const told = [[beyond.least ? "≤ " : "", least], ["", (least + most) / 2], [beyond.most ? "≥ " : "", most]];
  for (const [bound, value] of told) {
    const end = document.createElement("span");
    end.textContent = bound + quantity(value, field.unit);
    ends.append(end);
  }
  place.replaceChildren(bar, ends);
}
