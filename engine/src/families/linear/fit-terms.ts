/** Fits the terms of every feature to the training rows and makes the training design of them. */

import type { Pointer } from "../../compute/arena.ts";
import { type Kernels, kernelsOf } from "../../compute/kernels.ts";
import { deriveKey } from "../../compute/random.ts";
import { type Scratch, withScratch } from "../../compute/scratch.ts";
import { sortNumbers } from "../../compute/sort-numbers.ts";
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
import { type CodedGroup, DenseColumns, DesignMatrix } from "./design-matrix.ts";
import {
  applyTransform,
  fitTransform,
  GIVEN,
  kernelTransform,
  type NumericTransform,
  QUANTILE_ROWS,
  QUANTILES,
  transformColumns,
} from "./numeric-transform.ts";
import type { LinearParameters } from "./parameters.ts";
import { type CodedTerm, codeOf, type NumericTerm, type TargetTerm, type Term } from "./terms.ts";

/** Numeric features with at most this many distinct values, all integers, may become levels. */
const MAX_LEVELS = 32;
const MIN_LEVELS = 3;
/**
 * Beyond so many columns of levels in all, numbers stay without them: every pixel of a picture is a small integer, and
 * 784 of them would be 16,000 columns, whose first fit takes longer than a search may.
 */
const MOST_LEVEL_COLUMNS = 1500;
/** Cells from which the design is held in single precision. */
export const SINGLE_PRECISION_CELLS = 1 << 24;

export interface FittedTerms {
  readonly terms: readonly Term[];
  readonly matrix: DesignMatrix;
  /** One a column of the matrix: +1 or -1 where its feature is constrained. */
  readonly signs: Int8Array | null;
}

/** What the features' terms may have at most. */
export function mostDenseColumns(
  { data, task }: Pick<FitContext, "data" | "task">,
  { numericTransform, splineKnots, oneHotMaxCategories }: LinearParameters,
): number {
  const ofNumber = numericTransform === "spline" ? splineKnots - 1 : 1;
  return data.features.reduce((sum, feature) => {
    if (feature.kind === "numeric") return sum + ofNumber;
    const isAveraged = feature.categories.length > oneHotMaxCategories;
    return sum + (isAveraged ? Math.max(1, task.classes.length) : 0);
  }, 0);
}

/**
 * @param scratch where the design lies, until it is released
 * @param shares the training rows' weights, summing to 1
 * @throws FitStoppedError
 */
export function fitTerms(
  scratch: Scratch,
  context: FitContext,
  parameters: LinearParameters,
  shares: Float64Array,
  limits: FitLimits,
): FittedTerms {
  const rows = context.trainRows.length;
  const most = mostDenseColumns(context, parameters);
  const dense = new DenseColumns(scratch, rows, most, rows * most > SINGLE_PRECISION_CELLS);
  return withScratch(scratch.arena, (meanwhile) => {
    const builder = new DesignBuilder(meanwhile, dense, { context, parameters, shares });
    context.data.features.forEach((feature, index) => {
      limits.throwIfOver();
      if (feature.kind === "numeric") builder.addNumeric(feature, index);
      else builder.addCategorical(feature, index);
    });
    return builder.finish();
  });
}

interface Moments {
  readonly mean: number;
  /** 0 where the column does not vary. */
  readonly deviation: number;
}

/** A constant column carries nothing; one whose spread overflows cannot be scaled. */
function varies({ deviation }: Moments): boolean {
  return deviation > 0 && Number.isFinite(deviation);
}

class DesignBuilder {
  readonly #context: FitContext;
  readonly #parameters: LinearParameters;
  readonly #shares: Float64Array;
  readonly #columnOf: (feature: number) => Float64Array;
  readonly #dense: DenseColumns;
  readonly #kernels: Kernels;
  /** f64 of the filled up rows: a feature's cells, what is made of them column by column, and the shares. */
  readonly #cells: Pointer;
  readonly #made: Pointer;
  readonly #shareOfRows: Pointer;
  readonly #moments: Pointer;
  readonly #knots: Pointer;
  #terms: Term[] = [];
  readonly #signs: number[] = [];
  #coded: { readonly term: CodedTerm; readonly group: CodedGroup }[] = [];
  #levelColumns = 0;

