/**
 * What a model's rows are compared with later: its columns as the run's rows have them, taken while the
 * table is at hand, and the predictions of those rows by fits that had not learned from them.
 */

import type { FeatureSchema } from "../../data/feature-schema.ts";
import type { Column } from "../../data/table.ts";
import { takeCells } from "../../data/table-rows.ts";
import { columnReference, type Distribution, predictionsReference } from "../../drift/index.ts";
import type { DriftReference } from "../../drift/reference.ts";
import { decide } from "../../model/predictions.ts";
import { hasClasses, outputCount } from "../../tasks/index.ts";
import { evenlySpaced } from "./data-profile.ts";
import type { PreparedRun } from "./prepared.ts";

/** Cells that are counted at most: sorting them takes some tenths of a second. */
const MOST_CELLS = 2_000_000;
const MOST_ROWS = 20_000;
const LEAST_ROWS = 2000;
/** Of a model; beyond, those are left out that it relies on least. */
const MOST_COLUMNS = 500;

/** Takes each column that features are made of, one after another. */
export class ColumnReferences {
  readonly #schema: FeatureSchema;
  readonly #rows: Uint32Array;
  readonly #columns: Distribution[] = [];

  /**
   * @param rows of the table, ascending; null = its first `count`
   * @param count of the run's rows
   */
  constructor(schema: FeatureSchema, rows: Uint32Array | null, count: number) {
    this.#schema = schema;
    const most = Math.max(LEAST_ROWS, MOST_CELLS / Math.max(1, schema.columns.length));
    this.#rows = evenlySpaced(count, Math.min(MOST_ROWS, most)).map((at) => rows?.[at] ?? at);
  }

  add(column: Column): void {
    this.#columns.push(columnReference(takeCells(column, this.#rows), this.#schema));
  }

  /** As JSON in shared memory, so that it costs the run's tasks nothing. */
  pack(): Uint8Array {
    const told: ReferencedColumns = { rows: this.#rows.length, columns: this.#columns };
    const bytes = new TextEncoder().encode(JSON.stringify(told));
    const shared = new Uint8Array(new SharedArrayBuffer(bytes.length));
    shared.set(bytes);
    return shared;
  }
}

interface ReferencedColumns {
  readonly rows: number;
  readonly columns: readonly Distribution[];
}

/** A selected model, as far as its reference goes. */
export interface ReferencedModel {
  /** Row-major, out-of-fold. */
  readonly predictions: Float64Array;
  readonly threshold: number | null;
  /** Columns by what the model relies on, the first most. */
  readonly importance: readonly string[];
}

/** Null where rows are not predicted one by one. */
export function driftReferenceOf(
  run: PreparedRun,
  { predictions, threshold, importance }: ReferencedModel,
): DriftReference | null {
  if (run.columnReferences === null) return null;
  // A text decoder takes no shared memory.
  const packed = new TextDecoder().decode(run.columnReferences.slice());
  const { rows, columns }: ReferencedColumns = JSON.parse(packed);
  const places = new Map(importance.map((name, place) => [name, place]));
  const placeOf = ({ name }: Distribution): number => places.get(name) ?? places.size;
  const ordered = [...columns].sort((a, b) => placeOf(a) - placeOf(b));
  const outputs = outputCount(run.task);
  const taken = evenlySpaced(predictions.length / outputs, MOST_ROWS);
  const values = new Float64Array(taken.length * outputs);
  for (const [at, row] of taken.entries()) {
    values.set(predictions.subarray(row * outputs, (row + 1) * outputs), at * outputs);
  }
  const labels = hasClasses(run.task) ? decide(values, outputs, threshold) : null;
  return {
    version: 1,
    rows,
    columns: ordered.slice(0, MOST_COLUMNS),
    omitted: Math.max(0, ordered.length - MOST_COLUMNS),
    predictedRows: taken.length,
    predictions: predictionsReference(run.task, { values, outputs, labels }),
  };
}
