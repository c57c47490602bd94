/** Trained models in the lineage of their data, with what they keep of a dataset that was deleted. */

import { findLinks } from "../jobs/service.ts";
import {
  idsOf,
  type LineageContributor,
  type LineageEdge,
  type LineageScope,
} from "../lineage/lineage.ts";
import { findRelated, type RelatedRow } from "./store.ts";

const NONE = { ids: [], jobs: [], datasets: [] };

export const modelLineage: LineageContributor = {
  async describe({ db, organizationId }, keys) {
    const asked = { ids: idsOf(keys, "model"), jobs: [], datasets: idsOf(keys, "dataset") };
    const rows = await findRelated(db, organizationId, asked);
    return rows.flatMap((row) => {
      const { id, name, version, aliases, status, created_at, dataset_id, data } = row;
      const model = {
        ...{ kind: "model", id, name, state: status, created_at, deleted: false },
        facts: { version, aliases },
      };
      const of = [{ key: { kind: "model", id }, node: model }];
      if (data === null || row.dataset_deleted_at === null) return of;
      const key = { kind: "dataset", id: dataset_id };
      const facts = {
        ...{ rows: data.rows, hash: data.hash },
        deleted_at: row.dataset_deleted_at.toISOString(),
      };
      const gone = { name: data.name, state: null, created_at: null, deleted: true };
      return [...of, { key, node: { ...key, ...gone, facts } }];
    });
  },
  async sources(scope, keys) {
    const asked = { ...NONE, ids: idsOf(keys, "model") };
    return edgesTo(scope, await findRelated(scope.db, scope.organizationId, asked));
  },
  async results(scope, keys) {
    const asked = { ids: [], jobs: idsOf(keys, "job"), datasets: idsOf(keys, "dataset") };
    const rows = await findRelated(scope.db, scope.organizationId, asked);
    const begun = new Set(keys.map(({ kind, id }) => `${kind} ${id}`));
    const edges = await edgesTo(scope, rows);
    return edges.filter(({ from }) => begun.has(`${from.kind} ${from.id}`));
  },
};

/** From its job; from its dataset where the job has been deleted. */
async function edgesTo(
  { db, organizationId }: LineageScope,
  rows: readonly RelatedRow[],
): Promise<LineageEdge[]> {
  const asked = { jobs: [...new Set(rows.map(({ job_id }) => job_id))] };
  const jobs = new Set((await findLinks(db, organizationId, asked)).map(({ id }) => id));
  return rows.map(({ id, job_id, dataset_id }) => {
    const to = { kind: "model", id };
    return jobs.has(job_id)
      ? { from: { kind: "job", id: job_id }, to, relation: "made" }
      : { from: { kind: "dataset", id: dataset_id }, to, relation: "taught" };
  });
}
