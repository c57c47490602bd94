/** What every reader takes and gives. */

import type { ColumnKind, Table } from "../table.ts";
import type { ReadLimits } from "./read-limits.ts";

export const TABLE_FORMATS = ["csv", "parquet", "arrow", "ndjson"] as const;
export type TableFormat = (typeof TABLE_FORMATS)[number];

/** Something the sender should know that did not stop the reading. `row` is 1-based. */
export interface DataWarning {
  readonly message: string;
  readonly column?: string;
  readonly row?: number;
}

export interface ReadProgress {
  /** Bytes taken from the source so far, compressed as they came. */
  readonly bytes: number;
  readonly rows: number;
}

export interface ReadOptions {
  /** Kinds by column name; other columns' kinds are inferred. */
  readonly kinds?: Readonly<Partial<Record<string, ColumnKind>>> | undefined;
  /** The columns to keep, in the order of the file; absent = all. An unknown name is an error. */
  readonly columns?: readonly string[] | undefined;
  /** Stop after so many rows. */
  readonly maxRows?: number | undefined;
  /** Absent = `READ_LIMITS`. */
  readonly limits?: ReadLimits | undefined;
  readonly onProgress?: ((progress: ReadProgress) => void) | undefined;
}

export interface TableReading {
  readonly table: Table;
  readonly warnings: readonly DataWarning[];
}

/** The kind declared for a column; names such as `constructor` are only names. */
export function declaredKind(options: ReadOptions, name: string): ColumnKind | undefined {
  const { kinds } = options;
  return kinds !== undefined && Object.hasOwn(kinds, name) ? kinds[name] : undefined;
}
