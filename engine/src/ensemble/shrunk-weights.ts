/**
 * Weights of forecasts, drawn towards equal ones. Errors of few origins go together, so weights that are
 * selected by them follow the luck of these origins; equal weights of methods that are about as good are
 * hard to beat (Bates & Granger, Operational Research Quarterly 20(4), 1969; Claeskens et al., "The forecast
 * combination puzzle", Int. J. Forecasting 32(3), 2016). `docs/decisions/forecasting.md` has what was
 * measured.
 */

/** Of the best loss, by which that of another family's best may be higher and still share equally. */
const ABOUT_AS_GOOD = 0.1;
/** Of the equal weights, however many forecasts there are. */
const LEAST_SHARE = 0.5;
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
  const share = LEAST_SHARE + (1 - LEAST_SHARE) * believed;
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
