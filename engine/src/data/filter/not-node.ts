/** The negation of a filter; unknown stays unknown. */

import type { FilterNode } from "./filter-node.ts";

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
