/**
 * The terms of the linear predictor: how one feature's cell becomes columns of the design.
 *
 * - numeric: transformed, centred and scaled numbers; a missing cell is at the mean, hence 0;
 * - missing: 1 where a numeric cell is missing; made where the training rows have such cells;
 * - levels: one column for each value of a numeric feature that is a small integer;
 * - categories: one column a category, and one for missing where the training rows have it;
 * - target: a smoothed mean of the target for each category, where categories are many.
 *
 * ±Infinity counts as missing. Terms are plain data; a saved model holds them as they are.
 */

import { z } from "zod";
import { applyTransform, numericTransformSchema, transformColumns } from "./numeric-transform.ts";

const feature = z.int().min(0);
const numbers = z.array(z.number());

const numericTerm = z.strictObject({
  kind: z.literal("numeric"),
  feature,
  transform: numericTransformSchema,
  means: numbers,
  deviations: numbers,
});
const missingTerm = z.strictObject({ kind: z.literal("missing"), feature });
const levelsTerm = z.strictObject({ kind: z.literal("levels"), feature, values: numbers });
const categoriesTerm = z.strictObject({
  kind: z.literal("categories"),
  feature,
  count: z.int().min(0),
  missing: z.boolean(),
});
const targetTerm = z.strictObject({
  kind: z.literal("target"),
  feature,
  categories: z.int().min(1),
  /** Row-major, (categories + 1) × columns: each category's means, those of missing cells last. */
  encodings: numbers,
  means: numbers,
  deviations: numbers,
});

export const termSchema = z.discriminatedUnion("kind", [
  numericTerm,
  missingTerm,
  levelsTerm,
  categoriesTerm,
  targetTerm,
]);

export type Term = z.infer<typeof termSchema>;
export type NumericTerm = z.infer<typeof numericTerm>;
export type TargetTerm = z.infer<typeof targetTerm>;
export type DenseTerm = NumericTerm | TargetTerm;
export type CodedTerm = Exclude<Term, DenseTerm>;

/** What a fitted model consists of. */
export interface LinearState {
  readonly terms: readonly Term[];
  /** Output-major, outputs × columns: first the dense terms' columns, then the coded terms'. */
  readonly coefficients: Float64Array;
  /** One a column: its weighted mean over the training rows. */
  readonly columnMeans: Float64Array;
  /** One an output. */
  readonly baseValues: Float64Array;
  /** One a feature. */
  readonly importance: Float64Array;
  /** What a prediction is held in, of one output; null: it is not held. */
  readonly range: readonly [number, number] | null;
  readonly facts: Readonly<Record<string, number | string>>;
}

export function isDense(term: Term): term is DenseTerm {
  return term.kind === "numeric" || term.kind === "target";
}

export function termColumns(term: Term): number {
  switch (term.kind) {
    case "numeric":
      return transformColumns(term.transform);
    case "target":
      return term.means.length;
    case "missing":
      return 1;
    case "levels":
      return term.values.length;
    case "categories":
      return term.count + (term.missing ? 1 : 0);
  }
}

/**
 * How far from its mean a number is read, in deviations: sums of products of farther ones, such as of 1e308 that
 * stands for a missing value, are no numbers. Nearer ones are read as they are, for graphs of ONNX have no such end.
 */
const REACH = 1e300;

/** Writes columns for a finite `cell` to out[at], out[at + stride], …, before they are centred and scaled. */
export function writeNumber(
  { transform, means, deviations }: NumericTerm,
  cell: number,
  out: Float64Array,
  at: number,
  stride: number,
): void {
  applyTransform(transform, cell, out, at, stride);
  if (means.length > 1) return;
  const reach = REACH * deviations[0];
  out[at] = Math.max(means[0] - reach, Math.min(means[0] + reach, out[at]));
}

/** Writes the term's columns for `cell` to out[at], out[at + 1], …. */
export function writeDense(term: DenseTerm, cell: number, out: Float64Array, at: number): void {
  const columns = term.means.length;
  if (term.kind === "numeric") {
    if (!Number.isFinite(cell)) {
      out.fill(0, at, at + columns);
      return;
    }
    writeNumber(term, cell, out, at, 1);
  } else {
    const row = cell >= 0 && cell < term.categories ? cell : term.categories;
    for (let c = 0; c < columns; c++) out[at + c] = term.encodings[row * columns + c];
  }
  for (let c = 0; c < columns; c++) {
    out[at + c] = (out[at + c] - term.means[c]) / term.deviations[c];
  }
}

/** Which of the term's columns is 1 for `cell`; -1 for none. */
export function codeOf(term: CodedTerm, cell: number): number {
  switch (term.kind) {
    case "missing":
      return Number.isFinite(cell) ? -1 : 0;
    case "categories":
      if (cell >= 0) return cell < term.count ? cell : -1;
      return term.missing ? term.count : -1;
    case "levels": {
      let low = 0;
      let high = term.values.length - 1;
      while (low <= high) {
        const middle = (low + high) >> 1;
        if (term.values[middle] === cell) return middle;
        if (term.values[middle] < cell) low = middle + 1;
        else high = middle - 1;
      }
      return -1;
    }
  }
}
