/** Plans of queries, profiles of tables. */

import { COLUMN_KINDS } from "@distillery/engine";
import { z } from "zod";
import { authed, router } from "../../api/http/routing/trpc.ts";
import { asDataFault } from "../../platform/input/data-fault.ts";
import { arrowTypeName } from "../../query/arrow/arrow-type-name.ts";
import { tablePath, workspacePath } from "../workspaces/parts.ts";
import { OTHER } from "./other-columns.ts";
import { explainMembers, queryPlan } from "./request.ts";
import { QUERY_ERRORS } from "./routes.ts";
import { tableProfile } from "./table-profile.ts";
import { revisionOf } from "./table-scan.ts";
import { workspaceQuery } from "./workspace-query.ts";

const tags = ["Queries"];
const errors = QUERY_ERRORS.filter((kind) => kind !== "not-acceptable");

const tableProfileSchema = z
  .object({
    rows: z.int(),
    columns: z.array(
      z.object({
        name: z.string(),
        datatype: z.object({ kind: z.enum([...COLUMN_KINDS, OTHER]) }),
        nullable: z.boolean(),
      }),
    ),
    profile: z
      .array(z.record(z.string(), z.unknown()))
      .describe(
        "One entry per column: counts, missing and distinct values, quantiles, top values. Of a column of the kind `other`, whose cells are no single values, its `type` in SQL and the missing ones.",
      ),
    warnings: z.array(z.string()),
    revision: z.string(),
    revisionHash: z.string().describe("Of the definition that was profiled."),
    computeTime: z.iso.datetime(),
  })
  .meta({ id: "TableProfile" });

export const queriesRouter = router({
  explain: authed("workspace:read")
    .meta({
      openapi: {
        method: "POST",
        path: "/v1/workspaces/{workspace_id}/query:explain",
        summary: "Explain Query",
        description:
          "How a statement would run: its plan, and what it would read of each table. No rows are read.",
        tags,
        errors,
        exactIntegers: true,
      },
    })
    .input(z.strictObject({ ...workspacePath, ...explainMembers }).meta({ id: "ExplainRequest" }))
    .output(queryPlan)
    .mutation(async ({ ctx, input: { workspace_id, ...statement } }) => {
      const { request } = await workspaceQuery(ctx, workspace_id, statement);
      const { text, schema, scans } = await ctx.services.sql
        .explain(request)
        .catch((error: unknown) => {
          throw asDataFault(error, ["body", "sql"]);
        });
      return {
        plan: text,
        scans: scans.map((scan) => ({ ...scan, columns: [...scan.columns] })),
        columns: schema.fields.map(({ name, type }) => ({ name, type: arrowTypeName(type) })),
      };
    }),

  profile: authed("workspace:read")
    .meta({
      openapi: {
        method: "GET",
        path: "/v1/workspaces/{workspace_id}/catalogs/{catalog_id}/schemas/{schema_id}/tables/{table_id}/profile",
        summary: "Profile Table",
        description:
          "A profile of each column of a table, from one scan of its source. It is kept until the definition, the connector or the files change; for a table of a warehouse, for ten minutes.",
        tags,
        errors,
      },
    })
    .input(
      z.strictObject({
        ...tablePath,
        refresh: z.boolean().default(false).describe("Scan again, even if a profile is kept."),
      }),
    )
    .output(tableProfileSchema)
    .query(async ({ ctx, input }) => {
      const { workspace_id, catalog_id, schema_id, table_id, refresh } = input;
      const name = { catalog: catalog_id, schema: schema_id, table: table_id };
      const { profile, origin } = await tableProfile(ctx, workspace_id, name, refresh);
      return {
        rows: profile.rows,
        columns: profile.columns.map(({ name, kind, nullable }) => ({
          name,
          datatype: { kind },
          nullable,
        })),
        profile: profile.profile.map((column) => ({ ...column })),
        warnings: [...profile.warnings],
        ...revisionOf(origin),
        computeTime: profile.computed_at.toISOString(),
      };
    }),
});
