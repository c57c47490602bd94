/**
 * A Parquet file of the service's own (a dataset's bytes, or the rows of a table on their way to
 * be profiled) as the table `file` of queries.
 */

import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { z } from "zod";
import { linkOrCopy } from "../../platform/files/link-or-copy.ts";
import type {
  ExportedFile,
  QueryParameter,
  QueryRequest,
  SqlEngine,
  TableName,
} from "../../query/sql/query.ts";
import type {
  ScanDescription,
  ScanNeed,
  ScanSource,
  SchemaReader,
  StageBudget,
  StagedScan,
} from "../../query/sql/scan.ts";
import { quoteText } from "../../query/sql-text.ts";

const NAME: TableName = { catalog: "local", schema: "main", table: "file" };
const recordsSchema = z.array(z.record(z.string(), z.unknown()));
/** What a query for a profile may answer with. */
const LIMITS = { maxRows: 100_000, maxBytes: 64 * 1024 * 1024 };

export interface ParquetFileOptions {
  readonly sql: Pick<SqlEngine, "queryJson" | "exportParquet">;
  readonly organizationId: string;
  /** Absolute; nothing writes to it. */
  readonly path: string;
  /** Of each query. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** What takes questions about a file; a statement names it `file`. */
export interface FileQueries {
  /** The rows, as JSON has them: ask for doubles and texts, which it holds exactly. */
  rows(sql: string, parameters?: readonly QueryParameter[]): Promise<Record<string, unknown>[]>;
}

export class ParquetFile implements FileQueries {
  readonly #options: ParquetFileOptions;
  readonly #source: ScanSource;

  constructor(options: ParquetFileOptions) {
    this.#options = options;
    this.#source = new LocalScan(options.path);
  }

  /** @throws SqlError */
  async rows(
    sql: string,
    parameters: readonly QueryParameter[] = [],
  ): Promise<Record<string, unknown>[]> {
    const result = await this.#options.sql.queryJson(this.#request(sql, parameters), LIMITS);
    if (result.truncated) throw new Error("The answer about a file is too large.");
    return recordsSchema.parse(JSON.parse(Buffer.concat(result.rows).toString()));
  }

  /** Runs a query into another Parquet file, which is there until the callback ends. @throws SqlError */
  export<Result>(
    sql: string,
    parameters: readonly QueryParameter[],
    use: (exported: ExportedFile) => Promise<Result>,
  ): Promise<Result> {
    return this.#options.sql.exportParquet(this.#request(sql, parameters), use);
  }

  #request(sql: string, parameters: readonly QueryParameter[]): QueryRequest {
    const { organizationId, timeoutMs, signal } = this.#options;
    const source = this.#source;
    return {
      sql,
      parameters,
      organizationId,
      defaults: { catalog: NAME.catalog, schema: NAME.schema },
      tables: {
        resolve: async () => [{ name: NAME, source }],
        names: async () => [NAME],
      },
      timeoutMs,
      signal,
    };
  }
}

class LocalScan implements ScanSource {
  readonly label = "a local file";
  readonly #path: string;
  #description: ScanDescription | null = null;

  constructor(path: string) {
    this.#path = path;
  }

  async describe(reader: SchemaReader): Promise<ScanDescription> {
    this.#description ??= {
      schema: await reader.schemaOf(await this.#bring(reader.folder)),
      partitionColumns: 0,
      partitions: [{ values: [] }],
    };
    return this.#description;
  }

  async stage(_need: ScanNeed, folder: string, _budget: StageBudget): Promise<StagedScan> {
    return { sql: await this.#bring(folder), fetchedBytes: 0 };
  }

  async #bring(folder: string): Promise<string> {
    const path = join(folder, `${randomUUID()}.parquet`);
    await linkOrCopy(this.#path, path);
    return `SELECT * FROM read_parquet(${quoteText(path)})`;
  }
}
