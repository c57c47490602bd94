/** The sketch of the rows that a run learns from, by which evaluations of its models find them again. */

import { coerceColumn, missingColumn } from "../../data/coerce.ts";
import { equalRows, RowHashes } from "../../data/row-hashes.ts";
import type { Column, ColumnSchema, Table } from "../../data/table.ts";
import { packRowSketch, sketchRows } from "../../model/row-sketch.ts";
import { takeGroups } from "../../tasks/grouped-rows.ts";
import { type Task, taskType } from "../../tasks/index.ts";
import type { RunConfig } from "../config/config.ts";
import type { ToldApart } from "./leakage/warnings.ts";

export interface LearnedRows {
  readonly config: RunConfig;
  readonly task: Task;
  /** The selected rows by what tells them apart; null where several of the table's are one of them. */
  readonly told: ToldApart | null;
  readonly table: Table;
  /** Rows of the table that the filter leaves; null = all. */
  readonly filtered: Uint32Array | null;
  /** Of the model. */
  readonly columns: readonly ColumnSchema[];
  /** Those that are selected of them, or of the sequences that they are steps of; null = all. */
  readonly rows: Uint32Array | null;
  /** One a selected row. */
  readonly target: Float64Array;
}

/** As the models' file, in memory that threads share; null where evaluations are not to know. */
export function sketchOfRun(learned: LearnedRows): Uint8Array | null {
  if (learned.config.rowSketch === false) return null;
  const told = learned.told ?? sequencesToldApart(learned);
  if (told === null) return null;
  const bytes = packRowSketch(sketchRows(told.hashes, told.groups, told.numbered));
  const shared = new Uint8Array(new SharedArrayBuffer(bytes.length));
  shared.set(bytes);
  return shared;
}

/** Null of forecasts: what their rows say comes again and again. */
function sequencesToldApart(learned: LearnedRows): ToldApart | null {
  const { config, table, filtered, rows, target, task, columns } = learned;
  const { framing } = taskType(config.task.taskKind);
  if (!framing?.steps) return null;
  const { id, ...all } = framing.steps(table, config.task, filtered);
  const hashes = RowHashes.ofSteps(
    hashedColumns(table, columns, new Set([id])),
    takeGroups(all, rows),
  );
  hashes.addLabel(config.task.labelColumn, target, task.classes);
  return { hashes, groups: equalRows(hashes), numbered: [] };
}

/**
 * A model's columns in a table, of the kinds that they had when it learned; those that the table lacks are missing.
 *
 * @throws DataError where a cell cannot be of the kind
 */
export function* hashedColumns(
  table: Table,
  columns: readonly ColumnSchema[],
  without: ReadonlySet<string>,
): Generator<Column> {
  const own = new Map(table.columns.map((column) => [column.name, column]));
  for (const { name, kind } of columns) {
    if (without.has(name)) continue;
    const column = own.get(name);
    yield column ? coerceColumn(column, kind) : missingColumn(name, kind, table.rows);
  }
}
