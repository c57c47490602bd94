/** Queries of tests. */

import type { QueryParameters, QueryRequest, SqlEngine, TableResolver } from "../query.ts";

export interface TestQuery {
  readonly parameters?: QueryParameters;
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  readonly organizationId?: string;
  readonly maxRows?: number;
  readonly maxBytes?: number;
  readonly defaults?: { readonly catalog: string | null; readonly schema: string | null };
}

export function requestOf(tables: TableResolver, sql: string, query: TestQuery = {}): QueryRequest {
  return {
    sql,
    parameters: query.parameters ?? [],
    organizationId: query.organizationId ?? "organization",
    defaults: query.defaults ?? { catalog: "lake", schema: "main" },
    tables,
    timeoutMs: query.timeoutMs ?? 20_000,
    signal: query.signal ?? new AbortController().signal,
  };
}

/** Rows as objects. */
export async function rowsOf(
  engine: SqlEngine,
  tables: TableResolver,
  sql: string,
  query: TestQuery = {},
): Promise<unknown[]> {
  const { maxRows = 10_000, maxBytes = 16 << 20 } = query;
  const result = await engine.queryJson(requestOf(tables, sql, query), { maxRows, maxBytes });
  return JSON.parse(Buffer.concat(result.rows).toString());
}
