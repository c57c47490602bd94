/**
 * The rows of a table that a filter lets through, by SQL's three-valued logic (Kleene's): a
 * comparison with a missing cell is unknown, and only rows where the whole is true pass.
 */

import { isMissingCell } from "../coerce.ts";
import type { Column, Table } from "../table.ts";
import { type BoundComparison, type BoundFilter, bindFilter } from "./bind-filter.ts";
import type { ComparisonOperator, FilterNode } from "./filter-node.ts";

const FALSE = 0;
const UNKNOWN = 1;
const TRUE = 2;

/** FALSE, UNKNOWN or TRUE of a row: with this order `and` is the minimum and `or` the maximum. */
type Truth = (row: number) => number;

/** Ascending numbers of the rows that pass. */
export function selectRows(table: Table, filter: FilterNode): Uint32Array {
  const truth = interpret(table, bindFilter(filter, table.columns));
  const rows = new Uint32Array(table.rows);
  let count = 0;
  for (const { from, to } of table.ranges ?? [{ from: 0, to: table.rows }]) {
    for (let row = from; row < to; row++) if (truth(row) === TRUE) rows[count++] = row;
  }
  return rows.slice(0, count);
}

function interpret(table: Table, filter: BoundFilter): Truth {
  switch (filter.kind) {
    case "comparison": {
      const column = table.columns.find(({ name }) => name === filter.column);
      if (column === undefined) throw new Error(`unbound column ${filter.column}`);
      return compare(column, filter);
    }
    case "not": {
      const inner = interpret(table, filter.expr);
      return (row) => TRUE - inner(row);
    }
    case "bool": {
      const parts = filter.exprs.map((expr) => interpret(table, expr));
      return filter.op === "and" ? conjunction(parts) : disjunction(parts);
    }
  }
}

function conjunction(parts: readonly Truth[]): Truth {
  return (row) => {
    let least = TRUE;
    for (const part of parts) {
      const truth = part(row);
      if (truth === FALSE) return FALSE;
      if (truth < least) least = truth;
    }
    return least;
  };
}

function disjunction(parts: readonly Truth[]): Truth {
  return (row) => {
    let most = FALSE;
    for (const part of parts) {
      const truth = part(row);
      if (truth === TRUE) return TRUE;
      if (truth > most) most = truth;
    }
    return most;
  };
}

function compare(column: Column, { op, operand }: BoundComparison): Truth {
  if (op === "is_null") return (row) => (isMissingCell(column, row) ? TRUE : FALSE);
  if (op === "is_not_null") return (row) => (isMissingCell(column, row) ? FALSE : TRUE);
  if (column.kind === "categorical" || column.kind === "text") {
    const holds = predicate(op, operand.values.map(String));
    if (column.kind === "categorical") {
      const truths = Uint8Array.from(column.categories, (text) => (holds(text) ? TRUE : FALSE));
      const { codes } = column;
      return (row) => (codes[row] < 0 ? UNKNOWN : truths[codes[row]]);
    }
    const { values } = column;
    return (row) => {
      const value = values[row];
      return value === null ? UNKNOWN : holds(value) ? TRUE : FALSE;
    };
  }
  const holds = predicate(op, operand.values.map(Number));
  const { values } = column;
  const boolean = column.kind === "boolean";
  return (row) => {
    const value = values[row];
    if (boolean ? value === 255 : Number.isNaN(value)) return UNKNOWN;
    return holds(value) ? TRUE : FALSE;
  };
}

/** Texts are ordered by code unit. */
export function predicate<T extends string | number>(
  op: ComparisonOperator,
  values: readonly T[],
): (value: T) => boolean {
  const [wanted] = values;
  switch (op) {
    case "eq":
      return (value) => value === wanted;
    case "ne":
      return (value) => value !== wanted;
    case "lt":
      return (value) => value < wanted;
    case "le":
      return (value) => value <= wanted;
    case "gt":
      return (value) => value > wanted;
    case "ge":
      return (value) => value >= wanted;
    case "in": {
      const set = new Set(values);
      return (value) => set.has(value);
    }
    case "not_in": {
      const set = new Set(values);
      return (value) => !set.has(value);
    }
    case "is_null":
    case "is_not_null":
      throw new Error("null tests have no values");
  }
}
