/**
 * One shared WebAssembly memory and its allocator.
 *
 * Every thread of a run instantiates the kernels over the same memory, so a dataset is held once
 * however many workers read it. The allocator's state lies in the memory itself, behind a lock,
 * so any thread may allocate and free.
 *
 * Views (`f64` and others) are for use until the next allocation; a memory that is not shared moves when
 * it grows.
 *
 * Layout: [0, 1024) is left to the kernels' module, the header follows, then the blocks.
 */

import { SHARED } from "./kernel-module.ts";

const HEADER = 1024;
const FREE_LIST_CAPACITY = 4096;
/** i32 words of the header: lock, count of free blocks, then (pointer, size) in 16-byte units. */
const LOCK = HEADER >> 2;
const FREE_COUNT = LOCK + 1;
const NEXT_BLOCK = LOCK + 2;
const LIVE_UNITS = LOCK + 3;
const FREE_LIST = LOCK + 4;
const FIRST_BLOCK = HEADER + 16 + FREE_LIST_CAPACITY * 8;
const PAGE = 65536;
const UNIT = 16;

/** What crosses a thread boundary: `WebAssembly.Memory` is cloned by reference when shared. */
export interface ArenaHandle {
  /** @internal Node's types know no WebAssembly. */
  readonly memory: WebAssembly.Memory;
}

export interface ArenaCheckpoint {
  readonly header: Int32Array;
}

/** The memory a wasm module can address has no room for the block asked for. */
export class ArenaFullError extends Error {
  override readonly name = "ArenaFullError";
}

/** A pointer into the arena: a byte offset, a multiple of 16. */
export type Pointer = number;

export class Arena {
  /** @internal */
  readonly memory: WebAssembly.Memory;
  #words: Int32Array;

  private constructor(memory: WebAssembly.Memory) {
    this.memory = memory;
    this.#words = new Int32Array(memory.buffer);
  }

  /**
   * A new, empty arena. It grows on demand.
   *
   * @param maximumBytes the ceiling, at most 4 GiB (where a wasm32 memory ends)
   */
  static create(maximumBytes = 0x1_0000_0000): Arena {
    const arena = new Arena(
      new WebAssembly.Memory({
        initial: Math.ceil(FIRST_BLOCK / PAGE) + 16,
        maximum: Math.min(65536, Math.ceil(maximumBytes / PAGE)),
        shared: SHARED,
      }),
    );
    arena.#words[NEXT_BLOCK] = FIRST_BLOCK / UNIT;
    return arena;
  }

  /** The same arena, seen from another thread. */
  static attach(handle: ArenaHandle): Arena {
    return new Arena(handle.memory);
  }

  handle(): ArenaHandle {
    return { memory: this.memory };
  }

