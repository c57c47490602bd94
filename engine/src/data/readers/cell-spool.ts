/**
 * A file for the cells of columns that are read row by row: what of them is more than may be held goes
 * there, and comes back a column at a time.
 */

import { closeSync, openSync, readSync, rmSync, writeSync } from "node:fs";

const HELD_BYTES = 64 * 2 ** 20;
const FEWEST_CELLS = 512;

type Cells = Float64Array<ArrayBuffer> | Int32Array<ArrayBuffer> | Uint8Array<ArrayBuffer>;

export class CellSpool {
  readonly #path: string;
  readonly #mostHeld: number;
  #file: number | null = null;
  #position = 0;
  #held = 0;
  #columns = 0;

  /**
   * @param path of a new file, made when there is something to put into it
   * @param mostHeld bytes of cells in memory, over all columns
   */
  constructor(path: string, mostHeld = HELD_BYTES) {
    this.#path = path;
    this.#mostHeld = mostHeld;
  }

  /** One more growing column shares the memory. */
  join(): void {
    this.#columns++;
  }

  /** Bytes of blocks that a column has made. */
  hold(bytes: number): void {
    this.#held += bytes;
  }

  /** Bytes of blocks that a column has let go of. */
  drop(bytes: number): void {
    this.#held -= bytes;
  }

  /** Cells that a block may have, so that one of every column can be held. */
  get blockCells(): number {
    return Math.max(FEWEST_CELLS, Math.floor(this.#mostHeld / (8 * this.#columns)));
  }

  /** Whether a full block is to be written. */
  get isFull(): boolean {
    return this.#held > this.#mostHeld;
  }

  /** @returns where they lie */
  write(cells: Cells): number {
    this.#file ??= openSync(this.#path, "wx+", 0o600);
    const at = this.#position;
    const bytes = new Uint8Array(cells.buffer, cells.byteOffset, cells.byteLength);
    for (let done = 0; done < bytes.length; ) {
      done += writeSync(this.#file, bytes, done, bytes.length - done, at + done);
    }
    this.#position += bytes.length;
    return at;
  }

  /** As many cells as there is room for. */
  read(at: number, cells: Cells): void {
    const bytes = new Uint8Array(cells.buffer, cells.byteOffset, cells.byteLength);
    for (let done = 0; done < bytes.length; ) {
      const count =
        this.#file === null ? 0 : readSync(this.#file, bytes, done, bytes.length - done, at + done);
      if (count === 0) throw new Error("cells that were spooled are not there");
      done += count;
    }
  }

  /** Removes the file. */
  close(): void {
    if (this.#file === null) return;
    closeSync(this.#file);
    this.#file = null;
    rmSync(this.#path, { force: true });
  }
}
