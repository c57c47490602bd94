/** Statements over the workspace: run, explained, exported. */

import { ask, client } from "../../../api/client.ts";
import type { QueryResult } from "./result.ts";

export interface Statement {
  readonly workspace: string;
  readonly sql: string;
  readonly maxRows: number;
}

/** Of one statement; the service allows no more. */
const TIMEOUT_SECONDS = 600;

const pathOf = (workspace: string): string =>
  `/v1/workspaces/${encodeURIComponent(workspace)}/query`;

/** @param signal aborted, the statement ends in the service too */
export const runStatement = (
  { workspace, sql, maxRows }: Statement,
  signal?: AbortSignal,
): Promise<QueryResult> =>
  ask<QueryResult>(pathOf(workspace), {
    method: "POST",
    body: { sql, maxRows, timeoutSeconds: TIMEOUT_SECONDS },
    signal,
  });

/** The rows as an Arrow IPC stream. */
export async function arrowOf(
  { workspace, sql, maxRows }: Statement,
  signal: AbortSignal,
): Promise<Blob> {
  const body = JSON.stringify({ sql, maxRows, timeoutSeconds: TIMEOUT_SECONDS });
  const response = await client.request(pathOf(workspace), {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/vnd.apache.arrow.stream",
    },
    body: new TextEncoder().encode(body),
    signal,
  });
  return response.blob();
}