  /** Bytes allocated and not freed. */
  get liveBytes(): number {
    return Atomics.load(this.#refreshed(), LIVE_UNITS) * UNIT;
  }

  /**
   * Allocates `bytes`, 16-byte aligned, not zeroed.
   * Blocks are taken from the free list by best fit, else from the end of the memory.
   */
  allocate(bytes: number): Pointer {
    const units = Math.max(1, Math.ceil(bytes / UNIT));
    return this.#locked((words) => {
      const count = words[FREE_COUNT];
      let best = -1;
      for (let i = 0; i < count; i++) {
        const size = words[FREE_LIST + 2 * i + 1];
        if (size >= units && (best < 0 || size < words[FREE_LIST + 2 * best + 1])) best = i;
      }
      if (best >= 0) {
        words[LIVE_UNITS] += units;
        const start = words[FREE_LIST + 2 * best];
        const size = words[FREE_LIST + 2 * best + 1];
        if (size === units) this.#removeFree(words, best);
        else {
          words[FREE_LIST + 2 * best] = start + units;
          words[FREE_LIST + 2 * best + 1] = size - units;
        }
        return start * UNIT;
      }
      const start = words[NEXT_BLOCK];
      this.#ensure((start + units) * UNIT);
      // Only now: a memory that could not grow has given nothing. One that is not shared has moved.
      const grown = this.#refreshed();
      grown[NEXT_BLOCK] = start + units;
      grown[LIVE_UNITS] += units;
      return start * UNIT;
    });
  }

  /** Returns a block to the arena. `bytes` is what `allocate` was asked for. */
  free(pointer: Pointer, bytes: number): void {
    const units = Math.max(1, Math.ceil(bytes / UNIT));
    this.#locked((words) => {
      words[LIVE_UNITS] -= units;
      let start = pointer / UNIT;
      let size = units;
      for (let i = 0; i < words[FREE_COUNT]; ) {
        const otherStart = words[FREE_LIST + 2 * i];
        const otherSize = words[FREE_LIST + 2 * i + 1];
        if (otherStart + otherSize === start || start + size === otherStart) {
          start = Math.min(start, otherStart);
          size += otherSize;
          this.#removeFree(words, i);
        } else i++;
      }
      if (start + size === words[NEXT_BLOCK]) words[NEXT_BLOCK] = start;
      else if (words[FREE_COUNT] < FREE_LIST_CAPACITY) {
        const last = words[FREE_COUNT]++;
        words[FREE_LIST + 2 * last] = start;
        words[FREE_LIST + 2 * last + 1] = size;
      }
    });
  }

  /** What is allocated now, for `restore`. */
  checkpoint(): ArenaCheckpoint {
    return { header: this.#locked((words) => words.slice(LOCK, FIRST_BLOCK >> 2)) };
  }

  /**
   * Frees all that was allocated since the checkpoint, and the lock. For when threads were stopped
   * amid their work, and cannot free what they held: none that may touch the arena may still run,
   * and nothing that was there at the checkpoint may have been freed since.
   */
  restore({ header }: ArenaCheckpoint): void {
    const words = this.#refreshed();
    words.set(header, LOCK);
    Atomics.store(words, LOCK, 0);
  }

  u8(pointer: Pointer, length: number): Uint8Array {
    return new Uint8Array(this.memory.buffer, pointer, length);
  }

  u16(pointer: Pointer, length: number): Uint16Array {
    return new Uint16Array(this.memory.buffer, pointer, length);
  }

  i32(pointer: Pointer, length: number): Int32Array {
    return new Int32Array(this.memory.buffer, pointer, length);
  }

  u32(pointer: Pointer, length: number): Uint32Array {
    return new Uint32Array(this.memory.buffer, pointer, length);
  }

  f32(pointer: Pointer, length: number): Float32Array {
    return new Float32Array(this.memory.buffer, pointer, length);
  }

  f64(pointer: Pointer, length: number): Float64Array {
    return new Float64Array(this.memory.buffer, pointer, length);
  }

  i64(pointer: Pointer, length: number): BigInt64Array {
    return new BigInt64Array(this.memory.buffer, pointer, length);
  }

  #removeFree(words: Int32Array, index: number): void {
    const last = --words[FREE_COUNT];
    words[FREE_LIST + 2 * index] = words[FREE_LIST + 2 * last];
    words[FREE_LIST + 2 * index + 1] = words[FREE_LIST + 2 * last + 1];
  }

  #ensure(bytes: number): void {
    const missing = bytes - this.memory.buffer.byteLength;
    if (missing <= 0) return;
    try {
      this.memory.grow(Math.ceil(missing / PAGE));
    } catch (cause) {
      throw new ArenaFullError(
        `The data of this run needs ${(bytes / 2 ** 20).toFixed(0)} MiB of kernel memory, more than its limit allows.`,
        { cause },
      );
    }
  }

  /**
   * Views of a grown memory must be made anew: old ones keep their old length, and where the memory is
   * not shared they are empty.
   */
  #refreshed(): Int32Array {
    if (this.#words.buffer.byteLength !== this.memory.buffer.byteLength) {
      this.#words = new Int32Array(this.memory.buffer);
    }
    return this.#words;
  }

  #locked<T>(action: (words: Int32Array) => T): T {
    const words = this.#refreshed();
    while (Atomics.compareExchange(words, LOCK, 0, 1) !== 0) Atomics.wait(words, LOCK, 1, 10);
    try {
      return action(words);
    } finally {
      const now = this.#refreshed();
      Atomics.store(now, LOCK, 0);
      Atomics.notify(now, LOCK, 1);
    }
  }
}
