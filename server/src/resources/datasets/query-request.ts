/** The JSON body of `POST /v1/datasets`: which rows to make a dataset of. */

import { z } from "zod";
import { displayName } from "../../platform/input/display-name.ts";
import { sqlParameters, sqlText } from "../queries/request.ts";

export const queryDatasetRequest = z
  .strictObject({
    name: displayName(),
    table: z
      .string()
      .min(1)
      .max(1024)
      .optional()
      .describe(
        "A table's full name, `workspaces/…/tables/{table}`, or its name in SQL, `catalog.schema.table` or shorter by the workspace's sqlDefaults; of a dataset `datasets.{sql_name}`.",
      ),
    sql: sqlText.optional(),
    parameters: sqlParameters.unwrap().optional(),
  })
  .superRefine(({ table, sql, parameters }, ctx) => {
    if ((table === undefined) === (sql === undefined)) {
      ctx.addIssue({
        code: "custom",
        message: `exactly one of table and sql must be given; ${table === undefined ? "neither is" : "both are"}`,
      });
    } else if (parameters !== undefined && sql === undefined) {
      ctx.addIssue({ code: "custom", message: "parameters belong to sql", path: ["parameters"] });
    }
  })
  .meta({ id: "QueryDatasetRequest", description: "Exactly one of table and sql." });

export type QueryDatasetRequest = z.output<typeof queryDatasetRequest>;
