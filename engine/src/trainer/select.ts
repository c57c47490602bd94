/**
 * Selecting the model among finished trials: greedy blend over out-of-fold predictions, or the
 * winner by mean fold score. A task for a worker, since it reads every prediction many times.
 */

import { blend, greedySelection } from "../ensemble/index.ts";
import { metricByName, toLoss } from "../metrics/index.ts";
import { outputCount } from "../tasks/task.ts";
import type { Selection } from "./events.ts";
import { scoreRows } from "./fit-task.ts";
import type { PreparedRun } from "./prepared.ts";

export interface Candidate {
  readonly trial: number;
  /** Mean fold loss of the first metric. */
  readonly loss: number;
  /** Row-major over `outOfFoldRows`. */
  readonly predictions: Float64Array;
}

export interface SelectInput {
  readonly run: PreparedRun;
  readonly kind: Selection["kind"];
  readonly candidates: readonly Candidate[];
}

/** Rows that have an out-of-fold prediction: the folds' validation rows, one after the other. */
export function outOfFoldRows(run: PreparedRun): Uint32Array {
  const length = run.folds.reduce((sum, fold) => sum + fold.valid.length, 0);
  const rows = new Uint32Array(length);
  let offset = 0;
  for (const fold of run.folds) {
    rows.set(fold.valid, offset);
    offset += fold.valid.length;
  }
  return rows;
}

export function select(input: SelectInput): readonly Selection[] {
  return [selectOne(input)];
}

function selectOne(input: SelectInput): Selection {
  const { run, candidates } = input;
  const metricWeights = run.plan.metrics.map((_, index) => (index === 0 ? 1 : 0));
  const rows = outOfFoldRows(run);
  if (input.kind === "winner") {
    const winner = bestByLoss(candidates);
    return {
      kind: "winner",
      metricWeights,
      alsoFor: [],
      members: [{ trial: winner.trial, weight: 1 }],
      scores: scoreRows(run, winner.predictions, rows),
      path: [],
    };
  }
  const outputs = outputCount(run.task);
  const chosen = greedySelection({
    candidates: candidates.map((candidate) => candidate.predictions),
    target: Float64Array.from(rows, (row) => run.target[row]),
    weights: run.weights ? Float64Array.from(rows, (row) => run.weights?.[row] ?? 1) : null,
    outputs,
    metric: metricByName(run.plan.metrics[0]),
  });
  const members = candidates
    .map(({ trial }, index) => ({ trial, weight: chosen.weights[index] }))
    .filter(({ weight }) => weight > 0)
    .sort((a, b) => b.weight - a.weight || a.trial - b.trial);
  const blended = blend(
    candidates.map((candidate) => candidate.predictions),
    chosen.weights,
  );
  return {
    kind: "ensemble",
    metricWeights,
    alsoFor: [],
    members,
    scores: scoreRows(run, blended, rows),
    path: chosen.path.map(({ member, loss }) => ({ trial: candidates[member].trial, loss })),
  };
}

/** Ties go to the earlier trial. */
export function bestByLoss<T extends { readonly trial: number; readonly loss: number }>(
  candidates: readonly T[],
): T {
  return candidates.reduce((best, candidate) => (candidate.loss < best.loss ? candidate : best));
}

/** The loss that orders trials: a mean fold score as a loss; an undefined one is worse than any. */
export function lossOf(metric: string, score: number | null): number {
  return score === null ? Number.POSITIVE_INFINITY : toLoss(metricByName(metric), score);
}
