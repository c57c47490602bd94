/**
 * Weights drawn towards equal ones, or those of likelihoods. Weights that are selected by the errors of few origins, or of few
 * sequences, follow the luck of these; equal weights of methods that are about as good are hard to beat
 * (Bates & Granger, Operational Research Quarterly 20(4), 1969; Claeskens et al., "The forecast combination
 * puzzle", Int. J. Forecasting 32(3), 2016). `docs/decisions/forecasting.md` and `docs/decisions/sequences.md`
 * have what was measured.
 */

/**
 * Of the best loss, by which that of another family's best may be higher and still share equally; up to twice as much of few
 * forecasts, of which the best loss is the luckiest.
 */
const ABOUT_AS_GOOD = 0.1;
/** Of the weights that are drawn to, however much was looked at. */
const LEAST_SHARE = 0.5;
/** Sequences as many as which count as much as what is believed beforehand. */
const PRIOR_ROWS = 100;
/**
 * Rows that say as much as one that no other fit has learned from. Fits of folds share most of their rows, so that
 * errors of cross-validation err together: its variance is that of independent rows times 1 + K / (K - 1), for five
 * folds (Nadeau & Bengio, "Inference for the generalization error", Machine Learning 52, 2003, §3).
 */
const OVERLAP = 2.25;
/** Forecasts of one series from one origin as many as which count as much as what is believed beforehand. */
const PRIOR_FORECASTS = 30;
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
  /** Naive ones (`Family.isNaive`): they share equally only where none is better. Default none. */
  readonly naive?: ReadonlySet<string> | undefined;
}

/** One a candidate; they sum to 1. */
export function shrunkWeights({
  weights,
  losses,
  families,
  forecasts,
  naive,
}: ShrinkRequest): readonly number[] {
  const best = bestOfFamilies(losses, families);
  const least = Math.min(...best.map((candidate) => losses[candidate]));
  const believed = PRIOR_FORECASTS / (forecasts + PRIOR_FORECASTS);
  const near = (1 + ABOUT_AS_GOOD * (1 + believed)) * least;
  const equal = best.filter(
    (candidate) => losses[candidate] <= (naive?.has(families[candidate]) === true ? least : near),
  );
  if (equal.length === 0) return weights;
  const shares = weights.map((_, i) => (equal.includes(i) ? 1 / equal.length : 0));
  return mixedWith(weights, shares, LEAST_SHARE + (1 - LEAST_SHARE) * believed);
}

export interface LikelihoodRequest {
  /** One a candidate, as selected; they sum to 1. */
  readonly weights: readonly number[];
  /** Of each candidate one a row; not finite where it has none. */
  readonly rowLosses: readonly Float64Array[];
  /** Non-negative, one a row; null = all 1. */
  readonly rowWeights: Float64Array | null;
  /** The family that each is of. */
  readonly families: readonly string[];
  /** What a mean loss is in nats, beside the least one. */
  readonly inNats: (loss: number, least: number) => number;
}

/**
 * At least halfway to weights of the best of each family by how likely the rows are by it (pseudo-BMA; Yao,
 * Vehtari, Simpson & Gelman, "Using stacking to average Bayesian predictive distributions", Bayesian Analysis
 * 13(3), 2018, §2.3): equal ones, until enough rows tell the families apart. The fewer rows, the nearer.
 *
 * @returns one a candidate; they sum to 1
 */
export function weightsByLikelihood({
  weights,
  rowLosses,
  rowWeights,
  families,
  inNats,
}: LikelihoodRequest): readonly number[] {
  const means = rowLosses.map((losses) => weightedMean(losses, rowWeights));
  const best = bestOfFamilies(means, families);
  if (best.length === 0) return weights;
  const least = Math.min(...best.map((candidate) => means[candidate]));
  const rows = rowWeights?.reduce((count, weight) => count + Number(weight > 0), 0);
  const counted = rows ?? rowLosses[0].length;
  const likelihoods = weights.map((_, i) => {
    if (!best.includes(i)) return 0;
    return means[i] > least ? Math.exp((-counted / OVERLAP) * inNats(means[i] - least, least)) : 1;
  });
  const sum = likelihoods.reduce((total, each) => total + each, 0);
  const believed = PRIOR_ROWS / (counted + PRIOR_ROWS);
  return mixedWith(
    weights,
    likelihoods.map((each) => each / sum),
    LEAST_SHARE + (1 - LEAST_SHARE) * believed,
  );
}

function weightedMean(values: Float64Array, weights: Float64Array | null): number {
  let [sum, total] = [0, 0];
  for (const [row, value] of values.entries()) {
    const weight = weights === null ? 1 : weights[row];
    if (weight === 0) continue;
    sum += weight * value;
    total += weight;
  }
  return sum / total;
}

function mixedWith(
  weights: readonly number[],
  shares: readonly number[],
  share: number,
): readonly number[] {
  const mixed = weights.map((weight, i) => (1 - share) * weight + share * shares[i]);
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
