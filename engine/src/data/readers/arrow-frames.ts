/** The messages of an Arrow IPC stream, each passed on only once its metadata are verified. */

import { verifyMessage } from "./arrow-metadata.ts";

export class ArrowFrames {
  readonly #source: AsyncIterator<Uint8Array>;
  #held: Uint8Array;
  /** Whether the end mark was seen; a stream may also just end. */
  marked = false;

  /** @param head the bytes already taken from the source */
  constructor(head: Uint8Array, source: AsyncIterator<Uint8Array>) {
    this.#held = head;
    this.#source = source;
  }

  async *verified(): AsyncGenerator<Uint8Array> {
    for (;;) {
      if (!(await this.#need(4))) break;
      const marked = this.#word(0) === 0xffff_ffff;
      const prefix = marked ? 8 : 4;
      if (!(await this.#need(prefix))) break;
      const length = this.#word(prefix - 4);
      if (length === 0) {
        this.marked = true;
        break;
      }
      if (!(await this.#need(prefix + length))) break;
      let body = verifyMessage(this.#held.subarray(prefix, prefix + length));
      yield this.#take(prefix + length);
      while (body > 0 && (await this.#need(1))) {
        const part = this.#take(Math.min(body, this.#held.length));
        body -= part.length;
        yield part;
      }
    }
    // What is left is the end mark, or too short a message, of which the reader complains.
    if (this.#held.length > 0) yield this.#held;
  }

  #word(at: number): number {
    return new DataView(this.#held.buffer, this.#held.byteOffset).getUint32(at, true);
  }

  #take(count: number): Uint8Array {
    const taken = this.#held.subarray(0, count);
    this.#held = this.#held.subarray(count);
    return taken;
  }

  /** Whether `count` bytes are held, after reading on for them. */
  async #need(count: number): Promise<boolean> {
    if (this.#held.length >= count) return true;
    const parts = [this.#held];
    let size = this.#held.length;
    while (size < count) {
      const next = await this.#source.next();
      if (next.done) break;
      parts.push(next.value);
      size += next.value.length;
    }
    this.#held = new Uint8Array(size);
    let at = 0;
    for (const part of parts) {
      this.#held.set(part, at);
      at += part.length;
    }
    return size >= count;
  }
}
