/**
 * What a forest's trees know of each row: integers (held in f64) whose sums over any bag are
 * exact, so that trees are the same bits in whatever order rows are added.
 */

import { DataError } from "../../data/table.ts";

export interface RowStatistics {
  /** 0: `second` is weight × target; else the number of classes, and `second` is the class. */
  readonly classes: number;
  /** Of each row to learn from, in integer units; > 0. */
  readonly weight: Float64Array;
  readonly second: Float64Array;
  /**
   * Of labels by degrees of several classes, whose rows have an entry for each class they share
   * in: where the entries of each row begin, and at the end their number. Null: one a row.
   */
  readonly starts: Uint32Array | null;
  /** Units in 1 of weight, and in 1 of weight × (target - center). */
  readonly weightScale: number;
  readonly productScale: number;
  /** Targets are counted from here. */
  readonly center: number;
  /**
   * In integer units: a split must gain more, or it only follows rounding. Negative for classes,
   * which are exact: there a split that gains nothing may still lead to ones that do (parity).
   */
  readonly leastGain: number;
}

/** Sums of `rows` units up to this stay exact, whatever the multiplicities of a bag. */
const LARGEST_SUM = 2 ** 52;

interface Rows {
  readonly rows: Uint32Array;
  readonly weight: Float64Array;
  readonly weightScale: number;
}

/** Rows of positive weight with their weights in integer units. */
function weigh(trainRows: Uint32Array, weights: Float64Array | null): Rows {
  if (weights === null) {
    return { rows: trainRows, weight: new Float64Array(trainRows.length).fill(1), weightScale: 1 };
  }
  const rows = trainRows.filter((row) => weights[row] > 0);
  if (rows.length === 0) throw new DataError("All rows to learn from have weight 0.");
  const largest = rows.reduce((most, row) => Math.max(most, weights[row]), 0);
  const weightScale = Math.min(2 ** 30, LARGEST_SUM / rows.length) / largest;
  const weight = Float64Array.from(rows, (row) =>
    Math.max(1, Math.round(weights[row] * weightScale)),
  );
  return { rows, weight, weightScale };
}

/** Statistics for one real target, by squared error. */
export function regressionStatistics(
  target: Float64Array,
  trainRows: Uint32Array,
  weights: Float64Array | null,
): { readonly rows: Uint32Array; readonly statistics: RowStatistics } {
  const { rows, weight, weightScale } = weigh(trainRows, weights);
  let total = 0;
  let sum = 0;
  rows.forEach((row, i) => {
    total += weight[i];
    sum += weight[i] * target[row];
  });
  const center = sum / total;
  let largest = 0;
  let squares = 0;
  rows.forEach((row, i) => {
    const deviation = target[row] - center;
    largest = Math.max(largest, Math.abs(deviation) * (weight[i] / weightScale));
    squares += weight[i] * deviation * deviation;
  });
  // Bags of as many draws as rows: no sum exceeds rows × the largest product.
  const exponent = Math.floor(Math.log2(LARGEST_SUM / (rows.length * (largest > 0 ? largest : 1))));
  const productScale = 2 ** exponent;
  const second = Float64Array.from(rows, (row, i) =>
    Math.round((weight[i] / weightScale) * (target[row] - center) * productScale),
  );
  // 10⁻¹³ of one row's share of the squared error: far below any difference of targets that
  // matters, far above rounding.
  const share = squares / weightScale / rows.length;
  const leastGain = (1e-13 * share * productScale ** 2) / weightScale;
  return {
    rows,
    statistics: {
      classes: 0,
      weight,
      second,
      starts: null,
      weightScale,
      productScale,
      center,
      leastGain,
    },
  };
}

/**
 * Statistics for classes, by the Gini index. Two classes are one target of zeros and ones.
 *
 * @param target the index of each row's class
 */
export function classStatistics(
  target: Float64Array,
  classes: number,
  trainRows: Uint32Array,
  weights: Float64Array | null,
): { readonly rows: Uint32Array; readonly statistics: RowStatistics } {
  const { rows, weight, weightScale } = weigh(trainRows, weights);
  const common = { weight, weightScale, productScale: weightScale, center: 0, leastGain: -1 };
  const second =
    classes === 2
      ? Float64Array.from(rows, (row, i) => weight[i] * target[row])
      : Float64Array.from(rows, (row) => target[row]);
  return {
    rows,
    statistics: { classes: classes === 2 ? 0 : classes, second, starts: null, ...common },
  };
}

/** Shares of a class below this are left to the row's other classes. */
const LEAST_SHARE = 1e-3;

/**
 * Statistics for labels by degrees of three classes or more, by the Gini index of their masses.
 *
 * @param soft row-major, rows of the data × classes: the share of each class
 */
export function softClassStatistics(
  soft: Float64Array,
  classes: number,
  trainRows: Uint32Array,
  weights: Float64Array | null,
): { readonly rows: Uint32Array; readonly statistics: RowStatistics } {
  const learned = weights === null ? trainRows : trainRows.filter((row) => weights[row] > 0);
  if (learned.length === 0) throw new DataError("All rows to learn from have weight 0.");
  const least = Math.min(LEAST_SHARE, 0.5 / classes);
  const weightOf = (row: number): number => (weights === null ? 1 : weights[row]);
  const largest = learned.reduce((most, row) => Math.max(most, weightOf(row)), 0);
  const weightScale = Math.min(2 ** 30, LARGEST_SUM / learned.length) / largest;
  const rows: number[] = [];
  const weight: number[] = [];
  const second: number[] = [];
  const starts = new Uint32Array(learned.length + 1);
  learned.forEach((row, i) => {
    const shares = soft.subarray(row * classes, (row + 1) * classes);
    const kept = shares.reduce((sum, share) => sum + (share < least ? 0 : share), 0);
    shares.forEach((share, k) => {
      if (share < least) return;
      rows.push(row);
      weight.push(Math.max(1, Math.round((share / kept) * weightOf(row) * weightScale)));
      second.push(k);
    });
    starts[i + 1] = rows.length;
  });
  return {
    rows: Uint32Array.from(rows),
    statistics: {
      classes,
      weight: Float64Array.from(weight),
      second: Float64Array.from(second),
      starts,
      weightScale,
      productScale: weightScale,
      center: 0,
      leastGain: -1,
    },
  };
}
