// The picture: everything that is drawn, in a few calls a frame.

import { Arrows } from "./arrows.js";
import { lightMatrix, mixed } from "./camera.js";
import { SHADES, shades } from "./colours.js";
import { CutFaces } from "./cut_faces.js";
import { Geometry } from "./geometry.js";
import { DepthMap, Program, colourTable } from "./gl.js";
import { ARROW, BALL, DEPTH, LINE, MESH, PLANE } from "./shaders.js";
import { across, dot, minus, unit } from "./vectors.js";

/** @typedef {import("./vectors.js").Vector} Vector */
/** @typedef {import("./geometry.js").Contents} Contents */
/** @typedef {import("./camera.js").Camera} Camera */
/** @typedef {Parameters<Program["use"]>[0]} Uniforms */

/** Where the lamp stands: to the side, above and to the front. */
const [LIGHT_SIDE, LIGHT_UP, LIGHT_FRONT] = [0.45, 1, 0.35];
const SHADOW_SIZE = 2048;
/** Units of textures. */
const [SHADOW, DEPTHS, PALETTE, SCALE] = [0, 1, 2, 3];
const PALETTE_WIDTH = 1024;
/** Half the width of a line (pixels), and the diameter of a point as a share of the size of the scene. */
const LINE_PIXELS = 1.1;
const POINT_SHARE = 0.02;
/** How far surfaces keep light out of what is beside them, as a share of the size of the scene. */
const REACH_SHARE = 0.09;
/** Forces are seen through bodies, from whose inside they push. */
const ACCENT = [0.86, 0.16, 0.2];
/** A section plane in front of which nothing lies. */
const NO_SECTION = [0, 0, 0, 1];
/** How much is seen of a plane from behind. */
const FROM_BEHIND = 0.12;

/**
 * @typedef {object} Look
 * @property {boolean} byValue
 * @property {number} hovered body, or -1
 * @property {import("./section.js").Section | undefined} section
 * @property {Vector} background
 * @property {Vector} plane
 * @property {Vector} ink
 */

export class Picture {
  /** @param {HTMLCanvasElement} canvas @param {Contents} contents */
  constructor(canvas, contents) {
    const gl = canvas.getContext("webgl2", { antialias: true, alpha: false });
    if (!gl) throw new Error("this browser has no WebGL2, with which the bodies are drawn");
    this.gl = gl;
    this.canvas = canvas;
    this.contents = contents;
    /** Calls that drew the last frame. */
    this.calls = 0;
    this.depthProgram = new Program(gl, DEPTH);
    this.meshProgram = new Program(gl, MESH);
    this.ballProgram = new Program(gl, BALL);
    this.lineProgram = new Program(gl, LINE);
    this.planeProgram = new Program(gl, PLANE);
    this.arrowProgram = new Program(gl, ARROW);
    this.arrows = new Arrows(gl, contents.movingVertices);
    this.shadow = new DepthMap(gl, SHADOW, "compared");
    this.depth = new DepthMap(gl, DEPTHS, "read");
    colourTable(gl, PALETTE, PALETTE_WIDTH, palette(contents), "exact");
    colourTable(gl, SCALE, SHADES, shades(), "smooth");
    this.geometry = new Geometry(gl, contents);
    this.cutFaces = new CutFaces(gl);
  }

  /** Makes the canvas as fine as the screen, and tells its width over its height. */
  fit() {
    const { canvas } = this;
    const density = Math.min(2, devicePixelRatio || 1);
    const [width, height] = [canvas.clientWidth, canvas.clientHeight].map((x) => Math.max(1, Math.round(x * density)));
    if (canvas.width !== width || canvas.height !== height) [canvas.width, canvas.height] = [width, height];
    return width / height;
  }

  /**
   * Draws what was uploaded last.
   * @param {Camera} camera
   * @param {Look} look
   */
  draw(camera, look) {
    const { gl, canvas } = this;
    this.calls = 0;
    const scene = this.#scene(camera, look);
    const eye = camera.eye();
    const inFront = this.contents.planes.map(({ point, normal }) => dot(minus(eye, point), normal) > 0);
    gl.enable(gl.DEPTH_TEST);
    gl.disable(gl.BLEND);
    this.shadow.begin(SHADOW_SIZE, SHADOW_SIZE);
    this.#depths(scene.toShadow, scene.section, (POINT_SHARE * this.contents.radius) / scene.shadowTexel, "parallel");
    this.depth.begin(canvas.width, canvas.height);
    this.#depths(scene.matrix, scene.section, scene.pointScale, "perspective");
    inFront.forEach((front, i) => front && this.#square(i));
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    gl.viewport(0, 0, canvas.width, canvas.height);
    gl.clearColor(...look.background, 1);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    this.shadow.bind();
    this.depth.bind();
    this.#bodies(scene);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
    gl.depthMask(false);
    inFront.forEach((front, i) => this.#plane(i, { ...scene, strength: front ? 1 : FROM_BEHIND }));
    this.#forces(scene);
    gl.depthMask(true);
  }

  /** Over everything else. @param {Uniforms} scene */
  #forces(scene) {
    const { gl, arrows } = this;
    if (arrows.count === 0) return;
    gl.disable(gl.DEPTH_TEST);
    gl.bindVertexArray(arrows.array);
    this.arrowProgram.use({ matrix: scene.matrix, size: scene.size, width: scene.width, accent: ACCENT });
    gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, arrows.count);
    this.calls++;
  }

