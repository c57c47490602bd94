/**
 * A dataset with the profile of each column. Of a wide table that is megabytes of JSON: under `/v1` they
 * go out as they lie in the database, neither parsed nor written anew.
 */

import { z } from "zod";
import type { AuthedContext } from "../../api/context/context.ts";
import { JSON_TYPE } from "../../api/http/bodies/answer.ts";
import { rawRoute } from "../../api/http/routing/raw-route.ts";
import { notFound } from "../../platform/input/problem.ts";
import { profiledDatasetSchema, toDataset } from "./record.ts";
import { type DatasetRow, findDataset, findProfile } from "./store.ts";

export const datasetRoute = rawRoute({
  operation: {
    method: "GET",
    path: "/v1/datasets/{dataset_id}",
    summary: "Get Dataset",
    description: "With a profile of each column.",
    tags: ["Datasets"],
    operationId: "datasets_get",
    errors: ["not-found"],
  },
  scope: "datasets:read",
  input: z.object({ path: z.object({ dataset_id: z.uuid() }) }),
  responses: {
    200: {
      description: "The dataset",
      content: { "application/json": { schema: profiledDatasetSchema } },
    },
  },
  async handler({ ctx, input }) {
    const { row, profile } = await findProfiled(ctx, input.path.dataset_id);
    const head = JSON.stringify(toDataset(row)).slice(0, -"}".length);
    return { body: `${head},"profile":${profile}}`, contentType: JSON_TYPE };
  },
});

/** @returns the profile as JSON @throws 404 */
export async function findProfiled(
  ctx: AuthedContext,
  id: string,
): Promise<{ row: DatasetRow; profile: string }> {
  const { db } = ctx.services;
  const [row, profile] = await Promise.all([
    findDataset(db, ctx.auth.organizationId, id),
    findProfile(db, ctx.auth.organizationId, id),
  ]);
  if (row === null || profile === null) throw notFound("dataset");
  return { row, profile };
}
