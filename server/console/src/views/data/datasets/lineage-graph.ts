/** A lineage as the service gives it, and what of it lies on either side of what was asked about. */

interface NodeKey {
  readonly kind: string;
  readonly id: string;
}

export interface GraphNode extends NodeKey {
  readonly name: string;
  readonly state: string | null;
  readonly created_at: string | null;
  readonly deleted: boolean;
  readonly facts: Readonly<Record<string, unknown>>;
}

export interface Graph {
  readonly root: NodeKey;
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly { readonly from: NodeKey; readonly to: NodeKey }[];
  readonly truncated: boolean;
}

const keyOf = ({ kind, id }: NodeKey): string => `${kind} ${id}`;

/** The nodes on one side of the root, the nearest first, without the root. */
export function reachedFrom(graph: Graph, side: "sources" | "results"): readonly GraphNode[] {
  const next = new Map<string, string[]>();
  for (const { from, to } of graph.edges) {
    const [near, far] = side === "sources" ? [to, from] : [from, to];
    next.set(keyOf(near), [...(next.get(keyOf(near)) ?? []), keyOf(far)]);
  }
  const nodes = new Map(graph.nodes.map((node) => [keyOf(node), node]));
  const root = keyOf(graph.root);
  const reached = new Set([root]);
  // A set is walked in the order of its growth.
  for (const key of reached) for (const far of next.get(key) ?? []) reached.add(far);
  reached.delete(root);
  return [...reached].flatMap((key) => nodes.get(key) ?? []);
}
