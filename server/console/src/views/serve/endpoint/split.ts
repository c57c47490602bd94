/** Shares of traffic, in hundredths of a percent, that always sum to the whole. */

/** 100 % in hundredths. */
export const WHOLE = 10_000;

export const toHundredths = (percent: number): number => Math.round(percent * 100);
export const toPercent = (hundredths: number): number => hundredths / 100;

/**
 * One share set, the others giving or taking in proportion to what they have (alike where they have
 * nothing), by the largest remainders.
 *
 * @param shares hundredths that sum to `WHOLE`
 * @param value what the share at `index` is to be; held between 0 and `WHOLE`
 * @returns hundredths that sum to `WHOLE`
 */
export function withShare(shares: readonly number[], index: number, value: number): number[] {
  if (shares.length === 1) return [WHOLE];
  const set = Math.min(WHOLE, Math.max(0, Math.round(value)));
  const others = shares.map((share, at) => (at === index ? 0 : share));
  const sum = others.reduce((total, share) => total + share, 0);
  const left = WHOLE - set;
  const exact = shares.map((share, at) => {
    if (at === index) return 0;
    return sum === 0 ? left / (shares.length - 1) : (left * share) / sum;
  });
  const result = exact.map(Math.floor);
  const remainders = exact
    .map((share, at) => ({ at, remainder: share - Math.floor(share) }))
    .filter(({ at }) => at !== index)
    .sort((a, b) => b.remainder - a.remainder || a.at - b.at);
  let missing = left - result.reduce((total, share) => total + share, 0);
  for (const { at } of remainders) {
    if (missing === 0) break;
    result[at]! += 1;
    missing -= 1;
  }
  result[index] = set;
  return result;
}

/** Without one share, what it had going to the others. At least two shares. */
export function withoutShare(shares: readonly number[], index: number): number[] {
  return withShare(shares, index, 0).filter((_, at) => at !== index);
}
