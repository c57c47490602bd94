/** A table of nearly normal numbers in a Parquet file, equal each time: one thread draws them. */

import { DuckDBInstance } from "@duckdb/node-api";

/** Sums of uniforms, which cost less than normals and bin alike. */
const NUMBER = "(3 * (random() + random() + random() + random()) - 6)::FLOAT";

/** Columns x0 … and a label y of two classes that some of them make, with noise. */
export async function writeParquet(path: string, rows: number, features: number): Promise<void> {
  const instance = await DuckDBInstance.create(":memory:", { threads: "1" });
  const connection = await instance.connect();
  const columns = Array.from({ length: features }, (_, f) => `${NUMBER} AS x${f}`);
  const label = "(x0 * x1 + sin(2 * x2) + x3 + noise > 0)::INTEGER AS y";
  try {
    await connection.run("SELECT setseed(0.5)");
    await connection.run(
      `COPY (SELECT * EXCLUDE (noise), ${label}
             FROM (SELECT ${[...columns, `${NUMBER} AS noise`].join(", ")} FROM range(${rows})))
       TO '${path}' (FORMAT parquet)`,
    );
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}
