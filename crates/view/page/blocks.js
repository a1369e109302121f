// The blocks of data in the page: bytes, deflated, in base64.

/**
 * The bytes of a block, which is taken out of the page.
 * @param {Element} element
 * @returns {Promise<ArrayBuffer>}
 */
export async function unpacked(element) {
  const text = element.textContent ?? "";
  element.remove();
  const letters = atob(text);
  const packed = new Uint8Array(letters.length);
  for (let i = 0; i < packed.length; i++) packed[i] = letters.charCodeAt(i);
  const stream = new Blob([packed]).stream();
  return new Response(stream.pipeThrough(new DecompressionStream("deflate-raw"))).arrayBuffer();
}

/** Takes arrays out of a block, one behind the other. */
export class Cursor {
  /** @param {ArrayBuffer} block */
  constructor(block) {
    this.block = block;
    this.at = 0;
  }

  /** @param {number} count */
  singles(count) {
    return new Float32Array(this.block, this.#step(4 * count), count);
  }

  /** @param {number} count */
  words(count) {
    return new Uint32Array(this.block, this.#step(4 * count), count);
  }

  /** @param {number} count */
  bytes(count) {
    return new Uint8Array(this.block, this.#step(count), count);
  }

  /** @param {number} size */
  #step(size) {
    const start = this.at;
    this.at += size;
    return start;
  }
}

/**
 * Undoes the coding of numbers over frames: all low bytes stand before all high bytes, and each
 * number is the difference to the one of the frame before, its sign in the lowest bit. `last` holds the frame before
 * the first, and the last one afterwards.
 * @param {Cursor} cursor
 * @param {number} frames
 * @param {Int16Array} last
 * @returns {Int16Array[]} one array a frame
 */
export function tracks(cursor, frames, last) {
  const count = last.length;
  const low = cursor.bytes(frames * count);
  const high = cursor.bytes(frames * count);
  const decoded = [];
  for (let frame = 0, at = 0; frame < frames; frame++) {
    const numbers = new Int16Array(count);
    for (let i = 0; i < count; i++, at++) {
      const coded = low[at] | (high[at] << 8);
      // An Int16Array keeps the lowest 16 bits, which is the arithmetic that was coded with.
      numbers[i] = last[i] + ((coded >>> 1) ^ -(coded & 1));
    }
    last.set(numbers);
    decoded.push(numbers);
  }
  return decoded;
}
