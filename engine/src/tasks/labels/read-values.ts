/** A label of numbers: one finite value a row. */

import { cellText } from "../../data/coerce.ts";
import { parseNumber } from "../../data/readers/number-text.ts";
import { rowsCalled } from "../../data/row-origins.ts";
import { shown } from "../../data/shown.ts";
import type { Column } from "../../data/table.ts";
import type { ReadTarget } from "../task-type.ts";
import { fail, failAt, type LabelRows, type RelatedKinds, refuseConstant } from "./label-rows.ts";

/** @throws DataError for a column of another kind, a value that is not finite, or a constant */
export function readValues(
  column: Column,
  rows: LabelRows,
  kinds: RelatedKinds,
  { mayBeConstant = false } = {},
): ReadTarget {
  if (column.kind !== "numeric") refuseKind(column, rows, kinds);
  const target = new Float64Array(rows.count);
  for (let i = 0; i < rows.count; i++) {
    const value = column.values[rows.at(i)];
    if (!Number.isFinite(value)) {
      const { name } = column;
      failAt(
        column,
        rows,
        rows.at(i),
        (told) => `The label ${shown(name)} is ${value} in ${told}; every label must be finite.`,
      );
    }
    target[i] = value;
  }
  if (!mayBeConstant && target.every((value) => value === target[0])) {
    refuseConstant(column, String(target[0]), rows);
  }
  return { classes: [], target, classCounts: [], warnings: [] };
}

function refuseKind(
  column: Exclude<Column, { kind: "numeric" }>,
  rows: LabelRows,
  kinds: RelatedKinds,
): never {
  if (column.kind === "timestamp") {
    const hint = column.stamp
      ? `. If its numbers, such as ${cellText(column, rows.at(0))}, are no times, declare its kind as numeric.`
      : ", such as the hours until it.";
    fail(
      column,
      `The label ${shown(column.name)} is a time; ${kinds.values} needs a number${hint}`,
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
        ? `${others} of ${rows.count} ${rowsCalled(rows)} have no number; clean them or filter them out.`
        : `Choose a numeric column, or the task ${kinds.two} or ${kinds.several}.`;
  failAt(
    column,
    rows,
    example,
    (told) =>
      `The label ${shown(column.name)} is ${column.kind}, but ${kinds.values} needs numbers; ${told} holds ${value}. ${hint}`,
  );
}
