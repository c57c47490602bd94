/** Statements over the workspace: run, explained, exported. */

import { ask, client } from "../../../api/client.ts";

export interface ResultColumn {
  readonly name: string;
  /** Arrow's name of it. */
  readonly type: string;
}

type ResultRow = Readonly<Record<string, unknown>>;

export interface QueryResult {
  readonly columns: readonly ResultColumn[];
  readonly rows: readonly ResultRow[];
  /** Whether rows were left out, by their number or by the size of the answer. */
  readonly truncated: boolean;
  readonly warnings?: readonly string[];
}

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

/** A value as the grid and CSV show it; null where it is missing. */
export function valueText(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  if (typeof value === "string") return value;
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

const NUMBER = /^(?:U?Int|Float|Decimal)/;

export const isNumberType = (type: string): boolean => NUMBER.test(type);