  /** What all programs are told. @param {Camera} camera @param {Look} look */
  #scene(camera, look) {
    const { canvas } = this;
    const { matrix, near, far } = camera.matrix();
    const { right, up, back } = camera.axes();
    const { center, radius } = this.geometry.ball();
    const { side, front } = camera.level;
    const toLight = unit(mixed(LIGHT_SIDE, side, LIGHT_UP, camera.up, LIGHT_FRONT, front));
    return {
      matrix,
      range: [near, far],
      eye: camera.eye(),
      tangent: [camera.tangent * camera.aspect, camera.tangent],
      toCamera: [right[0], up[0], back[0], right[1], up[1], back[1], right[2], up[2], back[2]],
      size: [canvas.width, canvas.height],
      up: camera.up,
      toLight,
      toShadow: lightMatrix(toLight, center, radius),
      shadowTexel: (2 * radius) / SHADOW_SIZE,
      reach: REACH_SHARE * this.contents.radius,
      pointScale: (POINT_SHARE * this.contents.radius * canvas.height) / (2 * camera.tangent),
      perMetre: canvas.height / (2 * camera.tangent),
      width: LINE_PIXELS * (canvas.height / canvas.clientHeight),
      spacing: spacing(this.contents.radius),
      byValue: { whole: Number(look.byValue) },
      hovered: { whole: look.hovered },
      section: look.section ? [...look.section.normal, look.section.offset] : NO_SECTION,
      tint: look.plane,
      ink: look.ink,
      shadow: { unit: SHADOW },
      depth: { unit: DEPTHS },
      palette: { unit: PALETTE },
      scale: { unit: SCALE },
    };
  }

  /** @param {number[]} matrix @param {number[]} section @param {number} pointScale @param {"parallel" | "perspective"} rays */
  #depths(matrix, section, pointScale, rays) {
    const { gl, geometry } = this;
    const { surface, points, lines } = this.contents;
    const spread = { whole: Number(rays === "perspective") };
    gl.bindVertexArray(geometry.mesh);
    this.depthProgram.use({ matrix, section, pointScale, spread, round: { whole: 0 } });
    this.#elements(gl.TRIANGLES, surface.triangles.length, 0);
    if (rays === "parallel") this.#elements(gl.LINES, lines.length, geometry.linesAt);
    if (points.length === 0) return;
    this.depthProgram.use({ round: { whole: 1 } });
    this.#elements(gl.POINTS, points.length, geometry.pointsAt);
    this.depthProgram.use({ round: { whole: 0 } });
  }

  /** @param {Uniforms} scene */
  #bodies(scene) {
    const { gl, geometry } = this;
    const { surface, points } = this.contents;
    gl.bindVertexArray(geometry.mesh);
    this.meshProgram.use(scene);
    this.#elements(gl.TRIANGLES, surface.triangles.length, 0);
    this.#cutFaces(scene);
    gl.bindVertexArray(geometry.mesh);
    if (points.length > 0) {
      this.ballProgram.use(scene);
      this.#elements(gl.POINTS, points.length, geometry.pointsAt);
    }
    if (geometry.ribbons.count > 0) {
      gl.bindVertexArray(geometry.ribbons.array);
      this.lineProgram.use(scene);
      gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, geometry.ribbons.count);
      this.calls++;
    }
  }

  /** Nearer than what is behind the section, which is seen through it in grey. @param {Uniforms} scene */
  #cutFaces(scene) {
    const { gl, cutFaces } = this;
    if (cutFaces.count === 0) return;
    gl.bindVertexArray(cutFaces.array);
    // They lie in the plane, and have its normal whichever way their corners go around.
    this.meshProgram.use({ section: NO_SECTION, cutNormal: /** @type {number[]} */ (scene.section).slice(0, 3) });
    gl.drawArrays(gl.TRIANGLES, 0, cutFaces.count);
    this.meshProgram.use({ ...scene, cutNormal: [0, 0, 0] });
    this.calls++;
  }

  /** @param {number} kind @param {number} count @param {number} at */
  #elements(kind, count, at) {
    if (count === 0) return;
    this.gl.drawElements(kind, count, this.gl.UNSIGNED_INT, at);
    this.calls++;
  }

  /** @param {number} number of the plane @param {Uniforms} scene */
  #plane(number, scene) {
    const { normal } = this.contents.planes[number];
    const [first, second] = across(normal);
    this.planeProgram.use({ ...scene, first, second, normal });
    this.#square(number);
  }

  /** @param {number} number of the plane */
  #square(number) {
    this.gl.bindVertexArray(this.geometry.squares);
    this.gl.drawArrays(this.gl.TRIANGLE_STRIP, 4 * number, 4);
    this.calls++;
  }
}

/**
 * The distance of the lines on planes: one, two or five times a power of ten.
 * @param {number} radius of the scene
 */
export function spacing(radius) {
  const power = 10 ** Math.floor(Math.log10(radius / 2));
  return power * ([5, 2].find((factor) => factor * power <= radius / 2) ?? 1);
}

/** @param {Contents} contents */
function palette({ colours, moving, solid }) {
  const table = new Uint8Array(4 * PALETTE_WIDTH * Math.max(1, Math.ceil(colours.length / PALETTE_WIDTH)));
  colours.forEach((colour, i) => table.set([...colour.map((x) => Math.round(255 * x)), (i < moving ? 170 : 0) + (solid[i] ? 85 : 0)], 4 * i));
  return table;
}
