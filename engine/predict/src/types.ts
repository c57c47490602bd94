/**
 * What this package takes and answers, written out: no type of a library, of Node or of the DOM. That the
 * engine's own answers fit is checked where they are handed out (`predictor.ts`).
 */

/** A row's cells by their columns: texts, numbers, booleans, null where missing; times also as dates. */
export type Row = Readonly<Record<string, unknown>>;

/** What is to be forecast; of nothing at all, all series are, as far as the model was trained for. */
export interface ForecastRows {
  /** Values that are known, as rows with the label; they go on with those of the training data. */
  readonly history?: readonly Row[] | undefined;
  /** Steps to forecast, as rows without the label, with what is known of them. */
  readonly future?: readonly Row[] | undefined;
  /** Steps of series that `future` has none of. */
  readonly horizon?: number | undefined;
  /** Series to forecast, by the values of their columns; absent: those of the rows, or all. */
  readonly series?: readonly Row[] | undefined;
}

/**
 * Rows, as a request to the service has them, or a list of them alone. Of a model of sequences, rows are
 * steps; of a forecast, rows with a label are history and the others are steps to forecast.
 */
export type Rows =
  | readonly Row[]
  | { readonly instances: readonly Row[] }
  | { readonly columns: readonly string[]; readonly data: readonly (readonly unknown[])[] }
  | ForecastRows;

/** Regression, also of sequences. */
export interface ValuePrediction {
  /** Of sequences: which one. */
  readonly id?: string | undefined;
  readonly value: number;
  /** Both inclusive; null where the model was trained on too few rows to say. */
  readonly interval?: readonly [number, number] | null | undefined;
}

/** Classification, also of sequences. */
export interface LabelPrediction {
  /** Of sequences: which one. */
  readonly id?: string | undefined;
  readonly label: string;
  readonly probabilities: Readonly<Record<string, number>>;
  /** The label and every other class that may be the true one. */
  readonly set?: readonly string[] | undefined;
}

/** Quantile regression. */
export interface QuantilesPrediction {
  /** The median, or the level nearest to it. */
  readonly value: number;
  /** By level. */
  readonly quantiles: Readonly<Record<string, number>>;
}

/** A step of a forecast. */
export interface ForecastPrediction {
  /** Which series: the values of its columns. */
  readonly series: Readonly<Record<string, string>>;
  /** ISO 8601, or the number of the step. */
  readonly time: string | number;
  readonly value: number;
  readonly interval: readonly [number, number] | null;
  /** By level. */
  readonly quantiles: Readonly<Record<string, number>> | null;
}

/** One prediction: of a row, a sequence, or a step. */
export type Prediction =
  | ValuePrediction
  | LabelPrediction
  | QuantilesPrediction
  | ForecastPrediction;

/** What `POST /v1/models/{model_id}/predict` answers, without `model_id`. */
export interface Predictions {
  readonly predictions: readonly Prediction[];
  /** What was odd about the rows, e.g. a column that was absent. */
  readonly warnings: readonly string[];
}

/** What one stretch of time of a channel adds. */
export interface Segment {
  /** The column of the channel. */
  readonly column: string;
  /** Its first step, from 0. */
  readonly start: number;
  /** The step behind its last. */
  readonly end: number;
  readonly contribution: number;
  /** Standard error of the contribution; 0 where it is exact. */
  readonly error: number;
}

/** How the columns moved one output from the average prediction. */
export interface Contributions {
  /** The prediction for no row in particular. */
  readonly base_value: number;
  /** `base_value` plus all contributions. */
  readonly prediction: number;
  /** By column. */
  readonly contributions: Readonly<Record<string, number>>;
  /** Where `segments` asked for it. */
  readonly over_time?: {
    readonly space: "identity" | "probability";
    readonly base_value: number;
    readonly prediction: number;
    readonly exact: boolean;
    readonly segments: readonly Segment[];
  };
}

/** Of one prediction: of its output, or one a class; of sequences and forecasts, also which it is of. */
export type Explanation = {
  readonly id?: string | undefined;
  readonly series?: Readonly<Record<string, string>>;
  readonly time?: string | number;
} & (Contributions | { readonly classes: Readonly<Record<string, Contributions>> });

