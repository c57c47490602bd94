/**
 * A second level over the candidates' predictions: non-negative weights on their margins (log-odds,
 * log-probabilities, or values for regression) and an intercept, fitted by penalised least log-loss
 * or squares. The penalty draws the weights towards those of the greedy selection, so that with few
 * rows the layer is that blend's geometric counterpart.
 *
 * Sources: Wolpert, "Stacked generalization", Neural Networks 5 (1992); Breiman, "Stacked
 * regressions", Machine Learning 24 (1996), §3 (why the weights must not be negative). Solved by
 * Newton steps with the bounds kept by coordinate descent.
 */

import { type LabelledRows, pickPredictions } from "./labelled-rows.ts";
import { logistic } from "./margins.ts";

/** What the penalty weighs, in rows whose margins have unit size. */
const PENALTY = 40;
/** Rows that the layer is fitted on at most, evenly spread. */
const MOST_ROWS = 20_000;
const MOST_STEPS = 25;
const MOST_SWEEPS = 200;

export interface StackingLayer {
  /** One a candidate, non-negative; they need not sum to 1. */
  readonly weights: readonly number[];
  /** One an output; 0 with more than two classes. */
  readonly intercepts: readonly number[];
}

export interface StackingRequest {
  /** Margins of each candidate (values for regression): row-major, rows × outputs. */
  readonly margins: readonly Float64Array[];
  readonly rows: LabelledRows;
  /** Whether the target is a class. */
  readonly isClass: boolean;
  /** What the weights are drawn to. */
  readonly prior: readonly number[];
}

/** Value, gradient and (row-major) curvature at a point. */
interface Quadratic {
  readonly loss: number;
  readonly gradient: Float64Array;
  readonly curvature: Float64Array;
}

export function fitStacking({ margins, rows, isClass, prior }: StackingRequest): StackingLayer {
  const count = margins.length;
  const problem = { ...thinned(margins, rows), count };
  // The last parameter is the intercept; with more classes it is left at 0.
  const hasIntercept = rows.outputs === 1;
  const start = Float64Array.of(...prior, 0);
  const quadratic = !isClass
    ? squares(problem)
    : rows.outputs === 1
      ? twoClasses(problem)
      : manyClasses(problem);
  const penalised = (point: Float64Array): Quadratic => {
    const { loss, gradient, curvature } = quadratic(point);
    let total = loss;
    for (let j = 0; j < count; j++) {
      const away = point[j] - prior[j];
      total += (PENALTY / 2) * away * away;
      gradient[j] += PENALTY * away;
      curvature[j * (count + 1) + j] += PENALTY;
    }
    return { loss: total, gradient, curvature };
  };
  const point = minimise(penalised, start, count, hasIntercept);
  const { shift, size } = problem;
  const weights = Array.from(point.subarray(0, count));
  const sum = weights.reduce((total, weight) => total + weight, 0);
  // Back to the units of the target.
  const intercept = isClass ? point[count] : shift + size * point[count] - sum * shift;
  return {
    weights,
    intercepts: hasIntercept ? [intercept] : new Array<number>(rows.outputs).fill(0),
  };
}

/** @returns the layer's margins (values for regression), row-major */
export function stack(layer: StackingLayer, margins: readonly Float64Array[]): Float64Array {
  const { weights, intercepts } = layer;
  const outputs = intercepts.length;
  const out = new Float64Array(margins[0].length);
  for (let i = 0; i < out.length; i++) out[i] = intercepts[outputs === 1 ? 0 : i % outputs];
  for (const [member, margin] of margins.entries()) {
    const weight = weights[member];
    if (weight === 0) continue;
    for (let i = 0; i < out.length; i++) out[i] += weight * margin[i];
  }
  return out;
}

interface Problem {
  readonly margins: readonly Float64Array[];
  readonly target: Float64Array;
  readonly weights: Float64Array | null;
  readonly outputs: number;
  readonly count: number;
  /** Centre and size of a regression's values, which are fitted in these units. */
  readonly shift: number;
  readonly size: number;
}

function thinned(margins: readonly Float64Array[], rows: LabelledRows): Omit<Problem, "count"> {
  const { target, weights, outputs } = rows;
  const stride = Math.max(1, Math.ceil(target.length / MOST_ROWS));
  const kept = Uint32Array.from(
    { length: Math.ceil(target.length / stride) },
    (_, i) => i * stride,
  );
  const truth = Float64Array.from(kept, (i) => target[i]);
  const shift = truth.reduce((sum, y) => sum + y, 0) / truth.length;
  const variance = truth.reduce((sum, y) => sum + (y - shift) ** 2, 0) / truth.length;
  return {
    margins: margins.map((margin) => pickPredictions(margin, outputs, kept)),
    target: truth,
    weights: weights && Float64Array.from(kept, (i) => weights[i]),
    outputs,
    shift,
    size: Math.sqrt(variance) || 1,
  };
}

function squares({ margins, target, weights, count, shift, size }: Problem) {
  const width = count + 1;
  return (point: Float64Array): Quadratic => {
    const gradient = new Float64Array(width);
    const curvature = new Float64Array(width * width);
    const x = new Float64Array(width).fill(1);
    let loss = 0;
    for (let i = 0; i < target.length; i++) {
      let error = point[count] - (target[i] - shift) / size;
      for (let j = 0; j < count; j++) {
        x[j] = (margins[j][i] - shift) / size;
        error += point[j] * x[j];
      }
      const weight = weights === null ? 1 : weights[i];
      loss += (weight * error * error) / 2;
      addRow(gradient, curvature, x, weight * error, weight);
    }
    return { loss, gradient, curvature };
  };
}

