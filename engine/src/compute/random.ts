/**
 * Counter-based random numbers: Philox4x32-10.
 *
 * A value is a pure function of (key, counter), so any worker can draw the numbers of any
 * (trial, fold, round) without sharing a stream, and equal seeds give equal bits everywhere.
 *
 * Source: Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC'11, §3.
 */

const MULTIPLIER_0 = 0xd2511f53;
const MULTIPLIER_1 = 0xcd9e8d57;
const WEYL_0 = 0x9e3779b9;
const WEYL_1 = 0xbb67ae85;

/** 64 bits of key, as two unsigned 32-bit words. */
export interface RandomKey {
  readonly low: number;
  readonly high: number;
}

/** High and low 32 bits of the product of two unsigned 32-bit integers, written to `out`. */
function multiplyWide(a: number, b: number, out: Uint32Array): void {
  const aLow = a & 0xffff;
  const aHigh = a >>> 16;
  const bLow = b & 0xffff;
  const bHigh = b >>> 16;
  const low = aLow * bLow;
  const middle = aHigh * bLow + (low >>> 16);
  const carry = (middle & 0xffff) + aLow * bHigh;
  out[0] = aHigh * bHigh + Math.floor(middle / 0x10000) + Math.floor(carry / 0x10000);
  out[1] = Math.imul(a, b);
}

const wide = new Uint32Array(2);

/** One Philox4x32-10 block: 128 random bits for a 128-bit counter under a 64-bit key. */
export function philox4x32(counter: Uint32Array, key: RandomKey, out: Uint32Array): void {
  let c0 = counter[0];
  let c1 = counter[1];
  let c2 = counter[2];
  let c3 = counter[3];
  let k0 = key.low >>> 0;
  let k1 = key.high >>> 0;
  for (let round = 0; round < 10; round++) {
    multiplyWide(MULTIPLIER_0, c0, wide);
    const high0 = wide[0];
    const low0 = wide[1];
    multiplyWide(MULTIPLIER_1, c2, wide);
    const high1 = wide[0];
    const low1 = wide[1];
    c0 = (high1 ^ c1 ^ k0) >>> 0;
    c1 = low1;
    c2 = (high0 ^ c3 ^ k1) >>> 0;
    c3 = low0;
    k0 = (k0 + WEYL_0) >>> 0;
    k1 = (k1 + WEYL_1) >>> 0;
  }
  out[0] = c0;
  out[1] = c1;
  out[2] = c2;
  out[3] = c3;
}

/** FNV-1a of a string, in UTF-16 code units; used only to turn a purpose into key material. */
function hashText(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) {
    hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  }
  return hash >>> 0;
}

/**
 * The key of one purpose, e.g. `deriveKey(randomState, "fold", trial, fold)`.
 * Every part goes through a Philox block, so keys of different paths are unrelated.
 *
 * @param randomState any safe integer
 * @param path purposes (strings) and indices (integers ≥ 0)
 */
export function deriveKey(randomState: number, ...path: readonly (string | number)[]): RandomKey {
  const root = { low: randomState >>> 0, high: Math.floor(randomState / 0x100000000) >>> 0 };
  return extendKey(root, ...path);
}

/** The key of a purpose below another's, e.g. of a tree below a fit. */
export function extendKey(root: RandomKey, ...path: readonly (string | number)[]): RandomKey {
  let key = root;
  const counter = new Uint32Array(4);
  const block = new Uint32Array(4);
  for (const part of path) {
    counter[0] = typeof part === "string" ? hashText(part) : part >>> 0;
    counter[1] = typeof part === "string" ? part.length : Math.floor(part / 0x100000000) >>> 0;
    counter[2] = typeof part === "string" ? 1 : 2;
    philox4x32(counter, key, block);
    key = { low: block[0], high: block[1] };
  }
  return key;
}

/** A sequence of random numbers under one key. Cheap to make; make one for each purpose. */
export class CounterRandom {
  readonly #key: RandomKey;
  readonly #counter = new Uint32Array(4);
  readonly #block = new Uint32Array(4);
  #used = 4;

  constructor(key: RandomKey) {
    this.#key = key;
  }

  /** Uniform integer in [0, 2³²). */
  nextUint32(): number {
    if (this.#used === 4) {
      philox4x32(this.#counter, this.#key, this.#block);
      this.#counter[0]++;
      if (this.#counter[0] === 0) this.#counter[1]++;
      this.#used = 0;
    }
    return this.#block[this.#used++];
  }

  /** Uniform in [0, 1) with 53 random bits. */
  nextFloat(): number {
    const high = this.nextUint32() >>> 5;
    const low = this.nextUint32() >>> 6;
    return (high * 0x4000000 + low) / 0x20000000000000;
  }

  /** Uniform integer in [0, bound), without modulo bias. `bound` in [1, 2³²]. */
  nextInteger(bound: number): number {
    const limit = 0x100000000 - (0x100000000 % bound);
    let draw = this.nextUint32();
    while (draw >= limit) draw = this.nextUint32();
    return draw % bound;
  }

  /** Standard normal, by inversion-free polar method (Marsaglia & Bray 1964). */
  nextGaussian(): number {
    for (;;) {
      const u = 2 * this.nextFloat() - 1;
      const v = 2 * this.nextFloat() - 1;
      const s = u * u + v * v;
      if (s > 0 && s < 1) return u * Math.sqrt((-2 * Math.log(s)) / s);
    }
  }

  /** Shuffles in place (Fisher–Yates) and returns its argument. */
  shuffle<T extends { length: number; [index: number]: number }>(items: T): T {
    for (let i = items.length - 1; i > 0; i--) {
      const j = this.nextInteger(i + 1);
      const held = items[i];
      items[i] = items[j];
      items[j] = held;
    }
    return items;
  }
}
