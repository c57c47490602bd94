/**
 * Append-only typed columns, grown a block at a time: nothing is copied until `finish`. A block is as
 * long as all before it, up to a bound: tables of many columns and few rows cost little, too. With a spool,
 * full blocks are written there once the columns of a table are more than may be held.
 */

import type { CellSpool } from "./cell-spool.ts";

const FIRST_BLOCK = 64;
const MAX_BLOCK = 65_536;

type Cells = Float64Array<ArrayBuffer> | Int32Array<ArrayBuffer> | Uint8Array<ArrayBuffer>;

/** A full block in the spool. */
interface Spooled {
  readonly at: number;
  readonly length: number;
}

export class Growing<T extends Cells> {
  readonly #make: (length: number) => T;
  readonly #spool: CellSpool | null;
  /** All but the last. */
  #full: (T | Spooled)[] = [];
  #block: T;
  #used = 0;

  constructor(make: (length: number) => T, spool: CellSpool | null = null) {
    this.#make = make;
    this.#spool = spool;
    this.#spool?.join();
    this.#block = this.#held(FIRST_BLOCK);
  }

  static float64(spool: CellSpool | null = null): Growing<Float64Array<ArrayBuffer>> {
    return new Growing((length) => new Float64Array(length), spool);
  }

  static int32(spool: CellSpool | null = null): Growing<Int32Array<ArrayBuffer>> {
    return new Growing((length) => new Int32Array(length), spool);
  }

  static uint8(spool: CellSpool | null = null): Growing<Uint8Array<ArrayBuffer>> {
    return new Growing((length) => new Uint8Array(length), spool);
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

  append(values: Float64Array | Float32Array): void {
    for (let at = 0; at < values.length; ) {
      if (this.#used === this.#block.length) this.#next();
      const here = Math.min(values.length - at, this.#block.length - this.#used);
      this.#block.set(values.subarray(at, at + here), this.#used);
      this.#used += here;
      at += here;
    }
  }

  #next(): void {
    this.#done += this.#used;
    this.#used = 0;
    const most = Math.min(MAX_BLOCK, this.#spool?.blockCells ?? MAX_BLOCK);
    const length = Math.min(most, Math.max(FIRST_BLOCK, this.#done));
    const full = this.#block;
    if (!this.#spool?.isFull) {
      this.#full.push(full);
      this.#block = this.#held(length);
      return;
    }
    this.#full.push({ at: this.#spool.write(full), length: full.length });
    if (full.length === length) return;
    this.#block = this.#held(length);
    this.#spool.drop(full.byteLength);
  }

  #held(length: number): T {
    const block = this.#make(length);
    this.#spool?.hold(block.byteLength);
    return block;
  }

  /** All cells in one array. The blocks are dropped; the column is empty afterwards. */
  finish(): T {
    const all = this.#make(this.length);
    let at = 0;
    for (const block of this.#full) {
      if (!isSpooled(block)) all.set(block, at);
      else this.#spool?.read(block.at, all.subarray(at, at + block.length));
      at += block.length;
    }
    all.set(this.#block.subarray(0, this.#used), at);
    for (const block of [...this.#full, this.#block]) {
      if (!isSpooled(block)) this.#spool?.drop(block.byteLength);
    }
    this.#full = [];
    this.#block = this.#held(FIRST_BLOCK);
    this.#used = 0;
    this.#done = 0;
    return all;
  }
}

const isSpooled = (block: Cells | Spooled): block is Spooled => !ArrayBuffer.isView(block);
