/** How the search goes about it, and what is made of its trials: members with the engine's limits. */

import { runMembers } from "./wire-names.ts";

export const searchFields = {
  startup: runMembers.startup.describe(
    "First trials, before the search strategy has some to learn from: strong configurations found on other data sets (portfolio), points that fill the space evenly (sobol), or random ones.",
  ),
  pruning: runMembers.pruning.describe(
    "After each fold, stop trials that cannot win any more. Stopped trials are `pruned`.",
  ),
  stacking: runMembers.stacking.describe(
    "With ensemble: also try a model over the candidates' predictions, and keep it where it is better.",
  ),
  calibration: runMembers.calibration.describe(
    "Calibrate the probabilities of classifiers on out-of-fold rows, where that helps.",
  ),
  tune_threshold: runMembers.tune_threshold.describe(
    "For two classes and a first metric that reads labels, choose the probability from which the second class is predicted.",
  ),
  time_budget_s: runMembers.time_budget_s.describe(
    "Seconds for everything, from reading the data to the finished model. The result then depends on the machine; the model card's config says what the clock decided, and a run with it is the same.",
  ),
  memory_budget_bytes: runMembers.memory_budget_bytes.describe(
    "Bytes for the data and the fits that run at once; trials that cannot fit are `refused`.",
  ),
  trials_allowed: runMembers.trials_allowed.describe(
    "Trials that may run, in place of a time budget: with the card's number, a run under a budget is repeated with the same bytes.",
  ),
  trials_asked: runMembers.trials_asked.describe(
    "By step of the search, the families that trials are asked of, as numbers of `hpo_space.models` of the job's config: with the card's list, a run that shared out the time of its budget is repeated.",
  ),
  trials_repeated: runMembers.trials_repeated.describe(
    "Trials that fit the parameters of an earlier one again with other random numbers, by both numbers: with the card's list, a run that had time for them is repeated.",
  ),
  rates_raised: runMembers.rates_raised.describe(
    "Trials of boosting whose learning rate is this one, and not as it is drawn: with the card's list, a run whose budget had time for few rounds is repeated.",
  ),
  trials_refused: runMembers.trials_refused.describe(
    "Numbers of trials that are not run: with the card's list, a run whose budget refused them is repeated.",
  ),
  fits_cut: runMembers.fits_cut.describe(
    "Fits that end after so many boosting rounds, trees or steps of a solver, or learn from so many rows: with the card's list, a run whose budget did that is repeated.",
  ),
  refits_cut: runMembers.refits_cut.describe(
    "The same for fits on all rows, by the model's index; with `kept` the model keeps the fits of its folds in their place.",
  ),
  rows_allowed: runMembers.rows_allowed.describe(
    "Rows that are drawn to learn from: with the card's number, a run whose budget was short for all rows is repeated.",
  ),
  importance_cut: runMembers.importance_cut.describe(
    "By the model's index, fewer rows or columns for importance: with the card's list, a run whose budget made them fewer is repeated.",
  ),
  importance_rows: runMembers.importance_rows.describe(
    "Rows, over all folds, that the importance of columns is measured on.",
  ),
  row_sketch: runMembers.row_sketch.describe(
    "Keep hashes of some of the learned rows with the model, by which evaluations tell that rows were learned; default true. Whoever holds the model's files can confirm by them a row that they guess in full.",
  ),
};
