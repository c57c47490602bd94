/** What the SQL room is asked and what it answers. It knows tables by name and by their scans. */

import type { ReadStream } from "node:fs";
import type { Inspection } from "@distillery/engine";
import type { Schema } from "apache-arrow";
import { DiskFullError } from "../../platform/files/disk-full.ts";
import type { DateOrders, ScanSource } from "./scan.ts";

export interface TableName {
  readonly catalog: string;
  readonly schema: string;
  readonly table: string;
}

export type SchemaName = Pick<TableName, "catalog" | "schema">;

/** A name as a statement has it, with the parts that were written. */
export interface TableReference {
  readonly catalog: string | null;
  readonly schema: string | null;
  readonly table: string;
}

export interface SqlTable {
  readonly name: TableName;
  readonly source: ScanSource;
}

/** Where the tables of one query come from; asked once its names are known. */
export interface TableResolver {
  /**
   * The tables that the references may mean, each once; a reference that means none is passed over.
   * A two-part name may be `schema.table` of the default catalog, or `catalog.table` in a schema
   * `main`, as DuckDB reads it.
   */
  resolve(references: readonly TableReference[], signal: AbortSignal): Promise<readonly SqlTable[]>;

  /**
   * All names, for statements that look at `information_schema` and for "did you mean". A source that
   * does not answer soon is left out.
   */
  names(signal: AbortSignal): Promise<readonly TableName[]>;

  /** Schemas that are there whether or not they have tables. */
  readonly schemas?: readonly SchemaName[];

  /** What helps with a name that means no table and that no other is near to; null where nothing does. */
  hint?(missing: TableReference): Promise<string | null>;

  /** What `names` left out, a sentence each: of which sources. Absent where all is known. */
  leftOut?(): readonly string[];

  /** What else is to be known of the tables, a sentence each. */
  warnings?(): readonly string[];
}

/** A dataset as a table of the built-in catalog. */
export interface DatasetTable {
  /** As it was asked for. */
  readonly table: string;
  readonly datasetId: string;
  /** Of its content, lowercase hex. */
  readonly hash: string;
  open(): ScanSource;
  profile(): Promise<TableContent>;
}

/** What the columns of a table hold, as it was found out. */
interface TableContent extends Inspection {
  readonly computed_at: Date;
}

/** The catalog that every query has: an organization's datasets, by their names in SQL. */
export interface DatasetTables {
  /** Those of the names that mean a dataset now. @param names in lower case */
  find(organizationId: string, names: readonly string[]): Promise<readonly DatasetTable[]>;
  /** Names of the newest, at most `limit`. */
  list(organizationId: string, limit: number): Promise<readonly string[]>;
}

/** A model whose predictions are among the rows: its id, and what the statement calls it. */
export interface UsedModel {
  readonly model_id: string;
  readonly model: string;
}

/** `$1`… by position or `$name` by name. */
export type QueryParameters = readonly QueryParameter[] | Readonly<Record<string, QueryParameter>>;
/** A bigint is of at most 128 bits. */
export type QueryParameter = string | number | bigint | boolean | null;

export interface QueryRequest {
  /** One SELECT statement (or VALUES, WITH, FROM, DESCRIBE, SUMMARIZE, SHOW). */
  readonly sql: string;
  readonly parameters: QueryParameters;
  /** Processes are shared within an organization only. */
  readonly organizationId: string;
  readonly defaults: { readonly catalog: string | null; readonly schema: string | null };
  readonly tables: TableResolver;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** What who asks may do; absent where that was asked when the statement was taken. */
  readonly scopes?: ReadonlySet<string>;
  /** Of whom the rows are for, where that is known. */
  readonly dateOrders?: DateOrders;
  /** Is told of each model that the statement predicts with. */
  readonly usesModel?: (model: UsedModel) => void;
}

export interface ResultLimits {
  readonly maxRows: number;
  /** Of the encoded result. */
  readonly maxBytes: number;
  /** An encoded result of more bytes is a file; absent = none is. */
  readonly fileBeyondBytes?: number;
}

/** A large result, which is gone when its stream is closed. */
export interface ResultFile {
  readonly bytes: number;
  readonly stream: ReadStream;
}

