/**
 * Columns that are known in advance and say nothing, since they have one value in all of the training data, or none:
 * no model reads them, so requests need not have them either.
 */

import { cellText, isMissingCell } from "../../data/coerce.ts";
import { parseBoolean } from "../../data/readers/boolean-text.ts";
import { isMissingText } from "../../data/readers/missing.ts";
import { parseNumber } from "../../data/readers/number-text.ts";
import { stampTextTime } from "../../data/readers/stamps.ts";
import { parseTimestamp } from "../../data/readers/timestamp-text.ts";
import { shown } from "../../data/shown.ts";
import type { Column } from "../../data/table.ts";
import type { ConstantColumn } from "./header.ts";
import { type OpenRequest, rowName } from "./request-context.ts";

/** Null where it varies: missing cells beside a value do too. @param rows of the column; -1 = none */
export function constantColumn(column: Column, rows: Int32Array): ConstantColumn | null {
  const { name, kind } = column;
  const first = rows.find((row) => row >= 0);
  if (first === undefined) return { name, kind, value: null };
  const isEmpty = isMissingCell(column, first);
  const cells: ArrayLike<unknown> = column.kind === "categorical" ? column.codes : column.values;
  const varies = rows.some(
    (row) =>
      row >= 0 &&
      (isMissingCell(column, row) !== isEmpty || (!isEmpty && cells[row] !== cells[first])),
  );
  return varies ? null : { name, kind, value: cellText(column, first) };
}

export function warningsOfConstant(columns: readonly ConstantColumn[]): string[] {
  return columns.map(
    ({ name, value }) =>
      `${shown(name)}, known in advance, ${value === null ? "has no value in any row" : `is ${shown(value)} in all rows`}: nothing can be learned from it, so it is not read, and requests need not have it.`,
  );
}

/** Values that say something for once, which the model cannot know. */
export function newOfConstant(request: OpenRequest): string[] {
  const { header, table } = request;
  return header.constant.flatMap((constant) => {
    const { name, value } = constant;
    const column = table.columns.find((each) => each.name === name);
    if (!column) return [];
    const rows = Array.from({ length: table.rows }, (_, row) => row).filter((row) => {
      const text = cellText(column, row);
      return text !== null && !isMissingText(text.trim()) && !isValue(constant, text);
    });
    if (rows.length === 0) return [];
    return [
      `${shown(name)} has a value in ${rows.length} ${rows.length === 1 ? "row" : "rows"} that training did not have, first ${rowName(request, rows[0])}: ${value === null ? "it had none in any row" : `it was ${shown(value)} in all rows`} of the training data, so the model does not read it.`,
    ];
  });
}

/** Whether a text means the column's one value. */
function isValue({ kind, value }: ConstantColumn, text: string): boolean {
  if (value === null) return false;
  if (text === value) return true;
  switch (kind) {
    case "numeric":
      return numberOf(text) === numberOf(value);
    case "boolean":
      return parseBoolean(text.trim()) === parseBoolean(value);
    case "timestamp":
      return timeOfText(text) === timeOfText(value);
    default:
      return false;
  }
}

/** Booleans are numbers too, as in a request's cells. */
const numberOf = (text: string): number =>
  text === "true" ? 1 : text === "false" ? 0 : parseNumber(text.trim());

function timeOfText(text: string): number {
  const stamp = stampTextTime(text.trim());
  return Number.isNaN(stamp) ? parseTimestamp(text.trim(), null) : stamp;
}
