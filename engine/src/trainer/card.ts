/** The model card: what the model was made of, from what, and how good it was found to be. */

import process from "node:process";
import type { UncertaintyCard } from "../conformal/index.ts";
import type { StudentFidelity } from "../distill/fidelity.ts";
import type { ModelCard } from "../model/document.ts";
import type { Selection } from "./events.ts";
import type { ImportanceOutput } from "./importance-task.ts";
import type { RunDriver } from "./run.ts";
import { ENGINE_VERSION } from "./version.ts";

export function cardOf(
  driver: RunDriver,
  selection: Selection,
  importance: ImportanceOutput,
  fidelity: StudentFidelity | null,
  uncertainty: UncertaintyCard,
): ModelCard {
  const { plan, state } = driver;
  const members = new Set(selection.members.map(({ trial }) => trial));
  return {
    config: repeatableConfig(driver),
    rows: plan.rows,
    families: plan.matrix.map(({ family, reason }) => ({ family, reason })),
    metrics: [...plan.metrics],
    splitter: plan.splitter,
    trials: {
      planned: plan.trials,
      finished: state.trials.filter((trial) => trial.state === "finished").length,
      failed: state.trials.filter((trial) => trial.state === "failed").length,
      pruned: state.trials.filter((trial) => trial.state === "pruned").length,
      refused: state.trials.filter((trial) => trial.state === "refused").length,
      allowed: state.stopped?.allowed ?? plan.trials,
    },
    scores: { ...selection.scores },
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
    uncertainty,
    warnings: [...plan.warnings, ...(state.pareto?.notes ?? [])],
    ...(selection.notes.length > 0 ? { notes: [...selection.notes] } : {}),
    environment: {
      engine: ENGINE_VERSION,
      node: process.version,
      platform: `${process.platform}-${process.arch}`,
    },
  };
}

/**
 * A configuration that makes this very model again. What the clock decided stands in the place of
 * the time budget: how many trials it allowed, which it refused, how many rows importance had.
 */
function repeatableConfig({ options, state, importanceRows }: RunDriver): Record<string, unknown> {
  const { timeBudgetS: _, trialsAllowed: __, ...config } = options.config;
  const { stopped, trials } = state;
  return {
    ...config,
    ...(stopped ? { trialsAllowed: stopped.allowed } : {}),
    trialsRefused: trials.filter((trial) => trial.state === "refused").map(({ number }) => number),
    importanceRows,
  };
}

function weightsOf({ metricWeights, alsoFor }: Selection): number[][] {
  return [metricWeights, ...alsoFor].map((weights) => [...weights]);
}
