/** A model that is no better than an answer that looks at no column: told, since its scores alone do not show it. */

import { toLoss } from "../../metrics/index.ts";
import { metricOf } from "../../tasks/fitting-metrics.ts";
import type { Selection } from "../log/events.ts";
import { ADJUSTED_LAST_VALUE, baselines } from "./baseline.ts";
import type { PreparedRun } from "./prepared.ts";

export interface ScoredRun extends Pick<PreparedRun, "task" | "target" | "weights" | "folds"> {
  readonly plan: Pick<PreparedRun["plan"], "metrics" | "rows">;
  readonly series?: PreparedRun["series"];
}

/** Of series, so few forecasts that the windows may say so by luck. */
const FEW_FORECASTS = 30;

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
  // Where nothing is missed, as of constant series, nothing is left to do better.
  if (metric.direction === "minimize" && score === 0) return [];
  const compared = `on held-out rows its ${name} is ${short(score)}, and that of ${answer} is ${short(plain)}`;
  if (!series) {
    return [
      `The model is no better than ${answer}, which uses no column: ${compared}. The columns may not determine the label, there may be too few rows to learn how, or a few extreme rows may outweigh all others.`,
    ];
  }
  const forecasts = new Set(
    folds.flatMap(({ valid }) => [...valid].map((row) => series.group[row])),
  );
  const isLucky = answer === ADJUSTED_LAST_VALUE && forecasts.size < FEW_FORECASTS;
  return [
    `The model is no better than ${answer}: ${compared}. ${isLucky ? BY_LUCK : ""}What is to come may not follow from the past that the series show, as where they are noise or have just changed, there may be too few steps to learn it, or a few extreme steps may outweigh all others.`,
  ];
}

/** 499 backtests of real series, of which 134 said so (docs/decisions/forecasting.md). */
const BY_LUCK =
  "The model is answered with all the same: few windows say so by luck, and of 134 real data sets whose windows did, the model forecast what came next better in 63 of 100. ";

function short(score: number): number {
  return Number(score.toPrecision(4));
}
