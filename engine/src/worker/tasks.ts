/** The module that pool threads load: every task there is, by name. */

import { help as helpFit } from "../compute/crew.ts";
import { task } from "../compute/pool.ts";
import { helpBinning as helpBinningOf } from "../data/binning/binning-desk.ts";
import type { EvaluationInput, EvaluationOutput } from "../evaluation/evaluation-task.ts";
import type { ReportInput, ReportOutput } from "../report/report-task.ts";
import * as prepareTask from "../trainer/plan/prepare.ts";
import * as teachTask from "../trainer/plan/teach.ts";
import * as conformalTask from "../trainer/pool-tasks/conformal-task.ts";
import * as fidelityTask from "../trainer/pool-tasks/fidelity-task.ts";
import * as fit from "../trainer/pool-tasks/fit-task.ts";
import * as importanceTask from "../trainer/pool-tasks/importance-task.ts";
import * as reconciliationTask from "../trainer/pool-tasks/reconciliation-task.ts";
import * as selectTask from "../trainer/pool-tasks/select.ts";
import * as inspectTask from "./inspect.ts";
import * as modelTask from "./model-task.ts";

export const prepare = task(prepareTask.prepareFile);
export const prepareTransferSet = task(teachTask.prepareTransferSet);
export const prepareFromTransferSet = task(teachTask.prepareFromTransferSet);
export const plan = task(prepareTask.planFile);
export const fitFold = task(fit.fitFold);
export const refit = task(fit.refit);
export const help = task(helpFit);
export const helpBinning = task(helpBinningOf);
export const select = task(selectTask.select);
export const baseline = task(fidelityTask.baseline);
export const fidelity = task(fidelityTask.fidelity);
export const timeModel = task(fidelityTask.timeModel);
export const importance = task(importanceTask.importance);
export const conformal = task(conformalTask.conformal);
export const reconciliation = task(reconciliationTask.reconciliation);
export const inspect = task(inspectTask.inspect);
export const predict = task(modelTask.predict);
export const explain = task(modelTask.explain);

/** Loaded by its first use: plots are a large library, and most threads never draw one. */
export const report = task(async (input: ReportInput): Promise<ReportOutput> => {
  const { report: make } = await import("../report/report-task.ts");
  return make(input);
});

/** As `report`. */
export const evaluate = task(async (input: EvaluationInput): Promise<EvaluationOutput> => {
  const { evaluateFile } = await import("../evaluation/evaluation-task.ts");
  return evaluateFile(input);
});
