/**
 * Sobol's sequence (Sobol 1967; in Gray-code order after Antonov and Saleev 1979) with the
 * direction numbers of Joe and Kuo, "Constructing Sobol sequences with better two-dimensional
 * projections", SIAM J. Sci. Comput. 30, 2008 (their table new-joe-kuo-6, © 2008 Stephen Joe and
 * Frances Y. Kuo, BSD licence). The first 2^m points have one in each of the 2^m slices of every
 * dimension.
 *
 * `direction-numbers.json` has a line for each dimension after the first: the primitive polynomial
 * with its bits as coefficients, then the initial odd numbers m₁, m₂, ….
 */

import table from "./direction-numbers.json" with { type: "json" };

const BITS = 32;

/** The dimensions that have direction numbers. */
export const SOBOL_DIMENSIONS = table.length + 1;

const known: Uint32Array[] = [];

/** The direction numbers of a dimension as fractions of 2³², the largest first. */
function directions(dimension: number): Uint32Array {
  known[dimension] ??= makeDirections(dimension);
  return known[dimension];
}

function makeDirections(dimension: number): Uint32Array {
  const numbers = new Uint32Array(BITS);
  if (dimension === 0) {
    for (let j = 0; j < BITS; j++) numbers[j] = 1 << (BITS - 1 - j);
    return numbers;
  }
  const [polynomial, ...initial] = table[dimension - 1];
  const degree = initial.length;
  for (let j = 0; j < BITS; j++) {
    if (j < degree) {
      numbers[j] = initial[j] << (BITS - 1 - j);
      continue;
    }
    let next = numbers[j - degree] ^ (numbers[j - degree] >>> degree);
    for (let k = 1; k < degree; k++) {
      if ((polynomial >>> (degree - k)) & 1) next ^= numbers[j - k];
    }
    numbers[j] = next;
  }
  return numbers;
}

/**
 * @param index of the point, below 2³²
 * @param dimension below `SOBOL_DIMENSIONS`
 * @returns the coordinate in units of 2⁻³², a whole number below 2³²
 */
export function sobolCoordinate(index: number, dimension: number): number {
  const numbers = directions(dimension);
  let gray = (index ^ (index >>> 1)) >>> 0;
  let coordinate = 0;
  for (let j = 0; gray !== 0; j++, gray >>>= 1) if (gray & 1) coordinate ^= numbers[j];
  return coordinate >>> 0;
}
