/** Predicting and explaining with models that each thread keeps loaded, the latest few. */

import type { FeatureSchema } from "../data/feature-schema.ts";
import type { Frame } from "../data/frame.ts";
import type { TableReading } from "../data/readers/reading.ts";
import { type Row, tableFromMatrix, tableFromRecords } from "../data/records.ts";
import type { BlendExplanation } from "../model/blend-explanation.ts";
import { loadModel, modelFolder } from "../model/load.ts";
import type { Model } from "../model/model.ts";
import type { ModelPredictions } from "../model/predictions.ts";
import type { SegmentExplanation } from "../model/segment-explanation.ts";
import type { ReadOptions } from "../tasks/framing.ts";
import { hasClasses, type Task, typeOf } from "../tasks/index.ts";

/** What is to be forecast; of nothing at all, all series are, as far as the model was trained for. */
export interface ForecastRows {
  /** Values that are known, as rows with the label; they go on with those of the training data. */
  readonly history?: readonly Row[] | undefined;
  /** Steps to forecast, as rows without the label, with what is known of them. */
  readonly future?: readonly Row[] | undefined;
  /** Steps of series that `future` has none of. */
  readonly horizon?: number | undefined;
  /** Series to forecast, by the values of their columns; absent: those of the rows, or all. */
  readonly series?: readonly Row[] | undefined;
}

/** Rows as a request gives them: objects, or column names and lists of cells; or what to forecast. */
export type Rows =
  | { readonly instances: readonly Row[] }
  | { readonly columns: readonly string[]; readonly data: readonly (readonly unknown[])[] }
  | ForecastRows;

/** What the rows of a model's requests are: predicted one by one, steps of sequences, or of series. */
export type RowsKind = "rows" | Frame["kind"];

/** A model, and the rows that it is asked about. */
export interface ModelTaskInput {
  /** A local copy of the model's directory. */
  readonly folder: string;
  readonly rows: Rows;
  /** Of intervals and sets; absent = what the run was asked for. */
  readonly coverage?: number | undefined;
  /** Of sequences: segments of each channel that `explain` tells apart, for one sequence; absent: none. */
  readonly segments?: number | undefined;
  /** Predictions of sequences or steps that are made at once; more are refused. */
  readonly most?: number | undefined;
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
  const { table, warnings, options } = readRows(input, model.inputs);
  const { task } = model.document;
  const predictions = model.predict(table, { ...options, coverage: input.coverage });
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
  /** See `ModelPredictions`. */
  readonly keys: ModelPredictions["keys"];
  /** Where segments were asked for. */
  readonly overTime: SegmentExplanation | null;
  readonly warnings: readonly string[];
}

/**
 * What a model in a folder takes its rows for.
 *
 * @throws ModelFormatError where the model cannot be loaded
 */
export async function rowsKindOf(folder: string): Promise<RowsKind> {
  const { document } = await loadOnce(folder);
  return typeOf(document.task).framing?.kind ?? "rows";
}

/**
 * Explains rows by a model in a folder, which stays loaded for the next call.
 *
 * @throws DataError where the rows are not the model's
 * @throws ModelFormatError where the model cannot be loaded
 */
export async function explain(input: ModelTaskInput): Promise<ExplainOutput> {
  const model = await loadOnce(input.folder);
  const { table, warnings, options } = readRows(input, model.inputs);
  const overTime =
    input.segments === undefined ? null : model.explainOverTime(table, input.segments);
  const explanation = model.explain(table, options);
  return {
    ...explanation,
    overTime,
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

interface ReadRequest extends TableReading {
  readonly options: ReadOptions;
}

function readRows({ rows, most }: ModelTaskInput, schema: FeatureSchema): ReadRequest {
  const options = { most };
  if ("instances" in rows) return { ...tableFromRecords(rows.instances, schema), options };
  if ("columns" in rows) return { ...tableFromMatrix(rows.columns, rows.data, schema), options };
  return readForecast(rows, schema, options);
}

function readForecast(
  { history = [], future = [], horizon, series }: ForecastRows,
  schema: FeatureSchema,
  options: ReadOptions,
): ReadRequest {
  const historyRows = history.length;
  const all = [...history, ...future];
  const reading: TableReading =
    all.length === 0
      ? { table: { rows: 0, columns: [] }, warnings: [] }
      : tableFromRecords(all, schema, (row) =>
          row < historyRows ? `history[${row}]` : `future[${row - historyRows}]`,
        );
  return { ...reading, options: { ...options, historyRows, horizon, series } };
}
