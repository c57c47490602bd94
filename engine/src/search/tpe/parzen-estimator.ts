/**
 * A joint density over several parameters: a mixture with one product kernel for each observation
 * and one, of weight 1, for the prior. Kernels are truncated normals on the unit interval, their
 * mass over a cell for values on a grid, and smoothed indicators for choices. As the mixture is
 * over whole observations, the density knows which values go together (multivariate TPE: Falkner,
 * Klein, Hutter, "BOHB", ICML 2018, §3.2; Watanabe 2023, §3.3).
 */

import type { CounterRandom } from "../../compute/random.ts";
import { kernelBandwidths, smallestBandwidth } from "./bandwidths.ts";
import { type Dimension, fromUnit, toUnit } from "./dimension.ts";
import {
  type CategoricalKernel,
  categoricalKernel,
  KernelTable,
  UNKNOWN_PLACE,
} from "./kernel-table.ts";
import { LogDensity } from "./log-density.ts";
import { mass, quantile } from "./truncated-normal.ts";

const PRIOR_WEIGHT = 1;
const LOG_SQRT_2_PI = 0.9189385332046727;
/** Standard deviations and masses are above 1e-2: a product of two for each stays far from 0. */
const DIMENSIONS_PER_LOG = 32;

export class ParzenEstimator {
  readonly #kernels: KernelTable;
  readonly #logDensity: LogDensity;
  #column = new Float64Array(0);
  #bandwidth = new Float64Array(0);
  #factor = new Float64Array(0);

  constructor(dimensions: readonly Dimension[]) {
    this.#kernels = new KernelTable(dimensions);
    this.#logDensity = new LogDensity(this.#kernels);
  }

  /** In the order of coordinates: continuous ones, then discrete, then categorical. */
  get dimensions(): readonly Dimension[] {
    return this.#kernels.dimensions;
  }

  /** What `fit` made; valid until it is called again. */
  get kernels(): Readonly<KernelTable> {
    return this.#kernels;
  }

  /**
   * @param points dimension-major, dimensions × `stride` coordinates (see `coordinateOf`)
   * @param rows which of the points to learn from, oldest first
   * @param weights one a point, above 0, the prior's being 1; null = by age
   */
  fit(
    points: Float64Array,
    stride: number,
    rows: ArrayLike<number>,
    weights: Float64Array | null = null,
  ): void {
    const kernels = this.#kernels;
    const count = rows.length;
    kernels.resize(count + 1);
    if (this.#column.length < kernels.capacity) {
      this.#column = new Float64Array(kernels.capacity);
      this.#bandwidth = new Float64Array(kernels.capacity);
      this.#factor = new Float64Array(kernels.capacity);
    }
    this.#weigh(rows, weights);
    this.#factor.fill(1);
    const column = this.#column;
    kernels.numeric.forEach((_, d) => {
      for (let k = 0; k < count; k++) column[k] = points[d * stride + rows[k]];
      this.#fitNumeric(d, count);
      const isLast = d === kernels.numeric.length - 1;
      if (isLast || d % DIMENSIONS_PER_LOG === DIMENSIONS_PER_LOG - 1) this.#takeFactors();
    });
    kernels.categoricalKernels = kernels.categorical.map(({ parameter }, c) => {
      const from = (kernels.numeric.length + c) * stride;
      const base = c * kernels.capacity;
      for (let k = 0; k < count; k++) kernels.choice[base + k] = points[from + rows[k]];
      kernels.choice[base + count] = -1;
      return categoricalKernel(parameter.choices.length, count + 1);
    });
  }

