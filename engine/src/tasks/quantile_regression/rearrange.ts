/**
 * Quantiles of separate fits may cross. Sorting each row's puts them in order and never takes them
 * further from the true ones (Chernozhukov, Fernández-Val & Galichon, "Quantile and probability curves
 * without crossing", Econometrica 78, 2010).
 *
 * @param quantiles row-major, rows × levels; sorted in place
 */
export function rearrange(quantiles: Float64Array, levels: number): Float64Array {
  for (let from = 0; from < quantiles.length; from += levels) {
    // Insertion: rows are short and mostly in order.
    for (let i = from + 1; i < from + levels; i++) {
      const value = quantiles[i];
      let at = i;
      for (; at > from && quantiles[at - 1] > value; at--) quantiles[at] = quantiles[at - 1];
      quantiles[at] = value;
    }
  }
  return quantiles;
}
