/**
 * Near neighbours of rows by a distance over mixed columns.
 *
 * A numeric column adds (a - b)² / 2σ², a categorical one 1 where the cells differ; one missing
 * cell of two counts as 1. Two random rows so differ by 1 in each column, numeric or not, and no
 * kind outweighs the other. Rows that are equal in all columns are no neighbours: nothing could be
 * swapped with them.
 *
 * The search is exact over all candidates while rows × candidates × columns stays within a budget;
 * beyond, each block of rows searches a random subset of the candidates, as large as the budget
 * allows, of its own.
 */

import { CounterRandom, extendKey, type RandomKey } from "../compute/random.ts";
import type { Column, Table } from "../data/table.ts";
import { valuesOf } from "./column-values.ts";

/** Cells compared at most: a second or two. */
const BUDGET = 3e9;
/** Rows that share a subset of the candidates. */
const BLOCK = 256;
const LEAST_CANDIDATES = 64;

export interface NeighbourOptions {
  /** Neighbours of each row. */
  readonly count: number;
  readonly key: RandomKey;
  /** Cells compared at most. */
  readonly budget?: number;
}

export interface Neighbours {
  readonly count: number;
  /** Row-major, queries × count, nearest first; -1 where there are fewer. */
  readonly rows: Int32Array;
}

/** The nearest other rows of the table for each of some of its rows. */
export function nearestRows(
  table: Table,
  queries: Uint32Array,
  { count, key, budget = BUDGET }: NeighbourOptions,
): Neighbours {
  const cells = new ComparedCells(table);
  const rows = new Int32Array(queries.length * count).fill(-1);
  const affordable = Math.floor(budget / Math.max(1, queries.length * cells.width));
  const size = Math.max(LEAST_CANDIDATES, affordable);
  const all = Uint32Array.from({ length: table.rows }, (_, row) => row);
  for (let first = 0, block = 0; first < queries.length; first += BLOCK, block++) {
    const candidates =
      size >= table.rows ? all : sample(table.rows, size, extendKey(key, "candidates", block));
    const end = Math.min(queries.length, first + BLOCK);
    for (let q = first; q < end; q++) {
      nearest(cells, queries[q], candidates, rows.subarray(q * count, (q + 1) * count));
    }
  }
  return { count, rows };
}

/** Fills `out` by insertion: the nearest candidates, ties to the earlier. */
function nearest(
  cells: ComparedCells,
  query: number,
  candidates: Uint32Array,
  out: Int32Array,
): void {
  const distances = new Float64Array(out.length).fill(Number.POSITIVE_INFINITY);
  const last = out.length - 1;
  for (const row of candidates) {
    const distance = cells.distance(query, row, distances[last]);
    if (distance === 0 || !(distance < distances[last])) continue;
    let place = last;
    while (place > 0 && distances[place - 1] > distance) {
      distances[place] = distances[place - 1];
      out[place] = out[place - 1];
      place--;
    }
    distances[place] = distance;
    out[place] = row;
  }
}

/** Distinct rows, ascending (Floyd's sampling: Bentley & Floyd, CACM 1987). */
function sample(rows: number, size: number, key: RandomKey): Uint32Array {
  const random = new CounterRandom(key);
  const chosen = new Set<number>();
  for (let last = rows - size; last < rows; last++) {
    const row = random.nextInteger(last + 1);
    chosen.add(chosen.has(row) ? last : row);
  }
  return Uint32Array.from(chosen).sort();
}

/** A table's cells as one row-major matrix: scaled numbers, then codes. NaN is missing. */
class ComparedCells {
  /** Columns that are compared. */
  readonly width: number;
  readonly #numeric: number;
  readonly #cells: Float32Array;

  constructor(table: Table) {
    const numeric = table.columns.flatMap((column) => {
      if (column.kind !== "numeric" && column.kind !== "timestamp") return [];
      const { deviation, low } = valuesOf(column);
      const scale = deviation > 0 ? 1 / (Math.SQRT2 * deviation) : 0;
      return [
        column.values.map((value) => (Number.isFinite(value) ? (value - low) * scale : Number.NaN)),
      ];
    });
    const coded = table.columns.flatMap((column) => {
      const codes = codesOf(column);
      return codes ? [codes] : [];
    });
    const columns: readonly ArrayLike<number>[] = [...numeric, ...coded];
    this.width = columns.length;
    this.#numeric = numeric.length;
    this.#cells = new Float32Array(table.rows * this.width);
    columns.forEach((column, c) => {
      for (let row = 0; row < table.rows; row++) this.#cells[row * this.width + c] = column[row];
    });
  }

  /** Of two rows; once it is at least `limit`, any number that is at least `limit`. */
  distance(a: number, b: number, limit: number): number {
    const cells = this.#cells;
    const width = this.width;
    const numeric = this.#numeric;
    let x = a * width;
    let y = b * width;
    const middle = x + numeric;
    const end = x + width;
    let distance = 0;
    while (x < middle) {
      const difference = cells[x] - cells[y];
      if (!Number.isNaN(difference)) distance += difference * difference;
      else if (!Number.isNaN(cells[x]) || !Number.isNaN(cells[y])) distance += 1;
      if (distance >= limit) return distance;
      x++;
      y++;
    }
    while (x < end) {
      if (cells[x] !== cells[y]) distance += 1;
      x++;
      y++;
    }
    return distance;
  }
}

/** Numbers that are equal where the cells are; -1 is missing. Null for numeric columns. */
function codesOf(column: Column): ArrayLike<number> | null {
  switch (column.kind) {
    case "numeric":
    case "timestamp":
      return null;
    case "boolean":
      return Int32Array.from(column.values, (value) => (value === 255 ? -1 : value));
    case "categorical":
      return column.codes;
    case "text": {
      const numbers = new Map<string, number>();
      return column.values.map((text) => {
        if (text === null) return -1;
        const known = numbers.get(text) ?? numbers.size;
        numbers.set(text, known);
        return known;
      });
    }
  }
}
