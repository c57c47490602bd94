/** A label of numbers: one finite value a row. */

import { cellText } from "../../data/coerce.ts";
import { parseNumber } from "../../data/readers/number-text.ts";
import { shown } from "../../data/shown.ts";
import type { Column } from "../../data/table.ts";
import type { ReadTarget } from "../task-type.ts";
import { fail, type LabelRows, refuseConstant } from "./label-rows.ts";

/** @throws DataError for a column of another kind, a value that is not finite, or a constant */
export function readValues(
  column: Column,
  rows: LabelRows,
  { mayBeConstant = false } = {},
): ReadTarget {
  if (column.kind !== "numeric") refuseKind(column, rows);
  const target = new Float64Array(rows.count);
  for (let i = 0; i < rows.count; i++) {
    const value = column.values[rows.at(i)];
    if (!Number.isFinite(value)) {
      fail(
        column,
        `The label ${shown(column.name)} is ${value} in row ${rows.at(i) + 1}; every label must be finite.`,
        rows.at(i),
      );
    }
    target[i] = value;
  }
  if (!mayBeConstant && target.every((value) => value === target[0])) {
    refuseConstant(column, String(target[0]), rows.count);
  }
  return { classes: [], target, classCounts: [], warnings: [] };
}

function refuseKind(column: Exclude<Column, { kind: "numeric" }>, rows: LabelRows): never {
  if (column.kind === "timestamp") {
    fail(
      column,
      `The label ${shown(column.name)} is a time; regression needs a number, such as the hours until it.`,
    );
  }
  // The cell that is no number is the telling example in a column that mixes both.
  let example = rows.at(0);
  let others = 0;
  for (let i = rows.count - 1; i >= 0; i--) {
    if (!Number.isNaN(parseNumber(cellText(column, rows.at(i))?.trim() ?? ""))) continue;
    example = rows.at(i);
    others++;
  }
  const value = shown(cellText(column, example) ?? "");
  const hint =
    others === 0
      ? "All its values are numbers written as text: declare its kind as numeric."
      : others < rows.count / 2
        ? `${others} of ${rows.count} rows hold no number; clean them or filter them out.`
        : "Choose a numeric column, or the task binclass or multiclass.";
  fail(
    column,
    `The label ${shown(column.name)} is ${column.kind}, but regression needs numbers; row ${example + 1} holds ${value}. ${hint}`,
    example,
  );
}
