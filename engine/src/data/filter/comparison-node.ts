/** One column compared with a value; `is_null` and `is_not_null` take none, `in` a list. */

export const COMPARISON_OPERATORS = [
  "eq",
  "ne",
  "lt",
  "le",
  "gt",
  "ge",
  "in",
  "not_in",
  "is_null",
  "is_not_null",
] as const;
export type ComparisonOperator = (typeof COMPARISON_OPERATORS)[number];

export type FilterScalar = string | number | boolean;
export type FilterValue = FilterScalar | readonly FilterScalar[] | null;

export interface ComparisonNode {
  readonly kind: "comparison";
  readonly column: string;
  readonly op: ComparisonOperator;
  /** null where the operator takes none. */
  readonly value: FilterValue;
}

export const ComparisonNode = Object.freeze({
  is(node: { readonly kind: string }): node is ComparisonNode {
    return node.kind === "comparison";
  },

  create(column: string, op: ComparisonOperator, value: FilterValue = null): ComparisonNode {
    const held = Array.isArray(value) ? Object.freeze([...value]) : value;
    return Object.freeze({ kind: "comparison", column, op, value: held });
  },
});
