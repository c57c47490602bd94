/** A label of numbers: one finite value a row. */

import { cellText } from "../../data/coerce.ts";
import { rowsCalled } from "../../data/row-origins.ts";
import { shown } from "../../data/shown.ts";
import type { Column } from "../../data/table.ts";
import { isNumberText, otherCells } from "../needed-kind.ts";
import type { ReadTarget } from "../task-type.ts";
import { fail, failAt, type LabelRows, type RelatedKinds, refuseConstant } from "./label-rows.ts";
import { LARGEST_LABEL } from "./largest-label.ts";

/**
 * @throws DataError for a column of another kind, a value that is not finite or beyond what can be
 * computed with, or a constant
 */
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
    if (Math.abs(value) > LARGEST_LABEL) refuseLarge(column, rows, rows.at(i), value);
    target[i] = value;
  }
  if (!mayBeConstant && target.every((value) => value === target[0])) {
    refuseConstant(column, String(target[0]), rows);
  }
  refuseClose(column, target);
  return { classes: [], target, classCounts: [], warnings: [] };
}

function refuseLarge(column: Column, rows: LabelRows, row: number, value: number): never {
  failAt(
    column,
    rows,
    row,
    (told) =>
      `The label ${shown(column.name)} is ${value} in ${told}; labels are learned between -${LARGEST_LABEL} and ${LARGEST_LABEL}. Divide them all, or leave out those that are no true values.`,
  );
}

/** Differences that vanish when they are squared would make every model look perfect. */
function refuseClose(column: Column, target: Float64Array): void {
  let [min, max] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const value of target) {
    if (value < min) min = value;
    if (value > max) max = value;
  }
  if (max <= min || max - min >= 1 / LARGEST_LABEL) return;
  fail(
    column,
    `The values of the label ${shown(column.name)} differ by ${max - min} at most; differences below ${1 / LARGEST_LABEL} are not learned. Multiply them all.`,
  );
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
  const { first: example, count: others } = otherCells(column, rows, isNumberText);
  const value = shown(cellText(column, example) ?? "");
  const hint =
    others === 0
      ? "All its values are numbers written as text: declare its kind as numeric."
      : others < rows.count / 2
        ? `${others} of ${rows.count} ${rowsCalled(rows)} have no number; correct them, or leave them empty.`
        : `Choose a numeric column, or the task ${kinds.two} or ${kinds.several}.`;
  failAt(
    column,
    rows,
    example,
    (told) =>
      `The label ${shown(column.name)} is ${column.kind}, but ${kinds.values} needs numbers; ${told} holds ${value}. ${hint}`,
  );
}
