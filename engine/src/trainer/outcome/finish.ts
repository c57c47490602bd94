/** The last phases: refit (or gather) the selected members, weigh the columns, write the model. */

import type { Calibration } from "../../ensemble/index.ts";
import { sha256 } from "../../model/sha256.ts";
import { type ModelParts, writeModel } from "../../model/write.ts";
import type { FittedReconciliation } from "../../tasks/framing.ts";
import { taskSchema } from "../../tasks/index.ts";
import type { SavedModel, Selection } from "../log/events.ts";
import { modelPrefix } from "../log/store.ts";
import type { OpenRun } from "../open-run.ts";
import { driftReferenceOf } from "../plan/drift-reference.ts";
import { dataOfFold } from "../plan/prepared.ts";
import type { ConformalInput, ConformalOutput } from "../pool-tasks/conformal-task.ts";
import {
  fitArtifact,
  selectionArtifact,
  unpackLabels,
  unpackPredictions,
  unpackSeriesWeights,
} from "../pool-tasks/fold-artifact.ts";
import type { ImportanceInput, ImportanceOutput } from "../pool-tasks/importance-task.ts";
import type { ReconciliationInput } from "../pool-tasks/reconciliation-task.ts";
import { cardOf } from "./card.ts";
import { forEachConcurrently } from "./concurrency.ts";
import { factsOf, isRefitted, priceOfSelected, Refits, refitArtifact } from "./refits.ts";
import { fidelityOfModel, measureStudents } from "./student.ts";

/** Fits and writes every selected model, as many at once as there are threads. */
export async function finishModels(driver: OpenRun): Promise<void> {
  const { selections, fitted } = driver.state;
  const width = driver.options.pool.threads;
  const refits = new Refits(driver);
  await forEachConcurrently(width, selections, async (selection, model) => {
    if (!fitted[model]) await refits.fit(selection, model);
  });
  // All are measured before the first is written: each card says what the clock decided for all.
  const importances: ImportanceOutput[] = [];
  await forEachConcurrently(width, selections, async (selection, model) => {
    importances[model] = await measureImportance(driver, selection, model);
  });
  const models: SavedModel[] = [];
  await forEachConcurrently(width, selections, async (selection, model) => {
    models[model] = await saveModel(driver, selection, model, importances);
  });
  await measureStudents(driver);
  const report = driver.device.report ?? driver.deviceSentence;
  if (report !== null) await driver.append({ type: "device_reported", report });
  await driver.append({ type: "done", models });
}

async function measureImportance(
  driver: OpenRun,
  selection: Selection,
  model: number,
): Promise<ImportanceOutput> {
  const { run, config } = driver.options;
  const told = config.importanceCut.find((each) => each.model === model);
  const time = importanceTime(driver);
  return driver.compute<ImportanceInput, ImportanceOutput>("importance", {
    run,
    folds: await fitsByFold(driver, selection, model),
    layer: selection.layer,
    threshold: selection.threshold,
    randomState: config.randomState,
    rows: told?.rows ?? config.importanceRows,
    ...(told ? { columns: told.columns } : {}),
    ...time,
  });
}

/** For one model, of what the budget has left; nothing where the clock is not asked. */
function importanceTime(driver: OpenRun): Pick<ImportanceInput, "seconds" | "rowSeconds"> {
  const { timeBudget, state, options } = driver;
  if (timeBudget === null) return {};
  const models = state.selections.length;
  const { saving, importance, reporting, rowSeconds } = priceOfSelected(driver);
  const left = timeBudget - driver.elapsed - (saving - importance) - reporting;
  return {
    seconds: Math.max(0, left) / Math.ceil(models / options.pool.threads),
    rowSeconds: rowSeconds / models,
  };
}

