/**
 * What a fitted model computes, in terms that name no family: for those who write a model in a form of
 * other programs. Features are by their place in the schema's.
 */

import type { DerivedColumn } from "../trees/derived-columns.ts";
import type { TreeEnsemble } from "../trees/ensemble.ts";
import type { Smoothness } from "./gaussian_process/covariance.ts";
import type { NumericTransform } from "./linear/numeric-transform.ts";

/** A sum over trees of binned features, from `base` on, one number an output. */
export interface TreesFormula {
  readonly kind: "trees";
  readonly trees: TreeEnsemble;
  readonly base: Float64Array;
  /** Columns that trees read behind the features; absent: none. */
  readonly derived?: readonly DerivedColumn[];
  /** The sums are margins that the task's link turns into predictions, or shares of the classes. */
  readonly sums: "margins" | "shares";
}

/** Columns of `(transform(x) - means) / deviations`, 0 where x is missing or infinite. */
export interface NumericPart {
  readonly kind: "numeric";
  readonly feature: number;
  readonly transform: NumericTransform;
  readonly means: readonly number[];
  readonly deviations: readonly number[];
  /** Columns × outputs. */
  readonly weights: readonly (readonly number[])[];
}

/** One number an output where the feature is missing or infinite, else 0. */
export interface MissingPart {
  readonly kind: "missing";
  readonly feature: number;
  readonly weights: readonly number[];
}

/** Numbers for values of a numeric feature; 0 for others. */
export interface LevelsPart {
  readonly kind: "levels";
  readonly feature: number;
  readonly values: readonly number[];
  /** Values × outputs. */
  readonly weights: readonly (readonly number[])[];
}

/** Numbers for each category of a categorical feature, and last for a missing or unknown one. */
export interface CategoriesPart {
  readonly kind: "categories";
  readonly feature: number;
  /** (Categories + 1) × outputs. */
  readonly weights: readonly (readonly number[])[];
}

export type AdditivePart = NumericPart | MissingPart | LevelsPart | CategoriesPart;

/** Margins that are a sum over parts of single features, from `base` on. */
export interface AdditiveFormula {
  readonly kind: "additive";
  readonly parts: readonly AdditivePart[];
  /** One an output. */
  readonly base: readonly number[];
  /** What the margin of one output is held in; absent: it is not held. */
  readonly range?: readonly [number, number];
}

/** (x - centre) · factor, held within ± 10⁶ and bent into (-bound, bound); 0 where x is not finite. */
export interface NetworkNumber {
  readonly feature: number;
  readonly centre: number;
  readonly factor: number;
}

/** Of one number x: behind x itself, bias + Σ mix · cos(2π(frequency x + phase)), one a column of `mix`. */
export interface PeriodicPart {
  readonly frequencies: readonly number[];
  readonly phases: readonly number[];
  /** Frequencies × columns. */
  readonly mix: readonly (readonly number[])[];
  readonly bias: readonly number[];
}

/**
 * Of one number x: behind x itself, bias + Σ mix · (the share of the piece that lies below x), one a column of
 * `mix`.
 */
export interface PiecesPart {
  /** Ascending ends of pieces, one more than there are. */
  readonly knots: readonly number[];
  /** Pieces × columns. */
  readonly mix: readonly (readonly number[])[];
  readonly bias: readonly number[];
}

export interface NetworkLayer {
  /** Row-major, inputs × outputs. */
  readonly weights: Float64Array;
  readonly biases: readonly number[];
  /** The share α of the activation in x + α (φ(x) - x); null: the layer has none. */
  readonly bends: readonly number[] | null;
}

/** A fully connected network over numbers, then marks, then vectors of categories. */
export interface NetworkFormula {
  readonly kind: "network";
  readonly numbers: readonly NetworkNumber[];
  readonly bound: number;
  /** One a number; null: numbers are read as they are. */
  readonly periodic: readonly PeriodicPart[] | null;
  /** Likewise; null where `periodic` is not. */
  readonly pieces: readonly PiecesPart[] | null;
  /** 1 where a feature is not finite, or one column a category, 1 for the row's own. */
  readonly marks: readonly (
    | { readonly kind: "missing"; readonly feature: number }
    | { readonly kind: "category"; readonly feature: number; readonly count: number }
  )[];
  /** (Categories + 1) × columns, the last for a missing or unknown one. */
  readonly vectors: readonly {
    readonly feature: number;
    readonly rows: readonly (readonly number[])[];
  }[];
  readonly activation: "selu" | "mish";
  readonly layers: readonly NetworkLayer[];
  /** What the last layer says is multiplied by the factor, and the centre added. */
  readonly centre: number;
  readonly factor: number;
}

/**
 * For each output Σ weight · m(u) over the rows that a Gaussian process was fitted to, u = ‖z - z'‖² of rows as points: bounded
 * numbers, then 1 in the column of a row's code, each times the scale of its dimension.
 */
export interface ProcessFormula {
  readonly kind: "process";
  readonly numbers: readonly NetworkNumber[];
  readonly bound: number;
  /** One a number. */
  readonly numberScales: readonly number[];
  /** Columns of 1 where a feature is finite and where it is not, or of each category and of none. */
  readonly marks: readonly ((
    | { readonly kind: "missing"; readonly feature: number }
    | { readonly kind: "category"; readonly feature: number; readonly count: number }
  ) & { readonly scale: number })[];
  readonly smoothness: Smoothness;
  /** Row-major, rows × columns: scaled. */
  readonly points: Float64Array;
  /** Those of all rows, one output after another. */
  readonly weights: Float64Array;
  /** What the sum of each output is multiplied by, and what is then added: a margin. */
  readonly factors: readonly number[];
  readonly centres: readonly number[];
}

export type MemberFormula = TreesFormula | AdditiveFormula | NetworkFormula | ProcessFormula;
