// The page: picks up the run, and lets time, camera and colours be chosen.

import { Camera } from "./camera.js";
import { Clock, SPEEDS } from "./clock.js";
import { paint } from "./colours.js";
import { block, decoded, opened } from "./film.js";
import { recorded } from "./history.js";
import { explain, listen } from "./keys.js";
import { showBodies, showScale } from "./legend.js";
import { Live, foresee } from "./live.js";
import { grown } from "./grown.js";
import { nameElement, shownName } from "./names.js";
import { quantity, seconds, showIn } from "./numbers.js";
import { Panels } from "./panels.js";
import { pick } from "./pick.js";
import { Picture, spacing } from "./picture.js";
import { follow } from "./pointer.js";
import { Resultants, largestForce, pointResultants } from "./resultants.js";
import { DIRECTIONS, sectionAt } from "./section.js";
import { Surface } from "./surface.js";
import { onTheme, themed } from "./theme.js";
import { Tooltip } from "./tooltip.js";

/** @typedef {import("./film.js").Film} Film */

/** A phone, upright or turned. */
const PHONE = "(max-width: 480px), (max-height: 480px)";
/** How near the pointer must come to a point or a line to mean it, as a share of the picture. */
const SLACK = 0.006;
/** The longest arrow of a force, as a share of the size of the scene. */
const ARROW_SHARE = 0.4;

class Page {
  /** @param {Film} film @param {import("./history.js").History} history */
  constructor(film, history) {
    this.film = film;
    this.surface = new Surface(film.reference, film.triangles);
    /** Points, and ends of lines that no triangle shows. */
    this.loose = film.loose();
    showIn(film.header.units ?? {});
    this.camera = new Camera(film.header.bounds, film.header.outline, film.header.up);
    this.paint = paint(film.bodies);
    this.canvas = /** @type {HTMLCanvasElement} */ (block("picture"));
    this.picture = this.#pictured();
    this.clock = new Clock(film.times);
    this.panels = this.#plotted(history);
    this.tooltip = new Tooltip(block("tooltip"));
    this.slider = /** @type {HTMLInputElement} */ (block("slider"));
    /** @type {import("./picture.js").Look} */
    this.look = { byValue: false, hovered: -1, section: undefined, ...themed() };
    /** The direction of the section, or -1 for none. */
    this.section = -1;
    /** The field that colours show, or -1 for bodies. */
    this.field = -1;
    /** The field of forces that arrows show, or -1 for none. */
    this.force = -1;
    /** The force of the longest arrow (N). */
    this.longest = 0;
    /** Patches of bodies, for resultants. @type {Resultants | undefined} */
    this.patches = undefined;
    /** The world at this moment, if there is no film. @type {Live | undefined} */
    this.live = undefined;
    /** The time that is drawn, and whether something else has changed. */
    this.drawn = NaN;
    this.stale = true;
    /** Milliseconds that the last frame took to decode, and to hand to the graphics card. */
    this.cost = { decode: 0, upload: 0, draw: 0 };
    this.#describe();
    this.#connect();
  }

