/** A filter over some of a table's columns, as a condition in SQL. */

import type { ScanFilter, ScanOperator, ScanValue } from "../../../sources/scan-filter.ts";
import { quoteName, quoteText } from "../../sql-text.ts";

const SYMBOLS: Readonly<Record<ScanOperator, string>> = {
  eq: "=",
  ne: "<>",
  lt: "<",
  le: "<=",
  gt: ">",
  ge: ">=",
};

/** The part of a filter that speaks of these columns alone; null = it lets every row through. */
export function filterOver(columns: ReadonlySet<string>, filter: ScanFilter): ScanFilter | null {
  if ("column" in filter) return columns.has(filter.column) ? filter : null;
  const parts = filter.filters.map((part) => filterOver(columns, part));
  const kept = parts.filter((part) => part !== null);
  if (filter.kind === "or" && kept.length < parts.length) return null;
  return kept.length === 0 ? null : { kind: filter.kind, filters: kept };
}

export function filterSql(filter: ScanFilter): string {
  switch (filter.kind) {
    case "comparison":
      return `${quoteName(filter.column)} ${SYMBOLS[filter.op]} ${valueSql(filter.value)}`;
    case "in":
      return `${quoteName(filter.column)} IN (${filter.values.map(valueSql).join(", ")})`;
    case "is_null":
      return `${quoteName(filter.column)} IS NULL`;
    case "is_not_null":
      return `${quoteName(filter.column)} IS NOT NULL`;
    case "and":
    case "or":
      return filter.filters.map((part) => `(${filterSql(part)})`).join(` ${filter.kind} `);
  }
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
