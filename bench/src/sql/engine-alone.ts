/** The engine of queries without service, catalog or listing: one file, as a table `rows`. */

import { link, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Schema } from "apache-arrow";
import { openSqlEngine } from "../../../server/src/query/sql/engine.ts";
import type { SqlEngine } from "../../../server/src/query/sql/query.ts";
import type { ScanSource } from "../../../server/src/query/sql/scan.ts";

/** The file is linked into the session's folder; its schema is read once. */
function fileScan(path: string): ScanSource {
  let known: Schema | null = null;
  const inFolder = async (folder: string): Promise<string> => {
    const file = join(folder, "rows.parquet");
    await link(path, file).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "EEXIST") throw error;
    });
    return `SELECT * FROM read_parquet('${file}')`;
  };
  return {
    label: "one file",
    async describe(reader) {
      known ??= await reader.schemaOf(await inFolder(reader.folder));
      return { schema: known, partitionColumns: 0, partitions: [{ values: [] }] };
    },
    stage: async (_need, folder) => ({ sql: await inFolder(folder), fetchedBytes: 0 }),
  };
}

export interface EngineAlone {
  query(sql: string): Promise<string>;
  close(): Promise<void>;
}

export async function openEngineAlone(path: string): Promise<EngineAlone> {
  // Beside the file, so that it can be linked.
  const root = await mkdtemp(join(tmpdir(), "distillery-bench-engine-"));
  const engine: SqlEngine = await openSqlEngine(root);
  const name = { catalog: "shop", schema: "public", table: "rows" };
  const source = fileScan(path);
  return {
    async query(sql) {
      const { rows } = await engine.queryJson(
        {
          sql,
          parameters: [],
          organizationId: "bench",
          defaults: { catalog: "shop", schema: "public" },
          tables: { resolve: async () => [{ name, source }], names: async () => [name] },
          timeoutMs: 60_000,
          signal: new AbortController().signal,
        },
        { maxRows: 100_000, maxBytes: 1 << 28 },
      );
      return Buffer.concat(rows).toString();
    },
    async close() {
      await engine.close();
      await rm(root, { recursive: true, force: true });
    },
  };
}
