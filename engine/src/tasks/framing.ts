/**
 * How a kind's table becomes the rows of a run, where a row of the table by itself is not what is
 * predicted: several rows are one sequence, or steps of one series. Planning and predicting know only
 * this; what stands in a frame (`data/frame.ts`) is read by families of its kind.
 */

import type { SourceColumn } from "../data/feature-schema.ts";
import type { Frame } from "../data/frame.ts";
import type { Table } from "../data/table.ts";
import type { SeriesRows } from "../metrics/metric.ts";
import type { GroupedRows } from "./grouped-rows.ts";

/** What of a request's `task` framing may read, by the names of the configuration. */
export type TaskMembers = Readonly<Record<string, unknown>>;

export interface FramingRequest {
  readonly task: TaskMembers;
  /** Rows of the table; null = all. */
  readonly rows: Uint32Array | null;
  readonly labelColumn: string;
  /** Columns that say something of the rows and are no features: weights, groups, times. */
  readonly beside: readonly string[];
  readonly ignored: readonly string[];
  /** Of a rolling origin: fits, each checked on a window of the horizon or several. */
  readonly windows: number;
}

/** What a model keeps of its frame: JSON, and arrays that are written as they are. */
export interface SavedFrame {
  readonly header: unknown;
  readonly tensors: Readonly<
    Record<
      string,
      Float64Array | Float32Array | Int32Array | Uint32Array | Uint16Array | Uint8Array
    >
  >;
}

/** One a row of what is answered, beside the prediction: which it is. */
export type AnswerKey = Readonly<Record<string, unknown>>;

export interface FramedTable {
  /** One row a row of the run: the label, the columns beside it, and those that features are made of. */
  readonly table: Table;
  readonly frame: Frame;
  readonly saved: SavedFrame;
  /** Of rows that are steps of series. */
  readonly rolling?: RollingOrigin;
  readonly warnings: readonly string[];
}

/** How forecasts are checked. */
export interface RollingOrigin {
  /** Ascending rows of each fit: what it learns from, and the window or windows behind that it forecasts. */
  readonly folds: readonly { readonly train: Uint32Array; readonly valid: Uint32Array }[];
  /** One a row: 1 where the value was observed; others are neither learned from nor scored. */
  readonly observed: Uint8Array;
  readonly series: SeriesRows;
  /** For people. */
  readonly splitter: string;
  readonly columns: StepColumns;
}

/** Names of columns beside the values of series: known in advance, of the past alone, and of one value a series. */
export interface StepColumns {
  readonly known: readonly string[];
  readonly past: readonly string[];
  readonly static: readonly string[];
}

export interface FramedRows {
  /** One row a row of the frame: the columns that features are made of. */
  readonly table: Table;
  readonly frame: Frame;
  /** Rows of the frame that are predicted, in the order of the answers; null = all. */
  readonly rows: Uint32Array | null;
  /** Places among them of those that are answered: a forecast makes the steps up to one too; null = all. */
  readonly answered: Uint32Array | null;
  /** One an answer. */
  readonly keys: readonly AnswerKey[];
  /** Of series with sums: makes predictions, one a row that is predicted, sum up; in place. */
  readonly reconcile?: (values: Float64Array) => void;
  readonly warnings: readonly string[];
}

/** What is asked of a framing beside the rows. */
export interface ReadOptions {
  /** Of series: steps to forecast, at most those that the model was trained for; default all. */
  readonly horizon?: number | undefined;
  /**
   * Of series: so many rows at the start are history, and those after them steps to forecast. Absent:
   * rows with a value are history, and those without are to be forecast.
   */
  readonly historyRows?: number | undefined;
  /** Of series: these alone, by the values of their columns. */
  readonly series?: readonly Readonly<Record<string, unknown>>[] | undefined;
  /** Of series: whether columns that are known of the past alone are read; default true. */
  readonly readsPast?: boolean | undefined;
  /** Of series: whether columns that are known in advance are read of the past too; default false. */
  readonly readsKnownPast?: boolean | undefined;
  /** Columns of training that became no feature: nothing is missed where they are not sent. */
  readonly dropped?: readonly string[] | undefined;
  /** Predictions that are made at once; more are refused. */
  readonly most?: number | undefined;
}

/** What one window of a backtest missed. */
export interface BacktestErrors {
  /** Of the run, ascending. */
  readonly rows: Uint32Array;
  /** One each: value less forecast; NaN where the value is not known. */
  readonly errors: Float64Array;
}

/** What makes forecasts of series sum up to those of their sums. */
export interface FittedReconciliation {
  readonly saved: SavedFrame;
  readonly warnings: readonly string[];
  /** How it is done, for people; null where a warning says so. */
  readonly note: string | null;
}

/** When the steps of a model's series are, for people. */
export interface SeriesCalendar {
  /** A step in words, such as `1 hour`. */
  readonly step: string;
  /** Whether `timeOf` is in milliseconds since 1970; else steps are numbered. */
  readonly isTime: boolean;
  /** Steps that are forecast at once. */
  readonly horizon: number;
  /** Columns whose values a forecast should be told ahead. */
  readonly knownAhead: readonly string[];
  /** @param offset of a step from the first of its series */
  timeOf(series: number, offset: number): number;
  /** What asks for forecasts of that series alone. */
  askedAs(series: number): Pick<ReadOptions, "series">;
  seasonPlaces(season: number): SeasonPlaces;
}

/** The steps of one season. */
export interface SeasonPlaces {
  /** Of each place, such as `Mon`; null where the season is none of the clock or the calendar. */
  readonly names: readonly string[] | null;
  /** Place of a step, from 0. */
  of(series: number, offset: number): number;
}

/** Rows of the given table, by the row of the framed one that they are steps of. */
export interface StepsOfRows extends GroupedRows {
  /** The column that tells them apart. */
  readonly id: string;
}

export interface Framing {
  readonly kind: Frame["kind"];
  /** Members of a request that it cannot do without, by the names of the configuration. */
  readonly required: readonly string[];
  /** @throws DataError that names the sequence or series, and the row */
  frame(table: Table, request: FramingRequest): FramedTable;
  /** Rows to predict, as a request gives them. @throws DataError that names sequence or series, and row */
  read(table: Table, saved: SavedFrame, options?: ReadOptions): FramedRows;
  /** Of kinds whose rows are made of steps: the steps of each, in order. @param rows of the table; null = all */
  steps?(table: Table, task: TaskMembers, rows: Uint32Array | null): StepsOfRows;
  /** Columns that `read` needs beside those of the features, as a request's rows are read. */
  inputs(saved: SavedFrame): readonly SourceColumn[];
  /** Columns that no model reads, and `read` tells of values in them that training did not have. */
  unread?(saved: SavedFrame): readonly SourceColumn[];
  /** Of series, once a model's backtest is known; null where there is nothing to reconcile. */
  fitReconciliation?(
    saved: SavedFrame,
    windows: readonly BacktestErrors[],
  ): FittedReconciliation | null;
  /** Of series. */
  calendar?(saved: SavedFrame): SeriesCalendar;
}
