/**
 * Which columns of a table's file stay in memory: all of a small table, of a large one as many as there is
 * room for, and the one that was read last, until another is. Columns are looked at in their order again and again, where
 * letting go of the oldest would keep none that is asked for next.
 */

import { collectPassingArrays } from "../../compute/garbage.ts";

export interface ReadCells<Cells> {
  readonly cells: Cells;
  /** That they take. */
  readonly bytes: number;
}

export class ColumnCache {
  readonly #most: number;
  #bytes = 0;
  /** Whether columns pass by, of which each was read anew. */
  #isFull = false;
  /** Lets go of the cells that were read last and for which there was no room. */
  #dropLast: () => void = () => {};

  /** @param most bytes, beside the column that was read last */
  constructor(most: number) {
    this.#most = most;
  }

  /** What gives the cells, and reads them where they are not held. */
  cells<Cells>(read: () => ReadCells<Cells>): () => Cells {
    let held: Cells | null = null;
    return () => {
      if (held !== null) return held;
      // Before the next is made, which takes its place.
      this.#dropLast();
      this.#dropLast = () => {};
      if (this.#isFull) collectPassingArrays();
      const { cells, bytes } = read();
      held = cells;
      if (this.#bytes + bytes <= this.#most) this.#bytes += bytes;
      else {
        this.#isFull = true;
        this.#dropLast = () => {
          held = null;
        };
      }
      return cells;
    };
  }
}