export interface JsonResult {
  /** `type` is Arrow's name of the type, such as `Int64`, `Utf8`, `Timestamp<MICROSECOND, UTC>`. */
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  /** The rows as a JSON array of objects, in UTF-8 and in pieces, as they came from the query's process. */
  readonly rows: readonly Buffer[];
  /** Where it is not null, it has the rows, and `rows` is empty. */
  readonly file: ResultFile | null;
  readonly rowCount: number;
  /** Whether rows were left out, by either limit. */
  readonly truncated: boolean;
  /** Of the columns that were read, and of what could not be asked, a sentence each. */
  readonly warnings: readonly string[];
}

export interface ArrowResult {
  /** An Arrow IPC stream, whole; the warnings stand in its schema's metadata, too. */
  readonly bytes: Uint8Array;
  /** Where it is not null, it has the stream, and `bytes` is empty. */
  readonly file: ResultFile | null;
  readonly rowCount: number;
  readonly truncated: boolean;
  readonly warnings: readonly string[];
}

export interface ScanReport {
  readonly table: string;
  readonly source: string;
  readonly columns: readonly string[];
  /** The pushed filter as text, or null. */
  readonly filter: string | null;
  readonly limit: number | null;
  readonly partitions: { readonly read: number; readonly all: number };
}

export interface QueryPlan {
  /** DuckDB's plan as its text tree, before anything was fetched. */
  readonly text: string;
  readonly schema: Schema;
  /** As of `ExportedFile`. */
  readonly repeated: readonly string[];
  readonly scans: readonly ScanReport[];
}

/** Of Arrow, an IPC stream; of CSV, RFC 4180 with a header, where an empty text is quoted and a missing value is not. */
export type ExportFormat = "parquet" | "csv" | "arrow";

export interface ExportedFile {
  /** A local file, there until the callback ends. */
  readonly path: string;
  readonly rows: number;
  readonly schema: Schema;
  /** Names that several columns of the result had: in the file the later ones have numbers. */
  readonly repeated: readonly string[];
  /** As of `JsonResult`. */
  readonly warnings: readonly string[];
}

/** What the service has of SQL, as `services.sql`. */
export interface SqlEngine {
  queryJson(request: QueryRequest, limits: ResultLimits): Promise<JsonResult>;
  queryArrow(request: QueryRequest, limits: ResultLimits): Promise<ArrowResult>;
  explain(request: QueryRequest): Promise<QueryPlan>;
  /** Runs the query into one file, piece by piece, and lends it to the callback. */
  exportFile<Result>(
    request: QueryRequest,
    format: ExportFormat,
    use: (exported: ExportedFile) => Promise<Result>,
  ): Promise<Result>;
  /** As `exportFile` of Parquet. */
  exportParquet<Result>(
    request: QueryRequest,
    use: (exported: ExportedFile) => Promise<Result>,
  ): Promise<Result>;
  close(): Promise<void>;
}

export type SqlFailure =
  /** The statement is not valid: syntax, names, types. */
  | "invalid"
  /** It is a valid statement that a session does not take, or reaches out of its walls. */
  | "not-allowed"
  /** It failed on the data: a cast, an overflow, a division, a damaged file. */
  | "failed"
  | "timeout"
  /** It needs more memory or disk than a session has. */
  | "resources"
  /** The disk of the service has no room for what it makes. */
  | "disk-full"
  /** Its process died of it. */
  | "crashed"
  /** The caller went away. */
  | "cancelled"
  /** All sessions are taken and the queue for them is full. */
  | "busy"
  /** The organization itself has taken all that it may have at a time. */
  | "too-many";

/** A query's failure in words for the person who wrote it. */
export class SqlError extends Error {
  override readonly name = "SqlError";
  readonly failure: SqlFailure;
  /** Where in the statement, from 1, where DuckDB says it. */
  readonly position: { readonly line: number; readonly column: number } | null;

  constructor(
    failure: SqlFailure,
    message: string,
    options: {
      readonly position?: { readonly line: number; readonly column: number } | null;
      readonly cause?: unknown;
    } = {},
  ) {
    const full = failure === "disk-full" ? new DiskFullError() : undefined;
    super(message, { cause: options.cause ?? full });
    this.failure = failure;
    this.position = options.position ?? null;
  }
}
