/** Values of a column by their place in it, as its histogram tells them. */

interface Histogram {
  /** Of the bins; one more than counts. */
  readonly edges: readonly number[];
  readonly counts: readonly number[];
}

/**
 * The value that a share of the column's rows does not exceed; between edges by a straight line.
 *
 * @param place in [0, 1]
 */
export function valueAt({ edges, counts }: Histogram, place: number): number {
  const total = counts.reduce((sum, count) => sum + count, 0);
  let before = 0;
  for (const [bin, count] of counts.entries()) {
    const low = edges[bin] ?? 0;
    const high = edges[bin + 1] ?? low;
    if (count > 0 && before + count >= place * total) {
      return low + Math.max(0, (place * total - before) / count) * (high - low);
    }
    before += count;
  }
  return edges.at(-1) ?? 0;
}
