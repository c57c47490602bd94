/**
 * A run's row filter as SQL over a dataset's Parquet file, so that rows which the engine would read
 * only to leave out are never read. Only what means exactly the same in DuckDB is said: numbers
 * and times are compared as the doubles that the engine makes of them, missing cells as NULL.
 */

import type { BoundFilter } from "@distillery/engine";
import { OPERATOR_SYMBOLS } from "../../query/sources/pushed-filter.ts";
import { quoteName } from "../../query/sql-text.ts";
import { columnReading } from "../queries/profile/column-type.ts";

export interface FilterSql {
  /** A condition that holds at least wherever the filter does. */
  readonly sql: string;
  /** `$1`… */
  readonly parameters: readonly string[];
}

/** DuckDB's name of each column's type. */
export type ColumnTypes = ReadonlyMap<string, string>;

/**
 * The parts of a conjunction that can be said; null where there are none.
 *
 * @param filter bound to the columns' kinds
 */
export function filterSql(filter: BoundFilter, types: ColumnTypes): FilterSql | null {
  const parts = filter.kind === "bool" && filter.op === "and" ? conjuncts(filter.exprs) : [filter];
  const parameters: string[] = [];
  const said: string[] = [];
  for (const part of parts) {
    const before = parameters.length;
    const sql = write(part, types, (text) => `$${parameters.push(text)}`);
    if (sql === null) parameters.length = before;
    else said.push(`(${sql})`);
  }
  return said.length === 0 ? null : { sql: said.join(" AND "), parameters };
}

function conjuncts(exprs: readonly BoundFilter[]): readonly BoundFilter[] {
  return exprs.flatMap((expr) =>
    expr.kind === "bool" && expr.op === "and" ? conjuncts(expr.exprs) : [expr],
  );
}

type Bind = (text: string) => string;

function write(filter: BoundFilter, types: ColumnTypes, bind: Bind): string | null {
  switch (filter.kind) {
    case "comparison":
      return writeComparison(filter, types, bind);
    case "not": {
      const inner = write(filter.expr, types, bind);
      return inner === null ? null : `NOT (${inner})`;
    }
    case "bool": {
      const parts: string[] = [];
      for (const expr of filter.exprs) {
        const part = write(expr, types, bind);
        if (part === null) return null;
        parts.push(`(${part})`);
      }
      return parts.join(filter.op === "and" ? " AND " : " OR ");
    }
  }
}

const ORDERED: ReadonlySet<string> = new Set(["lt", "le", "gt", "ge"]);

function writeComparison(
  { column, op, operand }: Extract<BoundFilter, { kind: "comparison" }>,
  types: ColumnTypes,
  bind: Bind,
): string | null {
  const type = types.get(column);
  const reading = type === undefined ? null : columnReading(column, type);
  if (reading === null || type === undefined) return null;
  // A decimal's nearest double is not always the one that a cast gives.
  if (type.startsWith("DECIMAL")) return null;
  let cell: string;
  let values: readonly string[];
  if (operand.kind === "categorical" || operand.kind === "text") {
    if (reading.kind !== "texts") return null;
    const same = ORDERED.has(op) ? isOrderedAlike : isText;
    if (!operand.values.every(same)) return null;
    cell = quoteName(column);
    values = operand.values.map(bind);
  } else if (operand.kind === "boolean") {
    if (reading.kind !== "boolean") return null;
    cell = quoteName(column);
    values = operand.values.map((value) => (value === 1 ? "true" : "false"));
  } else {
    if (reading.kind !== operand.kind) return null;
    cell = `(${reading.value})`;
    values = operand.values.map((value) => `'${value}'::DOUBLE`);
  }
  if (op === "is_null") return `${cell} IS NULL`;
  if (op === "is_not_null") return `${cell} IS NOT NULL`;
  if (op === "in" || op === "not_in") {
    return `${cell} ${op === "in" ? "IN" : "NOT IN"} (${values.join(", ")})`;
  }
  return `${cell} ${OPERATOR_SYMBOLS[op]} ${values[0]}`;
}

/** A text that DuckDB can hold, as every cell is. */
const isText = (text: string): boolean => text.isWellFormed() && !text.includes("\0");

/** The engine orders texts by UTF-16 units, DuckDB by bytes: alike against units below U+D800. */
const isOrderedAlike = (text: string): boolean => isText(text) && !/[\ud800-\uffff]/.test(text);
