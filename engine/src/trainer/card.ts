/** The model card: what the model was made of, from what, and how good it was found to be. */

import process from "node:process";
import type { ModelCard } from "../model/document.ts";
import type { Selection } from "./events.ts";
import type { ImportanceOutput } from "./importance-task.ts";
import type { RunDriver } from "./run.ts";
import { ENGINE_VERSION } from "./version.ts";

export function cardOf(
  driver: RunDriver,
  selection: Selection,
  importance: ImportanceOutput,
): ModelCard {
  const { plan, state, options } = driver;
  const members = new Set(selection.members.map(({ trial }) => trial));
  return {
    config: { ...options.config },
    rows: plan.rows,
    families: plan.matrix.map(({ family, reason }) => ({ family, reason })),
    metrics: [...plan.metrics],
    splitter: plan.splitter,
    trials: {
      planned: plan.trials,
      finished: state.trials.filter((trial) => trial.state === "finished").length,
      failed: state.trials.filter((trial) => trial.state === "failed").length,
    },
    scores: { ...selection.scores },
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
    warnings: [...plan.warnings, ...(state.pareto?.notes ?? [])],
    environment: {
      engine: ENGINE_VERSION,
      node: process.version,
      platform: `${process.platform}-${process.arch}`,
    },
  };
}
