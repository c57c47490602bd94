/** What every reader takes and gives. */

import { shown } from "../shown.ts";
import type { CategoricalColumn, Column, ColumnKind, Table } from "../table.ts";
import type { CellSpool } from "./cell-spool.ts";
import type { ReadLimits } from "./read-limits.ts";
import { stampFormOf } from "./stamp-form.ts";
import { type StampForm, stampOf, stampTime } from "./stamps.ts";
import { formatTimestamp } from "./timestamp-text.ts";

/** The formats that are read. */
export const TABLE_FORMATS = ["csv", "parquet", "arrow", "ndjson"] as const;
/** One of `TABLE_FORMATS`. */
export type TableFormat = (typeof TABLE_FORMATS)[number];

/** Something the sender should know that did not stop the reading. `row` is 1-based. */
export interface DataWarning {
  readonly message: string;
  readonly column?: string;
  readonly row?: number;
  /**
   * `inference`: not said where the column's kind is known; `rewriting`: nor where its cells are read as
   * they are written (`BuiltColumn.isRewritten`).
   */
  readonly of?: "inference" | "rewriting";
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
  /**
   * Columns whose cells are kept as they were written, too (`Table.written`): those of them that are
   * text in the file and are read as numbers or booleans that are written otherwise.
   */
  readonly written?: readonly string[] | "all" | undefined;
  /**
   * Of a text: a label of the Encoding Standard, such as `windows-1251`; absent = found out. A byte order
   * mark goes before it.
   */
  readonly encoding?: string | undefined;
  /** Stop after so many rows. */
  readonly maxRows?: number | undefined;
  /** Absent = `READ_LIMITS`. */
  readonly limits?: ReadLimits | undefined;
  /**
   * Takes the cells of formats that are read row by row, beyond those that it has in memory; absent: all
   * are held.
   */
  readonly spool?: CellSpool | undefined;
  /** Called now and then with what has been read so far. */
  readonly onProgress?: ((progress: ReadProgress) => void) | undefined;
  /**
   * Takes each column as soon as it is made, one after another, with the number of rows; the table that
   * is read then has none of them.
   */
  readonly onColumn?: ((built: BuiltColumn, rows: number) => void) | undefined;
}

/** A column, and its cells as they were written where that was asked for. */
export interface BuiltColumn {
  readonly column: Column;
  readonly warnings: readonly DataWarning[];
  readonly written?: CategoricalColumn | undefined;
  /**
   * Texts are not all as they were written, since the column was taken for one of numbers or times first;
   * where its kind is declared they are.
   */
  readonly isRewritten?: boolean;
}

export interface TableReading {
  readonly table: Table;
  readonly warnings: readonly DataWarning[];
  /** Of delimited text that is not ASCII alone: the Encoding Standard's name for what it was read as. */
  readonly encoding?: string;
}

/** The kind declared for a column; names such as `constructor` are only names. */
export function declaredKind(options: ReadOptions, name: string): ColumnKind | undefined {
  const { kinds } = options;
  return kinds !== undefined && Object.hasOwn(kinds, name) ? kinds[name] : undefined;
}

/** Whether the cells of a column are kept as they were written. */
export function keepsWritten(options: ReadOptions, name: string): boolean {
  return options.written === "all" || (options.written?.includes(name) ?? false);
}

const FORMS: Readonly<Record<StampForm, string>> = {
  yyyymmdd: "dates as whole numbers",
  yyyymm: "months as whole numbers",
  seconds: "seconds since 1970",
  milliseconds: "milliseconds since 1970",
  years2: "months as years in decimals",
  years3: "months as years in decimals",
  years4: "months as years in decimals",
  years: "months as years in decimals",
};

/** A column of numbers that seem to be times as one of times, which a warning says; others as they are. */
export function withStamps(built: BuiltColumn, options: ReadOptions): BuiltColumn {
  const { column } = built;
  const { name } = column;
  if (column.kind !== "numeric" || declaredKind(options, name) !== undefined) return built;
  const stamp = stampFormOf(name, column.values);
  if (stamp === null) return built;
  const values = column.values.map(stampTime);
  const first = values.find((time) => !Number.isNaN(time)) ?? Number.NaN;
  const message = `Column ${shown(name)} has ${FORMS[stamp]}, first ${stampOf(first, stamp)}; they are read as times, ${formatTimestamp(first)}. Declare its kind as numeric if it is a quantity.`;
  return {
    column: {
      kind: "timestamp",
      name,
      values,
      stamp,
      // They count from an instant.
      ...((stamp === "seconds" || stamp === "milliseconds") && { zoned: true }),
    },
    warnings: [...built.warnings, { message, column: name, of: "inference" }],
  };
}

/** The table of built columns, each let go of before the next. */
export function tableOf(
  rows: number,
  built: Iterable<BuiltColumn>,
  options: ReadOptions = {},
): TableReading {
  const { onColumn } = options;
  const columns: Column[] = [];
  const warnings: DataWarning[] = [];
  const written = new Map<string, CategoricalColumn>();
  for (const each of built) {
    const one = withStamps(each, options);
    warnings.push(...one.warnings);
    if (onColumn) {
      onColumn(one, rows);
      continue;
    }
    columns.push(one.column);
    if (one.written) written.set(one.column.name, one.written);
  }
  return { table: { rows, columns, ...(written.size > 0 ? { written } : {}) }, warnings };
}

/** What is said of a column whose cells are all missing. */
export function noValues(name: string): string {
  return `Column ${shown(name)} has no values.`;
}
