/** Fits the terms of every feature to the training rows and makes the training design of them. */

import { deriveKey } from "../../compute/random.ts";
import type { CategoricalFeature, NumericFeature } from "../../data/encoded.ts";
import { DataError } from "../../data/table.ts";
import {
  fitTargetStatistics,
  orderedTargetStatistics,
  type TargetStatisticsInput,
  targetOrder,
} from "../../data/target-statistics.ts";
import { valueColumns } from "../../data/value-columns.ts";
import type { FitContext } from "../family.ts";
import type { FitLimits } from "../fit-limits.ts";
import { labelChannels } from "../label-channels.ts";
import { type CodedGroup, type DenseCells, DesignMatrix } from "./design-matrix.ts";
import {
  applyTransform,
  fitTransform,
  type NumericTransform,
  QUANTILE_ROWS,
  transformColumns,
} from "./numeric-transform.ts";
import type { LinearParameters } from "./parameters.ts";
import { type CodedTerm, codeOf, type NumericTerm, type TargetTerm, type Term } from "./terms.ts";

/** Numeric features with at most this many distinct values, all integers, may become levels. */
const MAX_LEVELS = 32;
const MIN_LEVELS = 3;
/** Cells from which the design is held in single precision. */
const SINGLE_PRECISION_CELLS = 1 << 24;

export interface FittedTerms {
  readonly terms: readonly Term[];
  readonly matrix: DesignMatrix;
  /** One a column of the matrix: +1 or -1 where its feature is constrained. */
  readonly signs: Int8Array | null;
}

/**
 * @param shares the training rows' weights, summing to 1
 * @throws FitStoppedError
 */
export function fitTerms(
  context: FitContext,
  parameters: LinearParameters,
  shares: Float64Array,
  limits: FitLimits,
): FittedTerms {
  const builder = new DesignBuilder(context, parameters, shares);
  context.data.features.forEach((feature, index) => {
    limits.throwIfOver();
    if (feature.kind === "numeric") builder.addNumeric(feature, index);
    else builder.addCategorical(feature, index);
  });
  return builder.finish();
}

class DesignBuilder {
  readonly #context: FitContext;
  readonly #parameters: LinearParameters;
  readonly #shares: Float64Array;
  readonly #columnOf: (feature: number) => Float64Array;
  readonly #single: boolean;
  readonly #terms: Term[] = [];
  readonly #dense: DenseCells[] = [];
  readonly #signs: number[] = [];
  readonly #groups: CodedGroup[] = [];

  constructor(context: FitContext, parameters: LinearParameters, shares: Float64Array) {
    this.#context = context;
    this.#parameters = parameters;
    this.#shares = shares;
    this.#columnOf = valueColumns(context.data);
    const width = parameters.numericTransform === "spline" ? parameters.splineKnots - 1 : 1;
    const cells = context.trainRows.length * context.data.features.length * width;
    this.#single = cells > SINGLE_PRECISION_CELLS;
  }

  addNumeric(feature: NumericFeature, index: number): void {
    const { trainRows, monotone } = this.#context;
    const { numericTransform, splineKnots, oneHotSmallIntegers } = this.#parameters;
    const column = this.#columnOf(index);
    const cells = new Float64Array(trainRows.length);
    let present = 0;
    for (let i = 0; i < trainRows.length; i++) {
      // Adding zero turns -0 into 0, so that what is saved as JSON reads back the same.
      cells[i] = column[trainRows[i]] + 0;
      if (Number.isFinite(cells[i])) present++;
    }
    const sign = Object.hasOwn(monotone, feature.name) ? monotone[feature.name] : 0;
    const name = sign !== 0 && numericTransform === "spline" ? "none" : numericTransform;
    const transform = fitTransform(name, () => sortedSample(cells, present), splineKnots);
    this.#addStandardised(index, transform, cells, sign);
    if (present < trainRows.length && present > 0) {
      this.#addCoded({ kind: "missing", feature: index }, cells);
    }
    if (oneHotSmallIntegers && sign === 0) {
      const values = smallIntegers(cells);
      if (values) this.#addCoded({ kind: "levels", feature: index, values }, cells);
    }
  }

