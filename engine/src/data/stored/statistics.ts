/** What the rows of each group of a column are like, found while it is written. */

import type { Column, RowRange } from "../table.ts";
import type { ColumnStatistics } from "./metadata.ts";

/** A group with more different categories lists none of them. */
const LISTED_CODES = 64;

/** @param groupRows of every group but the last */
export function statisticsOf(column: Column, rows: number, groupRows: number): ColumnStatistics {
  const groups = groupsOf(rows, groupRows);
  switch (column.kind) {
    case "numeric":
    case "timestamp":
      return ofNumbers(column.values, groups, Number.isNaN);
    case "boolean":
      return ofNumbers(column.values, groups, (value) => value === 255);
    case "categorical":
      return ofCodes(column.codes, column.categories.length, groups);
    case "text":
      return { missing: groups.map(({ from, to }) => countMissing(column.values, from, to)) };
  }
}

function ofNumbers(
  values: Float64Array | Uint8Array,
  groups: readonly RowRange[],
  isMissing: (value: number) => boolean,
): ColumnStatistics {
  const [missing, low, high]: [number[], (number | null)[], (number | null)[]] = [[], [], []];
  for (const { from, to } of groups) {
    let absent = 0;
    let least = Number.POSITIVE_INFINITY;
    let most = Number.NEGATIVE_INFINITY;
    for (let i = from; i < to; i++) {
      const value = values[i];
      if (isMissing(value)) absent++;
      else {
        if (value < least) least = value;
        if (value > most) most = value;
      }
    }
    missing.push(absent);
    // JSON has no infinite numbers: nothing bounds such a group on that side.
    low.push(Number.isFinite(least) ? least : null);
    high.push(Number.isFinite(most) ? most : null);
  }
  return { missing, low, high };
}

function ofCodes(codes: Int32Array, count: number, groups: readonly RowRange[]): ColumnStatistics {
  const seenIn = new Int32Array(count).fill(-1);
  const missing: number[] = [];
  const listed: (number[] | null)[] = [];
  for (const [group, { from, to }] of groups.entries()) {
    const found: number[] = [];
    let absent = 0;
    for (let i = from; i < to; i++) {
      const code = codes[i];
      if (code < 0) absent++;
      else if (seenIn[code] !== group) {
        seenIn[code] = group;
        if (found.length <= LISTED_CODES) found.push(code);
      }
    }
    missing.push(absent);
    listed.push(found.length > LISTED_CODES ? null : found);
  }
  return { missing, codes: listed };
}

function countMissing(values: readonly (string | null)[], from: number, to: number): number {
  let count = 0;
  for (let i = from; i < to; i++) if (values[i] === null) count++;
  return count;
}

export function groupsOf(rows: number, groupRows: number): RowRange[] {
  return Array.from({ length: Math.ceil(rows / groupRows) }, (_, group) => ({
    from: group * groupRows,
    to: Math.min(rows, (group + 1) * groupRows),
  }));
}
