/** The engine of queries, opened by the first query: a process that is asked for none starts none. */

import { openSqlEngine } from "./engine.ts";
import { type SqlEngine, SqlError } from "./query.ts";

/** @param root a folder for the sessions of every process of this home */
export function lazySqlEngine(root: string): SqlEngine {
  let opening: Promise<SqlEngine> | null = null;
  let isClosed = false;
  const engine = (): Promise<SqlEngine> => {
    if (isClosed) return Promise.reject(new SqlError("busy", "The service is stopping"));
    opening ??= openSqlEngine(root).catch((error: unknown) => {
      // The next query tries again.
      opening = null;
      throw error;
    });
    return opening;
  };
  return {
    queryJson: async (request, limits) => (await engine()).queryJson(request, limits),
    queryArrow: async (request, limits) => (await engine()).queryArrow(request, limits),
    explain: async (request) => (await engine()).explain(request),
    exportFile: async (request, format, use) => (await engine()).exportFile(request, format, use),
    exportParquet: async (request, use) => (await engine()).exportParquet(request, use),
    close: async () => {
      isClosed = true;
      await (await opening)?.close();
    },
  };
}
