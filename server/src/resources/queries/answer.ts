/** A query's result as JSON or as an Arrow IPC stream, whichever the caller would rather have. */

import { Readable } from "node:stream";
import { z } from "zod";
import { negotiate } from "../../api/http/bodies/accept.ts";
import { JSON_TYPE } from "../../api/http/bodies/answer.ts";
import type { Answer } from "../../api/http/routing/call.ts";
import type { RawResponseMeta } from "../../api/http/routing/raw-route.ts";
import type { QueryRequest, ResultFile, SqlEngine } from "../../query/sql/query.ts";
import { heldResults } from "./held-files.ts";
import { queryResult } from "./request.ts";

const ARROW_TYPE = "application/vnd.apache.arrow.stream";
const JSON_BYTES = 32 * 1024 * 1024;
const ARROW_BYTES = 256 * 1024 * 1024;
const IN_MEMORY_BYTES = 1024 * 1024;
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

/**
 * A large result lies in a file until its last byte is taken: however many callers take theirs slowly, little of it is
 * in memory.
 *
 * @throws SqlError and what the scans throw
 */
export async function answerQuery(
  sql: SqlEngine,
  request: QueryRequest,
  maxRows: number,
  type: ResultType,
): Promise<Answer> {
  const limits = { maxRows, fileBeyondBytes: IN_MEMORY_BYTES };
  if (type === ARROW_TYPE) {
    const result = await sql.queryArrow(request, { ...limits, maxBytes: ARROW_BYTES });
    const headers = { [TRUNCATED_HEADER]: String(result.truncated), vary: "accept" };
    if (result.file === null) return { body: result.bytes, contentType: ARROW_TYPE, headers };
    return fromFile(request, result.file, { contentType: ARROW_TYPE, headers });
  }
  const result = await sql.queryJson(request, { ...limits, maxBytes: JSON_BYTES });
  const { columns, truncated, warnings } = result;
  const more = warnings.length === 0 ? "" : `,"warnings":${JSON.stringify(warnings)}`;
  // The rows are JSON already; reading them only to write them again would cost more than the query.
  const head = Buffer.from(`{"columns":${JSON.stringify(columns)},"rows":`);
  const tail = Buffer.from(`,"truncated":${truncated}${more}}`);
  const headers = { vary: "accept" };
  if (result.file !== null) {
    return fromFile(request, result.file, { contentType: JSON_TYPE, headers, head, tail });
  }
  const body = Buffer.concat([head, ...result.rows, tail]);
  return { body, contentType: JSON_TYPE, headers };
}

interface FileAnswer {
  readonly contentType: string;
  readonly headers: Record<string, string>;
  readonly head?: Uint8Array;
  readonly tail?: Uint8Array;
}

/** @throws SqlError where the organization's callers have too much to read already */
function fromFile(
  { organizationId }: QueryRequest,
  { bytes, stream }: ResultFile,
  { contentType, headers, head = NOTHING, tail = NOTHING }: FileAnswer,
): Answer {
  heldResults.hold(organizationId, bytes, stream);
  const around = head.length + tail.length;
  return {
    body: around > 0 ? between(stream, head, tail) : stream,
    contentType,
    headers: { ...headers, "content-length": String(bytes + around) },
  };
}

function between(stream: Readable, head: Uint8Array, tail: Uint8Array): Readable {
  async function* all(): AsyncGenerator<Uint8Array> {
    yield head;
    yield* stream;
    yield tail;
  }
  const body = Readable.from(all(), { objectMode: false });
  // One of which nothing was asked has not begun.
  body.once("close", () => stream.destroy());
  return body;
}

const NOTHING = new Uint8Array(0);