  addCategorical(feature: CategoricalFeature, index: number): void {
    const { trainRows, monotone } = this.#context;
    if (Object.hasOwn(monotone, feature.name)) {
      throw new DataError(
        `The column ${feature.column} is categorical; a monotone constraint needs a numeric one.`,
        { column: feature.column },
      );
    }
    const column = this.#columnOf(index);
    const cells = new Float64Array(trainRows.length);
    let missing = false;
    for (let i = 0; i < trainRows.length; i++) {
      cells[i] = column[trainRows[i]];
      if (!(cells[i] >= 0)) missing = true;
    }
    const count = feature.categories.length;
    if (count > this.#parameters.oneHotMaxCategories) this.#addTarget(index, count, cells);
    else if (count > 0) {
      this.#addCoded({ kind: "categories", feature: index, count, missing }, cells);
    }
  }

  finish(): FittedTerms {
    const matrix = new DesignMatrix(this.#context.trainRows.length, this.#dense, this.#groups);
    const signs = new Int8Array(matrix.columns);
    signs.set(this.#signs);
    return {
      terms: this.#terms,
      matrix,
      signs: this.#signs.some((sign) => sign !== 0) ? signs : null,
    };
  }

  #addCoded(term: CodedTerm, cells: Float64Array): void {
    const codes = new Int32Array(cells.length);
    for (let i = 0; i < cells.length; i++) codes[i] = codeOf(term, cells[i]);
    const levels =
      term.kind === "missing"
        ? 1
        : term.kind === "levels"
          ? term.values.length
          : term.count + (term.missing ? 1 : 0);
    this.#terms.push(term);
    this.#groups.push({ codes, levels });
  }

  #addStandardised(
    feature: number,
    transform: NumericTransform,
    cells: Float64Array,
    sign: number,
  ): void {
    const width = transformColumns(transform);
    const row = new Float64Array(width);
    const columns = Array.from({ length: width }, () => new Float64Array(cells.length));
    for (let i = 0; i < cells.length; i++) {
      if (Number.isFinite(cells[i])) applyTransform(transform, cells[i], row, 0, 1);
      else row.fill(Number.NaN);
      for (let c = 0; c < width; c++) columns[c][i] = row[c];
    }
    const moments = columns.map((column) => standardise(column, this.#shares));
    // A constant column carries nothing; one whose spread overflows cannot be scaled.
    if (moments.some(({ deviation }) => !(deviation > 0 && Number.isFinite(deviation)))) {
      if (width > 1) this.#addStandardised(feature, { kind: "identity" }, cells, sign);
      return;
    }
    const term: NumericTerm = {
      kind: "numeric",
      feature,
      transform,
      means: moments.map(({ mean }) => mean),
      deviations: moments.map(({ deviation }) => deviation),
    };
    this.#terms.push(term);
    for (const column of columns) this.#addDense(column, sign);
  }

  #addTarget(feature: number, categories: number, cells: Float64Array): void {
    const { trainRows, key } = this.#context;
    const averaged = labelChannels(this.#context).map((channel) =>
      Float64Array.from(trainRows, (row) => channel[row]),
    );
    const inputs = averaged.map(
      (column): TargetStatisticsInput => ({
        codes: cells,
        categories,
        target: column,
        // Smoothing counts rows, so the weights here have mean 1.
        weights: this.#shares.map((share) => share * cells.length),
        rows: Uint32Array.from(cells.keys()),
        smoothing: this.#parameters.targetSmoothing,
      }),
    );
    const whole = inputs.map((input) => fitTargetStatistics(input).means);
    // The ordered form has one prior for all rows: with categories of one row each it is constant,
    // where priors by fold would tell each row which fold, and so a little of which target, it has.
    const order = targetOrder(
      cells.length,
      deriveKey(key.low, "target-encoding", key.high, feature),
    );
    const training = inputs.map((input) => orderedTargetStatistics(input, order));
    const moments = training.map((column) => standardise(column, this.#shares));
    // A class that no training row has encodes every category alike.
    const kept = moments.flatMap(({ deviation }, c) =>
      deviation > 0 && Number.isFinite(deviation) ? [c] : [],
    );
    if (kept.length === 0) return;
    const term: TargetTerm = {
      kind: "target",
      feature,
      categories,
      encodings: Array.from(
        { length: (categories + 1) * kept.length },
        (_, at) => whole[kept[at % kept.length]][Math.floor(at / kept.length)] + 0,
      ),
      means: kept.map((c) => moments[c].mean),
      deviations: kept.map((c) => moments[c].deviation),
    };
    this.#terms.push(term);
    for (const c of kept) this.#addDense(training[c], 0);
  }

  #addDense(column: Float64Array, sign: number): void {
    this.#dense.push(this.#single ? Float32Array.from(column) : column);
    this.#signs.push(sign);
  }
}

/** Centres and scales in place by the weighted moments of what is present; missing becomes 0. */
function standardise(
  column: Float64Array,
  shares: Float64Array,
): { mean: number; deviation: number } {
  let size = 0;
  let total = 0;
  let first = Number.NaN;
  let varies = false;
  for (let i = 0; i < column.length; i++) {
    if (Number.isNaN(column[i]) || shares[i] === 0) continue;
    size = Math.max(size, Math.abs(column[i]));
    total += shares[i];
    if (Number.isNaN(first)) first = column[i];
    else if (column[i] !== first) varies = true;
  }
  if (!varies || !Number.isFinite(size)) return { mean: 0, deviation: 0 };
  // Differences from the first value, in units of the largest: neither cancels nor overflows.
  let shift = 0;
  for (let i = 0; i < column.length; i++) {
    if (!Number.isNaN(column[i])) shift += shares[i] * (column[i] / size - first / size);
  }
  const mean = (first / size + shift / total) * size + 0;
  let variance = 0;
  for (let i = 0; i < column.length; i++) {
    if (Number.isNaN(column[i])) continue;
    const difference = column[i] / size - mean / size;
    variance += shares[i] * difference * difference;
  }
  const deviation = Math.sqrt(variance / total) * size;
  for (let i = 0; i < column.length; i++) {
    column[i] = Number.isNaN(column[i]) ? 0 : (column[i] - mean) / deviation;
  }
  return { mean, deviation };
}

/** Present cells in ascending order; where they are many, of evenly spaced rows. */
function sortedSample(cells: Float64Array, present: number): Float64Array {
  const stride = Math.max(1, Math.floor(cells.length / QUANTILE_ROWS));
  const sample = new Float64Array(Math.min(present, Math.ceil(cells.length / stride)));
  let count = 0;
  for (let i = 0; i < cells.length && count < sample.length; i += stride) {
    if (Number.isFinite(cells[i])) sample[count++] = cells[i];
  }
  return sample.subarray(0, count).sort();
}

/** The distinct values, ascending, where all are integers and few; else null. */
function smallIntegers(cells: Float64Array): number[] | null {
  const seen = new Set<number>();
  for (const cell of cells) {
    if (!Number.isFinite(cell)) continue;
    if (!Number.isSafeInteger(cell)) return null;
    seen.add(cell);
    if (seen.size > MAX_LEVELS) return null;
  }
  return seen.size < MIN_LEVELS ? null : [...seen].sort((a, b) => a - b);
}
