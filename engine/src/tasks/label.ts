/** The label of a run: from a column to a task and its targets, or an error that says what ails. */

import { rowsCalled } from "../data/row-origins.ts";
import { DataError, type Table } from "../data/table.ts";
import { type Task, type TaskKind, taskType } from "./index.ts";
import { refuseMissing, rowsOfRun } from "./labels/label-rows.ts";
import { withPositiveClass } from "./labels/positive-class.ts";
import { findColumn } from "./named-column.ts";
import type { ReadTarget } from "./task-type.ts";

export interface LabelOptions {
  readonly taskKind: TaskKind;
  readonly labelColumn: string;
  /** The rows of the run; absent = all. */
  readonly rows?: Uint32Array | null;
  /** Where the kind's own members of a request are (`TaskType.fields`); absent = none is given. */
  readonly fields?: Readonly<Record<string, unknown>>;
}

export interface ReadLabel extends Omit<ReadTarget, "classes"> {
  readonly task: Task;
}

/**
 * Reads the label. Every row of the run must have one: a missing label is an error that counts
 * them and shows the filter that leaves them out.
 *
 * @throws DataError where the column is not there, is constant, or does not suit the task
 */
export function readTask(table: Table, options: LabelOptions): ReadLabel {
  const { taskKind, labelColumn, rows = null, fields = {} } = options;
  const column = findColumn(table, labelColumn, "label");
  const where = rowsOfRun(table, rows);
  if (where.count === 0) throw new DataError(`There are no ${rowsCalled(table)} to learn from.`);
  refuseMissing(column, where);
  const type = taskType(taskKind);
  const { classes, ...read } = withPositiveClass(
    type.readLabel(column, table.written?.get(labelColumn), where),
    fields["positiveClass"],
  );
  return { task: { kind: taskKind, classes, ...type.traits(fields) }, ...read };
}
