/** Quantiles between the levels of a table. */

/** @returns between the levels that there are, both inside; null beyond, and where one of them is null */
export function quantileAt(
  levels: readonly number[],
  quantiles: readonly (number | null)[],
  level: number,
): number | null {
  const above = levels.findIndex((each) => each >= level - 1e-12);
  if (above < 0) return null;
  const isThere = Math.abs(levels[above] - level) < 1e-12;
  if (above === 0 || isThere) return isThere ? quantiles[above] : null;
  const [lower, upper] = [quantiles[above - 1], quantiles[above]];
  if (lower === null || upper === null) return null;
  const share = (level - levels[above - 1]) / (levels[above] - levels[above - 1]);
  return lower + share * (upper - lower);
}
