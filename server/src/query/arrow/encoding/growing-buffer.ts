/** Bytes that grow at their end, doubling, and can be cut back; what an Arrow buffer is built in. */

const FIRST_CAPACITY = 1024;

export class GrowingBuffer {
  #bytes = new Uint8Array(FIRST_CAPACITY);
  #view = new DataView(this.#bytes.buffer);
  length = 0;

  /** Room for so many bytes more, which count as written; the buffer as it is until the next call. */
  extend(bytes: number): Uint8Array {
    const length = this.length + bytes;
    if (length > this.#bytes.length) {
      const grown = new Uint8Array(Math.max(length, 2 * this.#bytes.length));
      grown.set(this.#bytes.subarray(0, this.length));
      this.#bytes = grown;
      this.#view = new DataView(grown.buffer);
    }
    this.length = length;
    return this.#bytes;
  }

  append(source: Uint8Array): void {
    const start = this.length;
    this.extend(source.length).set(source, start);
  }

  appendInt32(value: number): void {
    const start = this.length;
    this.extend(4);
    this.#view.setInt32(start, value, true);
  }

  int32At(position: number): number {
    return this.#view.getInt32(position, true);
  }

  /** Starts again in new memory, so that what was taken stays as it is. */
  take(): Uint8Array {
    const taken = this.#bytes.subarray(0, this.length);
    this.#bytes = new Uint8Array(Math.max(FIRST_CAPACITY, this.length));
    this.#view = new DataView(this.#bytes.buffer);
    this.length = 0;
    return taken;
  }
}
