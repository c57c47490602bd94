/**
 * Which groups of rows of a dataset a query's filter may let rows through of, told by their statistics
 * alone: least and greatest numbers, times and truths, and how many cells are missing. In doubt, and of texts,
 * a group may.
 */

import type { ColumnStatistics } from "@distillery/engine/arrow";
import type { ScanFilter, ScanOperator, ScanValue } from "../../../sources/scan-filter.ts";

/** Columns of the file, named by their places: `c0`, `c1`, … */
type Columns = readonly { readonly statistics: ColumnStatistics }[];

/** Least and greatest value, both among them. */
interface Bounds {
  readonly low: number;
  readonly high: number;
}

/** @param rows of the group */
export function mayMeet(
  filter: ScanFilter,
  columns: Columns,
  group: number,
  rows: number,
): boolean {
  switch (filter.kind) {
    case "and":
      return filter.filters.every((part) => mayMeet(part, columns, group, rows));
    case "or":
      return filter.filters.some((part) => mayMeet(part, columns, group, rows));
    case "is_null":
      return missingIn(filter.column, columns, group) !== 0;
    case "is_not_null":
      return missingIn(filter.column, columns, group) !== rows;
    case "in":
      return (
        missingIn(filter.column, columns, group) !== rows &&
        filter.values.some((value) => mayHold("eq", value, boundsOf(filter.column, columns, group)))
      );
    case "comparison":
      return (
        missingIn(filter.column, columns, group) !== rows &&
        mayHold(filter.op, filter.value, boundsOf(filter.column, columns, group))
      );
  }
}

const statisticsOf = (name: string, columns: Columns): ColumnStatistics | undefined =>
  columns[Number(name.slice(1))]?.statistics;

const missingIn = (name: string, columns: Columns, group: number): number | undefined =>
  statisticsOf(name, columns)?.missing[group];

function boundsOf(name: string, columns: Columns, group: number): Bounds {
  const { low, high } = statisticsOf(name, columns) ?? {};
  return {
    low: low?.[group] ?? Number.NEGATIVE_INFINITY,
    high: high?.[group] ?? Number.POSITIVE_INFINITY,
  };
}

/** Bounds are met by what is equal to them: a text of a value may be nearer to one than its double. */
function mayHold(op: ScanOperator, value: ScanValue, { low, high }: Bounds): boolean {
  const range = rangeOf(value);
  if (range === null) return true;
  switch (op) {
    case "eq":
      return low <= range.high && range.low <= high;
    case "lt":
    case "le":
      return low <= range.high;
    case "gt":
    case "ge":
      return high >= range.low;
    case "ne":
      return true;
  }
}

/** Where the value is, among numbers, milliseconds since 1970 or truths; null where nobody can say. */
function rangeOf(value: ScanValue): Bounds | null {
  switch (value.type) {
    case "boolean":
      return { low: Number(value.value), high: Number(value.value) };
    case "number":
    case "double": {
      const number = Number(value.value);
      return Number.isNaN(number) ? null : { low: number, high: number };
    }
    case "date":
    case "timestamp":
    case "timestamptz": {
      const text = value.type === "date" ? `${value.value}T00:00:00` : value.value;
      const time = Date.parse(text.endsWith("Z") ? text : `${text}Z`);
      // Microseconds are not in it.
      return Number.isNaN(time) ? null : { low: time - 1, high: time + 1 };
    }
    case "text":
      return null;
  }
}
