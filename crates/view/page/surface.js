// Normals: smooth where a surface bends gently, and apart at creases.

/** Neighbouring triangles that turn by more than this (degrees) at the start have a crease between them. */
const CREASE = 50;

/** A surface whose vertices are doubled at creases, so that each has one normal. */
export class Surface {
  /**
   * @param {Float32Array} reference positions at the start
   * @param {Uint32Array} triangles
   */
  constructor(reference, triangles) {
    this.sources = reference.length / 3;
    const { corners, doubled } = split(reference, triangles, this.sources);
    /** Triangles over the vertices with normals. */
    this.triangles = corners;
    /** The vertex that each of the doubled ones, behind the others, goes with. */
    this.doubled = doubled;
    this.vertices = this.sources + doubled.length;
    this.positions = new Float32Array(3 * this.vertices);
    this.normals = new Float32Array(3 * this.vertices);
  }

  /** Follows the positions of the vertices that are not doubled. */
  update() {
    const { positions, doubled } = this;
    for (let i = 0, at = 3 * this.sources; i < doubled.length; i++, at += 3) {
      const source = 3 * doubled[i];
      positions[at] = positions[source];
      positions[at + 1] = positions[source + 1];
      positions[at + 2] = positions[source + 2];
    }
    sumNormals(positions, this.triangles, this.normals);
  }
}

/**
 * At every vertex the sum of the normals of its triangles, as long as twice their areas.
 * @param {Float32Array} x @param {Uint32Array} triangles @param {Float32Array} normals
 */
function sumNormals(x, triangles, normals) {
  normals.fill(0);
  for (let t = 0; t < triangles.length; t += 3) {
    const [a, b, c] = [3 * triangles[t], 3 * triangles[t + 1], 3 * triangles[t + 2]];
    const [ux, uy, uz] = [x[b] - x[a], x[b + 1] - x[a + 1], x[b + 2] - x[a + 2]];
    const [vx, vy, vz] = [x[c] - x[a], x[c + 1] - x[a + 1], x[c + 2] - x[a + 2]];
    const [nx, ny, nz] = [uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx];
    for (const at of [a, b, c]) {
      normals[at] += nx;
      normals[at + 1] += ny;
      normals[at + 2] += nz;
    }
  }
}

/**
 * Gives corners of triangles that meet at a vertex across creases vertices of their own.
 * @param {Float32Array} reference @param {Uint32Array} triangles @param {number} vertices
 */
function split(reference, triangles, vertices) {
  const groups = joinedCorners(reference, triangles);
  const corners = new Uint32Array(triangles.length);
  /** The vertex of a group of corners, by its first corner. */
  const known = new Int32Array(triangles.length).fill(-1);
  const taken = new Uint8Array(vertices);
  /** @type {number[]} */
  const doubled = [];
  for (let corner = 0; corner < triangles.length; corner++) {
    const group = groups.root(corner);
    if (known[group] < 0) {
      const source = triangles[corner];
      known[group] = taken[source] ? vertices + doubled.push(source) - 1 : source;
      taken[source] = 1;
    }
    corners[corner] = known[group];
  }
  return { corners, doubled: Uint32Array.from(doubled) };
}

/**
 * Corners at one vertex are joined where their triangles share an edge that is no crease.
 * @param {Float32Array} reference @param {Uint32Array} triangles
 */
function joinedCorners(reference, triangles) {
  const groups = new Groups(triangles.length);
  const normals = faceNormals(reference, triangles);
  const least = Math.cos((CREASE * Math.PI) / 180);
  const vertices = reference.length / 3;
  /** The corner from which an edge begins, by its ends. @type {Map<number, number>} */
  const begins = new Map();
  const next = (/** @type {number} */ corner) => (corner % 3 === 2 ? corner - 2 : corner + 1);
  for (let corner = 0; corner < triangles.length; corner++) {
    begins.set(triangles[corner] * vertices + triangles[next(corner)], corner);
  }
  for (let corner = 0; corner < triangles.length; corner++) {
    const end = next(corner);
    // The neighbour goes along the edge the other way.
    const other = begins.get(triangles[end] * vertices + triangles[corner]);
    if (other === undefined) continue;
    const [f, g] = [3 * Math.floor(corner / 3), 3 * Math.floor(other / 3)];
    const cosine = normals[f] * normals[g] + normals[f + 1] * normals[g + 1] + normals[f + 2] * normals[g + 2];
    if (cosine < least) continue;
    groups.join(corner, next(other));
    groups.join(end, other);
  }
  return groups;
}

/** @param {Float32Array} x @param {Uint32Array} triangles */
function faceNormals(x, triangles) {
  const normals = new Float32Array(triangles.length);
  for (let t = 0; t < triangles.length; t += 3) {
    const [a, b, c] = [3 * triangles[t], 3 * triangles[t + 1], 3 * triangles[t + 2]];
    const [ux, uy, uz] = [x[b] - x[a], x[b + 1] - x[a + 1], x[b + 2] - x[a + 2]];
    const [vx, vy, vz] = [x[c] - x[a], x[c + 1] - x[a + 1], x[c + 2] - x[a + 2]];
    const [nx, ny, nz] = [uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx];
    const length = Math.hypot(nx, ny, nz) || 1;
    normals.set([nx / length, ny / length, nz / length], t);
  }
  return normals;
}

/** Sets that are joined two by two. */
class Groups {
  /** @param {number} count */
  constructor(count) {
    this.parent = Uint32Array.from({ length: count }, (_, i) => i);
  }

  /** @param {number} member */
  root(member) {
    const { parent } = this;
    while (parent[member] !== member) {
      parent[member] = parent[parent[member]];
      member = parent[member];
    }
    return member;
  }

  /** @param {number} a @param {number} b */
  join(a, b) {
    this.parent[this.root(a)] = this.root(b);
  }
}
