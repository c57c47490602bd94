/**
 * Hashes of rows over their cells, 64 bits each: equal for equal rows, in whatever order their columns come
 * and whatever format they were read from. Fractions are compared in single precision and times in
 * milliseconds: copies that went through other formats, or that noise was added to, are copies.
 *
 * A cell's hash is MurmurHash3_x86_32 (Appleby, 2011) under two seeds made of the column's name; a row's is
 * the sum of its cells', which no order changes.
 */

import type { Column } from "./table.ts";

/** Rows that belong together, in order: the steps of sequences. */
interface OrderedSteps {
  /** Rows of the table, group by group. */
  readonly rows: Uint32Array;
  /** One more than there are groups: group g has rows[offsets[g]] … rows[offsets[g + 1] - 1]. */
  readonly offsets: Uint32Array;
}

/** Whose cells are brought into one form before they are hashed: two loops are faster than one that does both. */
const BLOCK_ROWS = 4096;

/** Takes the columns that make rows equal, one after another, in any order. */
export class RowHashes {
  /** One a row: the lower and the upper word of its hash so far. */
  readonly low: Uint32Array;
  readonly high: Uint32Array;
  readonly #rows: Uint32Array | null;
  #hasMeasured = false;

  /** Whether a column has fractions or texts, in which different cases are hardly ever equal. */
  get hasMeasured(): boolean {
    return this.#hasMeasured;
  }

  /**
   * @param rows of the table; null = all
   * @param count of the rows
   */
  constructor(rows: Uint32Array | null, count: number) {
    this.#rows = rows;
    this.low = new Uint32Array(count);
    this.high = new Uint32Array(count);
  }

  /** Of groups of rows, one a group: equal where the rows are equal, one by one, in these columns. */
  static ofSteps(columns: Iterable<Column>, { rows, offsets }: OrderedSteps): RowHashes {
    const steps = new RowHashes(rows, rows.length);
    for (const column of columns) steps.add(column);
    const groups = new RowHashes(null, offsets.length - 1);
    for (let g = 0; g < groups.low.length; g++) {
      let [low, high] = [0, 0];
      for (let step = offsets[g]; step < offsets[g + 1]; step++) {
        low = absorb(low, scramble(steps.low[step]));
        high = absorb(high, scramble(steps.high[step]));
      }
      const bytes = 4 * (offsets[g + 1] - offsets[g]);
      groups.low[g] = finish(low, bytes);
      groups.high[g] = finish(high, bytes);
    }
    return groups;
  }

  add(column: Column): void {
    const { kind, name } = column;
    if (kind === "numeric" || kind === "timestamp") {
      this.#addNumbers(name, column.values, this.#rows, kind === "timestamp");
    } else if (kind === "text") {
      this.#hasMeasured = true;
      this.#addTexts(name, column.values, this.#rows);
    } else if (kind === "boolean") {
      const cells = new RowHashes(null, 3);
      cells.#addNumbers(name, Float64Array.of(0, 1, Number.NaN), null, false);
      this.#addPicked(cells, column.values, this.#rows);
    } else {
      this.#addPicked(hashesOfTexts(name, column.categories), column.codes, this.#rows);
    }
  }

  /**
   * The label as a run learns it.
   *
   * @param target one a row: the value, or the index of the class
   * @param classes empty where values are predicted
   */
  addLabel(name: string, target: Float64Array, classes: readonly string[]): void {
    if (classes.length === 0) this.#addNumbers(name, target, null, false);
    else this.#addPicked(hashesOfTexts(name, classes), target, null);
  }

