/** Datasets: list, get with the profile of each column, delete. Uploading is a raw route, as is get under `/v1`. */

import { z } from "zod";
import { authed, router } from "../../api/http/routing/trpc.ts";
import { CreationPages } from "../../api/paging/page-end.ts";
import { cutPage, nextPageToken, pageQuery } from "../../api/paging/page-token.ts";
import { notFound } from "../../platform/input/problem.ts";
import { ownerPrefix } from "../../platform/objects/holds.ts";
import type { JobKind } from "../jobs/kind.ts";
import { refuseWhileUsed } from "../jobs/service.ts";
import { findProfiled } from "./profiled.ts";
import { datasetSchema, profiledDatasetSchema, profileSchema, toDataset } from "./record.ts";
import { datasetOwners, deleteDataset, listDatasets } from "./store.ts";

const path = z.strictObject({ dataset_id: z.uuid() });
const tags = ["Datasets"];

/** @param jobKinds whose open jobs may refer to a dataset */
export const datasetsRouter = (jobKinds: readonly JobKind[]) =>
  router({
    list: authed("datasets:read")
      .meta({
        openapi: {
          method: "GET",
          path: "/v1/datasets",
          summary: "List Datasets",
          description: "Newest first.",
          tags,
        },
      })
      .input(z.strictObject(pageQuery))
      .output(z.object({ datasets: z.array(datasetSchema), next_page_token: nextPageToken }))
      .query(async ({ ctx, input }) => {
        const { organizationId } = ctx.auth;
        const { limit, page_token } = input;
        const filter = [organizationId];
        const pages = new CreationPages(ctx.services, "datasets");
        const rows = await listDatasets(
          ctx.services.db,
          organizationId,
          limit,
          pages.read(filter, page_token),
        );
        const page = cutPage(rows, limit, (last) => pages.write(filter, last));
        return { datasets: page.entries.map(toDataset), next_page_token: page.next_page_token };
      }),

    get: authed("datasets:read")
      .input(path)
      .output(profiledDatasetSchema)
      .query(async ({ ctx, input }) => {
        const { row, profile } = await findProfiled(ctx, input.dataset_id);
        return { ...toDataset(row), profile: profileSchema.parse(JSON.parse(profile)) };
      }),

    delete: authed("datasets:write")
      .meta({
        openapi: {
          method: "DELETE",
          path: "/v1/datasets/{dataset_id}",
          summary: "Delete Dataset",
          description: "Jobs and models that were trained on it stay.",
          tags,
          errors: ["not-found", "conflict"],
        },
      })
      .input(path)
      .output(z.object({ id: z.uuid(), deleted: z.boolean() }))
      .mutation(async ({ ctx, input }) => {
        const { organizationId } = ctx.auth;
        const id = input.dataset_id;
        const { db, objects } = ctx.services;
        await db.forOrganization(organizationId, async (sql) => {
          if (!(await deleteDataset(sql, organizationId, id))) throw notFound("dataset");
          // Counted behind the delete, which waits for a job that is being registered with it.
          await refuseWhileUsed(sql, jobKinds, organizationId, "datasets", id);
        });
        await objects.deletePrefix(ownerPrefix(organizationId, datasetOwners.folder, id));
        return { id, deleted: true };
      }),
  });
