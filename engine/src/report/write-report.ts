/**
 * The report of a run that is done: from what its store holds, in a worker, into its store. It reads
 * the model and never changes it.
 */

import { blend } from "../ensemble/index.ts";
import { predictionsArtifact, unpackCurve, unpackPredictions } from "../trainer/fold-artifact.ts";
import type { RunDriver } from "../trainer/run.ts";
import { lossOf } from "../trainer/select.ts";
import type { RunState, TrialState } from "../trainer/state.ts";
import { modelPrefix } from "../trainer/store.ts";
import type { FoldCurve } from "./build-report.ts";
import type { ReportInput, ReportOutput } from "./report-task.ts";

export const REPORT = "report/";
export const REPORT_HTML = `${REPORT}report.html`;
export const REPORT_JSON = `${REPORT}report.json`;

/** Trials whose learning curves are shown. */
const CURVED_TRIALS = 4;
/** The best trials among which they are looked for. */
const LOOKED_AT = 20;
const EXPLAIN_SECONDS = 1;

export interface ReportOptions {
  /** What the reader knows the run by; default the label's column. */
  readonly name?: string;
}

/**
 * Puts `report/report.json` and `report/report.html` into the store of a run that was driven to its
 * end.
 */
export async function writeReport(driver: RunDriver, options: ReportOptions = {}): Promise<void> {
  const { run, config, store } = driver.options;
  const { state } = driver;
  const files = new Map<string, Uint8Array>();
  for (const { path } of state.models?.[0]?.files ?? []) {
    files.set(path, await store.getArtifact(`${modelPrefix(0)}${path}`));
  }
  const output = await driver.compute<ReportInput, ReportOutput>("report", {
    name: options.name ?? config.task.labelColumn,
    run,
    config,
    state,
    files,
    predictions: await selectedPredictions(driver),
    curves: await bestCurves(driver),
    explainSeconds: EXPLAIN_SECONDS,
  });
  await store.putArtifact(REPORT_JSON, output.json);
  await store.putArtifact(REPORT_HTML, output.html);
}

/** Of the first model: its members' out-of-fold predictions, blended by their weights. */
async function selectedPredictions(driver: RunDriver): Promise<Float64Array> {
  const { members } = driver.state.selections[0];
  const predictions: Float64Array[] = [];
  for (const { trial } of members) {
    predictions.push(await outOfFold(driver, trial));
  }
  return blend(
    predictions,
    members.map(({ weight }) => weight),
  );
}

async function outOfFold(driver: RunDriver, trial: number): Promise<Float64Array> {
  const parts: Float64Array[] = [];
  for (let fold = 0; fold < driver.plan.folds; fold++) {
    const name = predictionsArtifact(trial, fold);
    parts.push(unpackPredictions(await driver.options.store.getArtifact(name), name));
  }
  const all = new Float64Array(parts.reduce((sum, part) => sum + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    all.set(part, offset);
    offset += part.length;
  }
  return all;
}

/** Learning curves of the best finished trials that have some. */
async function bestCurves(driver: RunDriver): Promise<FoldCurve[]> {
  const curves: FoldCurve[] = [];
  let curved = 0;
  const best = bestFirst(driver.state, driver.plan.metrics[0]).slice(0, LOOKED_AT);
  for (const trial of best) {
    if (curved === CURVED_TRIALS) break;
    const before = curves.length;
    for (let fold = 0; fold < driver.plan.folds; fold++) {
      const name = predictionsArtifact(trial.number, fold);
      const curve = unpackCurve(await driver.options.store.getArtifact(name), name);
      // A family has curves for all folds or for none.
      if (!curve) break;
      curves.push({ trial: trial.number, fold, curve });
    }
    if (curves.length > before) curved++;
  }
  return curves;
}

function bestFirst(state: RunState, metric: string): TrialState[] {
  const loss = (trial: TrialState): number => lossOf(metric, trial.scores?.[metric] ?? null);
  return state.trials
    .filter((trial) => trial.state === "finished")
    .sort((a, b) => (loss(a) < loss(b) ? -1 : loss(a) > loss(b) ? 1 : a.number - b.number));
}
