/**
 * A column whose kind its role cannot use: which cell keeps it from being read as numbers or times, how
 * many do, and what would be read.
 */

import { cellText, isMissingCell } from "../data/coerce.ts";
import { parseNumber } from "../data/readers/number-text.ts";
import { stampTextTime } from "../data/readers/stamps.ts";
import {
  contraryDates,
  contrarySentence,
  parseTimestamp,
  SLASHED_ORDERS,
} from "../data/readers/timestamp-text.ts";
import { rowNumber, rowsCalled, rowTold } from "../data/row-origins.ts";
import { shown } from "../data/shown.ts";
import { type Column, DataError } from "../data/table.ts";
import type { LabelRows } from "./labels/label-rows.ts";

export interface NeededKind {
  /** The column in its role, which begins a sentence: `The weights "w"`. */
  readonly role: string;
  readonly needs: "numbers" | "times or numbers";
  /** Of the task, that gives it the role. */
  readonly member?: string;
}

export interface OtherCells {
  /** Row of the table with the first of them; where there is none, with the first cell that has a value. */
  readonly first: number;
  /** Cells that have a value which is not read so. */
  readonly count: number;
}

/** @param reads whether a cell's text, without blanks around it, is what is wanted */
export function otherCells(
  column: Column,
  rows: LabelRows,
  reads: (text: string) => boolean,
): OtherCells {
  let [first, present, count] = [-1, -1, 0];
  for (let i = 0; i < rows.count; i++) {
    const row = rows.at(i);
    if (isMissingCell(column, row)) continue;
    if (present < 0) present = row;
    if (reads((cellText(column, row) ?? "").trim())) continue;
    if (first < 0) first = row;
    count++;
  }
  return { first: first < 0 ? Math.max(0, present) : first, count };
}

export const isNumberText = (text: string): boolean => !Number.isNaN(parseNumber(text));

const isTimeText = (text: string): boolean =>
  !Number.isNaN(stampTextTime(text)) ||
  SLASHED_ORDERS.some((order) => !Number.isNaN(parseTimestamp(text, order)));

const TIME_FORMS = "2011-01-31 or 2011-01-31T15:05:00";

/**
 * Of a column that is not of the kind that its role needs.
 *
 * @throws DataError that names the first cell at fault and what would do
 */
export function refuseKind(column: Column, rows: LabelRows, needed: NeededKind): never {
  const { role, needs, member } = needed;
  const ofTimes = needs === "times or numbers";
  const reads = (text: string): boolean => isNumberText(text) || (ofTimes && isTimeText(text));
  const others = otherCells(column, rows, reads);
  const fault = (message: string, row: number): DataError =>
    new DataError(message, {
      column: column.name,
      row: rowNumber(rows, row),
      ...(member !== undefined && { member }),
    });
  const { first, count } = others;
  const cell = `${rowTold(rows, first)} holds ${shown(cellText(column, first) ?? "")}`;
  if (count > 0) {
    throw fault(`${role} must hold ${needs}, but ${cell}. ${hintFor(needed, others, rows)}`, first);
  }
  // Each cell by itself would be read, and all of them together are not.
  const contrary = ofTimes ? contraryOf(column, rows) : null;
  if (contrary !== null) throw fault(`${role} cannot be read: ${contrary}`, first);
  const isNumber = otherCells(column, rows, isNumberText).count === 0;
  const isTime = otherCells(column, rows, isTimeText).count === 0;
  const hint =
    isNumber || isTime
      ? `All its values are ${isNumber ? "numbers" : "times"} written as text: declare its kind as ${isNumber ? "numeric" : "timestamp"}.`
      : `Some of its values are times and some numbers: write all of them as ${TIME_FORMS}, or all as numbers.`;
  throw fault(`${role} must hold ${needs}, not ${column.kind}; ${cell}. ${hint}`, first);
}

function hintFor({ needs }: NeededKind, { count }: OtherCells, rows: LabelRows): string {
  const ofTimes = needs === "times or numbers";
  const written = ofTimes ? `as ${TIME_FORMS}, or as numbers` : "as numbers, such as 1234.5";
  if (count > rows.count / 2) return `Choose a column of ${needs}, or write its values ${written}.`;
  const [have, them] = count === 1 ? ["has", "it"] : ["have", "them"];
  return `${count} of ${rows.count} ${rowsCalled(rows)} ${have} ${ofTimes ? "neither" : "no number"} there: write ${them} ${written}.`;
}

function contraryOf(column: Column, rows: LabelRows): string | null {
  const first = new Map<string, number>();
  for (let i = 0; i < rows.count; i++) {
    const text = cellText(column, rows.at(i));
    if (text !== null && !first.has(text)) first.set(text, rowNumber(rows, rows.at(i)));
  }
  const contrary = contraryDates(first.keys());
  if (contrary === null) return null;
  return contrarySentence(column.name, contrary, (text) => first.get(text) ?? 0);
}
