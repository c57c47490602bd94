/**
 * A filter as parameterised SQL for Postgres and DuckDB: values travel as `$n`, never in the text.
 *
 * Times are compared as `timestamp` in UTC, so the session's time zone should be UTC where the
 * column is a `timestamptz`. Missing means NULL here; a NaN in a float column is not.
 */

import { formatTimestamp } from "../readers/timestamp-text.ts";
import {
  type BoundComparison,
  type BoundFilter,
  bindFilter,
  type FilterColumns,
} from "./bind-filter.ts";
import type { FilterNode } from "./filter-node.ts";

export interface CompiledFilter {
  /** A boolean expression for a WHERE clause. */
  readonly sql: string;
  readonly parameters: readonly (string | number | boolean)[];
}

/** @param firstParameter the number of the first `$n`, when the filter is part of a statement */
export function compileFilter(
  filter: FilterNode,
  columns: FilterColumns,
  firstParameter = 1,
): CompiledFilter {
  const parameters: (string | number | boolean)[] = [];
  const bound = bindFilter(filter, columns);
  const sql = write(bound, (value) => `$${firstParameter + parameters.push(value) - 1}`);
  return { sql, parameters };
}

/** A name as an SQL identifier. */
export function quoteIdentifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

type Bind = (value: string | number | boolean) => string;

const OPERATORS = { eq: "=", ne: "<>", lt: "<", le: "<=", gt: ">", ge: ">=" };

function write(filter: BoundFilter, bind: Bind): string {
  switch (filter.kind) {
    case "comparison":
      return writeComparison(filter, bind);
    case "not":
      return `NOT (${write(filter.expr, bind)})`;
    case "bool": {
      const joint = filter.op === "and" ? " AND " : " OR ";
      return filter.exprs.map((expr) => `(${write(expr, bind)})`).join(joint);
    }
  }
}

function writeComparison({ column, op, operand }: BoundComparison, bind: Bind): string {
  const name = quoteIdentifier(column);
  if (op === "is_null") return `${name} IS NULL`;
  if (op === "is_not_null") return `${name} IS NOT NULL`;
  const values = operandTexts(operand, bind);
  if (op === "in") return `${name} IN (${values.join(", ")})`;
  if (op === "not_in") return `${name} NOT IN (${values.join(", ")})`;
  return `${name} ${OPERATORS[op]} ${values[0]}`;
}

function operandTexts(operand: BoundComparison["operand"], bind: Bind): string[] {
  switch (operand.kind) {
    case "categorical":
    case "text":
      return operand.values.map(bind);
    case "numeric":
      return operand.values.map(bind);
    case "boolean":
      return operand.values.map((value) => bind(value === 1));
    case "timestamp":
      return operand.values.map(
        (value) => `CAST(${bind(formatTimestamp(value).replace("Z", ""))} AS timestamp)`,
      );
  }
}
