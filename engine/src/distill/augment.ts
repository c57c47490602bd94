/**
 * Rows that a teacher is asked about beside those of the data: more of the region where the data
 * lie, so that the student sees what the teacher does there.
 *
 * MUNGE (Bucilă, Caruana & Niculescu-Mizil, "Model compression", KDD 2006, §3.3): a row and one of
 * its near neighbours; each cell with a probability is given the neighbour's, and a number drawn
 * from a normal around the neighbour's with a deviation of |difference| / s. Here every row begins
 * as a row of the data and meets one neighbour, so that each augmented row has two parents and no
 * more, which folds need to know; variety comes of drawing among several near neighbours.
 *
 * SPUNGE, its simplification without neighbours: the other row is any row of the data, and numbers
 * are jittered around their own value by the deviation of the column / s.
 *
 * Cells stay legal: categories, words and missing cells are those of the parents, whole numbers
 * stay whole, numbers and times stay on the column's grid and within its range, and columns of few
 * distinct numbers keep to these.
 */

import { CounterRandom, extendKey, type RandomKey } from "../compute/random.ts";
import type { Column, Table } from "../data/table.ts";
import { takeCells } from "../data/table-rows.ts";
import { type ColumnValues, valuesOf } from "./column-values.ts";
import { nearestRows } from "./neighbours.ts";
import type { DistillSettings } from "./settings.ts";

/** Near neighbours among which a row's other parent is drawn. */
const NEIGHBOURS = 5;

export interface AugmentOptions
  extends Pick<DistillSettings, "augmentation" | "swapProbability" | "localVariance"> {
  /** How many rows to make. */
  readonly rows: number;
  readonly key: RandomKey;
}

export interface Augmented {
  /** The columns of the table, of augmented rows alone. */
  readonly table: Table;
  /** Two rows of the table for each augmented row: what it began as, and what it took from. */
  readonly parents: Uint32Array;
}

export function augment(table: Table, options: AugmentOptions): Augmented {
  const parents = pairParents(table, options);
  const first = parents.filter((_, i) => i % 2 === 0);
  const second = parents.filter((_, i) => i % 2 === 1);
  const columns = table.columns.map((column, index) =>
    perturbed(column, first, second, options, extendKey(options.key, "column", index)),
  );
  return { table: { rows: options.rows, columns }, parents };
}

/**
 * Two rows of the table for each augmented one: what it begins as, and what it takes from. Every row of the data begins equally many
 * augmented rows, or one more.
 */
export function pairParents(
  table: Table,
  { rows, augmentation, key }: AugmentOptions,
): Uint32Array {
  const order = new CounterRandom(extendKey(key, "order")).shuffle(
    Uint32Array.from({ length: table.rows }, (_, row) => row),
  );
  const begun = order.subarray(0, Math.min(rows, table.rows)).slice();
  const near =
    augmentation === "munge"
      ? nearestRows(table, begun, { count: NEIGHBOURS, key: extendKey(key, "neighbours") })
      : null;
  const random = new CounterRandom(extendKey(key, "partners"));
  const parents = new Uint32Array(2 * rows);
  for (let i = 0; i < rows; i++) {
    const place = i % begun.length;
    parents[2 * i] = begun[place];
    parents[2 * i + 1] = near
      ? drawNeighbour(near.rows, place, begun[place], random)
      : random.nextInteger(table.rows);
  }
  return parents;
}

/** The row itself where it has no neighbour. */
function drawNeighbour(
  near: Int32Array,
  place: number,
  row: number,
  random: CounterRandom,
): number {
  let known = 0;
  while (known < NEIGHBOURS && near[place * NEIGHBOURS + known] >= 0) known++;
  return known === 0 ? row : near[place * NEIGHBOURS + random.nextInteger(known)];
}

function perturbed(
  column: Column,
  first: Uint32Array,
  second: Uint32Array,
  options: AugmentOptions,
  key: RandomKey,
): Column {
  const random = new CounterRandom(key);
  const swaps = Uint8Array.from(first, () =>
    random.nextFloat() < options.swapProbability ? 1 : 0,
  );
  if (column.kind === "numeric" || column.kind === "timestamp") {
    const known = valuesOf(column);
    if (!known.discrete) {
      return {
        ...column,
        values: jittered(column.values, first, second, swaps, known, options, random),
      };
    }
  }
  return takeCells(
    column,
    first.map((row, i) => (swaps[i] ? second[i] : row)),
  );
}

function jittered(
  values: Float64Array,
  first: Uint32Array,
  second: Uint32Array,
  swaps: Uint8Array,
  known: ColumnValues,
  { augmentation, localVariance }: AugmentOptions,
  random: CounterRandom,
): Float64Array {
  return Float64Array.from(first, (row, i) => {
    const own = values[row];
    const other = values[second[i]];
    if (!swaps[i]) return own;
    // A cell without a number has no local variance: it is swapped as it is.
    if (!Number.isFinite(own) || !Number.isFinite(other)) return other;
    return known.legal(
      augmentation === "munge"
        ? other + (Math.abs(own - other) / localVariance) * random.nextGaussian()
        : own + (known.deviation / localVariance) * random.nextGaussian(),
    );
  });
}
