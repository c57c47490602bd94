/**
 * Which part of a filter a source applies. A source translates the leaves that mean the same there;
 * what it cannot say is left out so that its rows stay a superset of those that meet the filter.
 */

import type { ScanFilter, ScanOperator, ScanValue } from "./scan-filter.ts";

export interface PushedFilter {
  readonly sql: string;
  /** Whether it keeps exactly the rows that meet the filter, so that a limit may follow it. */
  readonly exact: boolean;
}

/** How a source says the leaves over one column; null where it has no superset to say. */
export interface PushedColumn {
  comparison(op: ScanOperator, value: ScanValue): PushedFilter | null;
  membership(values: readonly ScanValue[]): PushedFilter | null;
  readonly isNull: PushedFilter | null;
  readonly isNotNull: PushedFilter | null;
}

/** A leaf with more values than this is left to the reader. */
const MAX_VALUES = 10_000;

/** Null where all rows must be read. */
export function pushFilter(
  filter: ScanFilter,
  columnOf: (name: string) => PushedColumn | null,
): PushedFilter | null {
  switch (filter.kind) {
    case "comparison":
      return columnOf(filter.column)?.comparison(filter.op, filter.value) ?? null;
    case "in": {
      if (filter.values.length === 0) return { sql: "1 = 0", exact: true };
      if (filter.values.length > MAX_VALUES) return null;
      return columnOf(filter.column)?.membership(filter.values) ?? null;
    }
    case "is_null":
      return columnOf(filter.column)?.isNull ?? null;
    case "is_not_null":
      return columnOf(filter.column)?.isNotNull ?? null;
    case "and":
      return conjunction(filter.filters.map((one) => pushFilter(one, columnOf)));
    case "or":
      return disjunction(filter.filters.map((one) => pushFilter(one, columnOf)));
  }
}

/** A part that is not pushed lets more rows through. */
function conjunction(parts: readonly (PushedFilter | null)[]): PushedFilter | null {
  const pushed = parts.filter((part) => part !== null);
  if (parts.length === 0) return { sql: "1 = 1", exact: true };
  if (pushed.length === 0) return null;
  return {
    sql: joined(pushed, " AND "),
    exact: pushed.length === parts.length && pushed.every((part) => part.exact),
  };
}

/** A part that is not pushed lets every row through. */
function disjunction(parts: readonly (PushedFilter | null)[]): PushedFilter | null {
  const pushed = parts.filter((part) => part !== null);
  if (parts.length === 0) return { sql: "1 = 0", exact: true };
  if (pushed.length < parts.length) return null;
  return { sql: joined(pushed, " OR "), exact: pushed.every((part) => part.exact) };
}

function joined(parts: readonly PushedFilter[], by: string): string {
  return parts.length === 1 ? parts[0]!.sql : `(${parts.map((part) => part.sql).join(by)})`;
}

/** SQL's symbol of an operator. */
export const OPERATOR_SYMBOLS: Readonly<Record<ScanOperator, string>> = {
  eq: "=",
  ne: "<>",
  lt: "<",
  le: "<=",
  gt: ">",
  ge: ">=",
};

/** The rules of a column whose values compare alike on both sides. */
export function comparableColumn(rules: {
  /** As comparisons see the column. */
  readonly operand: string;
  /** Null where the value is not one that the column can be compared with there. */
  readonly literal: (value: ScanValue, op: ScanOperator) => string | null;
  /** The column itself, for its nulls. */
  readonly column: string;
}): PushedColumn {
  const { operand, literal, column } = rules;
  return {
    comparison: (op, value) => {
      const text = literal(value, op);
      return text === null
        ? null
        : { sql: `${operand} ${OPERATOR_SYMBOLS[op]} ${text}`, exact: true };
    },
    membership: (values) => {
      const texts = values.map((value) => literal(value, "eq"));
      return texts.includes(null)
        ? null
        : { sql: `${operand} IN (${texts.join(", ")})`, exact: true };
    },
    ...nullness(column),
  };
}

export function nullness(column: string): Pick<PushedColumn, "isNull" | "isNotNull"> {
  return {
    isNull: { sql: `${column} IS NULL`, exact: true },
    isNotNull: { sql: `${column} IS NOT NULL`, exact: true },
  };
}

/** A column of which only the nulls mean the same there. */
export function opaqueColumn(column: string): PushedColumn {
  return { comparison: () => null, membership: () => null, ...nullness(column) };
}

const NUMBER = /^-?[0-9]{1,76}(\.[0-9]{1,76})?$/;
const DATE = /^[0-9]{4}-[0-9]{2}-[0-9]{2}$/;
const TIMESTAMP = /^([0-9]{4}-[0-9]{2}-[0-9]{2})T([0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,6})?)$/;

/** The digits of an integer or decimal value; null for other values. */
export function numberText(value: ScanValue): string | null {
  return value.type === "number" && NUMBER.test(value.value) ? value.value : null;
}

/** `2024-02-29` of the years 1 to 9999; null for other values. */
export function dateText(value: ScanValue): string | null {
  return value.type === "date" && DATE.test(value.value) && !value.value.startsWith("0000")
    ? value.value
    : null;
}

/** `2024-02-29 10:05:00.000001` of the years 1 to 9999, without its zone; null for other values. */
export function timestampText(value: ScanValue, type: "timestamp" | "timestamptz"): string | null {
  if (value.type !== type) return null;
  const local = type === "timestamptz" ? value.value.replace(/Z$/, "") : value.value;
  if (type === "timestamptz" && !value.value.endsWith("Z")) return null;
  const match = TIMESTAMP.exec(local);
  return match === null || local.startsWith("0000") ? null : `${match[1]} ${match[2]}`;
}

/** A text that every UTF-8 source can hold; null for other values. */
export function plainText(value: ScanValue): string | null {
  return value.type === "text" && value.value.isWellFormed() && !value.value.includes("\0")
    ? value.value
    : null;
}
