/**
 * Weights drawn towards equal ones. Weights that are selected by the errors of few origins, or of few
 * sequences, follow the luck of these; equal weights of methods that are about as good are hard to beat
 * (Bates & Granger, Operational Research Quarterly 20(4), 1969; Claeskens et al., "The forecast combination
 * puzzle", Int. J. Forecasting 32(3), 2016). `docs/decisions/forecasting.md` and `docs/decisions/sequences.md`
 * have what was measured.
 */

/** Of the best loss, by which that of another family's best may be higher and still share equally. */
const ABOUT_AS_GOOD = 0.1;
/** Of the equal weights, however much was looked at. */
const LEAST_SHARE = 0.5;
/** Sequences as many as which count as much as what is believed beforehand. */
const PRIOR_ROWS = 100;
/**
 * Standard errors by which a family's best may be behind the best of all. Of five families that are equally
 * good the best is more than one ahead by luck alone, on average.
 */
const TELLING_ERRORS = 2;
/** Forecasts of one series from one origin as many as which count as much as what is believed beforehand. */
const PRIOR_FORECASTS = 10;
/** A member that weighs less costs more than it adds. */
const LEAST_WEIGHT = 0.02;

export interface ShrinkRequest {
  /** One a candidate, as selected; they sum to 1. */
  readonly weights: readonly number[];
  /** Of each candidate by itself, on the same rows; at least 0, NaN or infinite where it has none. */
  readonly losses: readonly number[];
  /** The family that each is of. */
  readonly families: readonly string[];
  /** Series times origins that the losses are means over. */
  readonly forecasts: number;
}

/** One a candidate; they sum to 1. */
export function shrunkWeights({
  weights,
  losses,
  families,
  forecasts,
}: ShrinkRequest): readonly number[] {
  const best = bestOfFamilies(losses, families);
  const least = Math.min(...best.map((candidate) => losses[candidate]));
  const equal = best.filter((candidate) => losses[candidate] <= (1 + ABOUT_AS_GOOD) * least);
  if (equal.length === 0) return weights;
  const believed = PRIOR_FORECASTS / (forecasts + PRIOR_FORECASTS);
  return mixedWith(weights, equal, LEAST_SHARE + (1 - LEAST_SHARE) * believed);
}

export interface WithinErrorRequest {
  /** One a candidate, as selected; they sum to 1. */
  readonly weights: readonly number[];
  /** Of each candidate one a row; not finite where it has none. */
  readonly rowLosses: readonly Float64Array[];
  /** Non-negative, one a row; null = all 1. */
  readonly rowWeights: Float64Array | null;
  /** The family that each is of. */
  readonly families: readonly string[];
}

/**
 * At least halfway to equal weights of the best of each family whose mean loss is at most two standard errors
 * above that of the best of all, by the differences row by row (as the one-standard-error rule of Breiman et al.,
 * "Classification and regression trees", 1984, §3.4.3, but paired, and of the best of several); the fewer rows, the
 * nearer.
 *
 * @returns one a candidate; they sum to 1
 */
export function weightsWithinError({
  weights,
  rowLosses,
  rowWeights,
  families,
}: WithinErrorRequest): readonly number[] {
  const ofRows = rowLosses.map((losses) => meanAndError(losses, rowWeights));
  const means = ofRows.map(({ mean }) => mean);
  const best = bestOfFamilies(means, families);
  if (best.length === 0) return weights;
  const least = best.reduce((a, b) => (means[b] < means[a] ? b : a));
  const equal = best.filter((candidate) => {
    const behind = rowLosses[candidate].map((loss, row) => loss - rowLosses[least][row]);
    const { mean, error } = meanAndError(behind, rowWeights);
    return candidate === least || mean <= TELLING_ERRORS * error;
  });
  const believed = PRIOR_ROWS / (ofRows[least].rows + PRIOR_ROWS);
  return mixedWith(weights, equal, LEAST_SHARE + (1 - LEAST_SHARE) * believed);
}

/** Weighted mean, its standard error (that of one row is NaN), and the rows that weigh anything. */
function meanAndError(values: Float64Array, weights: Float64Array | null) {
  let [sum, total, rows] = [0, 0, 0];
  for (const [row, value] of values.entries()) {
    const weight = weights === null ? 1 : weights[row];
    if (weight === 0) continue;
    sum += weight * value;
    total += weight;
    rows++;
  }
  const mean = sum / total;
  let squares = 0;
  for (const [row, value] of values.entries()) {
    const weight = weights === null ? 1 : weights[row];
    if (weight > 0) squares += (weight * (value - mean)) ** 2;
  }
  return { mean, error: Math.sqrt((squares * rows) / (rows - 1)) / total, rows };
}

function mixedWith(
  weights: readonly number[],
  equal: readonly number[],
  share: number,
): readonly number[] {
  const mixed = weights.map(
    (weight, i) => (1 - share) * weight + (equal.includes(i) ? share / equal.length : 0),
  );
  const kept = mixed.map((weight) => (weight < LEAST_WEIGHT ? 0 : weight));
  const sum = kept.reduce((total, weight) => total + weight, 0);
  return sum > 0 ? kept.map((weight) => weight / sum) : mixed;
}

/** The candidate of the lowest loss, one a family; the first of equal ones. */
function bestOfFamilies(losses: readonly number[], families: readonly string[]): number[] {
  const best = new Map<string, number>();
  for (const [i, family] of families.entries()) {
    const known = best.get(family);
    if (!Number.isFinite(losses[i])) continue;
    if (known === undefined || losses[i] < losses[known]) best.set(family, i);
  }
  return [...best.values()];
}
