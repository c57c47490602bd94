/** The model card: what the model was made of, from what, and how good it was found to be. */

import process from "node:process";
import type { UncertaintyCard } from "../conformal/index.ts";
import type { StudentFidelity } from "../distill/fidelity.ts";
import type { ModelCard } from "../model/document.ts";
import { budgetCard } from "./budget-words.ts";
import type { Selection } from "./events.ts";
import { guessingWarnings } from "./guessing.ts";
import type { ImportanceOutput } from "./importance-task.ts";
import { perfectScoreWarnings } from "./leakage/perfect-score.ts";
import type { OpenRun } from "./open-run.ts";
import { plannedTrials, type TrialState } from "./state.ts";
import { ENGINE_VERSION } from "./version.ts";

export function cardOf(
  driver: OpenRun,
  selection: Selection,
  measured: { readonly model: number; readonly importances: readonly ImportanceOutput[] },
  fidelity: StudentFidelity | null,
  uncertainty: UncertaintyCard | null,
): ModelCard {
  const { plan, state } = driver;
  const { model, importances } = measured;
  const importance = importances[model];
  const { config } = driver.options;
  const told = config.importanceCut.find((each) => each.model === model);
  const budget = budgetCard(config, plan, state, importance.cut ?? told ?? null);
  const members = new Set(selection.members.map(({ trial }) => trial));
  return {
    config: repeatableConfig(driver, importances),
    rows: plan.rows,
    families: plan.matrix.map(({ family, reason }) => ({ family, reason })),
    metrics: [...plan.metrics],
    splitter: plan.splitter,
    trials: {
      planned: plannedTrials(state),
      finished: state.trials.filter((trial) => trial.state === "finished").length,
      failed: state.trials.filter((trial) => trial.state === "failed").length,
      pruned: state.trials.filter((trial) => trial.state === "pruned").length,
      refused: state.trials.filter((trial) => trial.state === "refused").length,
      allowed: state.stopped?.allowed ?? plannedTrials(state),
    },
    ...(budget ? { budget: { seconds: budget.seconds, cut: [...budget.cut] } } : {}),
    scores: { ...selection.scores },
    ...(selection.meanFoldScores ? { meanFoldScores: { ...selection.meanFoldScores } } : {}),
    ...(plan.sweep ? { metricWeights: weightsOf(selection) } : {}),
    scoresByFold: state.trials
      .filter((trial) => members.has(trial.number))
      .flatMap((trial) =>
        trial.folds.flatMap((fold, index) =>
          fold?.state === "finished"
            ? [{ trial: trial.number, fold: index, scores: { ...fold.scores } }]
            : [],
        ),
      ),
    importance: { gain: [...importance.gain], permutation: [...importance.permutation] },
    ...(fidelity ? { fidelity } : {}),
    ...(uncertainty ? { uncertainty } : {}),
    warnings: [
      ...plan.warnings,
      ...(state.pareto?.notes ?? []),
      ...guessingWarnings(selection, driver.options.run),
      ...perfectScoreWarnings(selection.scores, driver.options.run.target.subarray(0, plan.rows)),
    ],
    ...(selection.notes.length > 0 ? { notes: [...selection.notes] } : {}),
    environment: {
      engine: ENGINE_VERSION,
      node: process.version,
      platform: `${process.platform}-${process.arch}`,
    },
  };
}

/**
 * A configuration that makes this very model again. What the clock decided stands beside the time
 * budget: how many trials it allowed, which it refused, where it ended fits, how many rows
 * importance had.
 */
function repeatableConfig(
  { options, state }: OpenRun,
  importances: readonly ImportanceOutput[],
): Record<string, unknown> {
  const { config } = options;
  const { stopped, trials, plan } = state;
  const { trialsAllowed, trialsRefused: _, fitsCut: __, ...rest } = config;
  const { importanceCut, rowsAllowed: ___, refitsCut: ____, ...asked } = rest;
  const isTimed = config.timeBudgetS != null || trialsAllowed != null;
  return {
    ...asked,
    ...(plan?.sampledFrom === undefined ? {} : { rowsAllowed: plan.rows }),
    // With a number of trials the clock is not asked: the budget stands for whoever reads.
    ...(isTimed ? { trialsAllowed: stopped?.allowed ?? trials.length } : {}),
    fitsCut: trials
      .filter(isKept)
      .flatMap(({ number, folds }) =>
        folds.flatMap((fold, index) =>
          fold?.state === "finished" && fold.cut
            ? [{ trial: number, fold: index, ...fold.cut }]
            : [],
        ),
      ),
    trialsRefused: trials.filter((trial) => trial.state === "refused").map(({ number }) => number),
    refitsCut: state.refitCuts.flatMap((cut, model) => (cut ? [{ model, ...cut }] : [])),
    importanceCut: importances.flatMap(({ cut }, model) =>
      cut ? [{ model, ...cut }] : importanceCut.filter((told) => told.model === model),
    ),
  };
}

/** Trials that a rerun runs: their fits are repeated, whatever came of the trial. */
function isKept({ state }: TrialState): boolean {
  return state !== "dropped" && state !== "refused";
}

function weightsOf({ metricWeights, alsoFor }: Selection): number[][] {
  return [metricWeights, ...alsoFor].map((weights) => [...weights]);
}
