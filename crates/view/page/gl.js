// The few things that are asked of WebGL again and again.

import { ATTRIBUTES } from "./shaders.js";

/** @typedef {WebGL2RenderingContext} GL */

/** A program, and where its uniforms are. */
export class Program {
  /** @param {GL} gl @param {{vertex: string, fragment: string}} source */
  constructor(gl, source) {
    this.gl = gl;
    this.program = gl.createProgram();
    const stages = [gl.VERTEX_SHADER, gl.FRAGMENT_SHADER].map((kind, stage) => {
      const shader = /** @type {WebGLShader} */ (gl.createShader(kind));
      gl.shaderSource(shader, stage === 0 ? source.vertex : source.fragment);
      gl.compileShader(shader);
      gl.attachShader(this.program, shader);
      return shader;
    });
    gl.linkProgram(this.program);
    if (!gl.getProgramParameter(this.program, gl.LINK_STATUS) && !gl.isContextLost()) {
      const said = [...stages.map((stage) => gl.getShaderInfoLog(stage)), gl.getProgramInfoLog(this.program)];
      throw new Error(`a shader was refused: ${said.join("\n")}`);
    }
    /** @type {Map<string, WebGLUniformLocation | null>} */
    this.places = new Map();
  }

  /** @param {string} name */
  #place(name) {
    if (!this.places.has(name)) this.places.set(name, this.gl.getUniformLocation(this.program, name));
    return this.places.get(name) ?? null;
  }

  /**
   * Uses the program with these uniforms: numbers, vectors by their length, textures by their
   * unit as `{unit}`, whole numbers as `{whole}`.
   * @param {Record<string, number | number[] | {unit: number} | {whole: number}>} uniforms
   */
  use(uniforms) {
    const { gl } = this;
    gl.useProgram(this.program);
    for (const [name, value] of Object.entries(uniforms)) {
      const place = this.#place(name);
      if (typeof value === "number") gl.uniform1f(place, value);
      else if ("unit" in value) gl.uniform1i(place, value.unit);
      else if ("whole" in value) gl.uniform1i(place, value.whole);
      else if (value.length === 2) gl.uniform2fv(place, value);
      else if (value.length === 3) gl.uniform3fv(place, value);
      else if (value.length === 4) gl.uniform4fv(place, value);
      else if (value.length === 9) gl.uniformMatrix3fv(place, false, value);
      else gl.uniformMatrix4fv(place, false, value);
    }
  }
}

/**
 * An attribute that comes from a buffer.
 * @param {GL} gl
 * @param {keyof typeof ATTRIBUTES} name
 * @param {number} size numbers a vertex
 * @param {ArrayBufferView | number} data what it holds for good, or its size in bytes if it changes
 * @param {number} [per] one for each so many instances, instead of each vertex
 */
export function attribute(gl, name, size, data, per = 0) {
  const buffer = gl.createBuffer();
  gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
  // Two calls: the two kinds of data are two signatures.
  if (typeof data === "number") gl.bufferData(gl.ARRAY_BUFFER, data, gl.DYNAMIC_DRAW);
  else gl.bufferData(gl.ARRAY_BUFFER, data, gl.STATIC_DRAW);
  const place = ATTRIBUTES[name];
  gl.enableVertexAttribArray(place);
  if (name === "body") gl.vertexAttribIPointer(place, size, gl.UNSIGNED_INT, 0, 0);
  else gl.vertexAttribPointer(place, size, gl.FLOAT, false, 0, 0);
  gl.vertexAttribDivisor(place, per);
  return buffer;
}

/**
 * Replaces what a buffer holds.
 * @param {GL} gl @param {WebGLBuffer | null} buffer @param {ArrayBufferView} data
 */
export function refill(gl, buffer, data) {
  gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
  gl.bufferSubData(gl.ARRAY_BUFFER, 0, data);
}

/** A picture of depths that can be drawn into and looked up. */
export class DepthMap {
  /** @param {GL} gl @param {number} unit of textures that is its own @param {"compared" | "read"} use */
  constructor(gl, unit, use) {
    this.gl = gl;
    this.unit = unit;
    this.size = [0, 0];
    this.texture = gl.createTexture();
    this.frame = gl.createFramebuffer();
    gl.activeTexture(gl.TEXTURE0 + unit);
    gl.bindTexture(gl.TEXTURE_2D, this.texture);
    const filter = use === "compared" ? gl.LINEAR : gl.NEAREST;
    if (use === "compared") {
      gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_COMPARE_MODE, gl.COMPARE_REF_TO_TEXTURE);
    }
    for (const name of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER]) gl.texParameteri(gl.TEXTURE_2D, name, filter);
    for (const name of [gl.TEXTURE_WRAP_S, gl.TEXTURE_WRAP_T]) gl.texParameteri(gl.TEXTURE_2D, name, gl.CLAMP_TO_EDGE);
  }

  /** Begins to draw into it. @param {number} width @param {number} height */
  begin(width, height) {
    const { gl } = this;
    if (this.size[0] !== width || this.size[1] !== height) {
      this.size = [width, height];
      gl.activeTexture(gl.TEXTURE0 + this.unit);
      gl.bindTexture(gl.TEXTURE_2D, this.texture);
      gl.texImage2D(gl.TEXTURE_2D, 0, gl.DEPTH_COMPONENT24, width, height, 0, gl.DEPTH_COMPONENT, gl.UNSIGNED_INT, null);
      gl.bindFramebuffer(gl.FRAMEBUFFER, this.frame);
      gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.TEXTURE_2D, this.texture, 0);
    }
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.frame);
    gl.viewport(0, 0, width, height);
    gl.clear(gl.DEPTH_BUFFER_BIT);
  }

  /** Lets programs look it up. */
  bind() {
    this.gl.activeTexture(this.gl.TEXTURE0 + this.unit);
    this.gl.bindTexture(this.gl.TEXTURE_2D, this.texture);
  }
}

/**
 * A small table of colours.
 * @param {GL} gl @param {number} unit @param {number} width @param {Uint8Array} colours RGBA
 * @param {"exact" | "smooth"} between
 */
export function colourTable(gl, unit, width, colours, between) {
  gl.activeTexture(gl.TEXTURE0 + unit);
  gl.bindTexture(gl.TEXTURE_2D, gl.createTexture());
  const height = colours.length / 4 / width;
  gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA8, width, height, 0, gl.RGBA, gl.UNSIGNED_BYTE, colours);
  const filter = between === "exact" ? gl.NEAREST : gl.LINEAR;
  for (const name of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER]) gl.texParameteri(gl.TEXTURE_2D, name, filter);
  for (const name of [gl.TEXTURE_WRAP_S, gl.TEXTURE_WRAP_T]) gl.texParameteri(gl.TEXTURE_2D, name, gl.CLAMP_TO_EDGE);
}
