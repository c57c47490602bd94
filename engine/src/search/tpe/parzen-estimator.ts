/**
 * A joint density over several parameters: a mixture with one product kernel for each observation
 * and one, of weight 1, for the prior. Kernels are truncated normals on the unit interval, their
 * mass over a cell for values on a grid, and smoothed indicators for choices. As the mixture is
 * over whole observations, the density knows which values go together (multivariate TPE: Falkner,
 * Klein, Hutter, "BOHB", ICML 2018, §3.2; Watanabe 2023, §3.3).
 */

import type { CounterRandom } from "../../compute/random.ts";
import { kernelBandwidths } from "./bandwidths.ts";
import { type CategoricalKernel, categoricalKernel } from "./categorical-kernel.ts";
import { type Dimension, fromUnit, type NumericDimension, toUnit } from "./dimension.ts";
import { mass, quantile } from "./truncated-normal.ts";
import { ageWeight } from "./weights.ts";

const PRIOR_WEIGHT = 1;
const LOG_SQRT_2_PI = 0.9189385332046727;
/** A kernel e⁴⁰ times below the largest adds nothing to a double's 53 bits. */
const NEGLIGIBLE = 40;
/** Kernels are truncated only where the bound is within reach: beyond, the cut mass is 0 in f64. */
const REACH = 8.3;
/** Standard deviations and masses lie above 1e-3, so a product of 64 of each does not underflow. */
const FACTORS_PER_LOG = 32;

const NUMERIC_KINDS = { continuous: 0, discrete: 1, categorical: 2 } as const;

/** Its arrays are kept and filled anew by each `fit`, so that a suggestion makes no garbage. */
export class ParzenEstimator {
  /** In the order of coordinates: continuous ones, then discrete, then categorical. */
  readonly dimensions: readonly Dimension[];
  readonly #numeric: readonly NumericDimension[];
  readonly #continuous: number;
  /** How many choices each categorical dimension has. */
  readonly #choices: readonly number[];
  #kernels = 0;
  /** Kernel-major: kernels × numeric dimensions; the prior is the last kernel. */
  #mean = new Float64Array(0);
  #inverseDeviation = new Float64Array(0);
  /** Kernel-major: kernels × categorical dimensions; −1 for the prior. */
  #choice = new Int32Array(0);
  #weight = new Float64Array(0);
  /** log(weight) less the logs of all normalising constants. */
  #logConstant = new Float64Array(0);
  #logTerm = new Float64Array(0);
  #column = new Float64Array(0);
  #bandwidth = new Float64Array(0);
  #factor = new Float64Array(0);
  #categorical: readonly CategoricalKernel[] = [];

  constructor(dimensions: readonly Dimension[]) {
    this.dimensions = inCoordinateOrder(dimensions);
    this.#numeric = this.dimensions.filter((d) => d.kind !== "categorical");
    this.#continuous = this.dimensions.filter((d) => d.kind === "continuous").length;
    this.#choices = this.dimensions
      .filter((d) => d.kind === "categorical")
      .map((d) => d.parameter.choices.length);
  }

  /** Weights of the kernels, the prior's last; they sum to 1. A view, valid until the next fit. */
  get weights(): Float64Array {
    return this.#weight.subarray(0, this.#kernels);
  }

