/** A Parquet file of rows to group: an id, two keys, a text and two numbers. */

import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";

export const GROUP_BY =
  "SELECT k, count(*) AS n, sum(x) AS x, avg(y) AS y, max(word) AS word FROM rows GROUP BY k ORDER BY k";

/** @returns its path, in `folder/rows/` */
export async function writeRowsFile(folder: string, rows: number): Promise<string> {
  const path = join(folder, "rows.parquet");
  const instance = await DuckDBInstance.create(":memory:");
  const connection = await instance.connect();
  await connection.run(`
    copy (
      select i as id, (hash(i) % 1000)::integer as k, (hash(i + 1) % 7)::integer as day,
             'word ' || (hash(i + 2) % 5000) as word,
             (hash(i + 3) % 1000003) / 1000.0::double as x, (hash(i + 4) % 1000003)::double as y
      from range(${rows}) t(i)
    ) to '${path}' (format parquet, compression zstd, row_group_size 122880)`);
  connection.closeSync();
  instance.closeSync();
  return path;
}
