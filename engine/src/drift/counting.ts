/** Counting rows into the bins of a reference. */

import { coerceColumn } from "../data/coerce.ts";
import type { FeatureSchema } from "../data/feature-schema.ts";
import type { Column, Table } from "../data/table.ts";
import { typeOf } from "../tasks/index.ts";
import type { TaskForm } from "../tasks/task-type.ts";
import { type Distribution, type DriftReference, lengthOfCounts, placesOf } from "./reference.ts";

/** What a model said of some rows. */
export interface CountedPredictions {
  /** Row-major, rows × outputs. */
  readonly values: Float64Array;
  readonly outputs: number;
  /** Index of the class that is said, one a row; null where the label is a value. */
  readonly labels: Uint32Array | null;
}

/** Writes the rows of a column, or of predictions, to the places of its counts. */
type Tally = (counts: Float64Array, at: number) => void;

/**
 * Counts for one model. Counts are an array: rows, and for each column and each distribution of
 * predictions the rows of its bins, those that are missing, and those outside.
 */
export class DriftCounter {
  /** Of an array of counts. */
  readonly length: number;
  readonly #columns: readonly { readonly of: Distribution; readonly known: Known | null }[];
  readonly #predictions: readonly Distribution[];
  readonly #central: number | null;

  constructor(reference: DriftReference, schema: FeatureSchema, task: TaskForm) {
    this.length = lengthOfCounts(reference);
    const knownOf = knownCategories(schema);
    this.#columns = reference.columns.map((of) => ({ of, known: knownOf(of) }));
    this.#predictions = reference.predictions;
    this.#central = typeOf(task).central(task);
  }

  /**
   * Adds rows that the model has predicted.
   *
   * @param counts of `length`
   * @param table what was predicted; columns that it lacks are missing in each of its rows
   */
  add(counts: Float64Array, table: Table, predicted: CountedPredictions): void {
    const columns = new Map<string, Column>();
    for (const column of table.columns) columns.set(column.name, column);
    counts[0] += table.rows;
    let at = 1;
    for (const { of, known } of this.#columns) {
      const column = columns.get(of.name);
      if (column) tallyColumn(of, column, known)(counts, at);
      else counts[at + of.counts.length] += table.rows;
      at += placesOf(of);
    }
    for (const of of this.#predictions) {
      tallyPredictions(of, predicted, this.#central)(counts, at);
      at += placesOf(of);
    }
  }
}

/** The bin of each category that a model knows; others are outside. */
type Known = ReadonlyMap<string, number>;

/** @returns null for what is no category */
export function knownCategories(schema: FeatureSchema): (of: Distribution) => Known | null {
  const sources = new Map(schema.columns.map((source) => [source.name, source]));
  return (of) => {
    const source = sources.get(of.name);
    if (of.kind !== "categorical" || source?.kind !== "categorical") return null;
    const known = new Map(source.categories.map((category) => [category, of.values.length]));
    for (const [bin, value] of of.values.entries()) known.set(value, bin);
    return known;
  };
}

/** @param known null: only those that have a bin of their own */
export function tallyColumn(of: Distribution, given: Column, known: Known | null): Tally {
  const column = coerceColumn(given, of.kind);
  return (counts, at) => {
    const missing = at + of.counts.length;
    switch (column.kind) {
      case "numeric":
      case "timestamp":
        for (const value of column.values) tallyNumber(of, value, counts, at);
        return;
      case "text":
        for (const text of column.values) tallyNumber(of, text?.length ?? Number.NaN, counts, at);
        return;
      case "boolean":
        for (const value of column.values) counts[value === 255 ? missing : at + value]++;
        return;
      case "categorical": {
        const bins = binsOfCategories(of, column.categories, known);
        const others = of.counts.length - 1;
        for (const code of column.codes) {
          if (code < 0) counts[missing]++;
          else if (bins[code] >= 0) counts[at + bins[code]]++;
          else {
            counts[at + others]++;
            counts[missing + 1]++;
          }
        }
      }
    }
  };
}

/** @param central place of the output that stands for all; see `TaskType.central` */
export function tallyPredictions(
  of: Distribution,
  { values, outputs, labels }: CountedPredictions,
  central: number | null,
): Tally {
  return (counts, at) => {
    if (of.kind === "categorical") for (const label of labels ?? []) counts[at + label]++;
    else if (central !== null) {
      for (let place = central; place < values.length; place += outputs) {
        tallyNumber(of, values[place], counts, at);
      }
    }
  };
}

function tallyNumber(of: Distribution, value: number, counts: Float64Array, at: number): void {
  if (!("edges" in of) || Number.isNaN(value)) {
    counts[at + of.counts.length]++;
    return;
  }
  const { edges, range } = of;
  let bin = 0;
  while (bin < edges.length && value > edges[bin]) bin++;
  counts[at + bin]++;
  if (range === null || value < range[0] || value > range[1]) counts[at + of.counts.length + 1]++;
}

/** Of each category of the column its bin; -1: outside. */
function binsOfCategories(
  of: Distribution,
  categories: readonly string[],
  known: Known | null,
): Int32Array {
  const values = "values" in of ? of.values : [];
  return Int32Array.from(categories, (name) => known?.get(name) ?? values.indexOf(name));
}
