/** What the operations of queries take and answer. */

import { z } from "zod";
import { exactNumber } from "../../platform/input/exact-integer.ts";
import type { QueryParameter, QueryParameters } from "../../query/sql/query.ts";

const parameter = z.union([
  z.string(),
  exactNumber(
    "a parameter is a text, a number, true, false or null; a list is sent as its JSON text, and read as $1::JSON",
  ),
  z.boolean(),
  z.null(),
]);

/** The most parameters that one statement takes. */
const MAX_PARAMETERS = 1000;

export const sqlText = z.string().min(1).max(1_000_000).meta({
  description:
    "One SELECT statement of DuckDB's dialect (VALUES, WITH, FROM, DESCRIBE, SUMMARIZE and SHOW too), over the workspace's tables as `catalog.schema.table`, or shorter by its sqlDefaults, and over every dataset as `datasets.{sql_name}`, which needs datasets:read. A table may be `predict('model', TABLE rows)` or `predict('model', (SELECT …))`: those rows with the columns of a batch prediction; its options follow as `intervals := true` (or a coverage), `contributions := true`, `prefix := 'p_'` and `on_error := 'null'`. It needs models:read.",
});

export const sqlParameters = z
  .union([
    z.array(parameter).max(MAX_PARAMETERS),
    z.record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/), parameter),
  ])
  .default([])
  .meta({
    description:
      "Values of `$1`, `$2`… as a list, or of `$name` as an object. Integers are exact up to 128 bits; larger ones are sent as texts.",
  });

/** Values of parameters as JSON has them. */
export type RecordedParameters =
  | readonly RecordedParameter[]
  | Readonly<Record<string, RecordedParameter>>;
type RecordedParameter = Exclude<QueryParameter, bigint>;

/** An integer beyond 2^53 as its digits: a statement takes a text of them for the same number. */
export function recordedParameters(parameters: QueryParameters): RecordedParameters {
  const value = (one: QueryParameter) => (typeof one === "bigint" ? String(one) : one);
  return isList(parameters)
    ? parameters.map(value)
    : Object.fromEntries(Object.entries(parameters).map(([name, one]) => [name, value(one)]));
}

const isList = (parameters: QueryParameters): parameters is readonly QueryParameter[] =>
  Array.isArray(parameters);

export const maxRows = z
  .int()
  .min(1)
  .max(100_000)
  .default(1000)
  .meta({ description: "Rows beyond this are left out, and `truncated` says so." });

export const timeoutSeconds = z.int().min(1).max(600).default(30);

export const queryRequest = z
  .strictObject({ sql: sqlText, parameters: sqlParameters, maxRows, timeoutSeconds })
  .meta({ id: "QueryRequest" });

/** The statement of a plan: `queryRequest` without a bound on the rows. */
export const explainMembers = { sql: sqlText, parameters: sqlParameters, timeoutSeconds };

const column = z.object({
  name: z.string(),
  type: z.string().meta({
    description:
      "Arrow's name of the type, such as `Int64`, `Utf8`, `Timestamp<MICROSECOND, UTC>`.",
  }),
});

export const queryResult = z
  .object({
    columns: z.array(column),
    rows: z.array(z.record(z.string(), z.unknown())),
    truncated: z.boolean().meta({
      description: "Whether rows were left out, by maxRows or by the size of the answer.",
    }),
    warnings: z.array(z.string()).optional().meta({
      description:
        "What to know about the columns that were read: dates whose order no value determines, and columns of text that were meant to be numbers or dates, with a file and a row. Of a statement that looks at the names of all tables: which sources could not be asked, or did not answer soon, so that their tables are left out. Absent where there is nothing to warn of.",
    }),
  })
  .meta({ id: "QueryResult" });

export const queryPlan = z
  .object({
    plan: z.string().meta({ description: "DuckDB's plan as a text tree." }),
    scans: z.array(
      z.object({
        table: z.string(),
        source: z.string(),
        columns: z.array(z.string()),
        filter: z.string().nullable().meta({ description: "What is pushed to the source." }),
        limit: z.int().nullable(),
        partitions: z.object({ read: z.int(), all: z.int() }),
      }),
    ),
    columns: z.array(column),
  })
  .meta({ id: "QueryPlan" });
