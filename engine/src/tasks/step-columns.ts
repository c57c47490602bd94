/** Columns that change from step to step, of sequences and of series, as numbers. */

import { z } from "zod";
import { cellText, coerceColumn } from "../data/coerce.ts";
import type { Column } from "../data/table.ts";

/** Values of a text or category that become numbers of their own. */
export const MOST_LEVELS = 10;

export const stepColumnSchema = z.object({
  column: z.string(),
  /** The number is 1 where the column has this value, else 0. Absent: the column's numbers. */
  level: z.string().optional(),
});

export type StepColumn = z.infer<typeof stepColumnSchema>;

/**
 * A column of numbers or booleans itself, of texts one a value. Null for times, and where values are too many.
 *
 * @param rows whose values count
 */
export function stepColumnsOf(column: Column, rows: Iterable<number>): StepColumn[] | null {
  if (column.kind === "numeric" || column.kind === "boolean") return [{ column: column.name }];
  if (column.kind === "timestamp") return null;
  const levels = new Set<string>();
  for (const row of rows) {
    const text = cellText(column, row);
    if (text !== null) levels.add(text);
    if (levels.size > MOST_LEVELS) return null;
  }
  return [...levels].sort().map((level) => ({ column: column.name, level }));
}

/**
 * The number of each row, NaN where there is none; infinite ones say no more than missing ones.
 *
 * @throws DataError for texts that should be numbers
 */
export function numbersOf(
  column: Column,
  { level }: Pick<StepColumn, "level">,
): (row: number) => number {
  if (level !== undefined) {
    return (row) => {
      const text = cellText(column, row);
      return text === null ? Number.NaN : Number(text === level);
    };
  }
  const numbers = coerceColumn(column, "numeric");
  if (numbers.kind !== "numeric") throw new TypeError("A column read as numbers holds numbers.");
  return (row) => (Number.isFinite(numbers.values[row]) ? numbers.values[row] : Number.NaN);
}

/** How a request's rows are read for them: each column once. */
export function inputsOf(columns: readonly StepColumn[]): readonly {
  readonly name: string;
  readonly isText: boolean;
}[] {
  const ofLevels = new Set(
    columns.flatMap(({ column, level }) => (level === undefined ? [] : [column])),
  );
  const names = new Set(columns.map(({ column }) => column));
  return [...names].map((name) => ({ name, isText: ofLevels.has(name) }));
}