function twoClasses({ margins, target, weights, count }: Problem) {
  const width = count + 1;
  return (point: Float64Array): Quadratic => {
    const gradient = new Float64Array(width);
    const curvature = new Float64Array(width * width);
    const x = new Float64Array(width).fill(1);
    let loss = 0;
    for (let i = 0; i < target.length; i++) {
      let margin = point[count];
      for (let j = 0; j < count; j++) {
        x[j] = margins[j][i];
        margin += point[j] * x[j];
      }
      const weight = weights === null ? 1 : weights[i];
      const right = target[i] === 1 ? margin : -margin;
      loss +=
        weight * (right > 0 ? Math.log1p(Math.exp(-right)) : Math.log1p(Math.exp(right)) - right);
      const p = logistic(margin);
      addRow(gradient, curvature, x, weight * (p - target[i]), weight * p * (1 - p));
    }
    return { loss, gradient, curvature };
  };
}

function manyClasses({ margins, target, weights, outputs, count }: Problem) {
  const width = count + 1;
  return (point: Float64Array): Quadratic => {
    const gradient = new Float64Array(width);
    const curvature = new Float64Array(width * width);
    const z = new Float64Array(outputs);
    const mean = new Float64Array(count);
    const x = new Float64Array(width);
    let loss = 0;
    for (let i = 0; i < target.length; i++) {
      const from = i * outputs;
      z.fill(0);
      for (let j = 0; j < count; j++) {
        for (let k = 0; k < outputs; k++) z[k] += point[j] * margins[j][from + k];
      }
      let highest = Number.NEGATIVE_INFINITY;
      for (let k = 0; k < outputs; k++) highest = Math.max(highest, z[k]);
      let sum = 0;
      for (let k = 0; k < outputs; k++) sum += Math.exp(z[k] - highest);
      const weight = weights === null ? 1 : weights[i];
      loss += weight * (highest + Math.log(sum) - z[target[i]]);
      mean.fill(0);
      for (let k = 0; k < outputs; k++) {
        z[k] = Math.exp(z[k] - highest) / sum;
        for (let j = 0; j < count; j++) mean[j] += z[k] * margins[j][from + k];
      }
      for (let j = 0; j < count; j++) {
        gradient[j] += weight * (mean[j] - margins[j][from + target[i]]);
      }
      for (let k = 0; k < outputs; k++) {
        if (z[k] < 1e-9) continue;
        for (let j = 0; j < count; j++) x[j] = margins[j][from + k] - mean[j];
        addRow(null, curvature, x, 0, weight * z[k]);
      }
    }
    return { loss, gradient, curvature };
  };
}

/** Adds `slope`·x to the gradient and `bend`·x·xᵀ to the lower half of the curvature. */
function addRow(
  gradient: Float64Array | null,
  curvature: Float64Array,
  x: Float64Array,
  slope: number,
  bend: number,
): void {
  const width = x.length;
  for (let j = 0; j < width; j++) {
    if (gradient !== null) gradient[j] += slope * x[j];
    const scaled = bend * x[j];
    for (let l = 0; l <= j; l++) curvature[j * width + l] += scaled * x[l];
  }
}

/** Newton steps from `start`; the first `bounded` parameters stay non-negative. */
function minimise(
  quadratic: (point: Float64Array) => Quadratic,
  start: Float64Array,
  bounded: number,
  hasIntercept: boolean,
): Float64Array {
  let point = start;
  let here = quadratic(point);
  for (let step = 0; step < MOST_STEPS; step++) {
    const aim = minimumOf(here, point, bounded, hasIntercept);
    let rate = 1;
    let next: Quadratic | null = null;
    let tried = aim;
    for (; rate > 1e-4; rate /= 2) {
      tried = point.map((value, j) => value + rate * (aim[j] - value));
      next = quadratic(tried);
      if (next.loss < here.loss) break;
    }
    if (next === null || !(next.loss < here.loss)) break;
    const gain = here.loss - next.loss;
    point = tried;
    here = next;
    if (gain < 1e-9 * Math.abs(here.loss)) break;
  }
  return point;
}

/** Where the quadratic at `point` is least under the bounds, one coordinate after the other. */
function minimumOf(
  { gradient, curvature }: Quadratic,
  point: Float64Array,
  bounded: number,
  hasIntercept: boolean,
): Float64Array {
  const width = point.length;
  const entry = (j: number, l: number) => curvature[j >= l ? j * width + l : l * width + j];
  const away = new Float64Array(width);
  const free = hasIntercept ? width : bounded;
  for (let sweep = 0; sweep < MOST_SWEEPS; sweep++) {
    let moved = 0;
    for (let j = 0; j < free; j++) {
      const bend = entry(j, j) + 1e-9;
      let slope = gradient[j];
      for (let l = 0; l < free; l++) slope += entry(j, l) * away[l];
      let next = away[j] - slope / bend;
      if (j < bounded) next = Math.max(next, -point[j]);
      moved = Math.max(moved, Math.abs(next - away[j]));
      away[j] = next;
    }
    if (moved < 1e-9) break;
  }
  return point.map((value, j) => (j < bounded ? Math.max(0, value + away[j]) : value + away[j]));
}