  #addNumbers(
    name: string,
    values: Float64Array,
    rows: Uint32Array | null,
    areTimes: boolean,
  ): void {
    const { low, high } = this;
    const [seedLow, seedHigh] = seedsOf(name);
    const told = new Float64Array(Math.min(BLOCK_ROWS, low.length));
    const words = new Int32Array(told.buffer);
    for (let from = 0; from < low.length; from += told.length) {
      const count = Math.min(told.length, low.length - from);
      for (let i = 0; i < count; i++) {
        const cell = values[rows === null ? from + i : rows[from + i]];
        // Adding 0 makes one zero of two, and there is one NaN.
        if (Number.isNaN(cell)) told[i] = Number.NaN;
        else if (areTimes) told[i] = Math.round(cell) + 0;
        else if (Math.floor(cell) === cell) told[i] = cell + 0;
        else {
          told[i] = Math.fround(cell) + 0;
          this.#hasMeasured = true;
        }
      }
      for (let i = 0; i < count; i++) {
        const first = scramble(words[2 * i]);
        const second = scramble(words[2 * i + 1]);
        low[from + i] += finish(absorb(absorb(seedLow, first), second), 8);
        high[from + i] += finish(absorb(absorb(seedHigh, first), second), 8);
      }
    }
  }

  #addTexts(name: string, texts: readonly (string | null)[], rows: Uint32Array | null): void {
    const { low, high } = this;
    const seeds = seedsOf(name);
    const missing = new RowHashes(null, 1);
    missing.#addNumbers(name, Float64Array.of(Number.NaN), null, false);
    for (let i = 0; i < low.length; i++) {
      const text = texts[rows === null ? i : rows[i]];
      low[i] += text === null ? missing.low[0] : hashText(seeds[0], text);
      high[i] += text === null ? missing.high[0] : hashText(seeds[1], text);
    }
  }

  /** @param places of each row's cell among `cells`; below 0 or 255 = the last, which is missing */
  #addPicked(cells: RowHashes, places: ArrayLike<number>, rows: Uint32Array | null): void {
    const { low, high } = this;
    const { low: cellLow, high: cellHigh } = cells;
    const last = cellLow.length - 1;
    for (let i = 0; i < low.length; i++) {
      const place = places[rows === null ? i : rows[i]];
      const cell = place < 0 || place > last ? last : place;
      low[i] += cellLow[cell];
      high[i] += cellHigh[cell];
    }
  }
}

/** One a text, and that of a missing cell. */
function hashesOfTexts(name: string, texts: readonly string[]): RowHashes {
  const cells = new RowHashes(null, texts.length + 1);
  const column: Column = { kind: "text", name, values: [...texts, null] };
  cells.add(column);
  return cells;
}

/** Rows by what they equal each other in. */
export interface EqualRows {
  /** The number of its group, one a row. */
  readonly of: Uint32Array;
  /** The first row of each group. */
  readonly first: Uint32Array;
}

/** Numbers of equal hashes, by open addressing with linear probing. */
export function equalRows({ low, high }: RowHashes): EqualRows {
  const rows = low.length;
  const mask = 2 ** Math.ceil(Math.log2(2 * rows + 1)) - 1;
  /** The first row of each group, where its hash leads to; -1 = none. */
  const slots = new Int32Array(mask + 1).fill(-1);
  const of = new Uint32Array(rows);
  const first = new Uint32Array(rows);
  let count = 0;
  for (let row = 0; row < rows; row++) {
    for (let slot = low[row] & mask; ; slot = (slot + 1) & mask) {
      const known = slots[slot];
      if (known < 0) {
        slots[slot] = row;
        first[count] = row;
        of[row] = count++;
        break;
      }
      if (low[known] !== low[row] || high[known] !== high[row]) continue;
      of[row] = of[known];
      break;
    }
  }
  return { of, first: first.slice(0, count) };
}

const seedsOf = (name: string): [number, number] => [
  hashText(0x9e3779b9, name),
  hashText(0x85ebca6b, name),
];

/** MurmurHash3_x86_32 of a text, a block a UTF-16 code unit. */
function hashText(seed: number, text: string): number {
  let hash = seed;
  for (let i = 0; i < text.length; i++) hash = absorb(hash, scramble(text.charCodeAt(i)));
  return finish(hash, 4 * text.length);
}

/** What MurmurHash3 makes of a block by itself. */
function scramble(block: number): number {
  const k = Math.imul(block, 0xcc9e2d51);
  return Math.imul((k << 15) | (k >>> 17), 0x1b873593);
}

function absorb(hash: number, scrambled: number): number {
  const h = hash ^ scrambled;
  return (Math.imul((h << 13) | (h >>> 19), 5) + 0xe6546b64) | 0;
}

/** The final avalanche. */
function finish(hash: number, bytes: number): number {
  let h = hash ^ bytes;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}
