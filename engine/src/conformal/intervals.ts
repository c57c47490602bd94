/**
 * Intervals around a regression model's predictions, from its out-of-fold residuals: each is divided
 * by the difficulty of its place, and the quantiles of what is left, times the difficulty of a new
 * row's place, are added to its prediction (cross-conformal prediction in the normalised form: Vovk
 * 2015, "Cross-conformal predictors"; Lei et al. 2018, §5.2). Both ends have their own quantile, as
 * residuals are seldom symmetric (Romano, Patterson & Candès 2019, §4).
 */

import { ascendingOrder } from "../compute/ascending-order.ts";
import { distributionOf } from "../residuals/alike.ts";
import type { ScoreDistribution } from "../residuals/score-distribution.ts";
import { type DifficultyCurve, difficultyAt, fitDifficulty } from "./difficulty.ts";
import type { IntervalPart, UncertaintyCard } from "./document.ts";
import { entryFor, levelsWith } from "./levels.ts";
import { crossFitParts, eachPart, groupsOf, type OutOfFold, rowsOfWeight } from "./out-of-fold.ts";

/**
 * Rows beyond each end that an end of its own takes; with fewer, both are as far away, by the
 * quantile of absolute residuals, which needs half of them.
 */
const TAIL_ROWS = 10;

type Bounds = readonly [lower: number, upper: number];

/** Prediction intervals of some rows, at one level of coverage. */
export interface Intervals {
  /** The level served: the asked one or the next that is stored. */
  readonly level: number;
  /** Ends of the intervals, inclusive, one a row; null where the rows were too few for the level. */
  readonly bounds: { readonly lower: Float64Array; readonly upper: Float64Array } | null;
}

class ScaledResiduals {
  readonly difficulty: DifficultyCurve;
  readonly meanSquare: number;
  readonly #below: ScoreDistribution;
  readonly #above: ScoreDistribution;
  readonly #either: ScoreDistribution;

  /**
   * Each part's residuals are scaled by the difficulty of the others, as those of new rows are.
   *
   * @param whole rows that these are a part of
   */
  constructor(rows: OutOfFold, whole: number) {
    const residuals = residualsOf(rows);
    const ascending = ascendingOrder(rows.predictions);
    this.difficulty = fitDifficulty(rows.predictions, residuals, rows.weights, ascending, whole);
    const scaled = scaleByOthers(rows, residuals, ascending, whole);
    const { weights, groups } = rows;
    this.#above = distributionOf(scaled, weights, groups);
    this.#below = distributionOf(
      scaled.map((each) => -each),
      weights,
      groups,
    );
    this.#either = distributionOf(scaled.map(Math.abs), weights, groups);
    this.meanSquare = weightedMean(
      scaled.map((each) => each * each),
      rows.weights,
    );
  }

  bounds(level: number): Bounds | null {
    const tail = (1 - level) / 2;
    if (this.#above.effectiveSize * tail >= TAIL_ROWS) {
      return [0 - this.#below.quantile(1 - tail), this.#above.quantile(1 - tail)];
    }
    const width = this.#either.quantile(level);
    return Number.isFinite(width) ? [0 - width, width] : null;
  }
}

/** @param narrowed whether the model averages its folds' models and rows are exchangeable */
export function fitIntervals(
  rows: OutOfFold,
  coverage: number,
  narrowed: boolean,
): { readonly part: IntervalPart; readonly card: UncertaintyCard } {
  const fitted = new ScaledResiduals(rows, rowsOfWeight(rows));
  const limits = limitsOf(rows);
  const part: IntervalPart = {
    kind: "interval",
    coverage,
    rows: rowsOfWeight(rows),
    ...groupsOf(rows),
    difficulty: { at: [...fitted.difficulty.at], scale: [...fitted.difficulty.scale] },
    levels: levelsWith(coverage).map((level) => {
      const bounds = fitted.bounds(level);
      return { level, bounds: bounds && [bounds[0], bounds[1]] };
    }),
    meanSquare: fitted.meanSquare,
    narrowed,
    ...limits,
  };
  return { part, card: measure(rows, coverage, limits) };
}

/**
 * @param predictions one a row
 * @param ambiguity of the folds' predictions, one a row; null where there is one prediction a row
 */
export function intervalsOf(
  part: IntervalPart,
  predictions: Float64Array,
  ambiguity: Float64Array | null,
  coverage: number = part.coverage,
): Intervals {
  const { level, bounds } = entryFor(part.levels, coverage);
  if (bounds === null) return { level, bounds: null };
  const factors = predictions.map((prediction, row) => {
    const scale = difficultyAt(part.difficulty, prediction);
    if (!part.narrowed || ambiguity === null) return scale;
    return scale * widthFactor(ambiguity[row], part.meanSquare * scale * scale);
  });
  return { level, bounds: place(predictions, factors, bounds, part) };
}

