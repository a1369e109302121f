// Mouse and touch: turn, move, come nearer.

/** How far a drag across the picture turns the camera (radians). */
const TURN = Math.PI;
/** How much nearer one step of the wheel comes. */
const WHEEL = 0.0015;

/**
 * Lets the camera follow the pointers on the canvas: one turns; two, or one with another button
 * or shift, move; the wheel and two fingers come nearer. What is grabbed is dragged instead.
 * @param {HTMLCanvasElement} canvas
 * @param {import("./camera.js").Camera} camera
 * @param {{moved: () => void, hovered: (x: number, y: number) => void, left: () => void, grabbed: (x: number, y: number) => boolean, dragged: (x: number, y: number) => void, released: () => void, chosen: (x: number, y: number) => void}} told
 * places are in the picture, -1 to 1
 */
export function follow(canvas, camera, told) {
  /** @type {Map<number, PointerEvent>} */
  const down = new Map();
  /** The pointer that drags something. @type {number | undefined} */
  let dragging;

  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    told.left();
    const turns = event.button !== 0 || event.shiftKey || down.size > 0;
    if (!turns && dragging === undefined && told.grabbed(...place(canvas, event))) dragging = event.pointerId;
    else down.set(event.pointerId, event);
  });
  for (const name of ["pointerup", "pointercancel"]) {
    canvas.addEventListener(name, (event) => {
      const { pointerId } = /** @type {PointerEvent} */ (event);
      down.delete(pointerId);
      if (pointerId !== dragging) return;
      dragging = undefined;
      told.released();
    });
  }
  canvas.addEventListener("pointerleave", told.left);

  canvas.addEventListener("pointermove", (event) => {
    if (event.pointerId === dragging) return told.dragged(...place(canvas, event));
    const before = down.get(event.pointerId);
    if (!before) return told.hovered(...place(canvas, event));
    const others = [...down.values()].filter((other) => other.pointerId !== event.pointerId);
    down.set(event.pointerId, event);
    const [x, y] = [event.clientX - before.clientX, event.clientY - before.clientY];
    const metre = camera.pixel(canvas.clientHeight);
    if (others.length === 1) {
      pinch(canvas, camera, before, event, others[0]);
      // Each of two fingers moves the picture by half.
      camera.pan((-x * metre) / 2, (y * metre) / 2);
    } else if (others.length === 0) {
      if (before.shiftKey || event.buttons > 1) camera.pan(-x * metre, y * metre);
      else camera.turn((-x / canvas.clientWidth) * TURN, (y / canvas.clientHeight) * TURN);
    }
    told.moved();
  });

  canvas.addEventListener(
    "wheel",
    (event) => {
      event.preventDefault();
      const pixels = event.deltaMode === 1 ? 30 * event.deltaY : event.deltaY;
      camera.zoom(Math.exp(WHEEL * Math.max(-300, Math.min(300, pixels))), ...place(canvas, event));
      told.moved();
    },
    { passive: false },
  );
  canvas.addEventListener("contextmenu", (event) => event.preventDefault());
  canvas.addEventListener("dblclick", (event) => told.chosen(...place(canvas, event)));
}

/**
 * @param {HTMLCanvasElement} canvas @param {MouseEvent} event
 * @returns {[number, number]}
 */
function place(canvas, event) {
  const box = canvas.getBoundingClientRect();
  return [(2 * (event.clientX - box.left)) / box.width - 1, 1 - (2 * (event.clientY - box.top)) / box.height];
}

/**
 * @param {HTMLCanvasElement} canvas @param {import("./camera.js").Camera} camera
 * @param {PointerEvent} before @param {PointerEvent} after @param {PointerEvent} other
 */
function pinch(canvas, camera, before, after, other) {
  const apart = (/** @type {PointerEvent} */ one) => Math.hypot(one.clientX - other.clientX, one.clientY - other.clientY);
  if (apart(before) > 0 && apart(after) > 0) camera.zoom(apart(before) / apart(after), ...place(canvas, other));
}
