/** A filter over some of a table's columns, as a condition in DuckDB's SQL: the dialect that says it all. */

import { comparableColumn, type PushedColumn, pushFilter } from "../../../sources/pushed-filter.ts";
import type { ScanFilter, ScanValue } from "../../../sources/scan-filter.ts";
import { quoteName, quoteText } from "../../../sql-text.ts";

/** The part of a filter that speaks of these columns alone; null = it lets every row through. */
export function filterOver(columns: ReadonlySet<string>, filter: ScanFilter): ScanFilter | null {
  if ("column" in filter) return columns.has(filter.column) ? filter : null;
  const parts = filter.filters.map((part) => filterOver(columns, part));
  const kept = parts.filter((part) => part !== null);
  if (filter.kind === "or" && kept.length < parts.length) return null;
  return kept.length === 0 ? null : { kind: filter.kind, filters: kept };
}

/** @throws RangeError for a list longer than plans have */
export function filterSql(filter: ScanFilter): string {
  const said = pushFilter(filter, duckdbColumn);
  if (said === null) throw new RangeError("a filter with a longer list than any plan has");
  return said.sql;
}

function duckdbColumn(name: string): PushedColumn {
  const column = quoteName(name);
  return comparableColumn({ column, operand: column, literal: valueSql });
}

export function valueSql(value: ScanValue): string {
  switch (value.type) {
    case "boolean":
      return String(value.value);
    case "number":
      return value.value;
    case "double":
      return `CAST('${value.value}' AS DOUBLE)`;
    case "text":
      return quoteText(value.value);
    case "date":
      return `DATE '${value.value}'`;
    case "timestamp":
      return `TIMESTAMP '${value.value}'`;
    case "timestamptz":
      return `TIMESTAMPTZ '${value.value}'`;
  }
}
