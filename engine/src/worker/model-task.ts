/** Predicting and explaining with models that each thread keeps loaded, the latest few. */

import type { FeatureSchema } from "../data/feature-schema.ts";
import type { TableReading } from "../data/readers/reading.ts";
import { tableFromMatrix, tableFromRecords } from "../data/records.ts";
import type { BlendExplanation } from "../model/blend-explanation.ts";
import { loadModel, modelFolder } from "../model/load.ts";
import type { Model, ModelPredictions } from "../model/model.ts";
import { hasClasses, type Task } from "../tasks/index.ts";

/** Rows as a request gives them: objects, or column names and lists of cells. */
export type Rows =
  | { readonly instances: readonly Readonly<Record<string, unknown>>[] }
  | { readonly columns: readonly string[]; readonly data: readonly (readonly unknown[])[] };

/** A model, and the rows that it is asked about. */
export interface ModelTaskInput {
  /** A local copy of the model's directory. */
  readonly folder: string;
  readonly rows: Rows;
  /** Of intervals and sets; absent = what the run was asked for. */
  readonly coverage?: number | undefined;
}

/** Predictions, and the labels that they lead to. */
export interface PredictOutput extends ModelPredictions {
  readonly task: Task;
  /** Classifiers: the index of the class that is said, one a row; null for regression. */
  readonly labels: Uint32Array | null;
}

const LOADED_MODELS = 8;
const loaded = new Map<string, Promise<Model>>();

/**
 * Predicts rows by a model in a folder, which stays loaded for the next call.
 *
 * @throws DataError where the rows are not the model's
 * @throws ModelFormatError where the model cannot be loaded
 */
export async function predict(input: ModelTaskInput): Promise<PredictOutput> {
  const model = await loadOnce(input.folder);
  const { table, warnings } = readRows(input.rows, model.inputs);
  const { task } = model.document;
  const predictions = model.predict(table, { coverage: input.coverage });
  return {
    ...predictions,
    task,
    labels: hasClasses(task) ? model.decide(predictions) : null,
    warnings: [...warnings.map(({ message }) => message), ...predictions.warnings],
  };
}

/** An explanation of each row. */
export interface ExplainOutput extends BlendExplanation {
  readonly task: Task;
  readonly warnings: readonly string[];
}

/**
 * Explains rows by a model in a folder, which stays loaded for the next call.
 *
 * @throws DataError where the rows are not the model's
 * @throws ModelFormatError where the model cannot be loaded
 */
export async function explain(input: ModelTaskInput): Promise<ExplainOutput> {
  const model = await loadOnce(input.folder);
  const { table, warnings } = readRows(input.rows, model.inputs);
  const explanation = model.explain(table);
  return {
    ...explanation,
    task: model.document.task,
    warnings: [...warnings.map(({ message }) => message), ...explanation.warnings],
  };
}

/** A model's files never change, so its folder is its identity. A failed load is not kept. */
function loadOnce(folder: string): Promise<Model> {
  const known = loaded.get(folder);
  loaded.delete(folder);
  const model = known ?? loadModel(modelFolder(folder));
  loaded.set(folder, model);
  model.catch(() => loaded.delete(folder));
  const [oldest] = loaded.keys();
  if (loaded.size > LOADED_MODELS && oldest !== undefined) loaded.delete(oldest);
  return model;
}

function readRows(rows: Rows, schema: FeatureSchema): TableReading {
  return "instances" in rows
    ? tableFromRecords(rows.instances, schema)
    : tableFromMatrix(rows.columns, rows.data, schema);
}
