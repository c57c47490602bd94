/** A row filter: a small frozen tree, made by the nodes' `create`, interpreted and compiled elsewhere. */

import type { BoolNode } from "./bool-node.ts";
import type { ComparisonNode } from "./comparison-node.ts";
import type { NotNode } from "./not-node.ts";

export type FilterNode = ComparisonNode | BoolNode | NotNode;

export const MAX_FILTER_DEPTH = 32;
export const MAX_FILTER_NODES = 1000;
/** Values that one `in` may list. */
export const MAX_LISTED_VALUES = 10_000;
