/** Datasets in the lineage of models: what they were made of, as their source records it. */

import { z } from "zod";
import {
  idsOf,
  type LineageContributor,
  type LineageEdge,
  type NodeKey,
} from "../lineage/lineage.ts";
import { findDatasets } from "./store.ts";

const origin = z.object({
  table: z.string(),
  revision: z.string().nullish(),
  /** Where the table is a dataset, of the built-in catalog. */
  dataset_id: z.string().optional(),
});
/** Of each kind that a dataset's source has; other kinds have no nodes. */
const sourceSchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("upload"), file_name: z.string().nullish() }),
  z.object({ kind: z.literal("table"), ...origin.shape }),
  z.object({
    kind: z.literal("sql"),
    sql: z.string(),
    tables: z.array(origin).default([]),
    models: z.array(z.object({ model_id: z.string() })).default([]),
  }),
  z.object({ kind: z.literal("extraction"), job_id: z.string() }),
  z.object({ kind: z.literal("batch_prediction"), job_id: z.string() }),
]);
type Source = z.output<typeof sourceSchema>;

type Row = Awaited<ReturnType<typeof findDatasets>>[number];

const datasetKey = ({ id }: Pick<Row, "id">): NodeKey => ({ kind: "dataset", id });
const sourceOf = ({ source }: Row): Source | null => sourceSchema.safeParse(source).data ?? null;
const tableKey = ({ table, dataset_id: id }: z.output<typeof origin>): NodeKey =>
  id === undefined ? { kind: "table", id: table } : { kind: "dataset", id };

/** Uploads and statements are not kept apart from the dataset that they made, whose id they have here. */
const MADE_OF: readonly string[] = ["dataset", "upload", "query"];

export const datasetLineage: LineageContributor = {
  async describe({ db, organizationId }, keys) {
    const ids = MADE_OF.flatMap((kind) => idsOf(keys, kind));
    const rows = await findDatasets(db, organizationId, {
      ids,
      jobs: [],
      models: [],
      datasets: [],
    });
    const tables = idsOf(keys, "table").map((id) => ({
      key: { kind: "table", id },
      node: node({ kind: "table", id }, id, null, {}),
    }));
    const described = rows.flatMap((row) => {
      const { id, name, rows: count, hash, created_at } = row;
      const source = sourceOf(row);
      const made = node(datasetKey(row), name, created_at, { rows: count, hash });
      const of = [{ key: datasetKey(row), node: made }];
      if (source?.kind === "upload") {
        const key = { kind: "upload", id };
        of.push({ key, node: node(key, source.file_name ?? name, created_at, {}) });
      }
      if (source?.kind === "sql") {
        const key = { kind: "query", id };
        const facts = { sql: source.sql, tables: source.tables };
        of.push({ key, node: node(key, name, created_at, facts) });
      }
      return of;
    });
    return [...described, ...tables];
  },
  async sources({ db, organizationId }, keys) {
    const ids = MADE_OF.flatMap((kind) => idsOf(keys, kind));
    const rows = await findDatasets(db, organizationId, {
      ids,
      jobs: [],
      models: [],
      datasets: [],
    });
    const asked = new Set(keys.map(({ kind, id }) => `${kind} ${id}`));
    return rows.flatMap(edgesTo).filter(({ to }) => asked.has(`${to.kind} ${to.id}`));
  },
  async results({ db, organizationId }, keys) {
    const [jobs, models] = [idsOf(keys, "job"), idsOf(keys, "model")];
    // What a statement made has its id.
    const made = { ids: idsOf(keys, "query"), jobs, models, datasets: idsOf(keys, "dataset") };
    const rows = await findDatasets(db, organizationId, made);
    const asked = new Set(keys.map(({ kind, id }) => `${kind} ${id}`));
    return rows.flatMap(edgesTo).filter(({ from }) => asked.has(`${from.kind} ${from.id}`));
  },
};

function edgesTo(row: Row): LineageEdge[] {
  const to = datasetKey(row);
  const source = sourceOf(row);
  switch (source?.kind) {
    case undefined:
      return [];
    case "upload":
      return [{ from: { kind: "upload", id: row.id }, to, relation: "registered" }];
    case "table":
      return [{ from: tableKey(source), to, relation: "read" }];
    case "extraction":
    case "batch_prediction":
      return [{ from: { kind: "job", id: source.job_id }, to, relation: "made" }];
    case "sql": {
      const query = { kind: "query", id: row.id };
      const read = source.tables.map((table) => ({
        from: tableKey(table),
        to: query,
        relation: "read",
      }));
      const predicted = source.models.map(({ model_id }) => ({
        from: { kind: "model", id: model_id },
        to: query,
        relation: "predicted",
      }));
      return [...read, ...predicted, { from: query, to, relation: "made" }];
    }
  }
}

const node = (key: NodeKey, name: string, created_at: Date | null, facts: object) => ({
  ...key,
  name,
  state: null,
  created_at,
  deleted: false,
  facts: { ...facts },
});
