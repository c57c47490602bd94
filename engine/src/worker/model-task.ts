/** Predicting and explaining with models that each thread keeps loaded, the latest few. */

import type { ExplainOutput, PredictOutput, Question } from "../answers/answer.ts";
import { explainRows, predictRows } from "../answers/checked-answer.ts";
import { type RowsKind, rowsKindOf as rowsKindOfModel } from "../answers/rows.ts";
import { loadModel } from "../model/load-read.ts";
import type { Model } from "../model/model.ts";
import { modelFolder } from "../model/model-folder.ts";

/** A model, and the rows that it is asked about. */
export interface ModelTaskInput extends Question {
  /** A local copy of the model's directory. */
  readonly folder: string;
}

const LOADED_MODELS = 8;
const loaded = new Map<string, Promise<Model>>();

/**
 * Predicts rows by a model in a folder, which stays loaded for the next call.
 *
 * @throws DataError where the rows are not the model's
 * @throws TypeError for what is no folder, or no rows
 * @throws ModelFormatError where the model cannot be loaded
 */
export async function predict(input: ModelTaskInput): Promise<PredictOutput> {
  checkInput(input, "predict");
  return predictRows(await loadOnce(input.folder), input);
}

/**
 * What a model in a folder takes its rows for.
 *
 * @throws ModelFormatError where the model cannot be loaded
 */
export async function rowsKindOf(folder: string): Promise<RowsKind> {
  return rowsKindOfModel(await loadOnce(folder));
}

/**
 * Explains rows by a model in a folder, which stays loaded for the next call.
 *
 * @throws DataError where the rows are not the model's
 * @throws TypeError for what is no folder, or no rows
 * @throws ModelFormatError where the model cannot be loaded
 */
export async function explain(input: ModelTaskInput): Promise<ExplainOutput> {
  checkInput(input, "explain");
  return explainRows(await loadOnce(input.folder), input);
}

function checkInput(given: unknown, name: string): void {
  if (typeof given === "object" && given !== null && "folder" in given) {
    if (typeof given.folder === "string") return;
  }
  throw new TypeError(
    `${name} takes \`{ folder, rows }\`: the folder of a model as a text, and what is asked of it.`,
  );
}

/**
 * The model in a folder, which stays loaded for the next call: its files never change, so its folder is
 * its identity. A failed load is not kept.
 *
 * @throws ModelFormatError where the model cannot be loaded
 */
export function loadOnce(folder: string): Promise<Model> {
  const known = loaded.get(folder);
  loaded.delete(folder);
  const model = known ?? loadModel(modelFolder(folder));
  loaded.set(folder, model);
  model.catch(() => loaded.delete(folder));
  const [oldest] = loaded.keys();
  if (loaded.size > LOADED_MODELS && oldest !== undefined) loaded.delete(oldest);
  return model;
}
