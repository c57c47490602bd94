/** Arena blocks that are freed together, also when a fit throws. */

import type { Arena, Pointer } from "./arena.ts";

/** Bytes that the scratches of this thread hold now, and the most since `scratchPeak` began. */
let held = 0;
let most = 0;

/**
 * The most arena bytes that `action` held at once, beyond what the thread held before. A function
 * of the fit alone, whatever other threads do in the same arena.
 */
export function scratchPeak<T>(action: () => T): { readonly value: T; readonly bytes: number } {
  const before = held;
  most = held;
  const value = action();
  return { value, bytes: most - before };
}

/** What `action` holds for itself does not count: it is done where something failed, and a fit alone does not say that. */
export function besidePeak<T>(action: () => T): T {
  const before = most;
  try {
    return action();
  } finally {
    most = before;
  }
}

export class Scratch {
  readonly arena: Arena;
  readonly #blocks: { readonly pointer: Pointer; readonly bytes: number }[] = [];
  /** Bytes that are held beside those of the blocks. */
  #reserved = 0;

  constructor(arena: Arena) {
    this.arena = arena;
  }

  /** 16-byte aligned, not zeroed. */
  allocate(bytes: number): Pointer {
    const pointer = this.arena.allocate(bytes);
    this.#blocks.push({ pointer, bytes });
    held += bytes;
    most = Math.max(most, held);
    return pointer;
  }

  /**
   * Holds bytes that are allocated only where `takeReserved` asks for them: what a fit holds is to be a
   * function of the fit, and what it takes need not be more than it uses.
   */
  reserve(bytes: number): void {
    this.#reserved += bytes;
    held += bytes;
    most = Math.max(most, held);
  }

  /** As `allocate`, of what is reserved. */
  takeReserved(bytes: number): Pointer {
    const pointer = this.arena.allocate(bytes);
    this.#blocks.push({ pointer, bytes });
    this.#reserved -= bytes;
    return pointer;
  }

  u8(values: ArrayLike<number>): Pointer {
    const pointer = this.allocate(values.length);
    this.arena.u8(pointer, values.length).set(values);
    return pointer;
  }

  i32(values: ArrayLike<number>): Pointer {
    const pointer = this.allocate(values.length * 4);
    this.arena.i32(pointer, values.length).set(values);
    return pointer;
  }

  u32(values: ArrayLike<number>): Pointer {
    const pointer = this.allocate(values.length * 4);
    this.arena.u32(pointer, values.length).set(values);
    return pointer;
  }

  f64(values: ArrayLike<number>): Pointer {
    const pointer = this.allocate(values.length * 8);
    this.arena.f64(pointer, values.length).set(values);
    return pointer;
  }

  /** Frees every block; the newest first, so that the arena's end moves back. */
  release(): void {
    for (let block = this.#blocks.pop(); block !== undefined; block = this.#blocks.pop()) {
      this.arena.free(block.pointer, block.bytes);
      held -= block.bytes;
    }
    held -= this.#reserved;
    this.#reserved = 0;
  }
}

/** Runs `action` with a scratch that is released afterwards, whatever happens. */
export function withScratch<T>(arena: Arena, action: (scratch: Scratch) => T): T {
  const scratch = new Scratch(arena);
  try {
    return action(scratch);
  } finally {
    scratch.release();
  }
}
