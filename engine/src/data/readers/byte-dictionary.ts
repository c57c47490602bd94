/**
 * Distinct byte strings, numbered in order of first sight: the text of a column, held once, in one
 * growing pool and without a JavaScript string a cell.
 *
 * Open addressing with linear probing over FNV-1a hashes.
 */

export class ByteDictionary {
  #pool = new Uint8Array(256);
  #used = 0;
  /** Entry i is pool[ends[i - 1], ends[i]). */
  #ends = new Uint32Array(16);
  #hashes = new Int32Array(16);
  #slots = new Int32Array(64).fill(-1);
  #count = 0;

  get size(): number {
    return this.#count;
  }

  /** The number of bytes[start, end); a new one when it was not seen before. */
  add(bytes: Uint8Array, start: number, end: number): number {
    let hash = 0x811c9dc5;
    for (let i = start; i < end; i++) hash = Math.imul(hash ^ bytes[i], 0x01000193);
    hash ^= hash >>> 15;
    const length = end - start;
    const mask = this.#slots.length - 1;
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const entry = this.#slots[slot];
      if (entry < 0) return this.#insert(bytes, start, end, hash, slot);
      if (this.#hashes[entry] !== hash) continue;
      const from = entry === 0 ? 0 : this.#ends[entry - 1];
      if (this.#ends[entry] - from !== length) continue;
      let i = 0;
      while (i < length && this.#pool[from + i] === bytes[start + i]) i++;
      if (i === length) return entry;
    }
  }

  /** The bytes of an entry; a view, valid until the next `add`. */
  bytes(entry: number): Uint8Array {
    return this.#pool.subarray(entry === 0 ? 0 : this.#ends[entry - 1], this.#ends[entry]);
  }

  #insert(bytes: Uint8Array, start: number, end: number, hash: number, slot: number): number {
    const entry = this.#count++;
    if (entry === this.#ends.length) {
      this.#ends = grown(this.#ends, new Uint32Array(entry * 2));
      this.#hashes = grown(this.#hashes, new Int32Array(entry * 2));
    }
    const needed = this.#used + end - start;
    if (needed > this.#pool.length) {
      this.#pool = grown(this.#pool, new Uint8Array(Math.max(needed, this.#pool.length * 2)));
    }
    for (let i = start; i < end; i++) this.#pool[this.#used++] = bytes[i];
    this.#ends[entry] = this.#used;
    this.#hashes[entry] = hash;
    this.#slots[slot] = entry;
    if (this.#count * 2 > this.#slots.length) this.#rehash();
    return entry;
  }

  #rehash(): void {
    const mask = this.#slots.length * 2 - 1;
    this.#slots = new Int32Array(mask + 1).fill(-1);
    for (let entry = 0; entry < this.#count; entry++) {
      let slot = this.#hashes[entry] & mask;
      while (this.#slots[slot] >= 0) slot = (slot + 1) & mask;
      this.#slots[slot] = entry;
    }
  }
}

function grown<T extends Uint8Array | Uint32Array | Int32Array>(old: T, larger: T): T {
  larger.set(old);
  return larger;
}
