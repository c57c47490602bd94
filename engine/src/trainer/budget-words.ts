/** What a time budget cut of a run, in words: for the model card and the report. */

import type { RunConfig } from "./config.ts";
import type { RunPlan } from "./events.ts";
import type { ImportanceOutput } from "./importance-task.ts";
import type { RunState } from "./state.ts";

export interface BudgetCard {
  readonly seconds: number;
  /** One sentence each; empty where there was time for all that was asked. */
  readonly cut: readonly string[];
}

/**
 * Null for a run without a budget. A rerun from the card's config, which asks no clock, is told the
 * same.
 *
 * @param importance how much of it there was time for; null: all
 */
export function budgetCard(
  config: RunConfig,
  plan: RunPlan,
  { trials, stopped }: Pick<RunState, "trials" | "stopped">,
  importance: ImportanceOutput["cut"],
): BudgetCard | null {
  if (config.timeBudgetS == null) return null;
  const finished = trials.filter(({ state }) => state === "finished");
  const refused = trials.filter(({ state }) => state === "refused").length;
  const fits = finished.flatMap(({ folds }) => folds.filter((fold) => fold?.state === "finished"));
  const shortened = fits.filter((fold) => fold?.state === "finished" && fold.cut).length;
  const cut: string[] = [];
  if (plan.sampledFrom !== undefined) {
    cut.push(
      `The models learned from ${count(plan.rows)} of ${count(plan.sampledFrom)} rows, drawn at random: there was no time for more.`,
    );
  }
  if (shortened > 0) {
    cut.push(
      `${count(shortened)} of ${count(fits.length)} fits were ended early, with the rounds, trees or steps that they had come to.`,
    );
  }
  if (!plan.isOpen && stopped && stopped.allowed < plan.trials) {
    cut.push(`${count(stopped.allowed)} of ${count(plan.trials)} trials were run.`);
  }
  if (refused > 0) {
    cut.push(
      `${count(refused)} ${refused === 1 ? "trial was" : "trials were"} not run to the end, for which too little time was left.`,
    );
  }
  if (importance && importance.columns === 0) {
    cut.push("The importance of columns was not measured by shuffling them.");
  } else if (importance) {
    cut.push(
      `The importance of columns was measured on ${count(importance.rows)} rows, for ${count(importance.columns)} of ${count(plan.columns.length)} columns.`,
    );
  }
  return { seconds: config.timeBudgetS, cut };
}

function count(value: number): string {
  return value.toLocaleString("en-US");
}
