// Names come from scene files: they are shown as text, never obeyed as markup.

/** How many characters of a name are shown. */
const SHOWN = 80;

/** Characters without a picture of their own, and those that turn the text around them. */
const UNSEEN = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/gu;

/**
 * A name fit to be shown: not too long, and what cannot be seen in it spelled out.
 * @param {string} name
 */
export function shownName(name) {
  const characters = Array.from(name.slice(0, 2 * SHOWN + 2));
  const cut = characters.length > SHOWN ? `${characters.slice(0, SHOWN).join("")}…` : name;
  return cut.replace(UNSEEN, (c) => `\\u{${/** @type {number} */ (c.codePointAt(0)).toString(16)}}`);
}

/**
 * An element that holds a name. Its direction is its own, so that a name from right to left
 * leaves the text beside it in place.
 * @param {string} name
 */
export function nameElement(name) {
  const element = document.createElement("bdi");
  element.className = "name";
  element.textContent = shownName(name);
  return element;
}

/**
 * What bodies that a scene repeats have in common: `ring` of `ring[3]` and of `ring-3`.
 * @param {string} name
 */
export function stem(name) {
  if (name.length > 1000) return name;
  return name.replace(/(?:\[\d+\]|[-_ .#]?\d+)$/u, "") || name;
}
