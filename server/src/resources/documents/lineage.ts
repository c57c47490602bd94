/** Documents and the schemas that were induced from them, in the lineage of what was learned from both. */

import { idsOf, type LineageContributor, type LineageEdge } from "../lineage/lineage.ts";
import { findRelatedSchemas, type SchemaRow } from "./schemas/store.ts";
import { findNames } from "./store.ts";

export const documentLineage: LineageContributor = {
  async describe({ db, organizationId }, keys) {
    const documents = await findNames(db, organizationId, idsOf(keys, "document"));
    const schemas = await findRelatedSchemas(db, organizationId, {
      ids: idsOf(keys, "model"),
      jobs: [],
    });
    return [
      ...documents.map(({ id, name, status, pages, created_at }) => {
        const key = { kind: "document", id };
        const facts = { pages };
        return { key, node: { ...key, name, state: status, created_at, deleted: false, facts } };
      }),
      ...schemas.map(({ id, model_id, status, skill, use_case, created_at }) => ({
        // Jobs name it by its row; callers by an id that may be theirs.
        key: { kind: "model", id },
        node: {
          ...{ kind: "document_schema", id: model_id, name: model_id },
          ...{ state: status, created_at, deleted: false, facts: { skill, use_case } },
        },
      })),
    ];
  },
  async sources({ db, organizationId }, keys) {
    const asked = { ids: idsOf(keys, "model"), jobs: [] };
    return (await findRelatedSchemas(db, organizationId, asked)).map(edgeTo);
  },
  async results({ db, organizationId }, keys) {
    const asked = { ids: [], jobs: idsOf(keys, "job") };
    return (await findRelatedSchemas(db, organizationId, asked)).map(edgeTo);
  },
};

const edgeTo = ({ id, job_id }: SchemaRow): LineageEdge => ({
  from: { kind: "job", id: job_id },
  to: { kind: "model", id },
  relation: "made",
});
