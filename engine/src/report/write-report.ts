/**
 * The report of a run that is done: from what its store holds, in a worker, into its store. It reads
 * the model and never changes it.
 */

import { lossOf } from "../trainer/log/scores.ts";
import type { RunState, TrialState } from "../trainer/log/state.ts";
import { modelPrefix } from "../trainer/log/store.ts";
import {
  predictionsArtifact,
  selectionArtifact,
  unpackCurve,
  unpackLabels,
  unpackPredictions,
} from "../trainer/pool-tasks/fold-artifact.ts";
import { DRAWING_SECONDS, reportedSeconds, scoredRows } from "../trainer/prices/cost-finish.ts";
import type { RunDriver } from "../trainer/run.ts";
import type { FoldCurve } from "./build-report.ts";
import type { ReportInput, ReportOutput } from "./report-task.ts";

const REPORT = "report/";
/** The report's page, in a run's store. */
export const REPORT_HTML = `${REPORT}report.html`;
/** The report's figures, in a run's store. */
export const REPORT_JSON = `${REPORT}report.json`;

/** Trials whose learning curves are shown. */
const CURVED_TRIALS = 4;
/** The best trials among which they are looked for. */
const LOOKED_AT = 20;
/** Of a core; without a budget others may use it as well. */
const EXPLAIN_SECONDS = 5;
/** Of one row, by the size of its model: trees are walked leaf by leaf. */
const EXPLAIN_SECONDS_A_BYTE = 1e-8;
/** Of what a time budget leaves beside drawing, the share that explaining rows may take. */
const EXPLAIN_SHARE = 0.85;

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
  const selected = selectionArtifact(0);
  const kept = await store.getArtifact(selected);
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
    predictions: unpackPredictions(kept, selected),
    labels: unpackLabels(kept, selected),
    curves: await bestCurves(driver),
    explainSeconds: affordableSeconds(driver, files),
    ...(driver.timeBudget === null
      ? {}
      : { keptForDrawing: { processor: DRAWING_SECONDS, contention: driver.contention } }),
  });
  await store.putArtifact(REPORT_JSON, output.json);
  await store.putArtifact(REPORT_HTML, output.html);
}

/** What is left of a time budget is not for explaining rows alone; 0 where not one row fits in. */
function affordableSeconds(
  { timeBudget, elapsed, contention, plan, options }: RunDriver,
  files: ReadonlyMap<string, Uint8Array>,
): number {
  if (timeBudget === null) return EXPLAIN_SECONDS * contention;
  const bytes = [...files.values()].reduce((sum, file) => sum + file.length, 0);
  const row = contention * bytes * EXPLAIN_SECONDS_A_BYTE;
  const scored = scoredRows(options.run.folds);
  const kept = DRAWING_SECONDS * contention + reportedSeconds({ plan, contention, scored });
  const left = timeBudget - elapsed - kept;
  const seconds = Math.min(EXPLAIN_SECONDS, EXPLAIN_SHARE * left);
  return row < seconds ? seconds : 0;
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
