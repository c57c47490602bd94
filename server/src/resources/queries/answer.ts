/** A query's result as JSON or as an Arrow IPC stream, whichever the caller would rather have. */

import { z } from "zod";
import { negotiate } from "../../api/http/bodies/accept.ts";
import { JSON_TYPE } from "../../api/http/bodies/answer.ts";
import type { Answer } from "../../api/http/routing/call.ts";
import type { RawResponseMeta } from "../../api/http/routing/raw-route.ts";
import type { JsonResult, QueryRequest, SqlEngine } from "../../query/sql/query.ts";
import { queryResult } from "./request.ts";

const ARROW_TYPE = "application/vnd.apache.arrow.stream";
const JSON_BYTES = 32 * 1024 * 1024;
const ARROW_BYTES = 256 * 1024 * 1024;
/** Whether rows were left out, where the body cannot say it. */
const TRUNCATED_HEADER = "X-Truncated";

export type ResultType = "application/json" | typeof ARROW_TYPE;

/** @throws 406 */
export const resultType = (accept: string | undefined): ResultType =>
  negotiate(accept, ["application/json", ARROW_TYPE]);

export const resultResponses: Readonly<Record<number, RawResponseMeta>> = {
  200: {
    description:
      "The rows. In an Arrow stream the warnings, where there are any, are a JSON list under the key `warnings` of the schema's metadata.",
    content: {
      "application/json": { schema: queryResult },
      [ARROW_TYPE]: { schema: { type: "string", format: "binary" } },
    },
  },
};

export const resultHeaders = z.object({
  [TRUNCATED_HEADER]: z.string().describe("With Arrow: true where rows were left out, else false."),
});

/** @throws SqlError and what the scans throw */
export async function answerQuery(
  sql: SqlEngine,
  request: QueryRequest,
  maxRows: number,
  type: ResultType,
): Promise<Answer> {
  if (type === ARROW_TYPE) {
    const result = await sql.queryArrow(request, { maxRows, maxBytes: ARROW_BYTES });
    return {
      body: result.bytes,
      contentType: ARROW_TYPE,
      headers: { [TRUNCATED_HEADER]: String(result.truncated), vary: "accept" },
    };
  }
  const result = await sql.queryJson(request, { maxRows, maxBytes: JSON_BYTES });
  return { body: asJson(result), contentType: JSON_TYPE, headers: { vary: "accept" } };
}

/** The rows are JSON already; reading them only to write them again would cost more than the query. */
function asJson({ columns, rows, truncated, warnings }: JsonResult): Buffer {
  const more = warnings.length === 0 ? "" : `,"warnings":${JSON.stringify(warnings)}`;
  return Buffer.concat([
    Buffer.from(`{"columns":${JSON.stringify(columns)},"rows":`),
    ...rows,
    Buffer.from(`,"truncated":${truncated}${more}}`),
  ]);
}
