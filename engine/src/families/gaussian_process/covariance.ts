/**
 * Stationary covariances of rows: amplitude · m(u) of the weighted squared distance
 *
 *     u = Σ relevance · (x - x')²  over numbers  +  Σ relevance  over codes that differ
 *
 * (Rasmussen & Williams, "Gaussian Processes for Machine Learning", MIT Press 2006, §4.2.1 and §5.1: a
 * relevance is the inverse square of a length scale, one a dimension).
 */

export const SMOOTHNESS = ["matern_1_2", "matern_3_2", "matern_5_2", "rbf"] as const;
export type Smoothness = (typeof SMOOTHNESS)[number];

/** Rows by their dimensions, which lie one after another: numbers, then codes. */
export interface Points {
  readonly rows: number;
  /** Column-major, rows × number dimensions. */
  readonly numbers: Float32Array;
  /** Column-major, rows × code dimensions. */
  readonly codes: Int32Array;
}

export interface Covariance {
  readonly smoothness: Smoothness;
  readonly amplitude: number;
  /** One a dimension: of the numbers, then of the codes. */
  readonly relevances: Float64Array;
}

export const numberDimensions = ({ rows, numbers }: Points): number => numbers.length / rows;

/** m(u) and its derivative by u, which is 0 where u is and m has a kink. */
export interface Correlation {
  value(u: number): number;
  slope(u: number): number;
}

/** @param exp of a defined order of operations, so that every machine gives equal bits */
export function correlationOf(smoothness: Smoothness, exp: (x: number) => number): Correlation {
  switch (smoothness) {
    case "matern_1_2":
      return {
        value: (u) => exp(-Math.sqrt(u)),
        slope: (u) => (u > 0 ? -exp(-Math.sqrt(u)) / (2 * Math.sqrt(u)) : 0),
      };
    case "matern_3_2":
      return {
        value(u) {
          const a = Math.sqrt(3 * u);
          return (1 + a) * exp(-a);
        },
        slope: (u) => -1.5 * exp(-Math.sqrt(3 * u)),
      };
    case "matern_5_2":
      return {
        value(u) {
          const a = Math.sqrt(5 * u);
          return (1 + a + (a * a) / 3) * exp(-a);
        },
        slope(u) {
          const a = Math.sqrt(5 * u);
          return (-5 / 6) * (1 + a) * exp(-a);
        },
      };
    case "rbf":
      return { value: (u) => exp(-u / 2), slope: (u) => -exp(-u / 2) / 2 };
  }
}

/** Adds a dimension's part of the squared distances from row `i` of `from` to the first rows of `to`. */
export function addDistances(
  from: Points,
  i: number,
  to: Points,
  relevances: Float64Array,
  out: Float64Array,
): void {
  const dimensions = numberDimensions(to);
  for (let d = 0; d < dimensions; d++) {
    const relevance = relevances[d];
    const own = from.numbers[d * from.rows + i];
    const start = d * to.rows;
    for (let j = 0; j < out.length; j++) {
      const difference = own - to.numbers[start + j];
      out[j] += relevance * difference * difference;
    }
  }
  for (let c = 0; dimensions + c < relevances.length; c++) {
    const relevance = relevances[dimensions + c];
    const own = from.codes[c * from.rows + i];
    const start = c * to.rows;
    for (let j = 0; j < out.length; j++) {
      if (own !== to.codes[start + j]) out[j] += relevance;
    }
  }
}

/** The lower triangle of the weighted squared distances of all rows with each other, row-major. */
export function lowerDistances(points: Points, relevances: Float64Array): Float64Array {
  const { rows } = points;
  const matrix = new Float64Array(rows * rows);
  for (let i = 0; i < rows; i++) {
    addDistances(points, i, points, relevances, matrix.subarray(i * rows, i * rows + i + 1));
  }
  return matrix;
}

/** The lower triangle of the covariances of all rows with each other, without noise: row-major. */
export function lowerCovariances(
  points: Points,
  { smoothness, amplitude, relevances }: Covariance,
  exp: (x: number) => number,
): Float64Array {
  const { rows } = points;
  const { value } = correlationOf(smoothness, exp);
  const matrix = lowerDistances(points, relevances);
  for (let i = 0; i < rows; i++) {
    for (let at = i * rows; at <= i * rows + i; at++) matrix[at] = amplitude * value(matrix[at]);
  }
  return matrix;
}
