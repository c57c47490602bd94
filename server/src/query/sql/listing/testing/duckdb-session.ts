/** A query's session as a scan sees it, with DuckDB in the test's own process. */

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type DuckDBConnection, DuckDBInstance, type Json } from "@duckdb/node-api";
import { Schema } from "apache-arrow";
import { registerArrowSchema } from "../../../arrow/arrow-schema.ts";
import { fieldOfDuckdbType } from "../../../arrow/duckdb-field.ts";
import { registerReadArrow } from "../../../arrow/read-arrow.ts";
import type { CsvFile, CsvLook } from "../../csv-look.ts";
import { SqlError } from "../../query.ts";
import type {
  ChunksRequest,
  FileChunks,
  ScanNeed,
  ScanSource,
  SchemaReader,
  StageBudget,
} from "../../scan.ts";
import { neededChunks } from "../../session/child/column-chunks.ts";
import { lookAtCsv } from "../../session/child/csv-file.ts";
import { checkJson } from "../../session/child/json-faults.ts";
import { checkPacked } from "../../session/child/packed-file.ts";

interface StageOptions {
  readonly select?: string;
  readonly where?: string;
  readonly budget?: StageBudget;
}

export class DuckdbSession implements SchemaReader {
  readonly folder: string;
  readonly #instance: DuckDBInstance;
  readonly #connection: DuckDBConnection;

  private constructor(folder: string, instance: DuckDBInstance, connection: DuckDBConnection) {
    this.folder = folder;
    this.#instance = instance;
    this.#connection = connection;
  }

  static async open(): Promise<DuckdbSession> {
    const folder = await mkdtemp(join(tmpdir(), "scan-session-"));
    const instance = await DuckDBInstance.create(":memory:", { threads: "2" });
    const connection = await instance.connect();
    await connection.run("SET TimeZone = 'UTC'");
    registerReadArrow(connection, folder);
    registerArrowSchema(connection, folder);
    return new DuckdbSession(folder, instance, connection);
  }

  async schemaOf(sql: string): Promise<Schema> {
    try {
      const prepared = await this.#connection.prepare(sql);
      const names = Array.from({ length: prepared.columnCount }, (_, at) =>
        prepared.columnName(at),
      );
      return new Schema(
        names.map((name, at) => fieldOfDuckdbType(name, prepared.columnType(at), true)),
      );
    } catch (error) {
      throw new SqlError("invalid", error instanceof Error ? error.message : String(error));
    }
  }

  async textsOf(sql: string): Promise<readonly string[]> {
    try {
      const rows = await this.#connection.runAndReadAll(sql);
      return rows.getRowsJS().map(([text]) => String(text));
    } catch (error) {
      throw new SqlError("failed", error instanceof Error ? error.message : String(error));
    }
  }

  chunksOf(request: ChunksRequest): Promise<readonly (FileChunks | null)[]> {
    return neededChunks(this.#connection, request);
  }

  async checkPacked(path: string, hasLines: boolean): Promise<number> {
    try {
      return await checkPacked(path, hasLines);
    } catch (error) {
      throw new SqlError("failed", error instanceof Error ? error.message : String(error));
    }
  }

  async checkJson(path: string): Promise<void> {
    try {
      await checkJson(path);
    } catch (error) {
      throw new SqlError("failed", error instanceof Error ? error.message : String(error));
    }
  }

  async lookAtCsv(path: string, look: CsvLook): Promise<CsvFile> {
    try {
      return await lookAtCsv(path, look);
    } catch (error) {
      throw new SqlError("failed", error instanceof Error ? error.message : String(error));
    }
  }

  async run(sql: string): Promise<void> {
    await this.#connection.run(sql);
  }

  async rows(sql: string): Promise<Record<string, Json>[]> {
    return (await this.#connection.runAndReadAll(sql)).getRowObjectsJson();
  }

  /** Describes, stages and selects, with all columns and partitions unless the need says otherwise. */
  async read(
    scan: ScanSource,
    need: Partial<ScanNeed> = {},
    options: StageOptions = {},
  ): Promise<Record<string, Json>[]> {
    return this.rows(await this.#staged(scan, need, options));
  }

  /** How DuckDB reads all of it, as text. */
  async planOf(scan: ScanSource): Promise<string> {
    const [plan] = await this.rows(`EXPLAIN ${await this.#staged(scan)}`);
    return String(plan?.["explain_value"]);
  }

  async #staged(
    scan: ScanSource,
    need: Partial<ScanNeed> = {},
    options: StageOptions = {},
  ): Promise<string> {
    const signal = new AbortController().signal;
    const description = await scan.describe(this, signal);
    const staged = await scan.stage(
      {
        columns: description.schema.fields.map(({ name }) => name),
        filter: null,
        limit: null,
        distinct: false,
        partitions: description.partitions.map((_, index) => index),
        ...need,
      },
      this.folder,
      options.budget ?? { take() {} },
      signal,
    );
    return `SELECT ${options.select ?? "*"} FROM (${staged.sql}) WHERE ${options.where ?? "true"}`;
  }

  async close(): Promise<void> {
    this.#connection.closeSync();
    this.#instance.closeSync();
    await rm(this.folder, { recursive: true, force: true });
  }
}
