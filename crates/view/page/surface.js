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
    const a = 3 * triangles[t], b = 3 * triangles[t + 1], c = 3 * triangles[t + 2];
    const ax = x[a], ay = x[a + 1], az = x[a + 2];
    const ux = x[b] - ax, uy = x[b + 1] - ay, uz = x[b + 2] - az;
    const vx = x[c] - ax, vy = x[c + 1] - ay, vz = x[c + 2] - az;
    const nx = uy * vz - uz * vy, ny = uz * vx - ux * vz, nz = ux * vy - uy * vx;
    normals[a] += nx;
    normals[a + 1] += ny;
    normals[a + 2] += nz;
    normals[b] += nx;
    normals[b + 1] += ny;
    normals[b + 2] += nz;
    normals[c] += nx;
    normals[c + 1] += ny;
    normals[c + 2] += nz;
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
  const { first, corners } = cornersOf(triangles, reference.length / 3);
  for (let corner = 0; corner < triangles.length; corner++) {
    const end = next(corner);
    const [from, to] = [triangles[corner], triangles[end]];
    // The neighbour goes along the edge the other way; of several the last one.
    let other = -1;
    for (let at = first[to]; at < first[to + 1]; at++) {
      if (triangles[next(corners[at])] === from) other = corners[at];
    }
    if (other < 0) continue;
    const f = corner - (corner % 3), g = other - (other % 3);
    const cosine = normals[f] * normals[g] + normals[f + 1] * normals[g + 1] + normals[f + 2] * normals[g + 2];
    if (cosine < least) continue;
    groups.join(corner, next(other));
    groups.join(end, other);
  }
  return groups;
}

/** The next corner of the same triangle. @param {number} corner */
const next = (corner) => (corner % 3 === 2 ? corner - 2 : corner + 1);

/**
 * The corners at each vertex, in their order: those of vertex `v` from `first[v]` on.
 * @param {Uint32Array} triangles @param {number} vertices
 */
function cornersOf(triangles, vertices) {
  const first = new Uint32Array(vertices + 1);
  for (const vertex of triangles) first[vertex + 1]++;
  for (let vertex = 0; vertex < vertices; vertex++) first[vertex + 1] += first[vertex];
  const free = first.slice();
  const corners = new Uint32Array(triangles.length);
  for (let corner = 0; corner < triangles.length; corner++) corners[free[triangles[corner]]++] = corner;
  return { first, corners };
}

/** @param {Float32Array} x @param {Uint32Array} triangles */
function faceNormals(x, triangles) {
  const normals = new Float32Array(triangles.length);
  for (let t = 0; t < triangles.length; t += 3) {
    const a = 3 * triangles[t], b = 3 * triangles[t + 1], c = 3 * triangles[t + 2];
    const ux = x[b] - x[a], uy = x[b + 1] - x[a + 1], uz = x[b + 2] - x[a + 2];
    const vx = x[c] - x[a], vy = x[c + 1] - x[a + 1], vz = x[c + 2] - x[a + 2];
    const nx = uy * vz - uz * vy, ny = uz * vx - ux * vz, nz = ux * vy - uy * vx;
    const length = Math.sqrt(nx * nx + ny * ny + nz * nz) || 1;
    normals[t] = nx / length;
    normals[t + 1] = ny / length;
    normals[t + 2] = nz / length;
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
