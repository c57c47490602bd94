/** What was true of the rows that a model is evaluated on, in the terms of the model. */

import { cellText, isMissingCell } from "../data/coerce.ts";
import { rowTold } from "../data/row-origins.ts";
import { shown } from "../data/shown.ts";
import { DataError, type Table } from "../data/table.ts";
import { placeOfClass } from "../tasks/class-names.ts";
import { hasClasses, type Task } from "../tasks/index.ts";
import { rowsOfRun } from "../tasks/labels/label-rows.ts";
import { findColumn } from "../tasks/named-column.ts";
import { refuseKind } from "../tasks/needed-kind.ts";

export interface LabelledRows {
  /** Ascending: those that can be scored. */
  readonly rows: Uint32Array;
  /** One each: the value, or the index of the model's class. */
  readonly target: Float64Array;
  readonly missing: number;
  /** Rows of classes that the model does not know, by name. */
  readonly unknown: ReadonlyMap<string, number>;
}

/**
 * @param table one row a prediction
 * @throws DataError where the label is absent, no number where one is predicted, or missing in all rows
 */
export function labelledRows(table: Table, task: Task, labelColumn: string): LabelledRows {
  const column = findColumn(table, labelColumn, "label");
  const ofClasses = hasClasses(task);
  if (!ofClasses && column.kind !== "numeric") {
    const role = `The label ${shown(labelColumn)} of a model that predicts a number`;
    refuseKind(column, rowsOfRun(table, null), { role, needs: "numbers" });
  }
  const written = table.written?.get(labelColumn) ?? column;
  const places = new Map<string, number>();
  const unknown = new Map<string, number>();
  const rows: number[] = [];
  const target: number[] = [];
  let missing = 0;
  for (let row = 0; row < table.rows; row++) {
    if (isMissingCell(column, row)) {
      missing++;
      continue;
    }
    if (!ofClasses) {
      const value = column.kind === "numeric" ? column.values[row] : Number.NaN;
      if (!Number.isFinite(value)) {
        throw new DataError(
          `The label ${shown(labelColumn)} is ${value} in ${rowTold(table, row)}.`,
          { column: labelColumn, row: row + 1 },
        );
      }
      rows.push(row);
      target.push(value);
      continue;
    }
    const name = cellText(written, row) ?? "";
    const place = places.get(name) ?? placeOfClass(task.classes, name);
    places.set(name, place);
    if (place < 0) {
      unknown.set(name, (unknown.get(name) ?? 0) + 1);
      continue;
    }
    rows.push(row);
    target.push(place);
  }
  if (rows.length === 0) {
    const why =
      unknown.size > 0
        ? `has none of the model's classes (${task.classes.slice(0, 5).map(shown).join(", ")}); it has ${[...unknown.keys()].slice(0, 5).map(shown).join(", ")}`
        : "is missing in all rows";
    throw new DataError(`The label ${shown(labelColumn)} ${why}: there is nothing to compare.`, {
      column: labelColumn,
    });
  }
  return { rows: Uint32Array.from(rows), target: Float64Array.from(target), missing, unknown };
}
