/** Statements over the workspace: run, and exported. */

import { ask, client } from "../../../api/client.ts";
import { CsvRows } from "./csv-rows.ts";
import { type QueryAnswer, type QueryResult, resultOf } from "./result.ts";

export interface Statement {
  readonly workspace: string;
  readonly sql: string;
  readonly maxRows: number;
}

/** Of one statement; the service allows no more. */
const TIMEOUT_SECONDS = 600;

const pathOf = (workspace: string): string =>
  `/v1/workspaces/${encodeURIComponent(workspace)}/query`;

/** Of rows that are kept to be looked at: a browser gives a page not much more. */
const MOST_BYTES = 2 ** 29;
/** The service answers with no more at once; more come as a file. */
const MOST_AT_ONCE = 100_000;

/** @param signal aborted, the statement ends in the service too */
export const showStatement = async (
  statement: Statement,
  signal: AbortSignal,
): Promise<QueryResult> =>
  statement.maxRows > MOST_AT_ONCE
    ? streamStatement(statement, signal)
    : resultOf(await runStatement(statement, signal));

/** @param signal aborted, the statement ends in the service too */
export const runStatement = (
  { workspace, sql, maxRows }: Statement,
  signal?: AbortSignal,
): Promise<QueryAnswer> =>
  ask<QueryAnswer>(pathOf(workspace), {
    method: "POST",
    body: { sql, maxRows, timeoutSeconds: TIMEOUT_SECONDS },
    signal,
  });

export const EXPORT_FORMATS = { csv: "CSV", parquet: "Parquet", arrow: "Arrow" } as const;
export type ExportFormat = keyof typeof EXPORT_FORMATS;

/** A file of all rows, of which the service tells when the first byte comes how large it is. */
export const exportOf = (
  { workspace, sql }: Pick<Statement, "workspace" | "sql">,
  format: ExportFormat,
  signal: AbortSignal,
): Promise<Response> =>
  client.request(`${pathOf(workspace)}:export`, {
    json: { sql, format, timeoutSeconds: TIMEOUT_SECONDS },
    signal,
  });

/** What one answer of JSON may not hold: its columns by the plan, its rows as they come in a file. */
async function streamStatement(
  { workspace, sql, maxRows }: Statement,
  signal: AbortSignal,
): Promise<QueryResult> {
  const { columns } = await client.queries.explain.mutate(
    { workspace_id: workspace, sql },
    { signal },
  );
  const response = await exportOf({ workspace, sql }, "csv", signal);
  const all = Number(response.headers.get("x-rows") ?? 0);
  const size = Number(response.headers.get("content-length") ?? 0);
  const rows = new CsvRows(Math.min(size, MOST_BYTES), maxRows);
  const reader = response.body?.getReader();
  let bytes = 0;
  for (;;) {
    const { done = true, value } = (await reader?.read()) ?? {};
    if (value) {
      rows.push(value);
      bytes += value.length;
    }
    if (done || rows.isFull || bytes >= MOST_BYTES) break;
  }
  if (bytes < MOST_BYTES) rows.end();
  await reader?.cancel();
  return {
    columns,
    rowCount: rows.rowCount,
    cell: (row, column) => rows.cell(row, column),
    truncated: rows.rowCount < all,
  };
}
