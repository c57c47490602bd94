/**
 * A relational warehouse that belongs to somebody else: what its connector gives to read. Rows leave
 * it as CSV, which both ends handle at the speed of the wire.
 */

import type { Schema } from "apache-arrow";
import type { ScanFilter } from "./scan-filter.ts";

export interface SourceTableName {
  readonly catalog: string;
  readonly schema: string;
  readonly table: string;
}

/**
 * Metadata of a field whose values are numbers of any digits at the source: its type is that of a
 * sample, and a reader that finds a value which the type does not hold refuses it.
 */
export const ANY_NUMBER = "source.any_number";

export interface WarehouseRead {
  readonly table: SourceTableName;
  /** The table's schema as it was described or snapshotted; `columns` are of it. */
  readonly schema: Schema;
  /** By name, in the order wanted. Empty = only as many empty rows as the table has. */
  readonly columns: readonly string[];
  /**
   * Rows that do not meet it are of no use to the reader, who applies it again: a source applies what
   * of it means the same there, and leaves out what does not (a superset of the rows is always right).
   */
  readonly filter: ScanFilter | null;
  /**
   * The reader wants no more rows than this, of those that meet the filter. A source uses it only
   * where it applies the whole filter.
   */
  readonly limit: number | null;
}

export interface WarehouseCheck {
  /** Such as "PostgreSQL 18.4". */
  readonly version: string;
}

export interface Warehouse {
  /** Tells warehouses apart, for caches of descriptions. */
  readonly cacheScope: string;

  /** Connects and asks for the version. @throws SourceError */
  check(signal: AbortSignal): Promise<WarehouseCheck>;

  /**
   * The table's columns in its own order, as Arrow types that DuckDB reads the CSV as.
   * A field's metadata may carry what `read` needs to know of the source's type.
   *
   * @throws SourceError `not-found` where there is no such table
   */
  describe(table: SourceTableName, signal: AbortSignal): Promise<Schema>;

  /** Names of a catalog's schemas, sorted, without those of the system. @throws SourceError */
  listSchemas(catalog: string, signal: AbortSignal): Promise<readonly string[]>;

  /** Names of a schema's tables and views, sorted. @throws SourceError */
  listTables(catalog: string, schema: string, signal: AbortSignal): Promise<readonly string[]>;

  /**
   * The rows as CSV, streamed with back-pressure: UTF-8, no header, comma, quotes doubled inside
   * quotes, line feeds between rows; NULL is an empty unquoted field, the empty text is `""`.
   * Every field is a text that DuckDB casts to the DuckDB type of its Arrow field (times in
   * ISO 8601 with the offset where the type has a zone), but binary, which is hexadecimal.
   * Ending the iteration early cancels the statement at the source.
   *
   * @throws SourceError
   */
  read(read: WarehouseRead, signal: AbortSignal): AsyncIterable<Uint8Array>;

  close(): Promise<void>;
}

const CHUNK_ROWS = 64 * 1024;

/** Rows without columns, as CSV: a line feed each. */
export function* emptyRows(count: number): Generator<Uint8Array, void> {
  for (let left = count; left > 0; left -= CHUNK_ROWS) {
    yield Buffer.alloc(Math.min(left, CHUNK_ROWS), "\n");
  }
}
