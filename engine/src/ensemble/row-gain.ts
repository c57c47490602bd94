/** What is gained from one list of row losses to another, and how sure that is. */

export interface RowGain {
  /** Of the rows, by their weights; 0 where these are all 0. */
  readonly mean: number;
  /** The standard error of the mean. */
  readonly error: number;
}

/**
 * @param before losses of rows; `after` lowers them where the mean is above 0
 * @param weights non-negative, one a row; null = all 1
 * @param rows those that are compared
 */
export function rowGain(
  before: Float64Array,
  after: Float64Array,
  weights: Float64Array | null,
  rows: Uint32Array,
): RowGain {
  let [total, sum, squares, weightSquares] = [0, 0, 0, 0];
  for (const i of rows) {
    const weight = weights === null ? 1 : weights[i];
    const gain = before[i] - after[i];
    total += weight;
    weightSquares += weight * weight;
    sum += weight * gain;
    squares += weight * gain * gain;
  }
  if (!(total > 0)) return { mean: 0, error: 0 };
  const mean = sum / total;
  const variance = Math.max(0, squares / total - mean * mean);
  return { mean, error: Math.sqrt((variance * weightSquares) / (total * total)) };
}

/** The mean of some rows' losses by their weights; 0 where these are all 0. */
export function meanOfRows(
  losses: Float64Array,
  weights: Float64Array | null,
  rows: Uint32Array,
): number {
  let [total, sum] = [0, 0];
  for (const i of rows) {
    const weight = weights === null ? 1 : weights[i];
    total += weight;
    sum += weight * losses[i];
  }
  return total > 0 ? sum / total : 0;
}
