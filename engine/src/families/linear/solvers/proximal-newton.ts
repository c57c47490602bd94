/**
 * Proximal Newton for problems with an L1 term or sign constraints: each output in turn takes a
 * quadratic model of its loss, minimised by coordinate descent on the columns themselves, and a
 * line search on the true objective.
 *
 * Yuan, Ho, Lin, "An improved GLMNET for L1-regularized logistic regression", JMLR 13, 2012; the
 * multinomial loss cycles over classes as in Friedman, Hastie, Tibshirani 2010, §4.
 */

import { FitLimits } from "../../fit-limits.ts";
import type { DesignMatrix } from "../design-matrix.ts";
import { type Problem, type Solution, SUFFICIENT_DECREASE, shrink, violation } from "./problem.ts";

export interface ProximalNewtonOptions {
  /** Largest violation of the optimality conditions allowed. */
  readonly tolerance?: number;
  readonly maxIterations?: number;
}

const MAX_SWEEPS = 60;
/** An inner solution ends when a sweep changes less than this part of what the first changed. */
const INNER_REDUCTION = 1e-4;

export function solveProximal(problem: Problem, options: ProximalNewtonOptions = {}): Solution {
  const { matrix, loss, l1, l2 } = problem;
  const tolerance = options.tolerance ?? 1e-7;
  const maxIterations = options.maxIterations ?? 100;
  const { rows, columns } = matrix;
  const { outputs } = loss;
  const coefficients = new Float64Array(outputs * columns);
  const intercepts = loss.constant.slice();
  const margins = new Float64Array(outputs * rows);
  for (let k = 0; k < outputs; k++) margins.fill(intercepts[k], k * rows, (k + 1) * rows);
  const slopes = new Float64Array(outputs * rows);
  const curvature = new Float64Array(rows);
  const gradient = new Float64Array(columns);
  const trial = new Float64Array(outputs * rows);
  const model = new QuadraticModel(problem);

  let iterations = 0;
  let converged = false;
  while (iterations < maxIterations && !converged && !model.isOver) {
    iterations++;
    let worst = 0;
    let moved = false;
    for (let k = 0; k < outputs && !model.isOver; k++) {
      const b = coefficients.subarray(k * columns, (k + 1) * columns);
      const own = slopes.subarray(k * rows, (k + 1) * rows);
      const value = loss.evaluate(margins, slopes);
      matrix.transposeMultiply(own, gradient);
      let slope0 = 0;
      for (let i = 0; i < rows; i++) slope0 += own[i];
      let most = Math.abs(slope0);
      for (let j = 0; j < columns; j++) {
        const slope = gradient[j] + l2 * b[j];
        most = Math.max(most, violation(slope, b[j], l1, problem.signs?.[j] ?? 0));
      }
      worst = Math.max(worst, most);
      if (most <= tolerance) continue;
      loss.curvature(margins, k, curvature);
      model.minimise(curvature, gradient, slope0, b);
      const { direction, marginStep } = model;
      let descent = slope0 * model.interceptStep;
      for (let j = 0; j < columns; j++) {
        descent += (gradient[j] + l2 * b[j]) * direction[j];
        descent += l1 * (Math.abs(b[j] + direction[j]) - Math.abs(b[j]));
      }
      if (!(descent < 0)) continue;
      trial.set(margins);
      let step = 1;
      let lowered = false;
      for (let halvings = 0; halvings < 40 && !lowered; halvings++) {
        let penaltyChange = 0;
        for (let j = 0; j < columns; j++) {
          const next = b[j] + step * direction[j];
          penaltyChange += l1 * (Math.abs(next) - Math.abs(b[j]));
          penaltyChange += 0.5 * l2 * (next * next - b[j] * b[j]);
        }
        for (let i = 0; i < rows; i++) {
          trial[k * rows + i] = margins[k * rows + i] + step * marginStep[i];
        }
        const change = loss.evaluate(trial, null) - value + penaltyChange;
        lowered = change <= SUFFICIENT_DECREASE * step * descent;
        if (!lowered) step *= 0.5;
      }
      if (!lowered) continue;
      moved = true;
      for (let j = 0; j < columns; j++) b[j] += step * direction[j];
      intercepts[k] += step * model.interceptStep;
      margins.set(trial.subarray(k * rows, (k + 1) * rows), k * rows);
    }
    converged = !model.isOver && (worst <= tolerance || !moved);
  }
  return { coefficients, intercepts, iterations, converged };
}

/** The rows of each column of a group, level by level. */
interface LevelRows {
  readonly order: Uint32Array;
  readonly starts: Uint32Array;
}

/** The quadratic model of one output and its minimiser by coordinate descent. */
class QuadraticModel {
  readonly direction: Float64Array;
  readonly marginStep: Float64Array;
  interceptStep = 0;
  /** The problem's limits allow no further sweep. */
  isOver = false;
  readonly #problem: Problem;
  readonly #limits: FitLimits;
  readonly #levels: readonly LevelRows[];
  readonly #diagonal: Float64Array;

