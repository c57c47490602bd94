/** A model's answers to the rows of a request, of whose form the caller has made sure. */

import type { Table } from "../data/table.ts";
import type { BlendExplanation } from "../model/blend-explanation.ts";
import type { Model } from "../model/model.ts";
import type { ModelPredictions } from "../model/predictions.ts";
import type { SegmentExplanation } from "../model/segment-explanation.ts";
import { hasClasses, type Task } from "../tasks/index.ts";
import { type Rows, readRows } from "./rows.ts";

/** What is asked of a model. */
export interface Question {
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

/** The same, with the table that the rows were read as. */
export interface PredictedTable extends PredictOutput {
  readonly table: Table;
}

/**
 * A loaded model's predictions of rows as a request gives them.
 *
 * @throws DataError where the rows are not the model's
 */
export function predictRows(model: Model, { rows, coverage, most }: Question): PredictedTable {
  const { table, warnings, options } = readRows(model, rows, most);
  const { task } = model.document;
  const predictions = model.predict(table, { ...options, coverage });
  return {
    ...predictions,
    table,
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
 * A loaded model's explanations of rows as a request gives them.
 *
 * @throws DataError where the rows are not the model's
 */
export function explainRows(model: Model, { rows, segments, most }: Question): ExplainOutput {
  const { table, warnings, options } = readRows(model, rows, most);
  const overTime = segments === undefined ? null : model.explainOverTime(table, segments);
  const explanation = model.explain(table, options);
  return {
    ...explanation,
    overTime,
    task: model.document.task,
    warnings: [...warnings.map(({ message }) => message), ...explanation.warnings],
  };
}
