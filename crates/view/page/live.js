// The page of a world at this moment: there is no film to go through, and bodies can be pulled at.

import { block } from "./film.js";
import { explain, listen } from "./keys.js";
import { quantity, seconds } from "./numbers.js";
import { along, dot, minus } from "./vectors.js";
import { Commands, states } from "./commands.js";

/** @typedef {import("./vectors.js").Vector} Vector */

/**
 * @typedef {object} Shown the page, as far as it is needed
 * @property {import("./film.js").Film} film
 * @property {import("./surface.js").Surface} surface
 * @property {import("./picture.js").Picture} picture
 * @property {import("./camera.js").Camera} camera
 * @property {boolean} stale
 * @property {number} drawn
 * @property {[number, number] | undefined} pointed
 * @property {(x: number, y: number) => {vertex: number, place: Vector} | undefined} underPointer
 * @property {(at: [number, number] | undefined) => void} pointAt
 * @property {() => void} frame
 * @property {() => void} help
 */

/** The time is told in hundredths of a second. */
const TICK = 0.1;

/** How far below bodies a plane is still looked at, in diagonals of everything. */
const BELOW = 4;
/** How far planes are drawn, in sizes of the scene. */
const EXPANSE = 20;
/** How many vertices the middle of what moves is taken of. */
const SAMPLES = 64;
/** The share of the picture that is its middle, and how much of the way the camera goes with each state. */
const [MIDDLE, SWIFTNESS] = [0.45, 0.2];

/**
 * There is no film that says where bodies will go; but what is above a plane will mostly come to it, and planes go on
 * where bodies may follow.
 * @param {import("./film.js").Header} header
 */
export function foresee(header) {
  const { outline, planes, bounds } = header;
  const size = Math.hypot(bounds[3] - bounds[0], bounds[4] - bounds[1], bounds[5] - bounds[2]);
  const feet = planes.flatMap(({ point, normal }) =>
    outline.flatMap((seen) => {
      const height = dot(minus(seen, point), normal);
      return height > 0 && height < BELOW * size ? [along(seen, -height, normal)] : [];
    }),
  );
  header.outline = [...outline, ...feet];
  header.bounds = bounds.map((x, k) => x + (k < 3 ? -1 : 1) * EXPANSE * size);
}

export class Live {
  /** @param {Shown} page */
  constructor(page) {
    this.page = page;
    this.commands = new Commands();
    this.paused = false;
    /** What is held: the vertex, and the point of the plane in which it is pulled. @type {{vertex: number, place: Vector} | undefined} */
    this.held = undefined;
    /** How many states have come. */
    this.count = 0;
    document.body.classList.add("live");
    block("below").classList.add("bare");
    block("gestures").textContent =
      "Drag a body to pull at it; drag beside it to turn, with shift or another button to move; the wheel comes nearer; a double click looks at what is there.";
    const again = block("repeat");
    again.title = "Start again (s)";
    again.setAttribute("aria-label", "Start again");
    again.removeAttribute("aria-pressed");
    again.addEventListener("click", () => this.commands.send("Restart"));
    block("play").addEventListener("click", () => this.pause(!this.paused));
    this.pause(false);
    this.#keys();
  }

  #keys() {
    /** @type {import("./keys.js").Key[]} */
    const table = [
      { keys: [" ", "k"], shown: "space", does: "pause or go on", act: () => this.pause(!this.paused) },
      { keys: ["s"], shown: "s", does: "start again", act: () => this.commands.send("Restart") },
      { keys: ["f"], shown: "f", does: "show everything there is now", act: () => this.page.frame() },
      { keys: ["r"], shown: "r", does: "the first view again", act: () => { this.page.camera.home(); this.page.stale = true; } },
      { keys: ["?", "h"], shown: "?", does: "this help", act: () => this.page.help() },
    ];
    listen(table);
    explain(block("keys"), table);
  }

  /** Lets time stand still, or go on. @param {boolean} paused */
  pause(paused) {
    if (paused !== this.paused) this.commands.send(paused ? "Pause" : "GoOn");
    this.paused = paused;
    block("buttons").classList.toggle("playing", !paused);
    block("play").setAttribute("aria-label", paused ? "Go on" : "Pause");
  }

  /** Shows states until whoever simulates ends. */
  async show() {
    const { film, surface } = this.page;
    for await (const state of states(film.movingVertices)) {
      surface.positions.set(state.positions);
      surface.update();
      this.page.picture.geometry.upload();
      this.page.stale = true;
      this.page.drawn = state.time;
      this.count++;
      if (!this.held) this.#follow();
      this.#tell(state);
      if (!this.held && this.page.pointed) this.page.pointAt(this.page.pointed);
    }
    block("about").textContent = "it has ended";
  }

  /** Lets the camera go along where the middle of what moves leaves the middle of the picture. */
  #follow() {
    const { film, surface, camera } = this.page;
    const apart = Math.max(1, Math.floor(film.movingVertices / SAMPLES));
    /** @type {Vector} */
    const middle = [0, 0, 0];
    let count = 0;
    for (let v = 0; v < film.movingVertices; v += apart, count++) {
      for (let k = 0; k < 3; k++) middle[k] += surface.positions[3 * v + k];
    }
    if (count === 0) return;
    const from = minus([middle[0] / count, middle[1] / count, middle[2] / count], camera.eye());
    const { right, up, back } = camera.axes();
    const half = -dot(from, back) * camera.tangent;
    if (half <= 0) return this.page.frame();
    const beyond = (/** @type {number} */ x, /** @type {number} */ end) => Math.sign(x) * Math.max(0, Math.abs(x) - MIDDLE * end);
    camera.pan(SWIFTNESS * beyond(dot(from, right), half * camera.aspect), SWIFTNESS * beyond(dot(from, up), half));
  }

  /** @param {import("./commands.js").WorldState} state */
  #tell({ time, milliseconds, pace }) {
    block("time").textContent = `${seconds(time, TICK)} s`;
    const speed = this.paused ? "paused" : pace > 0.97 ? "real time" : `${pace.toFixed(2)} of real time`;
    block("about").textContent = `${speed}, ${quantity(milliseconds / 1000, "s")} of computing a picture`;
  }

  /** Takes hold of what is at a place of the picture; whether there is something. @param {number} x @param {number} y */
  grab(x, y) {
    const found = this.page.underPointer(x, y);
    const { film } = this.page;
    const body = found ? film.bodyOf[found.vertex] : film.moving;
    if (!found || body >= film.moving || film.bodies[body].kind !== "body") return false;
    this.held = found;
    return true;
  }

  /** Pulls what is held in the plane of the picture. @param {number} x @param {number} y */
  drag(x, y) {
    if (!this.held) return;
    const { camera } = this.page;
    const { eye, direction } = camera.ray(x, y);
    const { back } = camera.axes();
    const distance = dot(minus(this.held.place, eye), back) / dot(direction, back);
    const place = along(eye, distance, direction);
    this.commands.send({ Pull: { vertex: this.held.vertex, place } });
  }

  letGo() {
    if (this.held) this.commands.send("LetGo");
    this.held = undefined;
  }
}
