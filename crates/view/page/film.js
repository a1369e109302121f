// A run: what is in it, and where its points are at any time.

import { Cursor, tracks, unpacked } from "./blocks.js";

/**
 * @typedef {object} BodyHeader
 * @property {string} name
 * @property {"body" | "obstacle"} kind
 * @property {number} vertices how many
 * @property {boolean} solid whether its triangles enclose a solid
 * @property {number} [radius] of rods, whose axes are lines (m)
 * @property {number} [quantum] step of the numbers that positions are stored in (m); of what moves
 *
 * @typedef {object} FieldHeader
 * @property {string} name
 * @property {string} unit
 * @property {number} least
 * @property {number} most
 * @property {{least: boolean, most: boolean}} beyond whether some values are beyond these ends
 * @property {number} levels how many steps there are from the least to the most
 *
 * @typedef {object} ArrowHeader a field of forces
 * @property {string} name
 * @property {number} most the largest force (N)
 * @property {number} longest its length in whole numbers; they are as long as the square root of the force
 *
 * @typedef {import("./geometry.js").Plane} Plane
 *
 * @typedef {"" | "at least " | "at most "} Bound what is said before a value
 *
 * @typedef {object} Header what the page is told as JSON
 * @property {number} version
 * @property {boolean} growing whether more frames may come
 * @property {boolean} live whether it is no film but a world at this moment, of which there is one frame
 * @property {string} title
 * @property {string} made by what
 * @property {import("./vectors.js").Vector} up
 * @property {BodyHeader[]} bodies those that move before those that do not
 * @property {number} triangles
 * @property {number} lines
 * @property {number} points
 * @property {{points: number, tetrahedra: number}} [inside] how much there is inside of solids, whose values cut faces show
 * @property {number[]} times of the frames (s)
 * @property {(string | null)[]} [captions] what frames show, if it is no motion
 * @property {boolean} shapes whether frames are mode shapes, between which there are no states
 * @property {number[]} groups how many frames each block holds
 * @property {FieldHeader[]} fields
 * @property {ArrowHeader[]} arrows
 * @property {{columns: string[], rows: number}} history
 * @property {Record<string, import("./numbers.js").ShownUnit>} [units] of the scene, by units of SI, if they are others
 * @property {Plane[]} planes
 * @property {number[][]} outline points around where most of it happens
 * @property {number[]} bounds of everything, over all frames: least, then most
 *
 * @typedef {BodyHeader & {first: number}} Body with its first vertex
 */

const POSE = 12;

/** Points inside of solids, and tetrahedra over all vertices and these points. */
class Inside {
  /** @param {{points: number, tetrahedra: number}} counts @param {ArrayBuffer} block @param {number} fields */
  constructor({ points, tetrahedra }, block, fields) {
    const cursor = new Cursor(block);
    /** The body of each point. */
    this.bodyOf = cursor.words(points);
    /** Where points are in the first frame. */
    this.reference = cursor.singles(3 * points);
    /** Corners: vertices of the film, after which these points are counted. */
    this.tetrahedra = cursor.words(4 * tetrahedra);
    /** As those of a film. @type {Int16Array[]} */
    this.differences = [];
    /** @type {Int16Array[][]} */
    this.levels = Array.from({ length: fields }, () => []);
    this.#last = new Int16Array(3 * points);
    this.#lastLevels = this.levels.map(() => new Int16Array(points));
  }

  #last;
  #lastLevels;