  #weigh(rows: ArrayLike<number>, weights: Float64Array | null): void {
    const { weight, logConstant, continuous } = this.#kernels;
    const count = rows.length;
    let total = PRIOR_WEIGHT;
    for (let k = 0; k < count; k++) {
      weight[k] = weights === null ? ageWeight(k, count) : weights[rows[k]];
      total += weight[k];
    }
    weight[count] = PRIOR_WEIGHT;
    for (let k = 0; k <= count; k++) {
      weight[k] /= total;
      logConstant[k] = Math.log(weight[k]) - continuous * LOG_SQRT_2_PI;
    }
  }

  /** Kernels of one numeric dimension, from `#column`; the prior spans the whole interval. */
  #fitNumeric(d: number, count: number): void {
    const { mean, inverseDeviation, gridPlace, capacity, continuous } = this.#kernels;
    const column = this.#column;
    const bandwidth = this.#bandwidth;
    const factor = this.#factor;
    kernelBandwidths(column, count, bandwidth);
    column[count] = 0.5;
    bandwidth[count] = 1;
    const base = d * capacity;
    const isContinuous = d < continuous;
    const smallest = smallestBandwidth(count);
    const largestInverse = 1 / smallest;
    for (let k = 0; k <= count; k++) {
      const centre = column[k];
      const deviation = bandwidth[k];
      const inverse = deviation === smallest ? largestInverse : 1 / deviation;
      mean[base + k] = centre;
      inverseDeviation[base + k] = inverse;
      factor[k] *= mass(-centre * inverse, (1 - centre) * inverse);
      if (isContinuous) factor[k] *= deviation;
    }
    if (isContinuous) return;
    const gridBase = (d - continuous) * capacity;
    for (let k = 0; k <= count; k++) {
      gridPlace[gridBase + k] = k < count && bandwidth[k] === smallest ? UNKNOWN_PLACE : -1;
    }
  }

  #takeFactors(): void {
    const { logConstant, count } = this.#kernels;
    for (let k = 0; k < count; k++) {
      logConstant[k] -= Math.log(this.#factor[k]);
      this.#factor[k] = 1;
    }
  }

  /**
   * Draws points; values on a grid come back at their own place on it.
   *
   * @returns row-major, count × dimensions
   */
  sample(count: number, random: CounterRandom): Float64Array {
    const { numeric, categorical, continuous, capacity, dimensions } = this.#kernels;
    const { mean, inverseDeviation, choice, categoricalKernels } = this.#kernels;
    const width = dimensions.length;
    const points = new Float64Array(count * width);
    for (let i = 0; i < count; i++) {
      const kernel = this.#drawKernel(random.nextFloat());
      for (let d = 0; d < numeric.length; d++) {
        const centre = mean[d * capacity + kernel];
        const inverse = inverseDeviation[d * capacity + kernel];
        const z = quantile(random.nextFloat(), -centre * inverse, (1 - centre) * inverse);
        const unit = Math.min(1, Math.max(0, centre + z / inverse));
        points[i * width + d] =
          d < continuous ? unit : toUnit(numeric[d], fromUnit(numeric[d], unit));
      }
      for (let c = 0; c < categorical.length; c++) {
        points[i * width + numeric.length + c] = drawChoice(
          random.nextFloat(),
          categorical[c].parameter.choices.length,
          choice[c * capacity + kernel],
          categoricalKernels[c],
        );
      }
    }
    return points;
  }

  /**
   * Log of the density (of the probability, along discrete and categorical dimensions) at points,
   * per unit of a dimension's extent.
   *
   * @param points row-major, rows × dimensions
   */
  logDensity(points: Float64Array): Float64Array {
    return this.#logDensity.at(points);
  }

  #drawKernel(at: number): number {
    const { weight, count } = this.#kernels;
    let left = at;
    for (let k = 0; k < count - 1; k++) {
      left -= weight[k];
      if (left < 0) return k;
    }
    return count - 1;
  }
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

/** The newest observations, which count fully. */
const FLAT = 25;

/**
 * The weight of observation `index` of `count`, the oldest being 0; not normalised. The newest
 * `FLAT` count fully, older ones ramp linearly from 1/n for the oldest, so that an estimator follows
 * the search (Bergstra, Yamins, Cox, "Making a science of model search", ICML 2013, as in Hyperopt's
 * linear forgetting).
 */
export function ageWeight(index: number, count: number): number {
  const ramp = count - FLAT;
  if (index >= ramp) return 1;
  if (ramp === 1) return 1 / count;
  return 1 / count + ((1 - 1 / count) * index) / (ramp - 1);
}
