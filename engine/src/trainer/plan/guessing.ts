/** A model that is no better than an answer that looks at no column: told, since its scores alone do not show it. */

import { toLoss } from "../../metrics/index.ts";
import { metricOf } from "../../tasks/fitting-metrics.ts";
import type { Selection } from "../log/events.ts";
import { baselines } from "./baseline.ts";
import type { PreparedRun } from "./prepared.ts";

export interface ScoredRun extends Pick<PreparedRun, "task" | "target" | "weights" | "folds"> {
  readonly plan: Pick<PreparedRun["plan"], "metrics" | "rows">;
  readonly series?: PreparedRun["series"];
}

/** By the first of the metrics that were weighed for the model. */
export function guessingWarnings(
  { scores, metricWeights }: Pick<Selection, "scores" | "metricWeights">,
  run: ScoredRun,
): string[] {
  const { plan, task, target, weights, folds, series = null } = run;
  const name = plan.metrics.find((_, index) => metricWeights[index] > 0);
  const score = name === undefined ? null : (scores[name] ?? null);
  if (name === undefined || score === null) return [];
  const metric = metricOf(task, name);
  const { best } = baselines({ task, target, weights, folds, series, rows: plan.rows }, [metric]);
  const { answer, score: plain } = best[name];
  if (plain === null || toLoss(metric, score) < toLoss(metric, plain)) return [];
  const compared = `on held-out rows its ${name} is ${short(score)}, and that of ${answer} is ${short(plain)}`;
  return [
    series
      ? `The model is no better than ${answer}: ${compared}. What is to come may not follow from the past that the series show, as where they are noise or have just changed, there may be too few steps to learn it, or a few extreme steps may outweigh all others.`
      : `The model is no better than ${answer}, which uses no column: ${compared}. The columns may not determine the label, there may be too few rows to learn how, or a few extreme rows may outweigh all others.`,
  ];
}

function short(score: number): number {
  return Number(score.toPrecision(4));
}
