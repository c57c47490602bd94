/**
 * Which trials of a study are given up while they run, by the values that they report on their way. Decisions are
 * those of Optuna's pruners of the same names, whose defaults these have (`pruners.fixture.py`).
 */

import { SearchSpaceError } from "../space.ts";

/**
 * The median stopping rule (Golovin et al., "Google Vizier", KDD 2017, §3.2.2): a trial is given up where its best
 * value so far is worse than the median of what finished trials had at this step.
 */
export interface MedianPruner {
  readonly kind: "median";
  /** Trials that finish before any is given up, ≥ 0. Default 5. */
  readonly startupTrials?: number;
  /** Steps before which no trial is given up, ≥ 0. Default 0. */
  readonly warmupSteps?: number;
}

/**
 * Asynchronous successive halving (Li et al., "A System for Massively Parallel Hyperparameter Tuning", MLSys 2020):
 * at each of the steps `minResource` · `reductionFactor`ᵏ, or its first report behind it, a trial goes on where it is
 * among the best 1 / `reductionFactor` of all that came there. As trials are not taken up again, the first ones go on
 * where they are the best so far.
 */
export interface SuccessiveHalvingPruner {
  readonly kind: "successive_halving";
  /** The first step at which trials are compared, ≥ 1. Default 1. */
  readonly minResource?: number;
  /** ≥ 2. Default 4. */
  readonly reductionFactor?: number;
}

/** A pruner and its settings. */
export type PrunerOptions = MedianPruner | SuccessiveHalvingPruner;

/** What a pruner sees of a trial. */
export interface ReportedTrial {
  readonly isFinished: boolean;
  /** Rising. */
  readonly steps: readonly number[];
  /** One a step; smaller where values are better. */
  readonly losses: readonly number[];
}

/**
 * Whether a trial is given up at its last report.
 *
 * @param trial with one report at least
 * @param others all other trials of the study, of any state
 */
export type Pruner = (trial: ReportedTrial, others: readonly ReportedTrial[]) => boolean;

/** @throws SearchSpaceError for a pruner that cannot be */
export function prunerOf(options: PrunerOptions | PrunerOptions["kind"]): Pruner {
  const given: PrunerOptions = typeof options === "string" ? { kind: options } : options;
  switch (given.kind) {
    case "median": {
      const { startupTrials = 5, warmupSteps = 0 } = given;
      checkWhole("startupTrials", startupTrials, 0);
      checkWhole("warmupSteps", warmupSteps, 0);
      return medianRule(startupTrials, warmupSteps);
    }
    case "successive_halving": {
      const { minResource = 1, reductionFactor = 4 } = given;
      checkWhole("minResource", minResource, 1);
      checkWhole("reductionFactor", reductionFactor, 2);
      return successiveHalving(minResource, reductionFactor);
    }
    default:
      throw new SearchSpaceError(
        `There is no pruner ${JSON.stringify(options)}; there are "median" and "successive_halving".`,
      );
  }
}

function checkWhole(name: string, value: number, least: number): void {
  if (Number.isSafeInteger(value) && value >= least) return;
  throw new SearchSpaceError(
    `The pruner's ${name} must be a whole number from ${least} on, not ${value}.`,
  );
}

function medianRule(startupTrials: number, warmupSteps: number): Pruner {
  return ({ steps, losses }, others) => {
    const finished = others.filter(({ isFinished }) => isFinished);
    const step = steps[steps.length - 1];
    if (finished.length < startupTrials || step < warmupSteps) return false;
    const theirs = finished
      .flatMap((other) => {
        const place = placeFrom(other.steps, step);
        return other.steps[place] === step ? [other.losses[place]] : [];
      })
      .sort((a, b) => a - b);
    if (theirs.length === 0) return false;
    const [low, high] = [(theirs.length - 1) >> 1, theirs.length >> 1];
    const best = losses.reduce((least, loss) => Math.min(least, loss));
    return best > (theirs[low] + theirs[high]) / 2;
  };
}

function successiveHalving(minResource: number, reductionFactor: number): Pruner {
  return ({ steps, losses }, others) => {
    const step = steps[steps.length - 1];
    const loss = losses[losses.length - 1];
    const before = steps.at(-2) ?? Number.NEGATIVE_INFINITY;
    for (let rung = minResource; rung <= step; rung *= reductionFactor) {
      if (rung <= before) continue;
      const met = [loss];
      for (const other of others) {
        const place = placeFrom(other.steps, rung);
        if (place < other.steps.length) met.push(other.losses[place]);
      }
      met.sort((a, b) => a - b);
      const last = Math.max(1, Math.floor(met.length / reductionFactor)) - 1;
      if (loss > met[last]) return true;
    }
    return false;
  };
}

/** Of the first step that is not below the given one. */
function placeFrom(steps: readonly number[], from: number): number {
  let [low, high] = [0, steps.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (steps[middle] < from) low = middle + 1;
    else high = middle;
  }
  return low;
}
