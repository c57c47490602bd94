/** Counting rows into the bins of a reference. */

import { coerceColumn } from "../data/coerce.ts";
import type { FeatureSchema, SourceColumn } from "../data/feature-schema.ts";
import { withoutStandIns } from "../data/literal-texts.ts";
import type { Column, Table } from "../data/table.ts";
import { typeOf } from "../tasks/index.ts";
import type { TaskForm } from "../tasks/task-type.ts";
import { type Distribution, type DriftReference, lengthOfCounts } from "./reference.ts";

/** What a model said of some rows. */
export interface CountedPredictions {
  /** Row-major, rows × outputs. */
  readonly values: Float64Array;
  readonly outputs: number;
  /** Index of the class that is said, one a row; null where the label is a value. */
  readonly labels: Uint32Array | null;
}

/**
 * Counts for one model. Counts are an array: rows, and for each column and each distribution of
 * predictions the rows of its bins, those that are missing, and those outside.
 */
export class DriftCounter {
  /** Of an array of counts. */
  readonly length: number;
  readonly #columns: readonly CountedColumn[];
  readonly #predictions: readonly Tally[];
  readonly #central: number | null;

  constructor(reference: DriftReference, schema: FeatureSchema, task: TaskForm) {
    this.length = lengthOfCounts(reference);
    this.#columns = reference.columns.map((of) => ({
      name: of.name,
      place: 0,
      tally: tallyOf(of, schema),
    }));
    this.#predictions = reference.predictions.map((of) => tallyOf(of, schema));
    this.#central = typeOf(task).central(task);
  }

  /**
   * Adds rows that the model has predicted.
   *
   * @param counts of `length`
   * @param table what was predicted; columns that it lacks are missing in each of its rows
   */
  add(counts: Float64Array, { rows, columns }: Table, predicted: CountedPredictions): void {
    counts[0] += rows;
    let at = 1;
    for (const counted of this.#columns) {
      const { name, tally } = counted;
      if (columns[counted.place]?.name !== name) {
        counted.place = columns.findIndex((column) => column.name === name);
      }
      if (counted.place < 0) counts[at + tally.bins] += rows;
      else tally.column(columns[counted.place], counts, at);
      at += tally.bins + 2;
    }
    for (const tally of this.#predictions) {
      tally.predictions(predicted, this.#central, counts, at);
      at += tally.bins + 2;
    }
  }
}

interface CountedColumn {
  readonly name: string;
  readonly tally: Tally;
  /** Of the column in the latest table; requests have them in one order as a rule. */
  place: number;
}

/** Adds rows to the places of one distribution, which begin at `at`. */
export interface Tally {
  readonly bins: number;
  column(given: Column, counts: Float64Array, at: number): void;
  /** @param central place of the output that stands for all; see `TaskType.central` */
  predictions(
    predicted: CountedPredictions,
    central: number | null,
    counts: Float64Array,
    at: number,
  ): void;
}

export function tallyOf(of: Distribution, schema: FeatureSchema): Tally {
  const source = "name" in of ? schema.columns.find(({ name }) => name === of.name) : undefined;
  return "edges" in of ? new NumberTally(of, source) : new CategoryTally(of, source);
}

/** The column as the model reads it. */
function asRead(given: Column, kind: Column["kind"], source: SourceColumn | undefined): Column {
  const column = coerceColumn(given, kind);
  return source === undefined ? column : withoutStandIns(source, column);
}

type OfNumbers = Extract<Distribution, { edges: unknown }>;
type OfCategories = Extract<Distribution, { values: unknown }>;

class NumberTally implements Tally {
  readonly bins: number;
  readonly #kind: OfNumbers["kind"];
  readonly #source: SourceColumn | undefined;
  readonly #edges: Float64Array;
  readonly #low: number;
  readonly #high: number;

  constructor({ kind, edges, range, counts }: OfNumbers, source: SourceColumn | undefined) {
    this.bins = counts.length;
    this.#source = source;
    this.#kind = kind;
    this.#edges = Float64Array.from(edges);
    [this.#low, this.#high] = range ?? [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  }

  column(given: Column, counts: Float64Array, at: number): void {
    const column = asRead(given, this.#kind, this.#source);
    if (column.kind === "text") {
      const lengths = Float64Array.from(column.values, (text) => text?.length ?? Number.NaN);
      this.#add(lengths, 0, 1, counts, at);
    } else if (column.kind === "numeric" || column.kind === "timestamp") {
      this.#add(column.values, 0, 1, counts, at);
    }
  }

  predictions(
    { values, outputs }: CountedPredictions,
    central: number | null,
    counts: Float64Array,
    at: number,
  ): void {
    if (central !== null) this.#add(values, central, outputs, counts, at);
  }

  #add(values: Float64Array, from: number, step: number, counts: Float64Array, at: number): void {
    const edges = this.#edges;
    const last = edges.length;
    const [low, high] = [this.#low, this.#high];
    const missing = at + this.bins;
    for (let place = from; place < values.length; place += step) {
      const value = values[place];
      if (Number.isNaN(value)) {
        counts[missing]++;
        continue;
      }
      let bin = 0;
      while (bin < last && value > edges[bin]) bin++;
      counts[at + bin]++;
      if (value < low || value > high) counts[missing + 1]++;
    }
  }
}

class CategoryTally implements Tally {
  readonly bins: number;
  readonly #kind: OfCategories["kind"];
  readonly #source: SourceColumn | undefined;
  /** The bin of each category that the model knows; others are outside. */
  readonly #known: ReadonlyMap<string, number>;

  constructor({ kind, values, counts }: OfCategories, source: SourceColumn | undefined) {
    this.bins = counts.length;
    this.#kind = kind;
    this.#source = source;
    const all = source?.kind === "categorical" ? source.categories : [];
    const known = new Map(all.map((category) => [category, values.length]));
    for (const [bin, value] of values.entries()) known.set(value, bin);
    this.#known = known;
  }

  column(given: Column, counts: Float64Array, at: number): void {
    const column = asRead(given, this.#kind, this.#source);
    const missing = at + this.bins;
    if (column.kind === "boolean") {
      for (const value of column.values) counts[value === 255 ? missing : at + value]++;
    } else if (column.kind === "categorical") {
      const { codes, categories } = column;
      const bins = Int32Array.from(categories, (category) => this.#known.get(category) ?? -1);
      for (let row = 0; row < codes.length; row++) {
        const code = codes[row];
        if (code < 0) counts[missing]++;
        else if (bins[code] >= 0) counts[at + bins[code]]++;
        else {
          counts[missing - 1]++;
          counts[missing + 1]++;
        }
      }
    }
  }

  predictions(
    { labels }: CountedPredictions,
    _central: number | null,
    counts: Float64Array,
    at: number,
  ): void {
    for (const label of labels ?? []) counts[at + label]++;
  }
}
