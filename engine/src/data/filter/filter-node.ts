/** A row filter: a small frozen tree, made by the nodes' `create`, interpreted and compiled elsewhere. */

export const MAX_FILTER_DEPTH = 32;
export const MAX_FILTER_NODES = 1000;
/** Values that one `in` may list. */
export const MAX_LISTED_VALUES = 10_000;

/** A row filter: a comparison, or others joined by `and`, `or` and `not`. */
export type FilterNode = ComparisonNode | BoolNode | NotNode;

/** Of a comparison; `is_null` and `is_not_null` take no value, `in` and `not_in` a list. */
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

/** A whole number by its digits, where a number of JavaScript would lose the last of them. */
export interface FilterInteger {
  readonly integer: string;
}

export type FilterScalar = string | number | boolean | FilterInteger;
export type FilterValue = FilterScalar | readonly FilterScalar[] | null;

/** One column compared with a value. */
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

/** Filters joined by `and` or `or`. */
export interface BoolNode {
  readonly kind: "bool";
  readonly op: "and" | "or";
  /** At least one. */
  readonly exprs: readonly FilterNode[];
}

export const BoolNode = Object.freeze({
  is(node: { readonly kind: string }): node is BoolNode {
    return node.kind === "bool";
  },

  create(op: "and" | "or", exprs: readonly FilterNode[]): BoolNode {
    return Object.freeze({ kind: "bool", op, exprs: Object.freeze([...exprs]) });
  },
});

/** The negation of a filter; unknown stays unknown. */
export interface NotNode {
  readonly kind: "not";
  readonly expr: FilterNode;
}

export const NotNode = Object.freeze({
  is(node: { readonly kind: string }): node is NotNode {
    return node.kind === "not";
  },

  create(expr: FilterNode): NotNode {
    return Object.freeze({ kind: "not", expr });
  },
});