  #pictured() {
    const { film, surface } = this;
    const radii = film.bodies.map(({ radius }) => radius ?? 0);
    return new Picture(this.canvas, {
      surface,
      bodyOf: film.bodyOf,
      lines: film.lines,
      points: this.loose.filter((vertex) => radii[film.bodyOf[vertex]] === 0),
      radii,
      planes: film.header.planes,
      colours: this.paint.ofBody,
      solid: film.bodies.map(({ solid }) => solid),
      moving: film.moving,
      movingVertices: film.movingVertices,
      center: this.camera.center,
      radius: this.camera.radius,
      reach: this.camera.reach,
    });
  }

  /**
   * @param {import("./history.js").History} history
   * @param {Map<string, boolean>} [choices] of the plots before
   * @returns {Panels}
   */
  #plotted(history, choices) {
    const panels = new Panels(block("below"), history, [this.clock.start, this.clock.end], choices);
    panels.scrubbed((time) => this.seek(time));
    return panels;
  }

  /**
   * Goes on with more of the same run.
   * @param {Film} film @param {import("./history.js").History} history
   */
  take(film, history) {
    const { clock } = this;
    const waits = clock.time >= clock.end;
    this.film = film;
    this.patches = undefined;
    clock.times = film.times;
    this.panels.remove();
    this.panels = this.#plotted(history, this.panels.choices);
    this.slider.max = String(clock.end);
    this.#describe();
    this.show(this.field);
    this.point(this.force);
    this.panels.draw();
    this.arrived();
    if (waits && clock.end > clock.time) clock.play(true);
  }

  #describe() {
    const { header, times } = this.film;
    document.title = `${shownName(header.title)} – resile`;
    block("title").replaceChildren(nameElement(header.title));
    const several = (/** @type {number} */ count, /** @type {string} */ what) => `${count.toLocaleString("en")} ${what}${count === 1 ? "" : what.endsWith("y") ? "" : "s"}`;
    if (header.planes.length > 0) block("spacing").textContent = `lines every ${quantity(spacing(this.camera.radius), "m")}`;
    if (header.live) return;
    const count = header.bodies.filter(({ kind }) => kind === "body").length;
    const bodies = count === 1 ? "1 body" : `${count.toLocaleString("en")} bodies`;
    const growing = header.growing ? ", and it goes on" : "";
    block("about").textContent = `${bodies}, ${several(times.length, "frame")}, ${quantity(this.clock.end, "s")}${growing}`;
    const coarsest = Math.max(0, ...header.bodies.map(({ quantum = 0 }) => quantum));
    block("precision").textContent =
      `Positions are within ${quantity(coarsest / 2, "m")} of those in the frames of the run; between frames they are mixed while the film plays. ${header.made}.`;
  }

  #connect() {
    const { clock, film } = this;
    const colour = /** @type {HTMLSelectElement} */ (block("colour"));
    colour.append(new Option("body", "-1"), ...film.header.fields.map(({ name }, i) => new Option(shownName(name), String(i))));
    colour.addEventListener("change", () => this.show(Number(colour.value)));
    const forces = /** @type {HTMLSelectElement} */ (block("force"));
    forces.append(new Option("none", "-1"), ...this.#forceNames().map((name, i) => new Option(name, String(i))));
    forces.addEventListener("change", () => this.point(Number(forces.value)));
    block("forces").hidden = film.header.arrows.length === 0;
    const section = /** @type {HTMLSelectElement} */ (block("section"));
    section.append(new Option("none", "-1"), ...DIRECTIONS.map(([name], i) => new Option(name, String(i))));
    section.addEventListener("change", () => this.cut(Number(section.value)));
    block("cut").addEventListener("input", () => this.cut(this.section));
    const speed = /** @type {HTMLSelectElement} */ (block("speed"));
    speed.append(...SPEEDS.map((factor) => new Option(`${factor}×`, String(factor))));
    speed.addEventListener("change", () => { clock.speed = Number(speed.value); });
    clock.changed = () => {
      speed.value = String(clock.speed);
      block("buttons").classList.toggle("playing", clock.playing);
      block("play").setAttribute("aria-label", clock.playing ? "Pause" : "Play");
      // A film that is stopped stands at a frame, as it was computed.
      const now = this.film;
      if (!clock.playing) clock.time = now.times[now.nearest(clock.time)] ?? clock.time;
    };
    clock.changed();
    this.slider.min = String(clock.start);
    this.slider.max = String(clock.end);
    this.slider.addEventListener("input", () => this.seek(Number(this.slider.value)));
    block("frame").addEventListener("click", () => this.frame());
    block("plots").addEventListener("click", () => this.#plots());
    // A small screen begins with the picture alone.
    if (!film.header.live && matchMedia(PHONE).matches) this.#plots();
    block("ask").addEventListener("click", () => this.help());
    if (film.header.live) this.live = new Live(this);
    else this.#keys();
    follow(this.canvas, this.camera, {
      grabbed: (x, y) => this.live?.grab(x, y) ?? false,
      dragged: (x, y) => this.live?.drag(x, y),
      released: () => this.live?.letGo(),
      moved: () => { this.stale = true; },
      left: () => this.pointAt(undefined),
      hovered: (x, y) => this.pointAt([x, y]),
      chosen: (x, y) => this.#look(x, y),
    });
    onTheme(() => {
      Object.assign(this.look, themed());
      this.#resized();
    });
    new ResizeObserver(() => this.#resized()).observe(document.body);
    new ResizeObserver(() => this.#resized()).observe(this.canvas);
    this.canvas.addEventListener("webglcontextlost", (event) => event.preventDefault());
    this.canvas.addEventListener("webglcontextrestored", () => {
      this.picture = this.#pictured();
      this.drawn = NaN;
    });
    this.show(-1);
  }

  #keys() {
    const { clock } = this;
    block("play").addEventListener("click", () => clock.play(!clock.playing));
    block("repeat").addEventListener("click", () => this.#repeat());
    const step = (/** @type {number} */ frames) => {
      const { film } = this;
      const frame = film.nearest(clock.time) + frames;
      this.seek(film.times[Math.min(film.times.length - 1, Math.max(0, frame))]);
    };
    const many = (/** @type {KeyboardEvent} */ event) => (event.shiftKey ? 10 : 1);
    /** @type {import("./keys.js").Key[]} */
    const table = [
      { keys: [" ", "k"], shown: "space", does: "play or pause", act: () => clock.play(!clock.playing) },
      { keys: ["ArrowLeft"], shown: "← and →", does: "a frame back or on; ten with shift", act: (event) => step(-many(event)) },
      { keys: ["ArrowRight"], shown: "", does: "", act: (event) => step(many(event)) },
      { keys: ["Home"], shown: "home and end", does: "first and last frame", act: () => this.seek(clock.start) },
      { keys: ["End"], shown: "", does: "", act: () => this.seek(clock.end) },
      { keys: ["ArrowUp", "+"], shown: "↑ and ↓", does: "faster or slower", act: () => clock.faster(1) },
      { keys: ["ArrowDown", "-"], shown: "", does: "", act: () => clock.faster(-1) },
      { keys: ["l"], shown: "l", does: "repeat at the end or stop", act: () => this.#repeat() },
      { keys: ["c"], shown: "c", does: "next colours", act: () => this.show(this.field + 1 < this.film.header.fields.length ? this.field + 1 : -1) },
      { keys: ["v"], shown: "v", does: "next forces, where the run has them", act: () => this.point(this.force + 1 < this.#forceNames().length ? this.force + 1 : -1) },
      { keys: ["x"], shown: "x", does: "next section", act: () => this.cut(this.section + 1 < DIRECTIONS.length ? this.section + 1 : -1) },
      { keys: ["["], shown: "[ and ]", does: "move the section back or on", act: () => this.#moveSection(-1) },
      { keys: ["]"], shown: "", does: "", act: () => this.#moveSection(1) },
      { keys: ["f"], shown: "f", does: "show everything there is now", act: () => this.frame() },
      { keys: ["r"], shown: "r", does: "the first view again", act: () => { this.camera.home(); this.stale = true; } },
      { keys: ["p"], shown: "p", does: "show or hide plots", act: () => this.#plots() },
      { keys: ["?", "h"], shown: "?", does: "this help", act: () => this.help() },
    ];
    listen(table);
    explain(block("keys"), table.filter(({ shown }) => shown));
  }

  /** Goes to a time and stops there. @param {number} time */
  seek(time) {
    const { clock, film } = this;
    const ready = film.times[Math.max(0, film.ready - 1)];
    clock.seek(Math.min(time, ready));
    clock.time = film.times[film.nearest(clock.time)] ?? clock.time;
  }

  /** Colours by a field, or by body. @param {number} field or -1 */
  show(field) {
    this.field = field;
    /** @type {HTMLSelectElement} */ (block("colour")).value = String(field);
    this.look.byValue = field >= 0;
    if (field < 0) showBodies(block("legend"), this.paint);
    else showScale(block("legend"), this.film.header.fields[field]);
    this.drawn = NaN;
  }

  /** What arrows can show: the forces at points, then the resultants of patches. */
  #forceNames() {
    const names = this.film.header.arrows.map(({ name }) => shownName(name));
    return [...names, ...names.map((name) => `${name}, resultants`)];
  }

  /** The shown field of forces, and whether its resultants are shown. @returns {[number, boolean]} */
  #shownForce() {
    const { length } = this.film.header.arrows;
    return [this.force % length, this.force >= length];
  }

  /** The resultants in a frame. @param {number} field @param {number} frame @param {Float32Array} positions */
  #resultants(field, frame, positions) {
    const { film } = this;
    this.patches ??= new Resultants(film.triangles, film.lines, film.movingVertices);
    return this.patches.of(film.forces[field][frame], film.header.arrows[field], positions);
  }

  /** The largest resultant of all frames (N). @param {number} field */
  #largestResultant(field) {
    const { film } = this;
    const of = (/** @type {number} */ frame) => largestForce(this.#resultants(field, frame, film.reference));
    return film.forces[field].reduce((most, _, frame) => Math.max(most, of(frame)), 0);
  }

  /** Writes the arrows of a frame, and tells how many there are. @param {number} frame */
  #arrows(frame) {
    if (this.force < 0) return 0;
    const [field, total] = this.#shownForce();
    const { film, surface, picture } = this;
    const [length, { ends }] = [ARROW_SHARE * this.camera.radius, picture.arrows];
    if (!total) return film.point(field, frame, surface.positions, length, ends);
    return pointResultants(this.#resultants(field, frame, surface.positions), this.longest, length, ends);
  }

  /** Shows forces as arrows. @param {number} force which, or -1 */
  point(force) {
    this.force = force;
    /** @type {HTMLSelectElement} */ (block("force")).value = String(force);
    const longest = block("longest");
    longest.hidden = force < 0;
    if (force >= 0) {
      const [field, total] = this.#shownForce();
      const most = total ? this.#largestResultant(field) : this.film.header.arrows[field].most;
      this.longest = most;
      longest.textContent = `${this.#forceNames()[force]}: the longest arrow is ${quantity(most, "N")}; half as long is a quarter of that`;
    }
    this.drawn = NaN;
  }

  /** Cuts away what lies beyond a plane, whose place is that of its slider. @param {number} section its direction, or -1 */
  cut(section) {
    this.section = section;
    /** @type {HTMLSelectElement} */ (block("section")).value = String(section);
    const place = /** @type {HTMLInputElement} */ (block("cut"));
    place.hidden = section < 0;
    this.look.section = sectionAt(section, Number(place.value), this.camera.center, this.camera.radius);
    this.drawn = this.live ? this.drawn : NaN;
    this.stale = true;
  }

  /** Finds the cut faces of solids, if colours show a field. @param {number} frame @param {number} fraction of the next */
  #cutFaces(frame, fraction) {
    const { film, surface, picture: { cutFaces }, look: { section } } = this;
    if (!section || !film.inside || this.field < 0) return cutFaces.clear();
    const { places, values, bodies } = film.insideOf(film.inside, this.field, frame, fraction, surface.positions);
    cutFaces.cut(section, film.inside.tetrahedra, places, values, bodies);
    cutFaces.upload();
  }

  /** @param {number} steps of the slider */
  #moveSection(steps) {
    const place = /** @type {HTMLInputElement} */ (block("cut"));
    place.value = String(Number(place.value) + steps * Number(place.step));
    this.cut(this.section);
  }

  #repeat() {
    this.clock.repeating = !this.clock.repeating;
    block("repeat").setAttribute("aria-pressed", String(this.clock.repeating));
  }

  /** Shows everything there is at this time. */
  frame() {
    const { surface } = this;
    this.camera.frame(surface.positions.subarray(0, 3 * surface.sources));
    this.stale = true;
  }

  #plots() {
    const bare = block("below").classList.toggle("bare");
    block("plots").setAttribute("aria-pressed", String(!bare));
    this.#resized();
  }

  help() {
    const help = /** @type {HTMLDialogElement} */ (block("help"));
    if (help.open) help.close();
    else help.showModal();
  }

  #resized() {
    this.camera.aspect = this.picture.fit();
    if (!this.framed) this.camera.home();
    this.framed = true;
    this.panels.draw();
    this.stale = true;
  }

  /** The vertex and the place under a place of the picture (-1 to 1). @param {number} x @param {number} y */
  underPointer(x, y) {
    if (this.film.ready === 0) return undefined;
    return pick(this.surface, this.loose, this.camera.ray(x, y), SLACK, this.look.section);
  }

  /** Says what is under the pointer. @param {[number, number] | undefined} at */
  pointAt(at) {
    this.pointed = at;
    const found = at && this.underPointer(...at);
    const body = found ? this.film.bodyOf[found.vertex] : -1;
    if (body !== this.look.hovered) {
      this.look.hovered = body;
      this.stale = true;
    }
    if (!found || !at) return this.tooltip.hide();
    const moves = body < this.film.moving;
    const frame = this.film.nearest(this.clock.time);
    const shown = this.live ? [] : this.field < 0 ? this.film.header.fields.map((_, i) => i) : [this.field];
    const lines = shown.map((field) => {
      const { name, unit } = this.film.header.fields[field];
      const { value, bound } = this.film.value(field, frame, found.vertex);
      return `${shownName(name)} ${bound}${quantity(value, unit)}`;
    });
    const [x, y] = [((at[0] + 1) / 2) * this.canvas.clientWidth, ((1 - at[1]) / 2) * this.canvas.clientHeight];
    this.tooltip.show(this.film.bodies[body].name, moves ? lines : ["does not move"], x, y);
  }

  /** Turns about what is at a place of the picture. @param {number} x @param {number} y */
  #look(x, y) {
    const found = this.underPointer(x, y);
    if (!found) return;
    this.camera.target = found.place;
    this.stale = true;
  }

  /** Draws if something has changed. @param {number} elapsed since the last time (s) */
  tick(elapsed) {
    const { film, clock } = this;
    if (film.ready === 0) return;
    if (!this.live) clock.advance(elapsed, film.times[film.ready - 1]);
    // A world at this moment places its bodies itself when a state comes.
    if (!this.live?.count && clock.time !== this.drawn) {
      this.#place();
      this.#tell();
      if (this.pointed) this.pointAt(this.pointed);
    } else if (!this.stale) return;
    const begun = performance.now();
    this.picture.draw(this.camera, this.look);
    this.cost.draw = performance.now() - begun;
    this.stale = false;
  }

  /** Puts everything where it is at the time of the clock. */
  #place() {
    const { film, clock, surface, picture } = this;
    const begun = performance.now();
    const [frame, share] = film.at(clock.time);
    const fraction = clock.playing && !film.header.shapes ? share : 0;
    film.between(frame, fraction, surface.positions);
    if (this.field >= 0) film.values(this.field, frame, fraction, picture.geometry.values);
    surface.update();
    this.#cutFaces(frame, fraction);
    const { arrows } = picture;
    arrows.upload(this.#arrows(frame));
    const placed = performance.now();
    picture.geometry.upload();
    this.cost = { decode: placed - begun, upload: performance.now() - placed, draw: this.cost.draw };
    this.drawn = clock.time;
  }

  /** Tells the time. */
  #tell() {
    const { film, clock, slider } = this;
    const apart = (clock.end - clock.start) / Math.max(1, film.times.length - 1);
    const said = `${seconds(clock.time, apart)} s`;
    const caption = film.header.captions?.[film.at(clock.time)[0]] ?? "";
    block("time").textContent = said;
    block("caption").textContent = caption;
    slider.value = String(clock.time);
    slider.setAttribute("aria-valuetext", caption || said);
    slider.style.setProperty("--at", String((clock.time - clock.start) / (clock.end - clock.start || 1)));
    this.panels.at(clock.time);
  }

  /** Tells how much is decoded. */
  arrived() {
    const { film, clock } = this;
    const until = film.times[film.ready - 1] ?? clock.start;
    this.slider.style.setProperty("--ready", String((until - clock.start) / (clock.end - clock.start || 1)));
    this.stale = true;
  }
}

async function start() {
  const film = await opened(document);
  if (film.header.live) foresee(film.header);
  const page = new Page(film, await recorded(film.header.history, document));
  // For tests and the console.
  Object.assign(globalThis, { resile: page });
  let last = performance.now();
  const tick = (/** @type {number} */ now) => {
    page.tick((now - last) / 1000);
    last = now;
    requestAnimationFrame(tick);
  };
  requestAnimationFrame(tick);
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
  // A film that grows waits at its end for what comes.
  page.clock.repeating = !film.header.growing;
  if (!still && !film.header.live) page.clock.play(true);
  await decoded(film, document, () => page.arrived());
  if (page.live) return page.live.show();
  for await (const next of grown(film)) page.take(next.film, next.history);
}

start().catch((/** @type {unknown} */ error) => {
  const failure = block("failure");
  failure.textContent = `This run cannot be shown: ${error instanceof Error ? error.message : error}`;
  failure.hidden = false;
  throw error;
});
