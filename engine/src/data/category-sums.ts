/** Sums of a target by category, and how much of its variance lies between categories. */

export class CategorySums {
  readonly sums: Float64Array;
  readonly weights: Float64Array;
  /** Rows that have weight. */
  readonly counts: Uint32Array;
  #squares = 0;

  /** @param categories places for them, with one for missing cells where there are any */
  constructor(categories: number) {
    this.sums = new Float64Array(categories);
    this.weights = new Float64Array(categories);
    this.counts = new Uint32Array(categories);
  }

  /** @param value less the mean of all */
  add(category: number, value: number, weight: number): void {
    if (weight === 0) return;
    this.sums[category] += weight * value;
    this.weights[category] += weight;
    this.counts[category]++;
    this.#squares += weight * value * value;
  }

  /**
   * Variance within categories over that between them, by the analysis of variance (Henderson, "Estimation of
   * variance and covariance components", Biometrics 9, 1953, method 1): the weight of the mean of all, in rows, by
   * which the mean of a category predicts other rows of it best (Efron & Morris, JASA 68, 1973).
   *
   * @returns ≥ 0; null where nothing lies between them
   */
  varianceRatio(): number | null {
    let [groups, rows, total, squaredWeights, between] = [0, 0, 0, 0, 0];
    for (const [category, count] of this.counts.entries()) {
      if (count === 0) continue;
      const weight = this.weights[category];
      groups++;
      rows += count;
      total += weight;
      squaredWeights += weight * weight;
      between += (this.sums[category] * this.sums[category]) / weight;
    }
    if (groups < 2 || rows <= groups) return null;
    const within = Math.max(0, this.#squares - between) / (rows - groups);
    const effect = (between - (groups - 1) * within) / (total - squaredWeights / total);
    if (!(effect > 0)) return null;
    return within / effect;
  }
}