/** Intervals of each part by what the others say; coverage and width over all. */
function measure(
  rows: OutOfFold,
  coverage: number,
  limits: Pick<IntervalPart, "least" | "most">,
): UncertaintyCard {
  const whole = rowsOfWeight(rows);
  let total = 0;
  let covered = 0;
  let width = 0;
  for (const { others, part } of eachPart(rows)) {
    const fitted = new ScaledResiduals(others, whole);
    const factors = part.predictions.map((each) => difficultyAt(fitted.difficulty, each));
    const bounds = fitted.bounds(coverage);
    const ends = bounds && place(part.predictions, factors, bounds, limits);
    for (let i = 0; i < part.target.length; i++) {
      const weight = part.weights === null ? 1 : part.weights[i];
      if (weight === 0) continue;
      total += weight;
      width += ends === null ? Number.POSITIVE_INFINITY : weight * (ends.upper[i] - ends.lower[i]);
      const inside =
        ends === null || (part.target[i] >= ends.lower[i] && part.target[i] <= ends.upper[i]);
      if (inside) covered += weight;
    }
  }
  const endless = !Number.isFinite(width);
  return {
    kind: "interval",
    coverage,
    measured: total > 0 && !endless ? covered / total : null,
    meanWidth: total > 0 && !endless ? width / total : null,
    warnings: [],
  };
}

/** Within what the sign of the targets allows, and never without the prediction itself. */
function place(
  predictions: Float64Array,
  factors: Float64Array,
  [lower, upper]: Bounds,
  { least, most }: Pick<IntervalPart, "least" | "most">,
): { lower: Float64Array; upper: Float64Array } {
  return {
    lower: predictions.map((prediction, row) => {
      const end = prediction + lower * factors[row];
      return Math.min(prediction, least === null ? end : Math.max(least, end));
    }),
    upper: predictions.map((prediction, row) => {
      const end = prediction + upper * factors[row];
      return Math.max(prediction, most === null ? end : Math.min(most, end));
    }),
  };
}

/** Residuals of each part over the difficulty that the other parts say. */
function scaleByOthers(
  rows: OutOfFold,
  residuals: Float64Array,
  ascending: Uint32Array,
  whole: number,
): Float64Array {
  const scaled = new Float64Array(residuals.length);
  const parts = crossFitParts(rows.parts);
  for (const part of new Set(parts)) {
    const weights = Float64Array.from(parts, (each, row) =>
      each === part ? 0 : (rows.weights?.[row] ?? 1),
    );
    const curve = fitDifficulty(rows.predictions, residuals, weights, ascending, whole);
    for (let row = 0; row < residuals.length; row++) {
      if (parts[row] !== part) continue;
      scaled[row] = residuals[row] / difficultyAt(curve, rows.predictions[row]);
    }
  }
  return scaled;
}

function residualsOf({ target, predictions }: OutOfFold): Float64Array {
  return target.map((value, row) => value - predictions[row]);
}

function limitsOf({ target, weights }: OutOfFold): Pick<IntervalPart, "least" | "most"> {
  const seen = weights === null ? target : target.filter((_, row) => weights[row] > 0);
  return {
    least: seen.length > 0 && seen.every((value) => value >= 0) ? 0 : null,
    most: seen.length > 0 && seen.every((value) => value <= 0) ? 0 : null,
  };
}

function weightedMean(values: Float64Array, weights: Float64Array | null): number {
  let sum = 0;
  let total = 0;
  for (let i = 0; i < values.length; i++) {
    const weight = weights === null ? 1 : weights[i];
    if (weight === 0) continue;
    total += weight;
    sum += weight * values[i];
  }
  return total === 0 ? 0 : sum / total;
}

/** Of the squared residual, at most. */
const MOST_OF_SQUARE = 0.15;

/**
 * What the width is multiplied by, in (0, 1].
 *
 * A mean of models errs less than they do one by one: at any row, its squared error is their mean
 * squared error less their mean squared distance from it, the ambiguity (Krogh & Vedelsby 1995,
 * "Neural network ensembles, cross validation, and active learning", eq. 6).
 *
 * An out-of-fold residual is that of one fold's models. A row to come is predicted by the mean over
 * all folds, so an interval of such residuals would be wider than its level asks for. It is made
 * narrower by the share that the identity says, which the folds' predictions of the row itself
 * show. Where they differ most, the row is hard rather than the mean good, so the share ends at 15 %.
 *
 * @param ambiguity mean squared distance of the folds' predictions from their mean
 * @param meanSquare expected squared out-of-fold residual at the row
 */
export function widthFactor(ambiguity: number, meanSquare: number): number {
  if (!(ambiguity > 0)) return 1;
  return Math.sqrt(1 - Math.min(ambiguity / meanSquare, MOST_OF_SQUARE));
}
