/** Predicting and explaining with models that each thread keeps loaded, the latest few. */

import {
  type ExplainOutput,
  explainRows,
  type PredictOutput,
  predictRows,
  type Question,
} from "../answers/answer.ts";
import { type RowsKind, rowsKindOf as rowsKindOfModel } from "../answers/rows.ts";
import { loadModel } from "../model/load.ts";
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
 * @throws ModelFormatError where the model cannot be loaded
 */
export async function predict({ folder, ...question }: ModelTaskInput): Promise<PredictOutput> {
  return predictRows(await loadOnce(folder), question);
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
 * @throws ModelFormatError where the model cannot be loaded
 */
export async function explain({ folder, ...question }: ModelTaskInput): Promise<ExplainOutput> {
  return explainRows(await loadOnce(folder), question);
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
