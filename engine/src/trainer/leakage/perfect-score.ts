/** A score that is too good: told, since it is a leak more often than a triumph. */

import type { Scores } from "../events.ts";

/** By metric, from where on a score is near perfect. */
const NEARLY_PERFECT: Readonly<Record<string, (score: number) => boolean>> = {
  accuracy: (score) => score >= 0.999,
  balanced_accuracy: (score) => score >= 0.999,
  roc_auc: (score) => score >= 0.9995,
  average_precision: (score) => score >= 0.999,
  f1: (score) => score >= 0.999,
  f1_macro: (score) => score >= 0.999,
  mcc: (score) => score >= 0.998,
  log_loss: (score) => score <= 0.005,
  brier: (score) => score <= 0.001,
  r2: (score) => score >= 0.999,
};
/** Of the label's variance, that a near perfect model of numbers misses at most. */
const MISSED = 0.001;

/** @param target of the scored rows; read where it is a number */
export function perfectScoreWarnings(scores: Scores, target: Float64Array): string[] {
  const named = Object.entries(scores).find(([metric, score]) => {
    if (score === null) return false;
    if (metric === "rmse") return score * score <= MISSED * varianceOf(target);
    return NEARLY_PERFECT[metric]?.(score) ?? false;
  });
  if (!named) return [];
  return [
    `The score is near perfect (${named[0]} ${Number((named[1] ?? 0).toPrecision(4))}). Real data seldom allow that: check whether one of the most important columns is derived from the label or known only after it, and whether rows occur twice.`,
  ];
}

function varianceOf(values: Float64Array): number {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length;
}
