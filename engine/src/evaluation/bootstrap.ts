/**
 * How far scores, and differences of scores on the same rows, may be from those of other rows of the same
 * kind: percentiles of scores of resampled rows (Efron & Tibshirani 1993, §13.3). Of many rows fewer are
 * drawn each time, and deviations shrunk by the square root of the share (Bickel, Götze & van Zwet 1997).
 */

import { CounterRandom, deriveKey } from "../compute/random.ts";

/** Beyond, so many rows are drawn each time. */
const MOST_ROWS = 10_000;
const RESAMPLES = 500;
/** Of both ends together. */
const OUTSIDE = 0.05;

/** One a metric: the score; NaN where it is undefined. */
export type ScoreRows = (rows: Uint32Array) => readonly number[];

export interface Resampled {
  readonly resamples: number;
  readonly rowsEach: number;
  /** Of each model, of each metric: deviations of resampled scores from the score of all rows. */
  readonly deviations: readonly (readonly Float64Array[])[];
}

/**
 * @param rows how many there are
 * @param models each scores any rows, drawn with repetition; all are given the same
 * @param most rows that are drawn each time
 * @param onDrawn told how many of all resamples are scored
 */
export function resample(
  rows: number,
  models: readonly ScoreRows[],
  randomState: number,
  most = MOST_ROWS,
  onDrawn?: (done: number, of: number) => void,
): Resampled {
  const rowsEach = Math.min(rows, most);
  const shrink = Math.sqrt(rowsEach / rows);
  const all = Uint32Array.from({ length: rows }, (_, row) => row);
  const whole = models.map((score) => score(all));
  const deviations = whole.map((scores) => scores.map(() => new Float64Array(RESAMPLES)));
  for (let draw = 0; draw < RESAMPLES; draw++) {
    onDrawn?.(draw, RESAMPLES);
    const random = new CounterRandom(deriveKey(randomState, "evaluation", draw));
    const drawn = Uint32Array.from({ length: rowsEach }, () => random.nextInteger(rows)).sort();
    for (const [m, score] of models.entries()) {
      for (const [k, value] of score(drawn).entries()) {
        deviations[m][k][draw] = (value - whole[m][k]) * shrink;
      }
    }
  }
  return { resamples: RESAMPLES, rowsEach, deviations };
}

/**
 * Around `score`, from deviations of which undefined ones are left out; null where too few are left.
 */
export function intervalAround(
  score: number,
  deviations: Float64Array,
): [low: number, high: number] | null {
  const known = deviations.filter((deviation) => !Number.isNaN(deviation)).sort();
  if (!Number.isFinite(score) || known.length < RESAMPLES / 2) return null;
  const at = (share: number): number => known[Math.round(share * (known.length - 1))];
  return [score + at(OUTSIDE / 2), score + at(1 - OUTSIDE / 2)];
}