  constructor(problem: Problem) {
    this.#problem = problem;
    this.#limits = problem.limits ?? new FitLimits();
    this.direction = new Float64Array(problem.matrix.columns);
    this.#diagonal = new Float64Array(problem.matrix.columns);
    this.marginStep = new Float64Array(problem.matrix.rows);
    this.#levels = problem.matrix.groups.map(({ codes, levels }) => rowsByLevel(codes, levels));
  }

  /** Leaves the step in `direction`, `interceptStep` and `marginStep` = X·direction + intercept. */
  minimise(
    curvature: Float64Array,
    gradient: Float64Array,
    interceptSlope: number,
    b: Float64Array,
  ): void {
    const { matrix, l2 } = this.#problem;
    const { direction, marginStep } = this;
    direction.fill(0);
    marginStep.fill(0);
    this.interceptStep = 0;
    this.#fillDiagonal(curvature);
    let total = 0;
    for (let i = 0; i < matrix.rows; i++) total += curvature[i];
    total = Math.max(total, 1e-12);
    let first = 0;
    let all = true;
    for (let sweep = 0; sweep < MAX_SWEEPS; sweep++) {
      // A sweep passes over the rows once a column: limits count these, each of which may be long.
      this.isOver = !this.#limits.begin();
      if (this.isOver) break;
      let rest = interceptSlope;
      for (let i = 0; i < matrix.rows; i++) rest += curvature[i] * marginStep[i];
      const shift = -rest / total;
      this.interceptStep += shift;
      for (let i = 0; i < matrix.rows; i++) marginStep[i] += shift;
      let changed = Math.abs(rest);
      for (let j = 0; j < matrix.columns; j++) {
        // Between full sweeps only coefficients that are not zero move.
        if (!all && b[j] + direction[j] === 0) continue;
        const slope =
          gradient[j] + l2 * (b[j] + direction[j]) + this.#product(curvature, j, matrix);
        const step = this.#coordinateStep(j, slope, b[j] + direction[j]);
        if (step === 0) continue;
        direction[j] += step;
        this.#advance(j, step, matrix);
        changed = Math.max(changed, this.#diagonal[j] * Math.abs(step));
      }
      if (sweep === 0) first = changed;
      const settled = changed <= INNER_REDUCTION * first;
      if (settled && all) break;
      all = settled;
    }
  }

  #coordinateStep(j: number, slope: number, at: number): number {
    const diagonal = this.#diagonal[j];
    const { l1, signs } = this.#problem;
    const next = shrink(diagonal * at - slope, l1, diagonal, signs?.[j] ?? 0);
    return next - at;
  }

  #fillDiagonal(curvature: Float64Array): void {
    const { matrix, l2 } = this.#problem;
    const diagonal = this.#diagonal;
    diagonal.fill(0);
    for (let j = 0; j < matrix.denseColumns; j++) {
      const x = matrix.dense.cellsOf(j);
      let sum = 0;
      for (let i = 0; i < matrix.rows; i++) sum += curvature[i] * x[i] * x[i];
      diagonal[j] = sum;
    }
    matrix.groups.forEach(({ codes }, g) => {
      const start = matrix.groupStarts[g];
      for (let i = 0; i < matrix.rows; i++) {
        if (codes[i] >= 0) diagonal[start + codes[i]] += curvature[i];
      }
    });
    for (let j = 0; j < matrix.columns; j++) diagonal[j] += l2 + 1e-12;
  }

  /** Σ curvatureᵢ xᵢⱼ marginStepᵢ */
  #product(curvature: Float64Array, j: number, matrix: DesignMatrix): number {
    const { marginStep } = this;
    let sum = 0;
    if (j < matrix.denseColumns) {
      const x = matrix.dense.cellsOf(j);
      for (let i = 0; i < x.length; i++) sum += curvature[i] * x[i] * marginStep[i];
      return sum;
    }
    const { rows, from, to } = this.#levelOf(j, matrix);
    for (let i = from; i < to; i++) sum += curvature[rows[i]] * marginStep[rows[i]];
    return sum;
  }

  /** marginStep += step · column j */
  #advance(j: number, step: number, matrix: DesignMatrix): void {
    const { marginStep } = this;
    if (j < matrix.denseColumns) {
      const x = matrix.dense.cellsOf(j);
      for (let i = 0; i < x.length; i++) marginStep[i] += step * x[i];
      return;
    }
    const { rows, from, to } = this.#levelOf(j, matrix);
    for (let i = from; i < to; i++) marginStep[rows[i]] += step;
  }

  #levelOf(j: number, matrix: DesignMatrix): { rows: Uint32Array; from: number; to: number } {
    let g = matrix.groupStarts.length - 1;
    while (matrix.groupStarts[g] > j) g--;
    const level = j - matrix.groupStarts[g];
    const { order, starts } = this.#levels[g];
    return { rows: order, from: starts[level], to: starts[level + 1] };
  }
}

function rowsByLevel(codes: Int32Array, levels: number): LevelRows {
  const starts = new Uint32Array(levels + 1);
  for (const code of codes) if (code >= 0) starts[code + 1]++;
  for (let level = 0; level < levels; level++) starts[level + 1] += starts[level];
  const order = new Uint32Array(starts[levels]);
  const next = starts.slice();
  for (let i = 0; i < codes.length; i++) if (codes[i] >= 0) order[next[codes[i]]++] = i;
  return { order, starts };
}
