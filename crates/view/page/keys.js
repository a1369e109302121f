// What keys do.

/**
 * @typedef {object} Key
 * @property {string[]} keys as the browser calls them
 * @property {string} shown
 * @property {string} does
 * @property {(event: KeyboardEvent) => void} act
 */

/** Elements that have a use of their own for the keys that are pressed in them. */
const OWN = { " ": ["BUTTON", "SELECT"], arrows: ["SELECT"] };

/**
 * Listens to keys, wherever they are pressed in the page.
 * @param {Key[]} table
 */
export function listen(table) {
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const at = /** @type {Element | null} */ (event.target)?.tagName ?? "";
    const own = event.key === " " ? OWN[" "] : OWN.arrows;
    if (own.includes(at)) return;
    const key = table.find(({ keys }) => keys.includes(event.key));
    if (!key) return;
    event.preventDefault();
    key.act(event);
  });
}

/**
 * The keys and what they do, as rows of the help.
 * @param {HTMLElement} list
 * @param {{shown: string, does: string}[]} table
 */
export function explain(list, table) {
  for (const { shown, does } of table) {
    const [term, text] = [document.createElement("dt"), document.createElement("dd")];
    for (const part of shown.split(" ")) {
      const key = document.createElement(part === "or" || part === "and" ? "span" : "kbd");
      key.textContent = part;
      term.append(key, " ");
    }
    text.textContent = does;
    list.append(term, text);
  }
}
