/**
 * What something came from and what came of it: a graph over resources of every kind. This room knows
 * none of them; each hands in a contributor where the service is assembled (`kinds.ts`).
 */

import { z } from "zod";
import type { AuthedContext } from "../../api/context/context.ts";
import type { Database } from "../../platform/db/database.ts";

export interface LineageScope {
  readonly db: Database;
  readonly organizationId: string;
}

export interface NodeKey {
  readonly kind: string;
  readonly id: string;
}

export interface LineageNode extends NodeKey {
  readonly name: string;
  readonly state: string | null;
  readonly created_at: Date | null;
  readonly deleted: boolean;
  readonly facts: Readonly<Record<string, unknown>>;
}

/** What was used for what. */
export interface LineageEdge {
  readonly from: NodeKey;
  readonly to: NodeKey;
  readonly relation: string;
}

export interface LineageContributor {
  /**
   * @returns those of the keys that it knows, with what they show; the first contributor that knows one
   *   describes it
   */
  describe(
    scope: LineageScope,
    keys: readonly NodeKey[],
  ): Promise<readonly { readonly key: NodeKey; readonly node: LineageNode }[]>;
  /** Edges that lead to one of the keys. */
  sources(scope: LineageScope, keys: readonly NodeKey[]): Promise<readonly LineageEdge[]>;
  /** Edges that begin at one of the keys. */
  results(scope: LineageScope, keys: readonly NodeKey[]): Promise<readonly LineageEdge[]>;
}

/** Of a graph; what lies further is left out, and the answer says so. */
const MOST_NODES = 500;

const keySchema = z.object({
  kind: z.string().describe("table, query, upload, document, dataset, job, model, endpoint, …"),
  id: z.string().describe("As the resource's own operations take it."),
});

export const lineageSchema = z
  .object({
    root: keySchema.describe("What was asked about."),
    nodes: z
      .array(
        keySchema.extend({
          name: z.string(),
          state: z.string().nullable().describe("Where it has states: its status."),
          created_at: z.iso.datetime().nullable(),
          deleted: z.boolean().describe("Whether it has been deleted since."),
          facts: z
            .record(z.string(), z.unknown())
            .describe("What is special of its kind, such as the rows of a dataset."),
        }),
      )
      .describe("The root, all that it came from, and all that came of it."),
    edges: z
      .array(
        z.object({
          from: keySchema.describe("What was used."),
          to: keySchema.describe("What it was used for."),
          relation: z.string().describe("read, made, taught, …, as in: the job made the model."),
        }),
      )
      .describe("Each once, in the direction in which data went."),
    truncated: z.boolean().describe(`Whether there are more than ${MOST_NODES} nodes.`),
  })
  .meta({ id: "Lineage" });

type Lineage = z.input<typeof lineageSchema>;

const textOf = ({ kind, id }: NodeKey): string => `${kind}:${id}`;

/** Ancestors of the root and descendants of it, and not what else came of its ancestors. */
export async function lineageOf(
  { services, auth }: AuthedContext,
  contributors: readonly LineageContributor[],
  root: NodeKey,
): Promise<Lineage> {
  const scope = { db: services.db, organizationId: auth.organizationId };
  const { keys, edges, truncated } = await walkLineage(scope, contributors, root);
  const described = new Map<string, LineageNode>();
  for (const contributor of contributors) {
    const unknown = keys.filter((key) => !described.has(textOf(key)));
    for (const { key, node } of await contributor.describe(scope, unknown)) {
      described.set(textOf(key), node);
    }
  }
  const shown = (key: NodeKey): LineageNode => described.get(textOf(key)) ?? gone(key);
  const keyOf = (key: NodeKey): NodeKey => {
    const { kind, id } = shown(key);
    return { kind, id };
  };
  const nodes = new Map(keys.map((key) => [textOf(keyOf(key)), shown(key)]));
  return {
    root: keyOf(root),
    nodes: [...nodes.values()].map((node) => ({
      ...node,
      created_at: node.created_at?.toISOString() ?? null,
      facts: { ...node.facts },
    })),
    edges: edges.map(({ from, to, relation }) => ({ from: keyOf(from), to: keyOf(to), relation })),
    truncated,
  };
}

/** What nobody knows any more. */
const gone = ({ kind, id }: NodeKey): LineageNode => ({
  kind,
  id,
  name: "",
  state: null,
  created_at: null,
  deleted: true,
  facts: {},
});

/** Breadth first: sources of sources, then results of results. */
export async function walkLineage(
  scope: LineageScope,
  contributors: readonly LineageContributor[],
  root: NodeKey,
  most = MOST_NODES,
): Promise<{
  readonly keys: readonly NodeKey[];
  readonly edges: readonly LineageEdge[];
  readonly truncated: boolean;
}> {
  const keys = new Map([[textOf(root), root]]);
  const edges = new Map<string, LineageEdge>();
  let truncated = false;
  for (const direction of ["sources", "results"] as const) {
    const met = new Set([textOf(root)]);
    let frontier: readonly NodeKey[] = [root];
    while (frontier.length > 0) {
      const next: NodeKey[] = [];
      for (const contributor of contributors) {
        for (const edge of await contributor[direction](scope, frontier)) {
          const far = direction === "sources" ? edge.from : edge.to;
          const name = textOf(far);
          if (!keys.has(name) && keys.size === most) {
            truncated = true;
            continue;
          }
          keys.set(name, far);
          edges.set(`${textOf(edge.from)} ${textOf(edge.to)} ${edge.relation}`, edge);
          if (met.has(name)) continue;
          met.add(name);
          next.push(far);
        }
      }
      frontier = next;
    }
  }
  return { keys: [...keys.values()], edges: [...edges.values()], truncated };
}

/** The ids of one kind among keys. */
export const idsOf = (keys: readonly NodeKey[], kind: string): readonly string[] =>
  keys.filter((key) => key.kind === kind).map(({ id }) => id);
