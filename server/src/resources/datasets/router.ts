/** Datasets: list, get with the profile of each column, delete. Uploading is a raw route, as is get under `/v1`. */

import { z } from "zod";
import { authed, router } from "../../api/http/routing/trpc.ts";
import { CreationPages } from "../../api/paging/page-end.ts";
import { cutPage, nextPageToken, pageQuery } from "../../api/paging/page-token.ts";
import { notFound } from "../../platform/input/problem.ts";
import { type LineageContributor, lineageOf, lineageSchema } from "../lineage/lineage.ts";
import { findProfiled } from "./profiled.ts";
import {
  listedDatasetSchema,
  profiledDatasetSchema,
  profileSchema,
  toDataset,
  toListedDataset,
} from "./record.ts";
import { type DatasetUsers, removeDataset } from "./service.ts";
import { findDataset, findDatasets, listDatasets } from "./store.ts";
import { withTableFile } from "./table-file.ts";

const path = z.strictObject({ dataset_id: z.uuid() });
const tags = ["Datasets"];

const MOST_ROWS = 1_000;
/** All of any table. */
const MOST_COLUMNS = 1_000_000;
const rowsSchema = z
  .object({
    columns: z.array(z.string()).describe("Names of the columns, in the order of the cells."),
    rows: z
      .array(z.array(z.union([z.number(), z.string(), z.boolean(), z.null()])))
      .describe(
        "The cells of each row. Null where the value is missing; times are ISO 8601, infinite numbers the texts Infinity and -Infinity.",
      ),
  })
  .meta({ id: "DatasetRows" });

/**
 * @param users what may refer to a dataset
 * @param lineage of all resources
 */
export const datasetsRouter = (users: DatasetUsers, lineage: readonly LineageContributor[]) =>
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
      .input(
        z.strictObject({
          ...pageQuery,
          max_columns: z
            .int()
            .min(0)
            .default(MOST_COLUMNS)
            .describe("The most columns that are told of each; column_count has their number."),
          contains: z
            .string()
            .min(1)
            .max(200)
            .optional()
            .describe(
              "Only datasets with this text in their name, or in their name in SQL, in capitals or not.",
            ),
        }),
      )
      .output(z.object({ datasets: z.array(listedDatasetSchema), next_page_token: nextPageToken }))
      .query(async ({ ctx, input }) => {
        const { organizationId } = ctx.auth;
        const { limit, page_token, max_columns, contains = null } = input;
        const filter = [organizationId, ...(contains === null ? [] : [contains])];
        const pages = new CreationPages(ctx.services, "datasets");
        const rows = await listDatasets(ctx.services.db, organizationId, {
          ...{ limit, after: pages.read(filter, page_token), contains },
          hasColumns: max_columns > 0,
        });
        const page = cutPage(rows, limit, (last) => pages.write(filter, last));
        return {
          datasets: page.entries.map((row) => toListedDataset(row, max_columns)),
          next_page_token: page.next_page_token,
        };
      }),

    get: authed("datasets:read")
      .input(path)
      .output(profiledDatasetSchema)
      .query(async ({ ctx, input }) => {
        const { row, profile } = await findProfiled(ctx, input.dataset_id);
        return { ...toDataset(row), profile: profileSchema.parse(JSON.parse(profile)) };
      }),

    rows: authed("datasets:read")
      .meta({
        openapi: {
          method: "GET",
          path: "/v1/datasets/{dataset_id}/rows",
          summary: "List Dataset Rows",
          description:
            "Some of the rows, in their order, to look at. Of wide tables and long texts fewer come than were asked for; the next begin at offset plus the number of those that came.",
          tags,
          errors: ["not-found"],
        },
      })
      .input(
        z.strictObject({
          ...path.shape,
          offset: z
            .int()
            .min(0)
            .default(0)
            .describe("How many rows are left out before the first; beyond the end, none come."),
          limit: z.int().min(1).max(MOST_ROWS).default(100).describe("The most rows that come."),
        }),
      )
      .output(rowsSchema)
      .query(async ({ ctx, input: { dataset_id: id, offset, limit } }) => {
        const { services, auth, request } = ctx;
        const { organizationId } = auth;
        const dataset = await findDataset(services.db, organizationId, id);
        if (dataset === null) throw notFound("dataset");
        const { signal } = request;
        const { columns, rows } = await withTableFile(
          { services, organizationId, dataset, signal },
          ({ path: file }) =>
            services.compute.rows({ path: file, offset, limit }, { organizationId, signal }),
        );
        return { columns: [...columns], rows: rows.map((row) => [...row]) };
      }),

    lineage: authed("datasets:read")
      .meta({
        openapi: {
          method: "GET",
          path: "/v1/datasets/{dataset_id}/lineage",
          summary: "Get Dataset Lineage",
          description:
            "What the dataset came from (a file, tables, a query, documents), and the jobs, models and endpoints that came of it.",
          tags,
          errors: ["not-found"],
        },
      })
      .input(path)
      .output(lineageSchema)
      .query(async ({ ctx, input: { dataset_id: id } }) => {
        const { db } = ctx.services;
        const asked = { ids: [id], jobs: [], models: [], datasets: [] };
        const found = await findDatasets(db, ctx.auth.organizationId, asked);
        if (found.length === 0) throw notFound("dataset");
        return lineageOf(ctx, lineage, { kind: "dataset", id: found[0]?.id ?? id });
      }),

    delete: authed("datasets:write")
      .meta({
        openapi: {
          method: "DELETE",
          path: "/v1/datasets/{dataset_id}",
          summary: "Delete Dataset",
          description:
            "A dataset that models were trained on is 409 unless force=true; they stay and say what it was.",
          tags,
          errors: ["not-found", "conflict"],
        },
      })
      .input(
        z.strictObject({
          ...path.shape,
          force: z
            .boolean()
            .default(false)
            .describe("Deletes it though models were trained on it, which stay."),
        }),
      )
      .output(z.object({ id: z.uuid(), deleted: z.boolean() }))
      .mutation(async ({ ctx, input }) => {
        const { dataset_id: id, force } = input;
        await removeDataset(ctx.services, ctx.auth.organizationId, users, id, force);
        return { id, deleted: true };
      }),
  });
