/**
 * The population stability index of counts in bins, and from how many rows on it says something.
 *
 * Of two samples of one population the index is distributed about as χ² with one degree of freedom less
 * than bins, times 1/n + 1/m for samples of n and m rows (Yurdakul, "Statistical properties of
 * population stability index", Western Michigan University, 2018): with few rows it is large by chance.
 */

/** The customary limits: below the first nothing has shifted to speak of, from the second on much has. */
export const SHIFT_LIMITS = { moderate: 0.1, large: 0.25 } as const;

/** Share of comparisons of unchanged data that may pass the first limit. */
const BY_CHANCE = 2.326347874; // standard normal quantile of 0.99

/**
 * Σ (a − e) ln(a / e) over the shares of bins that have rows in either sample. Half a row is added to each
 * of them, so that an empty bin counts for what its sample could have missed.
 *
 * @param expected rows of each bin in the one sample
 * @param actual likewise in the other
 * @returns ≥ 0; null where one of them has no rows
 */
export function stabilityIndex(
  expected: ArrayLike<number>,
  actual: ArrayLike<number>,
): number | null {
  let expectedRows = 0;
  let actualRows = 0;
  let bins = 0;
  for (let bin = 0; bin < expected.length; bin++) {
    if (expected[bin] + actual[bin] === 0) continue;
    expectedRows += expected[bin];
    actualRows += actual[bin];
    bins++;
  }
  if (expectedRows === 0 || actualRows === 0) return null;
  let sum = 0;
  for (let bin = 0; bin < expected.length; bin++) {
    if (expected[bin] + actual[bin] === 0) continue;
    const e = (expected[bin] + 0.5) / (expectedRows + bins / 2);
    const a = (actual[bin] + 0.5) / (actualRows + bins / 2);
    sum += (a - e) * Math.log(a / e);
  }
  return sum;
}

/**
 * Rows from which on the index of unchanged data passes the first limit once in a hundred times.
 *
 * @param bins that have rows in either sample
 * @param expectedRows of the sample that is compared with
 * @returns null where that sample is too small for any number of rows
 */
export function rowsNeeded(bins: number, expectedRows: number): number | null {
  if (bins < 2) return 1;
  const left = SHIFT_LIMITS.moderate / chiSquare99(bins - 1) - 1 / expectedRows;
  return left > 0 ? Math.ceil(1 / left) : null;
}

/**
 * So many bins for numbers or categories, beside one of missing values, that half of what chance may add
 * is left to the other sample; 2 at least.
 *
 * @param rows of the sample that bins are made for
 */
export function mostBins(rows: number, most: number): number {
  let bins = most;
  while (bins > 2 && rows * SHIFT_LIMITS.moderate < 2 * chiSquare99(bins)) bins--;
  return bins;
}

/** The quantile of 0.99 of χ², by Wilson and Hilferty (PNAS 17, 1931): within 1 %. */
function chiSquare99(freedom: number): number {
  const part = 2 / (9 * freedom);
  return freedom * (1 - part + BY_CHANCE * Math.sqrt(part)) ** 3;
}
