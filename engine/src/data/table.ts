/** Typed columns in memory: what every reader produces and every encoder consumes. */

import type { StampForm } from "./readers/stamps.ts";
import type { SlashedOrder } from "./readers/timestamp-text.ts";

/** The kinds that a column can have. */
export const COLUMN_KINDS = ["numeric", "boolean", "categorical", "text", "timestamp"] as const;
/** One of `COLUMN_KINDS`. */
export type ColumnKind = (typeof COLUMN_KINDS)[number];

/** Missing values are NaN. */
export interface NumericColumn {
  readonly kind: "numeric";
  readonly name: string;
  readonly values: Float64Array;
}

/** 0 = false, 1 = true, 255 = missing. */
export interface BooleanColumn {
  readonly kind: "boolean";
  readonly name: string;
  readonly values: Uint8Array;
}

/** `codes[i]` indexes `categories`; -1 = missing. Categories are distinct, in order of first sight. */
export interface CategoricalColumn {
  readonly kind: "categorical";
  readonly name: string;
  readonly codes: Int32Array;
  readonly categories: readonly string[];
}

export interface TextColumn {
  readonly kind: "text";
  readonly name: string;
  readonly values: readonly (string | null)[];
}

/** Milliseconds since 1970-01-01T00:00:00Z; missing values are NaN. */
export interface TimestampColumn {
  readonly kind: "timestamp";
  readonly name: string;
  readonly values: Float64Array;
  /** How dates like 1/2/2011 were read, where the column was written so. */
  readonly slashed?: SlashedOrder;
  /** Its dates could be of the other order as well: `slashed` is a guess. */
  readonly either?: boolean;
  /** The numbers that its times were written as. Absent: they were no numbers. */
  readonly stamp?: StampForm;
  /** Each of its times named its zone, or is one by its type: they are instants, whatever a clock showed. */
  readonly zoned?: boolean;
}

/** A column with its values, one a row of its table. */
export type Column =
  | NumericColumn
  | BooleanColumn
  | CategoricalColumn
  | TextColumn
  | TimestampColumn;

/** Columns of one length. */
export interface Table {
  readonly rows: number;
  readonly columns: readonly Column[];
  /** By name, the cells of some columns as they were written: `01`, `TRUE`. Absent where none were kept. */
  readonly written?: ReadonlyMap<string, CategoricalColumn>;
  /** Names of further columns, which were not read, since who asked for the table has no use for them. */
  readonly unread?: readonly string[];
  /**
   * Ascending: the rows that a filter may let through, where the others were not read and their cells say
   * nothing. Absent = all.
   */
  readonly ranges?: readonly RowRange[];
  /** Where its rows are made of another table's: what people call them. Absent: they are the rows given. */
  readonly origins?: RowOrigins;
}

/** What the rows of a table are made of. */
export interface RowOrigins {
  /** One a row: the first row of the given table that it is made of. */
  readonly rows: ArrayLike<number>;
  /** What the rows are, many and one. */
  readonly called: readonly [many: string, one: string];
  /** One a row, where they have names. */
  readonly names: readonly string[] | null;
}

/** Rows from `from` to before `to`. */
export interface RowRange {
  readonly from: number;
  readonly to: number;
}

/** The column's description without its values, as it is stored with datasets and models. */
export interface ColumnSchema {
  readonly name: string;
  readonly kind: ColumnKind;
  readonly nullable: boolean;
}

/**
 * A fault in the data or in what was asked of it, written for the person who sent it.
 * `column` and `row` (1-based, the header not counted) say where, when that is known; `member` is the
 * member of a request that they are in, where it has several.
 */
export class DataError extends Error {
  override readonly name = "DataError";
  readonly column: string | undefined;
  readonly row: number | undefined;
  readonly member: string | undefined;

  constructor(
    message: string,
    where: { column?: string; row?: number; member?: string; cause?: unknown } = {},
  ) {
    super(message, { cause: where.cause });
    this.column = where.column;
    this.row = where.row;
    this.member = where.member;
  }
}