  constructor(
    scratch: Scratch,
    dense: DenseColumns,
    {
      context,
      parameters,
      shares,
    }: { context: FitContext; parameters: LinearParameters; shares: Float64Array },
  ) {
    this.#context = context;
    this.#parameters = parameters;
    this.#shares = shares;
    this.#columnOf = valueColumns(context.data);
    this.#dense = dense;
    this.#kernels = kernelsOf(scratch.arena);
    const { filledRows, rows } = dense;
    this.#cells = scratch.allocate(8 * filledRows);
    this.#made = scratch.allocate(8 * filledRows * Math.max(1, parameters.splineKnots - 1));
    this.#shareOfRows = scratch.allocate(8 * filledRows);
    this.#moments = scratch.allocate(16);
    this.#knots = scratch.allocate(8 * Math.max(2 * QUANTILES, parameters.splineKnots));
    const own = scratch.arena.f64(this.#shareOfRows, filledRows);
    own.set(shares);
    own.fill(0, rows);
  }

  addNumeric(feature: NumericFeature, index: number): void {
    const { trainRows, monotone } = this.#context;
    const { numericTransform, splineKnots, oneHotSmallIntegers } = this.#parameters;
    const column = this.#columnOf(index);
    const cells = this.#roomOf(this.#cells);
    let present = 0;
    for (let i = 0; i < trainRows.length; i++) {
      // Adding zero turns -0 into 0, so that what is saved as JSON reads back the same.
      cells[i] = column[trainRows[i]] + 0;
      if (Number.isFinite(cells[i])) present++;
    }
    const sign = Object.hasOwn(monotone, feature.name) ? monotone[feature.name] : 0;
    const name = sign !== 0 && numericTransform === "spline" ? "none" : numericTransform;
    const sample = () => sortedSample(cells, present);
    const transform = fitTransform(name, sample, splineKnots, () => rangeOf(cells));
    this.#addStandardised(index, transform, cells, sign);
    if (present < trainRows.length && present > 0) {
      this.#addCoded({ kind: "missing", feature: index }, cells);
    }
    if (oneHotSmallIntegers && sign === 0) this.#addLevels(index, cells);
  }

  #addLevels(feature: number, cells: Float64Array): void {
    if (this.#levelColumns > MOST_LEVEL_COLUMNS) return;
    const values = smallIntegers(cells);
    if (values === null) return;
    this.#levelColumns += values.length;
    if (this.#levelColumns <= MOST_LEVEL_COLUMNS) {
      this.#addCoded({ kind: "levels", feature, values }, cells);
      return;
    }
    // All or none: which features come first says nothing of them.
    const areLevels = ({ kind }: Term): boolean => kind === "levels";
    this.#terms = this.#terms.filter((term) => !areLevels(term));
    this.#coded = this.#coded.filter(({ term }) => !areLevels(term));
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
    const groups = this.#coded.map(({ group }) => group);
    const matrix = new DesignMatrix(this.#dense, groups);
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
    this.#coded.push({ term, group: { codes, levels } });
  }

  /** Room for a number a row; what fills up rows is missing. */
  #roomOf(pointer: Pointer): Float64Array {
    const { rows, filledRows, scratch } = this.#dense;
    return scratch.arena.f64(pointer, filledRows).fill(Number.NaN, rows).subarray(0, rows);
  }

  #addStandardised(
    feature: number,
    transform: NumericTransform,
    cells: Float64Array,
    sign: number,
  ): void {
    this.#transform(transform, cells);
    const width = transformColumns(transform);
    const columns = Array.from({ length: width }, (_, c) => this.#made + c * this.#columnBytes);
    const moments = columns.map((column) => this.#momentsOf(column, this.#cells));
    if (!moments.every(varies)) {
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
    for (const [c, column] of columns.entries()) {
      this.#addDense(column, this.#cells, moments[c], sign);
    }
  }

  get #columnBytes(): number {
    return 8 * this.#dense.filledRows;
  }

  /** Into `made`; what becomes of cells that are not finite is not read. */
  #transform(transform: NumericTransform, cells: Float64Array): void {
    const { arena } = this.#dense.scratch;
    const { filledRows } = this.#dense;
    const form = kernelTransform(transform);
    if (form !== GIVEN) {
      const { kind, knots, scores } = form;
      arena.f64(this.#knots, knots.length + scores.length).set([...knots, ...scores]);
      this.#kernels.writeTransformed(
        kind,
        this.#cells,
        filledRows,
        this.#knots,
        knots.length,
        this.#made,
        this.#columnBytes,
      );
      return;
    }
    const made = this.#roomOf(this.#made);
    if (transform.kind === "identity") made.set(cells);
    else for (let i = 0; i < cells.length; i++) applyTransform(transform, cells[i], made, i, 1);
  }

  #momentsOf(column: Pointer, cells: Pointer): Moments {
    const { scratch, filledRows } = this.#dense;
    this.#kernels.columnMoments(cells, column, this.#shareOfRows, filledRows, this.#moments);
    const [mean, deviation] = scratch.arena.f64(this.#moments, 2);
    return { mean, deviation };
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
    const averages = this.#roomOf(this.#made);
    const moments = training.map((column) => {
      averages.set(column);
      return this.#momentsOf(this.#made, this.#made);
    });
    // A class that no training row has encodes every category alike.
    const kept = [...moments.keys()].filter((c) => varies(moments[c]));
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
    for (const c of kept) {
      averages.set(training[c]);
      this.#addDense(this.#made, this.#made, moments[c], 0);
    }
  }

  #addDense(column: Pointer, cells: Pointer, { mean, deviation }: Moments, sign: number): void {
    const { filledRows, isSingle } = this.#dense;
    const to = this.#dense.next();
    const single = isSingle ? 1 : 0;
    this.#kernels.writeStandardised(cells, column, filledRows, mean, deviation, to, single);
    this.#signs.push(sign);
  }
}

/** Of the present cells, at least one. */
function rangeOf(cells: Float64Array): [number, number] {
  let [least, greatest] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const cell of cells) {
    if (!Number.isFinite(cell)) continue;
    if (cell < least) least = cell;
    if (cell > greatest) greatest = cell;
  }
  return [least, greatest];
}

/** Present cells in ascending order; where they are many, of evenly spaced rows. */
function sortedSample(cells: Float64Array, present: number): Float64Array {
  const stride = Math.max(1, Math.ceil(cells.length / QUANTILE_ROWS));
  const sample = new Float64Array(Math.min(present, Math.ceil(cells.length / stride)));
  let count = 0;
  for (let i = 0; i < cells.length && count < sample.length; i += stride) {
    if (Number.isFinite(cells[i])) sample[count++] = cells[i];
  }
  return sortNumbers(sample.subarray(0, count));
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
