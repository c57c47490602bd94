/**
 * Rows of a JSON request in parts that several threads predict, where the model takes long enough. Any cut
 * gives the same answer.
 */

import {
  hasClasses,
  joinPredictions,
  type Model,
  type ModelPredictions,
  type PredictOutput,
  type Rows,
  rowsKindOfModel,
  type Table,
  tableOfRows,
  takeRows,
} from "@distillery/engine";
import { asDataFault } from "../../input/data-fault.ts";
import { MOST_ROWS } from "../model-rows.ts";
import type { DriftCounts } from "./drift-counts.ts";
import type { JoinedRows, ModelRequest, PlannedRows, TablePart } from "./messages.ts";

/** Of a part: what a small request may wait behind. */
const PART_MS = 10;
/** Trees are predicted by so many rows at a time. */
const TILE = 128;
/** Larger tables are not sent to and fro. */
const MOST_CELLS = 1_000_000;

/** Milliseconds that a row of the model has taken in this thread, of late. */
const paces = new WeakMap<Model, number>();

/** Rows of a request, and how many threads there are for them. */
type Planned = ModelRequest & { readonly rows: Rows; readonly threads: number };

/**
 * How to split a request, or the answer to it; null = it is to be answered as others are. Whatever is wrong with the
 * question is found here.
 *
 * @param partMs that a part should take
 * @throws DataError, RangeError as `predictRows`
 */
export function planRows(
  model: Model,
  request: Planned,
  drift: DriftCounts,
  partMs = PART_MS,
): PredictOutput | Omit<PlannedRows, "body"> | null {
  const { rows, threads } = request;
  const count = "data" in rows ? rows.data.length : "instances" in rows ? rows.instances.length : 0;
  const known = paces.get(model);
  if (threads === 1 || count <= TILE || rowsKindOfModel(model) !== "rows") return null;
  if (known !== undefined && known * count < 2 * partMs) return null;
  const { table, warnings: found } = tableOfRows(model, { rows, most: MOST_ROWS.predict });
  if (!isAsTrained(model, table) || count * table.columns.length > MOST_CELLS) return null;
  const warnings = found.map(({ message }) => message);
  // One row finds what is wrong whatever the rows are.
  const begun = known === undefined ? TILE : 1;
  const first = predicted(model, { ...request, table: cut(table, 0, begun) }, drift);
  const left = count - begun;
  const pace = paces.get(model) ?? 0;
  if (pace * left < 2 * partMs) {
    const rest = predicted(model, { ...request, table: cut(table, begun, left) }, drift);
    return joinParts(model, { parts: [first, rest], warnings });
  }
  const parts = Math.max(threads, Math.ceil((pace * left) / partMs));
  const size = Math.ceil(left / parts / TILE) * TILE;
  const tables: Table[] = [];
  for (let at = begun; at < count; at += size) {
    tables.push(cut(table, at, Math.min(size, count - at)));
  }
  return { first, tables, warnings };
}

/** @throws UnprocessableError, where it is better told of the whole */
export function predictPart(model: Model, part: TablePart, drift: DriftCounts): ModelPredictions {
  try {
    return predicted(model, part, drift);
  } catch (error) {
    throw asDataFault(error, ["body"]);
  }
}

function predicted(
  model: Model,
  { table, coverage, ...ids }: TablePart,
  drift: DriftCounts,
): ModelPredictions {
  const begun = performance.now();
  const predictions = model.predict(table, { coverage });
  if (table.rows >= TILE / 2) remember(model, (performance.now() - begun) / table.rows);
  drift.add(model, ids, { ...predictions, table, labels: labelsOf(model, predictions) });
  return predictions;
}

/** What the parts say together. */
export function joinParts(
  model: Model,
  { parts, warnings }: Pick<JoinedRows, "parts" | "warnings">,
): PredictOutput {
  const joined = joinPredictions(parts, model.document);
  const labels = labelsOf(model, joined);
  const { task } = model.document;
  return { ...joined, task, labels, warnings: [...warnings, ...joined.warnings] };
}

const labelsOf = (model: Model, predictions: ModelPredictions): Uint32Array | null =>
  hasClasses(model.document.task) ? model.decide(predictions) : null;

function remember(model: Model, pace: number): void {
  const known = paces.get(model);
  paces.set(model, known === undefined ? pace : 0.7 * known + 0.3 * pace);
}

/** Whether each column is of the kind that the model reads, so that its cells do not depend on each other. */
function isAsTrained({ inputs }: Model, { columns }: Table): boolean {
  const kinds = new Map(inputs.columns.map(({ name, kind }) => [name, kind]));
  return columns.every(({ name, kind }) => kinds.get(name) === kind);
}

function cut(table: Table, first: number, count: number): Table {
  const names = table.columns.map(({ name }) => name);
  return takeRows(
    table,
    names,
    Uint32Array.from({ length: count }, (_, index) => first + index),
  );
}
