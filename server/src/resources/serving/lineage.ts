/** Endpoints in the lineage of the models that they serve. */

import { idsOf, type LineageContributor, type LineageEdge } from "../lineage/lineage.ts";
import { referencesTo } from "../models/service.ts";
import { endpointsOf, findEndpoint } from "./store.ts";

export const endpointLineage: LineageContributor = {
  async describe({ db, organizationId }, keys) {
    const rows = await Promise.all(
      idsOf(keys, "endpoint").map((id) => findEndpoint(db, organizationId, id)),
    );
    return rows.flatMap((row) => {
      if (row === null) return [];
      const { id, name, created_at, models, shadow_model_id } = row;
      const key = { kind: "endpoint", id };
      const facts = { models, shadow_model_id };
      const node = { ...key, name, state: null, created_at, deleted: false, facts };
      return [{ key, node }];
    });
  },
  // Nobody asks for the lineage of an endpoint, and nothing comes of one.
  sources: async () => [],
  async results({ db, organizationId }, keys) {
    const edges: LineageEdge[] = [];
    await db.forOrganization(organizationId, async (sql) => {
      for (const id of idsOf(keys, "model")) {
        const references = await referencesTo(db, sql, organizationId, id);
        const endpoints = await endpointsOf(sql, organizationId, references);
        for (const endpoint of endpoints) {
          const to = { kind: "endpoint", id: endpoint };
          edges.push({ from: { kind: "model", id }, to, relation: "serves" });
        }
      }
    });
    return edges;
  },
};
