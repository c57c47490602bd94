/** The interval of a share: Wilson, "Probable inference, the law of succession, and statistical inference", JASA 1927. */

const Z95 = 1.959963984540054;

/**
 * @param share that was observed, in [0, 1]
 * @param rows of which it is the share, positive
 * @param z standard deviations on each side; those of 95 % unless said
 */
export function wilson(share: number, rows: number, z = Z95): { low: number; high: number } {
  const z2 = z * z;
  const centre = (share + z2 / (2 * rows)) / (1 + z2 / rows);
  const half =
    (z * Math.sqrt((share * (1 - share)) / rows + z2 / (4 * rows * rows))) / (1 + z2 / rows);
  return { low: Math.max(0, centre - half), high: Math.min(1, centre + half) };
}
