/** The columns that say something of the rows and are no features: weights, groups and times. */

import { valuesAt } from "../compute/row-lists.ts";
import { cellText, isMissingCell } from "../data/coerce.ts";
import { rowNumber, rowsCalled, rowTold } from "../data/row-origins.ts";
import { shown } from "../data/shown.ts";
import { type Column, DataError, type Table } from "../data/table.ts";
import { rowsOfRun } from "./labels/label-rows.ts";
import { findColumn } from "./named-column.ts";
import { refuseKind } from "./needed-kind.ts";

/** Sums of weights are multiplied with values and squared: what is larger would not stay finite. */
const LARGEST_SUM = 1e100;

/**
 * One finite, non-negative weight a row of the run, not all zero, and of a finite sum.
 *
 * @param rows the rows of the run; null = all
 */
export function readWeights(table: Table, name: string, rows: Uint32Array | null): Float64Array {
  const member = "weightColumn";
  const column = findColumn(table, name, "weights");
  if (column.kind !== "numeric") {
    const role = `The weights ${shown(name)}`;
    refuseKind(column, rowsOfRun(table, rows), { role, needs: "numbers", member });
  }
  refuseMissing(table, column, rows, "weight", member);
  const weights = gathered(column.values, rows);
  let sum = 0;
  let largest = 0;
  for (const [i, weight] of weights.entries()) {
    if (weight < 0 || weight === Number.POSITIVE_INFINITY) {
      const row = rows === null ? i : rows[i];
      throw new DataError(
        `The weight ${shown(name)} is ${weight} in ${rowTold(table, row)}; weights are finite and not negative.`,
        { column: name, row: rowNumber(table, row), member },
      );
    }
    sum += weight;
    if (weight > weights[largest]) largest = i;
  }
  if (sum > LARGEST_SUM) {
    const row = rows === null ? largest : rows[largest];
    throw new DataError(
      `The weights ${shown(name)} are too large to be summed: the largest is ${weights[largest]}, in ${rowTold(table, row)}. Their sum must be a finite number, at most ${LARGEST_SUM}: divide all of them by the largest.`,
      { column: name, row: rowNumber(table, row), member },
    );
  }
  if (sum === 0) {
    throw new DataError(`The weights ${shown(name)} are all zero.`, { column: name, member });
  }
  return weights;
}

/** A group number a row of the run, from 0 in order of first sight, and how many there are. */
export function readGroups(
  table: Table,
  name: string,
  rows: Uint32Array | null,
): { readonly groups: Uint32Array; readonly count: number } {
  const member = "groupColumn";
  const column = findColumn(table, name, "groups");
  refuseMissing(table, column, rows, "group", member);
  const numbers = new Map<string, number>();
  const groups = new Uint32Array(rows?.length ?? table.rows);
  for (let i = 0; i < groups.length; i++) {
    const text = cellText(column, rows === null ? i : rows[i]) ?? "";
    let group = numbers.get(text);
    if (group === undefined) {
      group = numbers.size;
      numbers.set(text, group);
    }
    groups[i] = group;
  }
  if (numbers.size === 1) {
    throw new DataError(`The group column ${shown(name)} has one group only; folds need several.`, {
      column: name,
      member,
    });
  }
  return { groups, count: numbers.size };
}

/** A time a row of the run: milliseconds of a timestamp column, or the numbers of a numeric one. */
export function readTimes(table: Table, name: string, rows: Uint32Array | null): Float64Array {
  const member = "timeColumn";
  const column = findColumn(table, name, "time");
  if (column.kind !== "timestamp" && column.kind !== "numeric") {
    const role = `The time column ${shown(name)}`;
    refuseKind(column, rowsOfRun(table, rows), { role, needs: "times or numbers", member });
  }
  refuseMissing(table, column, rows, "time", member);
  return gathered(column.values, rows);
}

function gathered(values: Float64Array, rows: Uint32Array | null): Float64Array {
  return rows === null ? values.slice() : valuesAt(values, rows);
}

function refuseMissing(
  table: Table,
  column: Column,
  rows: Uint32Array | null,
  what: string,
  member: string,
): void {
  const length = column.kind === "categorical" ? column.codes.length : column.values.length;
  const count = rows?.length ?? length;
  let missing = 0;
  let first = -1;
  for (let i = 0; i < count; i++) {
    const row = rows === null ? i : rows[i];
    if (!isMissingCell(column, row)) continue;
    if (first < 0) first = row;
    missing++;
  }
  if (missing === 0) return;
  throw new DataError(
    `The ${what} ${shown(column.name)} is missing in ${missing} of ${count} ${rowsCalled(table)}, first in ${rowTold(table, first)}.`,
    { column: column.name, row: rowNumber(table, first), member },
  );
}
