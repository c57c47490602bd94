/**
 * Sequences that a teacher is asked about beside those of the data. Each begins as one sequence and meets
 * another one, brought to its length step by step; a column that is perturbed moves towards the other's by
 * a share drawn once a sequence, so that curves stay as smooth as they were (Zhang, Cisse, Dauphin &
 * Lopez-Paz, "mixup: beyond empirical risk minimization", ICLR 2018, §2, with the teacher in the place of
 * mixed labels). Categories, texts and columns of few numbers take the other's cells.
 *
 * `munge` meets near neighbours, by their values at evenly spaced steps; `spunge`
 * any sequence.
 */

import { CounterRandom, extendKey } from "../compute/random.ts";
import type { Column, NumericColumn, Table } from "../data/table.ts";
import { takeCells } from "../data/table-rows.ts";
import { type AugmentOptions, pairParents } from "./augment.ts";
import { valuesOf } from "./column-values.ts";

/** Steps at which sequences are compared. */
const COMPARED_STEPS = 8;

export interface SequenceSteps {
  /** Rows are steps, sequence by sequence, in their order. */
  readonly table: Table;
  /** One more than there are sequences. */
  readonly offsets: Uint32Array;
}

export interface AugmentedSequences extends SequenceSteps {
  /** Two sequences of the data for each augmented one. */
  readonly parents: Uint32Array;
}

/** @param kept columns whose cells are those of the sequence that it began as */
export function augmentSequences(
  { table, offsets }: SequenceSteps,
  kept: ReadonlySet<string>,
  options: AugmentOptions,
): AugmentedSequences {
  const parents = pairParents(comparable(table, offsets, kept), options);
  const count = parents.length / 2;
  const places = new Uint32Array(count + 1);
  for (let i = 0; i < count; i++) {
    places[i + 1] = places[i] + offsets[parents[2 * i] + 1] - offsets[parents[2 * i]];
  }
  const first = new Uint32Array(places[count]);
  const second = new Uint32Array(places[count]);
  for (let i = 0; i < count; i++) {
    const [own, other] = [offsets[parents[2 * i]], offsets[parents[2 * i + 1]]];
    const steps = places[i + 1] - places[i];
    const others = offsets[parents[2 * i + 1] + 1] - other;
    for (let t = 0; t < steps; t++) {
      first[places[i] + t] = own + t;
      second[places[i] + t] = other + Math.round((t * (others - 1)) / Math.max(1, steps - 1));
    }
  }
  const perturbed = table.columns.filter(({ name }) => !kept.has(name));
  const shares = sharesOf(perturbed.length, count, options);
  let next = 0;
  const columns = table.columns.map((column): Column => {
    if (kept.has(column.name)) return takeCells(column, first);
    return mixed(column, { first, second, places, shares: shares[next++] });
  });
  return { table: { rows: first.length, columns }, offsets: places, parents };
}

/** By column and sequence: how far it moves to the other; 0 = not at all. One column moves at least. */
function sharesOf(
  columns: number,
  count: number,
  { swapProbability, key }: AugmentOptions,
): readonly Float64Array[] {
  const random = new CounterRandom(extendKey(key, "shares"));
  const shares = Array.from({ length: columns }, () => new Float64Array(count));
  for (let i = 0; i < count; i++) {
    const sure = columns > 0 && swapProbability > 0 ? random.nextInteger(columns) : -1;
    for (const [c, share] of shares.entries()) {
      const moves = random.nextFloat() < swapProbability;
      const far = random.nextFloat();
      if (moves || c === sure) share[i] = far;
    }
  }
  return shares;
}

interface Mixture {
  /** Rows of the table, one a step of an augmented sequence: its own, and the other's. */
  readonly first: Uint32Array;
  readonly second: Uint32Array;
  /** Of each augmented sequence. */
  readonly places: Uint32Array;
  readonly shares: Float64Array;
}

function mixed(column: Column, { first, second, places, shares }: Mixture): Column {
  const known = column.kind === "numeric" || column.kind === "timestamp" ? valuesOf(column) : null;
  if (known === null || known.discrete || column.kind === "categorical") {
    const rows = first.slice();
    for (const [i, share] of shares.entries()) {
      if (share > 0) rows.set(second.subarray(places[i], places[i + 1]), places[i]);
    }
    return takeCells(column, rows);
  }
  const taken = takeCells(column, first);
  if (taken.kind !== "numeric" && taken.kind !== "timestamp") return taken;
  const { values } = taken;
  if (column.kind !== "numeric" && column.kind !== "timestamp") return taken;
  for (const [i, share] of shares.entries()) {
    if (share === 0) continue;
    for (let at = places[i]; at < places[i + 1]; at++) {
      const other = column.values[second[at]];
      // A gap of either is one of the mixture.
      values[at] = known.legal(values[at] + share * (other - values[at]));
    }
  }
  return taken;
}

/** One row a sequence, of numbers that tell how alike two are. */
function comparable(table: Table, offsets: Uint32Array, kept: ReadonlySet<string>): Table {
  const count = offsets.length - 1;
  const columns = table.columns.flatMap((column): Column[] => {
    if (kept.has(column.name)) return [];
    if (column.kind !== "numeric") return [takeCells(column, offsets.subarray(0, count))];
    return Array.from({ length: COMPARED_STEPS }, (_, k): NumericColumn => {
      const values = Float64Array.from({ length: count }, (_each, s) => {
        const steps = offsets[s + 1] - offsets[s];
        return column.values[offsets[s] + Math.round((k * (steps - 1)) / (COMPARED_STEPS - 1))];
      });
      return { kind: "numeric", name: `${column.name} ${k}`, values };
    });
  });
  return { rows: count, columns };
}
