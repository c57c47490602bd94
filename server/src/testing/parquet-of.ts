/** A Parquet file made and asked by DuckDB in the test's own process. */

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import type { FileQueries } from "../resources/queries/parquet-file.ts";

export interface TestFile extends FileQueries {
  readonly path: string;
  remove(): Promise<void>;
}

/** Runs statements of DuckDB, such as `COPY … TO`, one by one. @returns the last one's rows */
export async function runInDuckdb(statements: readonly string[]): Promise<unknown[][]> {
  const instance = await DuckDBInstance.create(":memory:");
  const connection = await instance.connect();
  let rows: unknown[][] = [];
  for (const statement of statements) {
    rows = (await connection.runAndReadAll(statement)).getRowsJS();
  }
  connection.closeSync();
  instance.closeSync();
  return rows;
}

/** @param select what the file holds */
export async function parquetOf(select: string): Promise<TestFile> {
  const folder = await mkdtemp(join(tmpdir(), "distillery-profile-"));
  const path = join(folder, "file.parquet");
  const instance = await DuckDBInstance.create(":memory:");
  const connection = await instance.connect();
  await connection.run(`COPY (${select}) TO '${path}' (FORMAT parquet)`);
  await connection.run(`CREATE VIEW file AS SELECT * FROM read_parquet('${path}')`);
  return {
    path,
    async rows(sql, parameters = []) {
      const reader = await connection.runAndReadAll(sql, [...parameters]);
      return reader.getRowObjectsJS();
    },
    async remove() {
      connection.closeSync();
      instance.closeSync();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The columns of a Parquet file with DuckDB's names of their types, and its rows as JSON has them. */
export async function readParquet(path: string): Promise<{
  readonly columns: readonly (readonly [name: string, type: string])[];
  readonly rows: readonly unknown[];
}> {
  const instance = await DuckDBInstance.create(":memory:");
  const connection = await instance.connect();
  const reader = await connection.runAndReadAll(`SELECT * FROM read_parquet('${path}')`);
  const types = reader.columnTypes().map(String);
  const columns = reader.columnNames().map((name, at) => [name, types[at] ?? ""] as const);
  const rows = reader.getRowObjectsJson();
  connection.closeSync();
  instance.closeSync();
  return { columns, rows };
}
