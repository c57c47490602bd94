/**
 * Append-only typed columns, grown a block at a time: nothing is copied until `finish`. A block is as
 * long as all before it, up to a bound: tables of many columns and few rows cost little, too.
 */

const FIRST_BLOCK = 64;
const MAX_BLOCK = 65_536;

type Cells = Float64Array<ArrayBuffer> | Int32Array<ArrayBuffer> | Uint8Array<ArrayBuffer>;

export class Growing<T extends Cells> {
  readonly #make: (length: number) => T;
  #blocks: T[] = [];
  #block: T;
  #used = 0;

  constructor(make: (length: number) => T) {
    this.#make = make;
    this.#block = make(FIRST_BLOCK);
    this.#blocks.push(this.#block);
  }

  static float64(): Growing<Float64Array<ArrayBuffer>> {
    return new Growing((length) => new Float64Array(length));
  }

  static int32(): Growing<Int32Array<ArrayBuffer>> {
    return new Growing((length) => new Int32Array(length));
  }

  static uint8(): Growing<Uint8Array<ArrayBuffer>> {
    return new Growing((length) => new Uint8Array(length));
  }

  #done = 0;

  get length(): number {
    return this.#done + this.#used;
  }

  push(value: number): void {
    if (this.#used === this.#block.length) this.#next();
    this.#block[this.#used++] = value;
  }

  fill(value: number, count: number): void {
    for (let left = count; left > 0; ) {
      if (this.#used === this.#block.length) this.#next();
      const here = Math.min(left, this.#block.length - this.#used);
      this.#block.fill(value, this.#used, this.#used + here);
      this.#used += here;
      left -= here;
    }
  }

  append(values: ArrayLike<number>): void {
    for (let at = 0; at < values.length; ) {
      if (this.#used === this.#block.length) this.#next();
      const here = Math.min(values.length - at, this.#block.length - this.#used);
      for (let i = 0; i < here; i++) this.#block[this.#used + i] = values[at + i];
      this.#used += here;
      at += here;
    }
  }

  #next(): void {
    this.#done += this.#used;
    this.#block = this.#make(Math.min(MAX_BLOCK, Math.max(FIRST_BLOCK, this.#done)));
    this.#blocks.push(this.#block);
    this.#used = 0;
  }

  /** All cells in one array. The blocks are dropped; the column is empty afterwards. */
  finish(): T {
    const all = this.#make(this.length);
    let at = 0;
    for (const block of this.#blocks) {
      const count = block === this.#block ? this.#used : block.length;
      all.set(count === block.length ? block : block.subarray(0, count), at);
      at += count;
    }
    this.#blocks = [];
    this.#block = this.#make(FIRST_BLOCK);
    this.#blocks.push(this.#block);
    this.#used = 0;
    this.#done = 0;
    return all;
  }
}
