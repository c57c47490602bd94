/** Which rows a run uses: comparisons of columns, as the service's filter has them. */

import type { Inputs } from "@distillery/client";
import type { ColumnFacts } from "./guess.ts";

/** In the service's own names. */
export const OPERATORS = {
  eq: "is",
  ne: "is not",
  lt: "is less than",
  le: "is at most",
  gt: "is greater than",
  ge: "is at least",
  in: "is one of",
  not_in: "is none of",
  is_null: "is missing",
  is_not_null: "is there",
} as const;
export type Operator = keyof typeof OPERATORS;

export interface Condition {
  /** Of the list in the form. */
  readonly id: number;
  readonly column: string;
  readonly op: Operator;
  readonly value: string;
}

export const takesValue = (op: Operator): boolean => op !== "is_null" && op !== "is_not_null";

type Filter = Inputs["training"]["run"]["filter"];

/** Undefined where there is no condition. */
export function filterOf(
  conditions: readonly Condition[],
  join: "and" | "or",
  columns: readonly ColumnFacts[],
): Filter {
  const exprs = conditions.map(({ column, op, value }) => {
    const kind = columns.find(({ name }) => name === column)?.kind;
    const typed = (text: string) => typedValue(text.trim(), kind);
    return {
      column,
      op,
      ...(takesValue(op)
        ? { value: op === "in" || op === "not_in" ? value.split(",").map(typed) : typed(value) }
        : {}),
    };
  });
  if (exprs.length < 2) return exprs[0];
  return { op: join, exprs };
}

/** In the column's type; what it cannot hold stays a text, for the service to say so. */
function typedValue(
  text: string,
  kind: ColumnFacts["kind"] | undefined,
): string | number | boolean {
  if (kind === "numeric" && text !== "" && Number.isFinite(Number(text))) return Number(text);
  if (kind === "boolean" && (text === "true" || text === "false")) return text === "true";
  return text;
}
