/**
 * An equal filter with less to do: nested bools of one operator become one, bools of one part that
 * part, double negations vanish, and repeated parts are dropped. It holds in three-valued logic.
 */

import { BoolNode } from "./bool-node.ts";
import type { FilterNode } from "./filter-node.ts";
import { NotNode } from "./not-node.ts";

export function simplifyFilter(filter: FilterNode): FilterNode {
  switch (filter.kind) {
    case "comparison":
      return filter;
    case "not": {
      const inner = simplifyFilter(filter.expr);
      return inner.kind === "not" ? inner.expr : NotNode.create(inner);
    }
    case "bool": {
      const parts = filter.exprs
        .map(simplifyFilter)
        .flatMap((part) => (part.kind === "bool" && part.op === filter.op ? part.exprs : [part]));
      const distinct = new Map(parts.map((part) => [JSON.stringify(part), part]));
      const exprs = [...distinct.values()];
      return exprs.length === 1 ? exprs[0] : BoolNode.create(filter.op, exprs);
    }
  }
}