/** What `POST /v1/models/{model_id}/explain` answers, without `model_id`. */
export interface Explanations {
  /** The unit in which contributions add up. */
  readonly space: "identity" | "logit" | "log_softmax" | "probability";
  readonly explanations: readonly Explanation[];
  readonly warnings: readonly string[];
}

/** A column that the model reads. */
export interface ModelColumn {
  readonly name: string;
  readonly kind: "numeric" | "boolean" | "categorical" | "timestamp" | "text";
  readonly nullable: boolean;
}

/** What the model predicts. */
export interface ModelTask {
  /** Such as `regression` or `sequence_multiclass`. */
  readonly kind: string;
  /** In their order; empty where the label is a value. */
  readonly classes: readonly string[];
  /** The levels of a task that predicts several quantiles. */
  readonly quantiles?: readonly number[] | undefined;
  /** Of forecasts: the share of values that an interval is to hold. */
  readonly coverage?: number | undefined;
}

type Scores = Readonly<Record<string, number | null>>;
type Importance = readonly {
  readonly column: string;
  readonly importance: number;
  readonly deviation?: number | undefined;
}[];

/** What the model was made of, and how good it was found to be; `model.json` has all of it. */
export interface ModelCard {
  /** The run's configuration. */
  readonly config: Readonly<Record<string, unknown>>;
  /** Rows that it was trained on. */
  readonly rows: number;
  readonly metrics: readonly string[];
  /** On rows that its members did not learn from; null where a score is undefined. */
  readonly scores: Scores;
  readonly importance: { readonly gain: Importance; readonly permutation: Importance };
  readonly warnings: readonly string[];
  readonly environment: {
    readonly engine: string;
    readonly node: string;
    readonly platform: string;
  };
}

/** What `predict` may be asked beside its rows. */
export interface PredictOptions {
  /** The share of rows whose interval or set should contain the truth; default that of the run. */
  readonly coverage?: number | undefined;
}

/** What `explain` may be asked beside its rows. */
export interface ExplainOptions {
  /** Of one sequence: stretches of time of each channel that are told apart. */
  readonly segments?: number | undefined;
}

/** A loaded model. */
export interface Model {
  readonly task: ModelTask;
  /** The column that it predicts. */
  readonly labelColumn: string;
  /** What it reads. */
  readonly columns: readonly ModelColumn[];
  readonly card: ModelCard;
  /**
   * What the service answers, bit for bit.
   *
   * @param rows absent: what a model of forecasts is to forecast by itself
   * @throws {RowsError} that names rows and columns
   * @throws {RangeError} for a coverage that the model cannot answer for
   */
  predict(rows?: Rows, options?: PredictOptions): Predictions;
  /**
   * What the service answers, bit for bit.
   *
   * @throws {RowsError} that names rows and columns
   */
  explain(rows?: Rows, options?: ExplainOptions): Explanations;
  /** Lets go of its memory; it answers no more. */
  dispose(): void;
}

/** A URL object, of whatever library of types. */
export interface Address {
  readonly href: string;
}

/** A `Blob`, a `File` or a `Response`. */
export interface Body {
  /** False of a response that is no success. */
  readonly ok?: boolean;
  readonly status?: number;
  arrayBuffer(): Promise<ArrayBuffer>;
}

/** Reads the files of a model one by one, by their paths, such as `model.json`. */
export interface Files {
  read(path: string): Promise<Uint8Array>;
}

/**
 * Where a model is: the bytes of an archive (a zip with `model.json`, at its root or in a folder
 * `model`), something that has them, or its URL; files by a function; or the URL of a folder, with a `/` at its end.
 */
export type ModelSource = Uint8Array | ArrayBuffer | Body | Address | Files;

/** How a model is loaded. */
export interface LoadOptions {
  /**
   * A `WebAssembly.Module` of `@distillery/predict/kernels.wasm`, for runtimes that compile no bytes while
   * they run. Default: the one inside this package, compiled once.
   */
  readonly kernels?: object | undefined;
}
