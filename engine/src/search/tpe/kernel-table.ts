/**
 * The kernels of a Parzen estimator as flat arrays, dimension-major: entry d·capacity + k belongs to
 * dimension d of kernel k. The last kernel is the prior. Kept and filled anew by each fit, so that
 * a suggestion makes no garbage of consequence.
 */

import {
  type CategoricalDimension,
  type Dimension,
  gridSize,
  type NumericDimension,
} from "./dimension.ts";

const DIMENSION_ORDER = { continuous: 0, discrete: 1, categorical: 2 } as const;

/** Few kernels are near enough to a point for their place to matter, so it is found on demand. */
export const UNKNOWN_PLACE = -2;

/** The order in which a point's coordinates stand: continuous, discrete, categorical. */
export function inCoordinateOrder<T extends Dimension>(dimensions: readonly T[]): readonly T[] {
  return [...dimensions].sort((a, b) => DIMENSION_ORDER[a.kind] - DIMENSION_ORDER[b.kind]);
}

export class KernelTable {
  readonly dimensions: readonly Dimension[];
  readonly numeric: readonly NumericDimension[];
  readonly categorical: readonly CategoricalDimension[];
  /** How many of the numeric dimensions, the first ones, are continuous. */
  readonly continuous: number;
  /** The number of values of each discrete dimension. */
  readonly gridSizes: readonly number[];
  /** How many kernels there are now, and for how many there is room. */
  count = 0;
  capacity = 0;
  /** Normalised. */
  weight = new Float64Array(0);
  /** log(weight) less the logs of all normalising constants. */
  logConstant = new Float64Array(0);
  /** Numeric dimensions. */
  mean = new Float64Array(0);
  inverseDeviation = new Float64Array(0);
  /**
   * Discrete dimensions: the place on the grid of a kernel of the smallest deviation, which is
   * shared by many kernels, or `UNKNOWN_PLACE` until someone asks; −1 for one with a deviation of
   * its own.
   */
  gridPlace = new Int32Array(0);
  /** Categorical dimensions; −1 for the prior. */
  choice = new Int32Array(0);
  categoricalKernels: readonly CategoricalKernel[] = [];

  constructor(dimensions: readonly Dimension[]) {
    this.dimensions = inCoordinateOrder(dimensions);
    this.numeric = this.dimensions.filter((dimension) => dimension.kind !== "categorical");
    this.categorical = this.dimensions.filter((dimension) => dimension.kind === "categorical");
    this.continuous = this.numeric.filter((dimension) => dimension.kind === "continuous").length;
    this.gridSizes = this.numeric.slice(this.continuous).map(gridSize);
  }

  /** Makes room for `count` kernels; what was there is lost. */
  resize(count: number): void {
    this.count = count;
    if (count <= this.capacity) return;
    const room = Math.max(64, 2 * count);
    this.capacity = room;
    this.weight = new Float64Array(room);
    this.logConstant = new Float64Array(room);
    this.mean = new Float64Array(room * this.numeric.length);
    this.inverseDeviation = new Float64Array(room * this.numeric.length);
    this.gridPlace = new Int32Array(room * this.gridSizes.length);
    this.choice = new Int32Array(room * this.categorical.length);
  }
}

/**
 * The kernel of one observed choice (Aitchison & Aitken, "Multivariate binary discrimination by
 * the kernel method", Biometrika 63, 1976, with the smoothing of a uniform prior of weight 1 that
 * is shared among the kernels): the observed choice is likelier than each other by a factor of
 * kernels + 1.
 */
export interface CategoricalKernel {
  /** Probability of the observed choice. */
  readonly observed: number;
  /** Probability of each other choice. */
  readonly other: number;
}

/** @param kernels how many there are, the prior's included */
export function categoricalKernel(choices: number, kernels: number): CategoricalKernel {
  const smoothing = 1 / kernels;
  const total = 1 + choices * smoothing;
  return { observed: (1 + smoothing) / total, other: smoothing / total };
}
