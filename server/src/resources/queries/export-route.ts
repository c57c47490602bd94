/** `POST /v1/workspaces/{workspace_id}/query:export`: all rows of a statement as a file. */

import { open } from "node:fs/promises";
import { z } from "zod";
import { attachment } from "../../api/http/bodies/object-download.ts";
import { rawRoute } from "../../api/http/routing/raw-route.ts";
import { asDataFault } from "../../platform/input/data-fault.ts";
import type { ExportFormat } from "../../query/sql/query.ts";
import { workspacePath } from "../workspaces/parts.ts";
import { heldResults } from "./held-files.ts";
import { sqlParameters, sqlText } from "./request.ts";
import { QUERY_ERRORS } from "./routes.ts";
import { workspaceQuery } from "./workspace-query.ts";

const MEDIA_TYPES = {
  csv: "text/csv; charset=utf-8; header=present",
  parquet: "application/vnd.apache.parquet",
  arrow: "application/vnd.apache.arrow.stream",
} as const satisfies Record<ExportFormat, string>;

const FILE_NAMES = {
  csv: "result.csv",
  parquet: "result.parquet",
  arrow: "result.arrows",
} as const satisfies Record<ExportFormat, string>;

const exportRequest = z
  .strictObject({
    sql: sqlText,
    parameters: sqlParameters,
    format: z.enum(["csv", "parquet", "arrow"]).meta({
      description:
        "What the file is: CSV with a header, where an empty text is quoted and a missing value is not; Parquet; or an Arrow IPC stream.",
    }),
    timeoutSeconds: z.int().min(1).max(3600).default(600),
  })
  .meta({ id: "QueryExportRequest" });

const bytes = { schema: { type: "string", format: "binary" } } as const;

export const exportQuery = rawRoute({
  operation: {
    method: "POST",
    path: "/v1/workspaces/{workspace_id}/query:export",
    summary: "Export Query",
    description:
      "Runs one SELECT statement as Run Query does, and answers with a file of all its rows, however many. The file is whole before its first byte is sent, so that a statement that fails is answered with its fault.",
    tags: ["Queries"],
    operationId: "queries_export",
    exactIntegers: true,
    errors: QUERY_ERRORS.filter((kind) => kind !== "not-acceptable"),
    responseHeaders: z.object({
      "Content-Disposition": z.string().describe("The name to save it under."),
      "X-Rows": z.string().describe("How many rows it has."),
    }),
  },
  scope: "workspace:read",
  input: z.object({ path: z.object(workspacePath) }),
  request: { required: true, content: { "application/json": { schema: exportRequest } } },
  responses: {
    200: {
      description: "The file",
      content: {
        "text/csv": { schema: { type: "string" } },
        [MEDIA_TYPES.parquet]: bytes,
        [MEDIA_TYPES.arrow]: bytes,
      },
    },
  },
  async handler({ ctx, input, json }) {
    const { format, ...statement } = await json(exportRequest);
    const { request } = await workspaceQuery(ctx, input.path.workspace_id, statement);
    try {
      return await ctx.services.sql.exportFile(request, format, async ({ path, rows }) => {
        // Open, it can be read to its end though its name goes when this ends.
        const file = await open(path);
        const { size } = await file.stat();
        const body = file.createReadStream({ highWaterMark: 1 << 20 });
        heldResults.hold(ctx.auth.organizationId, size, body);
        return {
          body,
          contentType: MEDIA_TYPES[format],
          headers: {
            "content-length": String(size),
            "content-disposition": attachment(FILE_NAMES[format]),
            "x-rows": String(rows),
          },
        };
      });
    } catch (error) {
      throw asDataFault(error, ["body", "sql"]);
    }
  },
});
