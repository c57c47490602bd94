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
      return bounded(groups, (range) => numbersIn(column.values, range));
    case "boolean":
      return bounded(groups, (range) => truthsIn(column.values, range));
    case "categorical":
      return ofCodes(column.codes, column.categories.length, groups);
    case "text":
      return { missing: groups.map(({ from, to }) => countMissing(column.values, from, to)) };
  }
}

export const hasMissing = ({ missing }: ColumnStatistics): boolean =>
  missing.some((count) => count > 0);

/** How many cells of some rows are missing, the least and the greatest of the others; infinities where there is none. */
type Extent = readonly [missing: number, least: number, greatest: number];

function bounded(
  groups: readonly RowRange[],
  extentOf: (range: RowRange) => Extent,
): ColumnStatistics {
  const extents = groups.map(extentOf);
  // JSON has no infinite numbers: nothing bounds such a group on that side.
  const told = (bound: number): number | null => (Number.isFinite(bound) ? bound : null);
  return {
    missing: extents.map(([missing]) => missing),
    low: extents.map(([, least]) => told(least)),
    high: extents.map(([, , greatest]) => told(greatest)),
  };
}

function numbersIn(values: Float64Array, { from, to }: RowRange): Extent {
  let missing = 0;
  let least = Number.POSITIVE_INFINITY;
  let greatest = Number.NEGATIVE_INFINITY;
  for (let i = from; i < to; i++) {
    const value = values[i];
    if (value < least) least = value;
    if (value > greatest) greatest = value;
    if (Number.isNaN(value)) missing++;
  }
  return [missing, least, greatest];
}

/** Of booleans, of which 255 are missing. */
function truthsIn(values: Uint8Array, { from, to }: RowRange): Extent {
  const counts = [0, 0];
  for (let i = from; i < to; i++) if (values[i] !== 255) counts[values[i]]++;
  const [no, yes] = counts;
  const missing = to - from - no - yes;
  if (no + yes === 0) return [missing, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  return [missing, no > 0 ? 0 : 1, yes > 0 ? 1 : 0];
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