  /** @param {Cursor} cursor @param {number} frames */
  append(cursor, frames) {
    this.differences.push(...tracks(cursor, frames, this.#last));
    this.levels.forEach((levels, field) => levels.push(...tracks(cursor, frames, this.#lastLevels[field])));
  }
}

export class Film {
  /**
   * @param {Header} header
   * @param {ArrayBuffer} shape
   * @param {ArrayBuffer} [inside]
   */
  constructor(header, shape, inside) {
    this.header = header;
    let first = 0;
    /** @type {Body[]} */
    this.bodies = header.bodies.map((body) => {
      const placed = { ...body, first };
      first += body.vertices;
      return placed;
    });
    /** How many bodies move. */
    this.moving = this.bodies.filter((body) => body.quantum !== undefined).length;
    /** How many vertices there are, and how many of them move. */
    this.vertices = first;
    this.movingVertices = this.bodies[this.moving]?.first ?? first;
    const cursor = new Cursor(shape);
    /** Where vertices are in the first frame; poses and differences start from it. */
    this.reference = cursor.singles(3 * first);
    this.triangles = cursor.words(3 * header.triangles);
    this.lines = cursor.words(2 * header.lines);
    this.points = cursor.words(header.points);
    /** The body of each vertex. */
    this.bodyOf = new Uint32Array(first);
    this.bodies.forEach((body, number) =>
      this.bodyOf.fill(number, body.first, body.first + body.vertices),
    );
    /** What cut faces show, if the page has it. */
    this.inside = header.inside && inside ? new Inside(header.inside, inside, header.fields.length) : undefined;
    this.times = header.times;
    this.duration = this.times[this.times.length - 1] ?? 0;
    /** Poses of each frame, a matrix of three rows and four columns a body. @type {Float32Array[]} */
    this.poses = [];
    /** Of each frame the differences to the posed reference, in quanta. @type {Int16Array[]} */
    this.differences = [];
    /** Of each field and frame its levels. @type {Int16Array[][]} */
    this.levels = header.fields.map(() => []);
    /** Of each field of forces and frame three numbers a vertex. @type {Int16Array[][]} */
    this.forces = header.arrows.map(() => []);
    this.#last = new Int16Array(3 * this.movingVertices);
    this.#lastLevels = header.fields.map(() => new Int16Array(this.movingVertices));
    this.#lastForces = header.arrows.map(() => new Int16Array(3 * this.movingVertices));
  }

  #last;
  #lastLevels;
  #lastForces;
  /** @type {Float32Array | undefined} */
  #next;

  /** How many frames are decoded. */
  get ready() {
    return this.differences.length;
  }

  /** Points, and ends of lines that no triangle has, each once. */
  loose() {
    const seen = new Uint8Array(this.vertices);
    for (const vertex of this.triangles) seen[vertex] = 1;
    const take = (/** @type {number} */ vertex) => {
      const isNew = seen[vertex] === 0;
      seen[vertex] = 1;
      return isNew;
    };
    const [points, ends] = [this.points.filter(take), this.lines.filter(take)];
    const loose = new Uint32Array(points.length + ends.length);
    loose.set(points);
    loose.set(ends, points.length);
    return loose;
  }

  /**
   * Decodes the next block.
   * @param {ArrayBuffer} block
   * @param {number} frames
   */
  append(block, frames) {
    const cursor = new Cursor(block);
    for (let frame = 0; frame < frames; frame++) this.poses.push(cursor.singles(POSE * this.moving));
    this.differences.push(...tracks(cursor, frames, this.#last));
    this.levels.forEach((levels, field) =>
      levels.push(...tracks(cursor, frames, this.#lastLevels[field])),
    );
    this.forces.forEach((forces, field) =>
      forces.push(...tracks(cursor, frames, this.#lastForces[field])),
    );
    this.inside?.append(cursor, frames);
  }

  /**
   * Writes the positions of points inside of solids in a frame, after those of all vertices.
   * @param {Inside} inside @param {number} frame @param {number} share of it @param {Float32Array} out to which it is added
   */
  #addInside({ bodyOf, reference, differences }, frame, share, out) {
    const [poses, own] = [this.poses[frame], differences[frame]];
    for (let i = 0, at = 0, to = 3 * this.vertices; i < bodyOf.length; i++, at += 3, to += 3) {
      const quantum = this.bodies[bodyOf[i]].quantum ?? 0;
      for (let k = 0, row = POSE * bodyOf[i]; k < 3; k++, row += 4) {
        const posed = poses[row] * reference[at] + poses[row + 1] * reference[at + 1] + poses[row + 2] * reference[at + 2] + poses[row + 3];
        out[to + k] += share * (posed + quantum * own[at + k]);
      }
    }
  }

  /**
   * The positions, the values of a field and the bodies of all vertices and of the points inside of solids, between a
   * frame and the next.
   * @param {Inside} inside @param {number} field @param {number} frame @param {number} share of the next
   * @param {Float32Array} positions of the vertices
   */
  insideOf(inside, field, frame, share, positions) {
    const { vertices, movingVertices } = this;
    const count = vertices + inside.bodyOf.length;
    const places = new Float32Array(3 * count);
    places.set(positions.subarray(0, 3 * vertices));
    this.#addInside(inside, frame, 1 - share, places);
    if (share > 0) this.#addInside(inside, frame + 1, share, places);
    const [values, bodies] = [new Float32Array(count), new Uint32Array(count)];
    this.values(field, frame, share, values.subarray(0, movingVertices));
    const { levels } = this.header.fields[field];
    const [from, to] = [inside.levels[field][frame], inside.levels[field][share > 0 ? frame + 1 : frame]];
    for (let i = 0; i < from.length; i++) values[vertices + i] = (from[i] + share * (to[i] - from[i])) / levels;
    bodies.set(this.bodyOf);
    bodies.set(inside.bodyOf, vertices);
    return { places, values, bodies };
  }

  /**
   * Writes all positions of a frame.
   * @param {number} frame
   * @param {Float32Array} out
   */
  place(frame, out) {
    const { reference } = this;
    const [poses, differences] = [this.poses[frame], this.differences[frame]];
    for (let number = 0; number < this.moving; number++) {
      const { first, vertices, quantum = 0 } = this.bodies[number];
      const [a, b, c, d, e, f, g, h, i, j, k, l] = poses.subarray(POSE * number, POSE * (number + 1));
      for (let at = 3 * first, end = at + 3 * vertices; at < end; at += 3) {
        const x = reference[at], y = reference[at + 1], z = reference[at + 2];
        out[at] = a * x + b * y + c * z + d + quantum * differences[at];
        out[at + 1] = e * x + f * y + g * z + h + quantum * differences[at + 1];
        out[at + 2] = i * x + j * y + k * z + l + quantum * differences[at + 2];
      }
    }
    const still = 3 * this.movingVertices;
    out.set(reference.subarray(still), still);
  }

  /**
   * Writes all positions between a frame and the next, both mixed.
   * @param {number} frame @param {number} share of the next @param {Float32Array} out
   */
  between(frame, share, out) {
    this.place(frame, out);
    if (share === 0) return;
    this.#next ??= new Float32Array(out.length);
    this.place(frame + 1, this.#next);
    const [next, count] = [this.#next, 3 * this.movingVertices];
    for (let i = 0; i < count; i++) out[i] += share * (next[i] - out[i]);
  }

  /**
   * Writes a field between a frame and the next, from 0 for the least to 1 for the most.
   * @param {number} field @param {number} frame @param {number} share @param {Float32Array} out
   */
  values(field, frame, share, out) {
    const { levels } = this.header.fields[field];
    const [from, to] = [this.levels[field][frame], this.levels[field][share > 0 ? frame + 1 : frame]];
    for (let i = 0; i < from.length; i++) out[i] = (from[i] + share * (to[i] - from[i])) / levels;
  }

  /**
   * Writes where the forces of a frame act and where their arrows end, and tells how many there are.
   * @param {number} field of forces @param {number} frame @param {Float32Array} positions
   * @param {number} length of the longest arrow (m) @param {Float32Array[]} ends its starts, and its tips
   */
  point(field, frame, positions, length, [starts, tips]) {
    const scale = length / this.header.arrows[field].longest;
    const forces = this.forces[field][frame];
    let count = 0;
    for (let at = 0; at < forces.length; at += 3) {
      if ((forces[at] | forces[at + 1] | forces[at + 2]) === 0) continue;
      for (let k = 0; k < 3; k++) {
        starts[3 * count + k] = positions[at + k];
        tips[3 * count + k] = positions[at + k] + scale * forces[at + k];
      }
      count++;
    }
    return count;
  }

  /**
   * The value of a field at a vertex, and whether it is that or beyond.
   * @param {number} field
   * @param {number} frame
   * @param {number} vertex
   * @returns {{value: number, bound: Bound}}
   */
  value(field, frame, vertex) {
    const { least, most, levels, beyond } = this.header.fields[field];
    const level = this.levels[field][frame][vertex] ?? 0;
    const bound = beyond.most && level === levels ? "at least " : beyond.least && level === 0 ? "at most " : "";
    return { value: least + ((most - least) * level) / levels, bound };
  }

  /**
   * The last frame that is not after this time, and how far it is to the next (0 to 1).
   * @param {number} time
   * @returns {[number, number]}
   */
  at(time) {
    let [low, high] = [0, this.ready];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (this.times[middle] <= time) low = middle;
      else high = middle;
    }
    if (low + 1 >= this.ready) return [low, 0];
    const share = (time - this.times[low]) / (this.times[low + 1] - this.times[low]);
    return [low, Math.min(1, Math.max(0, share))];
  }

  /**
   * The frame nearest to a time.
   * @param {number} time
   */
  nearest(time) {
    const [frame, share] = this.at(time);
    return share > 0.5 ? frame + 1 : frame;
  }
}

/**
 * The film of a page; its frames are not decoded yet.
 * @param {Document} page
 * @returns {Promise<Film>}
 */
export async function opened(page) {
  const header = JSON.parse(block("run", page).textContent ?? "");
  const shape = await unpacked(block("shape", page));
  return new Film(header, shape, header.inside && (await unpacked(block("inside", page))));
}

/**
 * Decodes block after block, and tells after each; the browser draws in between.
 * @param {Film} film
 * @param {Document} page
 * @param {() => void} told
 */
export async function decoded(film, page, told) {
  const blocks = page.querySelectorAll("script.frames");
  for (const [number, frames] of film.header.groups.entries()) {
    film.append(await unpacked(blocks[number]), frames);
    told();
    await new Promise((resume) => setTimeout(resume));
  }
}

/** @param {string} id @param {Document} [page] */
export function block(id, page = document) {
  const element = page.getElementById(id);
  if (!element) throw new Error(`the page has no block ${id}`);
  return element;
}
