/** What the nodes of a lineage are, and where each is looked at. */

export interface LineageNode {
  readonly kind: string;
  readonly id: string;
  readonly name: string;
  readonly state: string | null;
  readonly created_at: string | null;
  readonly deleted: boolean;
  readonly facts: Readonly<Record<string, unknown>>;
}

/** By kind, of jobs by theirs; what has no view has no address. */
const ADDRESSES: Readonly<Record<string, string>> = {
  dataset: "/data/datasets/",
  model: "/models/",
  document: "/documents/",
  document_schema: "/documents/schemas/",
  endpoint: "/serve/endpoints/",
  training: "/train/runs/",
  batch_prediction: "/serve/batch/",
  extraction: "/documents/extractions/",
};

/** Where the kind's own name does not say it. */
const KINDS: Readonly<Record<string, string>> = {
  training: "run",
  endpoint: "serving endpoint",
};

function kindOf({ kind, facts }: Pick<LineageNode, "kind" | "facts">): string {
  const { job_kind: jobKind } = facts;
  return kind === "job" && typeof jobKind === "string" ? jobKind : kind;
}

/** In people's words, such as `run`. */
export function kindInWords(node: Pick<LineageNode, "kind" | "facts">): string {
  const kind = kindOf(node);
  return KINDS[kind] ?? kind.replaceAll("_", " ");
}

/** Null of what is gone, and of what has no view of its own. */
export function addressOf(node: LineageNode): string | null {
  const view = ADDRESSES[kindOf(node)];
  return node.deleted || view === undefined ? null : view + encodeURIComponent(node.id);
}
