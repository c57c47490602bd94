/** Jobs in the lineage of what they read and made: what a job made is said by those who keep it. */

import { idsOf, type LineageContributor, type LineageEdge } from "../lineage/lineage.ts";
import type { JobRow } from "./job.ts";
import { findLinks, type JobLinks } from "./store.ts";

export const jobLineage: LineageContributor = {
  async describe({ db, organizationId }, keys) {
    const jobs = await findLinks(db, organizationId, { jobs: idsOf(keys, "job") });
    return jobs.map((job) => ({
      key: { kind: "job", id: job.id },
      node: {
        kind: "job",
        id: job.id,
        name: job.name,
        state: job.status,
        created_at: job.created_at,
        deleted: false,
        facts: {
          job_kind: job.kind,
          started_at: job.started_at?.toISOString() ?? null,
          finished_at: job.finished_at?.toISOString() ?? null,
        },
      },
    }));
  },
  async sources({ db, organizationId }, keys) {
    const jobs = await findLinks(db, organizationId, { jobs: idsOf(keys, "job") });
    return jobs.flatMap(edgesTo);
  },
  async results({ db, organizationId }, keys) {
    const read = {
      datasets: idsOf(keys, "dataset"),
      models: idsOf(keys, "model"),
      documents: idsOf(keys, "document"),
    };
    const jobs = await findLinks(db, organizationId, read);
    const asked = new Set(keys.map(({ kind, id }) => `${kind} ${id}`));
    return jobs.flatMap(edgesTo).filter(({ from }) => asked.has(`${from.kind} ${from.id}`));
  },
};

function edgesTo({ id, kind, datasets, models, documents }: JobLinks): LineageEdge[] {
  const from = (what: string, relation: string, ids: JobRow["models"]): LineageEdge[] =>
    ids.map((each) => ({
      from: { kind: what, id: each },
      to: { kind: "job", id },
      relation,
    }));
  return [
    ...from("dataset", "read", datasets),
    ...from("model", kind === "training" ? "taught" : "used", models),
    ...from("document", "read", documents),
  ];
}
