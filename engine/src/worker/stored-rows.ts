/** Some rows of a table in its own file, cell by cell, as they are shown to people. */

import { isMissingCell } from "../data/coerce.ts";
import { stampOf } from "../data/readers/stamps.ts";
import { formatTimestamp } from "../data/readers/timestamp-text.ts";
import { openStoredGroups } from "../data/stored/stored-groups.ts";
import type { Column } from "../data/table.ts";

export interface RowsInput {
  /** Of a file that `storeTable` has written. */
  readonly path: string;
  /** How many rows are left out before the first. */
  readonly offset: number;
  /** The most rows; fewer come where the table ends, or where they would be more than `MOST`. */
  readonly limit: number;
}

/** Null where the value is missing; times are ISO 8601, infinite numbers the texts of JavaScript. */
export type ShownCell = string | number | boolean | null;

export interface ShownRows {
  readonly columns: readonly string[];
  /** Each as long as `columns`. */
  readonly rows: readonly (readonly ShownCell[])[];
}

/** Of one answer; but one row always comes. */
const MOST = { cells: 200_000, letters: 8_000_000 };

/** @throws {DataError} where the file is damaged */
export function storedRows({ path, offset, limit }: RowsInput): ShownRows {
  const table = openStoredGroups(path);
  const names = table.columns.map(({ name }) => name);
  const most = Math.max(1, Math.floor(MOST.cells / Math.max(1, names.length)));
  const end = Math.min(table.rows, offset + Math.min(limit, most));
  const rows = Array.from({ length: Math.max(0, end - offset) }, (): ShownCell[] => []);
  const letters = new Float64Array(rows.length);
  for (const [group, { from, to }] of table.groups.entries()) {
    const [first, last] = [Math.max(from, offset), Math.min(to, end)];
    if (first >= last) continue;
    for (const place of names.keys()) {
      // One column at a time: a group of a wide table is larger than what is shown of it by far.
      const column = table.column(group, place);
      for (let row = first; row < last; row++) {
        const cell = shownCell(column, row - from);
        rows[row - offset].push(cell);
        if (typeof cell === "string") letters[row - offset] += cell.length;
      }
    }
  }
  return { columns: names, rows: rows.slice(0, Math.max(1, fitting(letters))) };
}

/** How many of the first rows have no more letters together than may be. */
function fitting(letters: Float64Array): number {
  let sum = 0;
  const beyond = letters.findIndex((count) => {
    sum += count;
    return sum > MOST.letters;
  });
  return beyond < 0 ? letters.length : beyond;
}

function shownCell(column: Column, row: number): ShownCell {
  if (isMissingCell(column, row)) return null;
  switch (column.kind) {
    case "numeric": {
      const value = column.values[row];
      return Number.isFinite(value) ? value : String(value);
    }
    case "boolean":
      return column.values[row] === 1;
    case "timestamp":
      return column.stamp
        ? String(stampOf(column.values[row], column.stamp))
        : formatTimestamp(column.values[row]);
    case "categorical":
      return column.categories[column.codes[row]];
    case "text":
      return column.values[row];
  }
}
