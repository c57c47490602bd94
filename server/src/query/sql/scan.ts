/**
 * A table between its source and the engine of queries. A query is planned over descriptions alone;
 * then each table is asked to stage what the plan needs of it as local files; then it runs.
 *
 *   describe ─► plan (DuckDB's optimizer over empty stand-ins) ─► ScanNeed ─► stage ─► run
 */

import type { Schema } from "apache-arrow";
import type { SourceRange } from "../sources/object-source.ts";
import type { ScanFilter } from "../sources/scan-filter.ts";
import type { CsvFile, CsvLook } from "./csv-look.ts";

/** Files that share the values of their partition columns. */
export interface ScanPartition {
  /** In the order of the partition columns, as texts that DuckDB casts to their types. */
  readonly values: readonly (string | null)[];
}

/**
 * Metadata of a description's field: what whoever asks for the column should know of how it is read, a
 * sentence without its first capital and its point.
 */
export const COLUMN_WARNING = "column.warning";

/** Which of day and month stands first in dates of which no cell of their column tells it. */
export type DateOrder = "day-first" | "month-first";

/** The order that who reads a column wants such dates in; null = as its source reads them. */
export type DateOrders = (column: string) => Promise<DateOrder | null>;

export interface ScanDescription {
  /** What SQL sees: the columns of the files or of the source table, then the partition columns. */
  readonly schema: Schema;
  /** The last this many columns are partition columns. */
  readonly partitionColumns: number;
  /** Every partition that has files; one without values where there are no partition columns. */
  readonly partitions: readonly ScanPartition[];
  /** What is to be known of its rows whatever is asked, each the end of a sentence about the table. */
  readonly warnings?: readonly string[];
}

/** What one query needs of a table, over all the places where it reads it. */
export interface ScanNeed {
  /** Names, in the order of the schema; may be empty, when only rows are counted. */
  readonly columns: readonly string[];
  /** No row that fails it is needed; null = all rows are. It may be ignored. */
  readonly filter: ScanFilter | null;
  /** No more rows than this that meet the filter are needed; null = all are. It may be ignored. */
  readonly limit: number | null;
  /** Indexes into the description's partitions. */
  readonly partitions: readonly number[];
  /** Whether equal rows may stand as one: `SELECT DISTINCT`, `max`. It may be ignored. */
  readonly distinct: boolean;
}

export interface StagedScan {
  /**
   * A SELECT over local files of the session's folder, with the needed columns at least, named and
   * typed as in the description.
   */
  readonly sql: string;
  /** Objects or source rows' bytes that were fetched for it, not those met in the cache. */
  readonly fetchedBytes: number;
}

export interface ScanSource {
  /** Short text for explain, such as `listing of s3://bucket/path/`. */
  readonly label: string;

  /**
   * @param reader reads what had to be fetched to learn the schema: no bytes of a source are parsed
   *   in the service's own process
   * @param dates of columns that do not tell their order; it may be ignored
   * @throws SourceError, SourceUrlError, or ScanError where what is there contradicts the definition
   */
  describe(reader: SchemaReader, signal: AbortSignal, dates?: DateOrders): Promise<ScanDescription>;

  /**
   * @param folder the session's own, absolute; the engine of queries can read nothing else
   * @param budget bytes that may still be put there
   */
  stage(
    need: ScanNeed,
    folder: string,
    budget: StageBudget,
    signal: AbortSignal,
  ): Promise<StagedScan>;
}

/** The query's session, as far as a scan may use it. */
export interface SchemaReader {
  /** The session's folder, absolute: the only one whose files can be read. */
  readonly folder: string;
  /**
   * The columns of a SELECT over files in the folder.
   *
   * @throws SqlError
   */
  schemaOf(sql: string): Promise<Schema>;
  /**
   * The rows of a SELECT of one column of texts, such as names that files hold.
   *
   * @throws SqlError
   */
  textsOf(sql: string): Promise<readonly string[]>;
  /**
   * Fails for a packed file that ends early, of which SQL would read what there is.
   *
   * @param hasLines whether it is asked for the last line
   * @returns bytes of the last line; 0 where nobody asked
   * @throws SqlError
   */
  checkPacked(path: string, hasLines: boolean): Promise<number>;
  /**
   * Fails for a JSON file that is nested deeper than SQL's reader survives, and for what it would take without a word:
   * members that are named twice, and numbers that JSON does not have.
   *
   * @throws SqlError
   */
  checkJson(path: string): Promise<void>;
  /**
   * How a file of delimited text is written. A file that is no UTF-8 is UTF-8 afterwards.
   *
   * @throws SqlError
   */
  lookAtCsv(path: string, look: CsvLook): Promise<CsvFile>;
  /**
   * Which bytes of Parquet files are needed.
   *
   * @returns one a file; null for those that are to be read whole: their footer cannot be read, or does
   *   not say where everything is
   */
  chunksOf(request: ChunksRequest): Promise<readonly (FileChunks | null)[]>;
}

export interface ChunksRequest {
  readonly files: readonly {
    /** A file of the same length in the session's folder that has its footer at least. */
    readonly footer: string;
    /** Where a footer of the needed row groups alone is written, if not all are needed. */
    readonly target: string;
  }[];
  /** The needed ones, with the table's types of them as SQL. */
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  /** Over the columns; no row that fails it is needed. */
  readonly filter: ScanFilter | null;
  /** No more rows than this are needed of all files together, of the first ones; null = all are. */
  readonly limit: number | null;
}

export interface FileChunks {
  /** In the row groups that are needed. */
  readonly rows: number;
  /** Numbers of the row groups that are needed; null = all. */
  readonly groups: readonly number[] | null;
  /** In order, apart from one another, before the footer. */
  readonly ranges: readonly SourceRange[];
  /** Where the footer begins. */
  readonly footerOffset: number;
}

/** Shared by all scans of one query. */
export interface StageBudget {
  /** @throws ScanError when the query's files are larger than a query may read */
  take(bytes: number): void;
}

/** A definition that does not fit what is there; one sentence that names table, file and column. */
export class ScanError extends Error {
  override readonly name = "ScanError";
}
