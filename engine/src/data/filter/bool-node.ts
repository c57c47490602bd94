/** Filters joined by `and` or `or`. */

import type { FilterNode } from "./filter-node.ts";

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