async function saveModel(
  driver: OpenRun,
  selection: Selection,
  model: number,
  importances: readonly ImportanceOutput[],
): Promise<SavedModel> {
  const { run, store, config } = driver.options;
  const fidelity = await fidelityOfModel(driver, model);
  const name = selectionArtifact(model);
  const kept = await store.getArtifact(name);
  const refitted = isRefitted(selection, driver.state, model);
  const predictions = unpackPredictions(kept, name);
  const uncertainty = await driver.compute<ConformalInput, ConformalOutput | null>("conformal", {
    run,
    config,
    selection,
    refitted,
    predictions,
    labels: unpackLabels(kept, name),
  });
  const frame = run.savedFrame;
  const reconciled = frame
    ? await driver.compute<ReconciliationInput, FittedReconciliation | null>("reconciliation", {
        run,
        frame,
        predictions,
      })
    : null;
  const encoders =
    refitted || !run.foldData ? [run.data] : run.folds.map((_, fold) => dataOfFold(run, fold));
  const files = writeModel({
    document: {
      task: taskSchema.parse(run.task),
      labelColumn: config.task.labelColumn,
      columns: [...run.plan.columns],
      schema: run.schema,
      kind: selection.kind,
      layer: selection.layer && { intercepts: [...selection.layer.intercepts] },
      threshold: selection.threshold,
      conformal: uncertainty?.part ?? null,
      card: cardOf(driver, selection, { model, importances }, fidelity, {
        uncertainty: uncertainty?.card ?? null,
        reconciled,
      }),
    },
    encoders: encoders.map((data) => data.binned?.bins ?? []),
    frame: reconciled?.saved ?? frame,
    reference: driftReferenceOf(run, {
      predictions,
      threshold: selection.threshold,
      importance: importances[model].gain.map(({ column }) => column),
    }),
    // Hashing takes no shared memory.
    rowSketch: run.rowSketch?.slice() ?? null,
    members: await modelMembers(driver, selection, model),
    seriesWeights: unpackSeriesWeights(kept, name, selection.members.length),
  });
  const prefix = modelPrefix(model);
  for (const { path, bytes } of files) await store.putArtifact(`${prefix}${path}`, bytes);
  return {
    files: files.map(({ path, bytes }) => ({ path, bytes: bytes.length, sha256: sha256(bytes) })),
  };
}

async function fitsByFold(
  driver: OpenRun,
  selection: Selection,
  model: number,
): Promise<ImportanceInput["folds"]> {
  const name = selectionArtifact(model);
  const kept = await driver.options.store.getArtifact(name);
  const weights = unpackSeriesWeights(kept, name, selection.members.length);
  const folds = [];
  for (let fold = 0; fold < driver.plan.folds; fold++) {
    const members = [];
    for (const [member, { trial, weight, calibration }] of selection.members.entries()) {
      const packed = await driver.kept(fitArtifact(trial, fold));
      const bySeries = weights?.[member] ?? null;
      const { family } = driver.state.trials[trial];
      members.push({ family, weight, bySeries, calibration, packed });
    }
    folds.push(members);
  }
  return folds;
}

async function modelMembers(
  driver: OpenRun,
  selection: Selection,
  model: number,
): Promise<ModelParts["members"]> {
  const { store, run } = driver.options;
  const members: ModelParts["members"][number][] = [];
  for (const { trial: number, weight, calibration: fitted } of selection.members) {
    const calibration = fitted && storedCalibration(fitted);
    const trial = driver.state.trials[number];
    const { family, parameters } = trial;
    if (isRefitted(selection, driver.state, model)) {
      const packed = await store.getArtifact(refitArtifact(selection, model, number));
      const own = driver.state.memberRefits[model]?.[members.length]?.facts;
      members.push({
        family,
        weight,
        calibration,
        trial: number,
        fold: null,
        encoder: 0,
        parameters,
        facts: own ?? driver.state.fitted[model] ?? {},
        packed,
      });
      continue;
    }
    const facts = factsOf(trial);
    for (let fold = 0; fold < driver.plan.folds; fold++) {
      members.push({
        family,
        weight: weight / driver.plan.folds,
        calibration,
        trial: number,
        fold,
        encoder: run.foldData ? fold : 0,
        parameters,
        facts: facts[fold],
        packed: await driver.kept(fitArtifact(number, fold)),
      });
    }
  }
  return members;
}

/** A copy that may be changed, as documents are. */
function storedCalibration(calibration: Calibration): ModelParts["members"][number]["calibration"] {
  return calibration.kind === "temperature"
    ? { ...calibration }
    : {
        kind: "isotonic",
        curves: calibration.curves.map(({ x, y }) => ({ x: [...x], y: [...y] })),
      };
}
