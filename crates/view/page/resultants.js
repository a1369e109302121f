// Resultants of forces: one for each patch of a body, at its centre of pressure.

/**
 * @typedef {object} Resultant
 * @property {number[]} place where it acts (m)
 * @property {number[]} force (N)
 */

export class Resultants {
  /**
   * @param {Uint32Array} triangles three vertices each
   * @param {Uint32Array} lines two vertices each
   * @param {number} vertices that move, which are the first ones
   */
  constructor(triangles, lines, vertices) {
    /** Pairs of neighbouring vertices, one after the other. */
    this.edges = edgesOf(triangles, lines, vertices);
    this.parents = new Int32Array(vertices);
  }

  /**
   * The resultants of the forces of a frame. Neighbours belong to one patch if their forces do not oppose each other, so a
   * thin body between two others has a patch on each side.
   * @param {Int16Array} forces three numbers a vertex: the direction, as long as the square root of the force
   * @param {{most: number, longest: number}} scale the largest force (N), and the length of its numbers
   * @param {Float32Array} positions
   * @returns {Resultant[]}
   */
  of(forces, { most, longest }, positions) {
    this.#join(forces);
    /** @type {Map<number, {sum: number[], moment: number[], weight: number}>} */
    const patches = new Map();
    for (let vertex = 0; vertex < this.parents.length; vertex++) {
      const numbers = [0, 1, 2].map((k) => forces[3 * vertex + k] / longest);
      const size = Math.hypot(...numbers);
      if (size === 0) continue;
      const root = this.#root(vertex);
      const patch = patches.get(root) ?? { sum: [0, 0, 0], moment: [0, 0, 0], weight: 0 };
      patches.set(root, patch);
      const magnitude = most * size * size;
      patch.weight += magnitude;
      for (let k = 0; k < 3; k++) {
        patch.sum[k] += most * size * numbers[k];
        patch.moment[k] += magnitude * positions[3 * vertex + k];
      }
    }
    return [...patches.values()].map(({ sum, moment, weight }) => ({ place: moment.map((x) => x / weight), force: sum }));
  }

  /** Joins neighbours with a force to patches. @param {Int16Array} forces */
  #join(forces) {
    const { edges, parents } = this;
    for (let vertex = 0; vertex < parents.length; vertex++) parents[vertex] = vertex;
    for (let at = 0; at < edges.length; at += 2) {
      const [a, b] = [edges[at], edges[at + 1]];
      const alike = forces[3 * a] * forces[3 * b] + forces[3 * a + 1] * forces[3 * b + 1] + forces[3 * a + 2] * forces[3 * b + 2];
      // Without a force at one of them it is zero.
      if (alike > 0) parents[this.#root(a)] = this.#root(b);
    }
  }

  /** The vertex that stands for the patch of another. @param {number} vertex */
  #root(vertex) {
    const { parents } = this;
    while (parents[vertex] !== vertex) vertex = parents[vertex] = parents[parents[vertex]];
    return vertex;
  }
}

/**
 * Edges between moving vertices; those of two triangles occur twice.
 * @param {Uint32Array} triangles @param {Uint32Array} lines @param {number} vertices
 */
function edgesOf(triangles, lines, vertices) {
  /** @type {number[]} */
  const edges = [];
  for (let at = 0; at < triangles.length; at += 3) {
    const [a, b, c] = triangles.subarray(at, at + 3);
    if (a < vertices) edges.push(a, b, b, c, c, a);
  }
  for (let at = 0; at < lines.length; at += 2) if (lines[at] < vertices) edges.push(lines[at], lines[at + 1]);
  return Uint32Array.from(edges);
}

/** The magnitude of the largest of them (N). @param {Resultant[]} resultants */
export function largestForce(resultants) {
  return resultants.reduce((most, { force }) => Math.max(most, Math.hypot(...force)), 0);
}

/**
 * Writes where resultants act and where their arrows end, and tells how many there are. Arrows are as long as the square
 * root of the force.
 * @param {Resultant[]} resultants @param {number} most the force of the longest arrow (N)
 * @param {number} length of the longest arrow (m) @param {Float32Array[]} ends its starts, and its tips
 */
export function pointResultants(resultants, most, length, [starts, tips]) {
  let count = 0;
  for (const { place, force } of resultants) {
    const size = Math.hypot(...force);
    if (size === 0) continue;
    const scale = (length * Math.sqrt(size / most)) / size;
    for (let k = 0; k < 3; k++) {
      starts[3 * count + k] = place[k];
      tips[3 * count + k] = place[k] + scale * force[k];
    }
    count++;
  }
  return count;
}