  /** Standard deviations, kernels × numeric dimensions, in units of a dimension's extent. */
  get deviations(): Float64Array {
    return this.#inverseDeviation
      .subarray(0, this.#kernels * this.#numeric.length)
      .map((inverse) => 1 / inverse);
  }

  /**
   * @param points row-major, one coordinate a dimension (see `coordinateOf`)
   * @param rows the rows of `points` to learn from, oldest first
   */
  fit(points: Float64Array, rows: ArrayLike<number>): void {
    const count = rows.length;
    const kernels = count + 1;
    const numeric = this.#numeric.length;
    const width = this.dimensions.length;
    this.#reserve(kernels);
    this.#kernels = kernels;
    let total = PRIOR_WEIGHT;
    for (let k = 0; k < count; k++) {
      this.#weight[k] = ageWeight(k, count);
      total += this.#weight[k];
    }
    this.#weight[count] = PRIOR_WEIGHT;
    for (let k = 0; k < kernels; k++) {
      this.#weight[k] /= total;
      this.#logConstant[k] = Math.log(this.#weight[k]) - this.#continuous * LOG_SQRT_2_PI;
      this.#factor[k] = 1;
    }
    for (let d = 0; d < numeric; d++) {
      for (let k = 0; k < count; k++) this.#column[k] = points[rows[k] * width + d];
      kernelBandwidths(this.#column, count, this.#bandwidth);
      this.#column[count] = 0.5;
      this.#bandwidth[count] = 1;
      const isContinuous = d < this.#continuous;
      for (let k = 0; k < kernels; k++) {
        const mean = this.#column[k];
        const deviation = this.#bandwidth[k];
        const inverse = 1 / deviation;
        this.#mean[k * numeric + d] = mean;
        this.#inverseDeviation[k * numeric + d] = inverse;
        const below = mean * inverse;
        const above = (1 - mean) * inverse;
        if (below < REACH || above < REACH) this.#factor[k] *= mass(-below, above);
        if (isContinuous) this.#factor[k] *= deviation;
      }
      if (d % FACTORS_PER_LOG === FACTORS_PER_LOG - 1 || d === numeric - 1) {
        for (let k = 0; k < kernels; k++) {
          this.#logConstant[k] -= Math.log(this.#factor[k]);
          this.#factor[k] = 1;
        }
      }
    }
    this.#categorical = this.#choices.map((choices) => categoricalKernel(choices, kernels));
    const categorical = this.#choices.length;
    for (let c = 0; c < categorical; c++) {
      for (let k = 0; k < count; k++) {
        this.#choice[k * categorical + c] = points[rows[k] * width + numeric + c];
      }
      this.#choice[count * categorical + c] = -1;
    }
  }

  /**
   * Draws points; values on a grid come back at the centre of their cell.
   *
   * @returns row-major, count × dimensions
   */
  sample(count: number, random: CounterRandom): Float64Array {
    const numeric = this.#numeric.length;
    const width = this.dimensions.length;
    const points = new Float64Array(count * width);
    for (let i = 0; i < count; i++) {
      const kernel = this.#drawKernel(random.nextFloat());
      for (let d = 0; d < numeric; d++) {
        const mean = this.#mean[kernel * numeric + d];
        const inverse = this.#inverseDeviation[kernel * numeric + d];
        const at = quantile(random.nextFloat(), -mean * inverse, (1 - mean) * inverse);
        const unit = Math.min(1, Math.max(0, mean + at / inverse));
        points[i * width + d] =
          d < this.#continuous ? unit : toUnit(this.#numeric[d], fromUnit(this.#numeric[d], unit));
      }
      for (let c = 0; c < this.#choices.length; c++) {
        const observed = this.#choice[kernel * this.#choices.length + c];
        points[i * width + numeric + c] = drawChoice(
          random.nextFloat(),
          this.#choices[c],
          observed,
          this.#categorical[c],
        );
      }
    }
    return points;
  }

  /**
   * Log of the density (of the probability, along discrete and categorical dimensions) at points.
   *
   * Terms of a kernel only fall as dimensions are added, so a kernel is left as soon as it is
   * negligible beside the largest so far: most are after one or two dimensions.
   *
   * @param points row-major, rows × dimensions
   */
  logDensity(points: Float64Array): Float64Array {
    const width = this.dimensions.length;
    const result = new Float64Array(width === 0 ? 0 : points.length / width);
    const discrete = this.#numeric.length - this.#continuous;
    const cellLow = new Float64Array(discrete);
    const cellHigh = new Float64Array(discrete);
    const logObserved = Float64Array.from(this.#categorical, (kernel) => Math.log(kernel.observed));
    const logOther = Float64Array.from(this.#categorical, (kernel) => Math.log(kernel.other));
    const logUniform = Float64Array.from(this.#choices, (choices) => -Math.log(choices));
    for (let i = 0; i < result.length; i++) {
      const point = points.subarray(i * width, (i + 1) * width);
      for (let j = 0; j < discrete; j++) {
        const dimension = this.#numeric[this.#continuous + j];
        const value = fromUnit(dimension, point[this.#continuous + j]);
        const half = (dimension.parameter.step ?? 1) / 2;
        cellLow[j] = toUnit(dimension, value - half);
        cellHigh[j] = toUnit(dimension, value + half);
      }
      result[i] = this.#logDensityAt(point, cellLow, cellHigh, logObserved, logOther, logUniform);
    }
    return result;
  }

  #logDensityAt(
    point: Float64Array,
    cellLow: Float64Array,
    cellHigh: Float64Array,
    logObserved: Float64Array,
    logOther: Float64Array,
    logUniform: Float64Array,
  ): number {
    const kernels = this.#kernels;
    const numeric = this.#numeric.length;
    const continuous = this.#continuous;
    const categorical = this.#choices.length;
    const mean = this.#mean;
    const inverse = this.#inverseDeviation;
    const logTerm = this.#logTerm;
    let largest = Number.NEGATIVE_INFINITY;
    // The prior reaches everywhere: from it on, far kernels are left early.
    for (let k = kernels - 1; k >= 0; k--) {
      const floor = largest - NEGLIGIBLE;
      let term = this.#logConstant[k];
      logTerm[k] = Number.NEGATIVE_INFINITY;
      const base = k * numeric;
      let d = 0;
      for (; d < continuous && term >= floor; d++) {
        const z = (point[d] - mean[base + d]) * inverse[base + d];
        term -= 0.5 * z * z;
      }
      for (let c = 0; c < categorical && term >= floor; c++) {
        const choice = this.#choice[k * categorical + c];
        if (choice < 0) term += logUniform[c];
        else term += choice === point[numeric + c] ? logObserved[c] : logOther[c];
      }
      // A cell's mass is below exp(-z²/2) at its nearest end: cheap, so asked of all cells first.
      let bound = term;
      for (let j = 0; j < numeric - continuous && bound >= floor; j++) {
        const m = mean[base + continuous + j];
        const distance = m < cellLow[j] ? cellLow[j] - m : m > cellHigh[j] ? m - cellHigh[j] : 0;
        const z = distance * inverse[base + continuous + j];
        bound -= 0.5 * z * z;
      }
      if (!(bound >= floor)) continue;
      for (let j = 0; j < numeric - continuous && term >= floor; j++) {
        const m = mean[base + continuous + j];
        const s = inverse[base + continuous + j];
        term += Math.log(mass((cellLow[j] - m) * s, (cellHigh[j] - m) * s));
      }
      logTerm[k] = term;
      if (term > largest) largest = term;
    }
    let sum = 0;
    for (let k = 0; k < kernels; k++) {
      if (logTerm[k] >= largest - NEGLIGIBLE) sum += Math.exp(logTerm[k] - largest);
    }
    return largest + Math.log(sum);
  }

  #drawKernel(at: number): number {
    let left = at;
    for (let k = 0; k < this.#kernels - 1; k++) {
      left -= this.#weight[k];
      if (left < 0) return k;
    }
    return this.#kernels - 1;
  }

  #reserve(kernels: number): void {
    if (this.#weight.length >= kernels) return;
    const room = Math.max(64, 2 * kernels);
    this.#mean = new Float64Array(room * this.#numeric.length);
    this.#inverseDeviation = new Float64Array(room * this.#numeric.length);
    this.#choice = new Int32Array(room * this.#choices.length);
    this.#weight = new Float64Array(room);
    this.#logConstant = new Float64Array(room);
    this.#logTerm = new Float64Array(room);
    this.#column = new Float64Array(room);
    this.#bandwidth = new Float64Array(room);
    this.#factor = new Float64Array(room);
  }
}

/** The order in which a point's coordinates stand. */
export function inCoordinateOrder<T extends Dimension>(dimensions: readonly T[]): readonly T[] {
  return [...dimensions].sort((a, b) => NUMERIC_KINDS[a.kind] - NUMERIC_KINDS[b.kind]);
}

function drawChoice(
  at: number,
  choices: number,
  observed: number,
  { observed: likely, other }: CategoricalKernel,
): number {
  if (observed < 0) return Math.min(choices - 1, Math.trunc(at * choices));
  let left = at;
  for (let choice = 0; choice < choices - 1; choice++) {
    left -= choice === observed ? likely : other;
    if (left < 0) return choice;
  }
  return choices - 1;
}
