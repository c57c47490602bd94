/**
 * Greedy ensemble selection with replacement: from nothing, the model is added again and again that
 * most lowers the loss of the averaged predictions, and the ensemble of the best step is kept. A
 * model's weight is how often it was added.
 *
 * Source: Caruana, Niculescu-Mizil, Crew, Ksikes, "Ensemble selection from libraries of models",
 * ICML 2004, §2.1–2.2.
 *
 * A step costs one pass over the rows for each candidate, on a running sum of the members'
 * predictions (see `average-loss.ts`).
 */

import { type Metric, toLoss } from "../metrics/index.ts";
import type { SeriesRows } from "../metrics/metric.ts";
import { averageLoss } from "./average-loss.ts";

/** The number of additions after which ensembles hardly gain (Caruana et al. 2004, §3). */
const MAX_STEPS = 40;
/** Candidates that take part, the best single ones: bounds the time of rank metrics, which sort. */
const MAX_CANDIDATES = 100;

export interface SelectionRequest {
  /** Predictions of each candidate for the same rows: row-major, rows × outputs. */
  readonly candidates: readonly Float64Array[];
  /** One a row: the value, or the index of the class. */
  readonly target: Float64Array;
  readonly weights: Float64Array | null;
  readonly outputs: number;
  /** Of forecasts. */
  readonly series?: SeriesRows | null | undefined;
  readonly metric: Metric;
  /** Additions at most. Default 40. */
  readonly maxSteps?: number;
  /** Only the best candidates on their own take part. Default 100. */
  readonly maxCandidates?: number;
}

export interface SelectionStep {
  /** Index of the candidate that was added. */
  readonly member: number;
  /** Of the ensemble after the addition. */
  readonly loss: number;
}

export interface GreedySelection {
  /** One a candidate, 0 for those not chosen; they sum to 1. */
  readonly weights: number[];
  /** Every addition, also those after the best. */
  readonly path: SelectionStep[];
  /** The loss of the ensemble that was kept: the lowest of the path. */
  readonly best: number;
}

/** No candidate has a loss: there is nothing to select from. */
export class NoCandidateError extends Error {
  override readonly name = "NoCandidateError";
}

/**
 * Equal losses go to a candidate that is already a member, then to the first; of equally good
 * steps the first is kept. Candidates whose predictions are not finite take no part.
 *
 * @throws NoCandidateError
 */
export function greedySelection(request: SelectionRequest): GreedySelection {
  const { candidates, outputs, target } = request;
  const maxSteps = request.maxSteps ?? MAX_STEPS;
  for (const candidate of candidates) {
    if (candidate.length !== target.length * outputs) {
      throw new RangeError(
        `Predictions for ${target.length} rows of ${outputs} outputs have ${target.length * outputs} numbers, not ${candidate.length}.`,
      );
    }
  }
  const lossOf = (predictions: Float64Array) => {
    const { metric, weights, series } = request;
    return toLoss(metric, metric.score({ target, predictions, outputs, weights, series }));
  };
  const single = candidates.map((candidate) =>
    candidate.every(Number.isFinite) ? lossOf(candidate) : Number.NaN,
  );
  const eligible = bestFew(single, request.maxCandidates ?? MAX_CANDIDATES);
  if (eligible.length === 0) {
    throw new NoCandidateError(
      `None of ${candidates.length} candidates has a defined ${request.metric.name}.`,
    );
  }
  const quick = averageLoss(request.metric, request);
  const reads = new Map(eligible.map((member) => [member, quick.read(candidates[member])]));
  const readOf = (member: number): Float64Array => reads.get(member) ?? candidates[member];
  const sum = new Float64Array(readOf(eligible[0]).length);
  const count = new Uint32Array(candidates.length);
  const path: SelectionStep[] = [];
  for (let step = 0; step < maxSteps; step++) {
    let chosen: SelectionStep | null = null;
    for (const member of eligible) {
      const loss = step === 0 ? single[member] : quick.of(sum, readOf(member), step + 1);
      const isBetter =
        chosen === null ||
        loss < chosen.loss ||
        (loss === chosen.loss && count[member] > 0 && count[chosen.member] === 0);
      if (isBetter && !Number.isNaN(loss)) chosen = { member, loss };
    }
    if (chosen === null) break;
    const { member } = chosen;
    count[member]++;
    const added = readOf(member);
    for (let i = 0; i < sum.length; i++) sum[i] += added[i];
    path.push(chosen);
  }
  return cutAtBest(quick.isExact ? path : rescored(path, candidates, lossOf), candidates.length);
}

/** The same path with the losses of the metric itself. */
function rescored(
  path: readonly SelectionStep[],
  candidates: readonly Float64Array[],
  lossOf: (predictions: Float64Array) => number,
): SelectionStep[] {
  const sum = new Float64Array(candidates[0].length);
  return path.map(({ member }, step) => {
    for (let i = 0; i < sum.length; i++) sum[i] += candidates[member][i];
    return { member, loss: lossOf(sum.map((total) => total / (step + 1))) };
  });
}

/** Indices of the lowest losses, in their own order; those without a loss are left out. */
function bestFew(losses: readonly number[], few: number): readonly number[] {
  return [...losses.keys()]
    .filter((member) => !Number.isNaN(losses[member]))
    .sort((a, b) => losses[a] - losses[b] || a - b)
    .slice(0, few)
    .sort((a, b) => a - b);
}

function cutAtBest(path: SelectionStep[], candidates: number): GreedySelection {
  const best = Math.min(...path.map(({ loss }) => loss));
  const kept = path.slice(0, path.findIndex(({ loss }) => loss === best) + 1);
  const weights = new Array<number>(candidates).fill(0);
  for (const { member } of kept) weights[member] += 1;
  return { weights: weights.map((times) => times / kept.length), path, best };
}
