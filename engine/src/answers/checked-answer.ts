/** A model's answers to what a program gives as rows, whatever that is. */

import type { TableReading } from "../data/readers/reading.ts";
import type { Model } from "../model/model.ts";
import {
  type ExplainOutput,
  explainRows as explainRead,
  type PredictedTable,
  predictRows as predictRead,
  type Question,
} from "./answer.ts";
import { readRows, rowsKindOf } from "./rows.ts";
import { checkShape } from "./rows-shape.ts";

/**
 * Rows of a request as the table that `Model.predict` takes. Where they are predicted one by one (see
 * `rowsKindOfModel`), any parts of it may be predicted by themselves and joined by `joinPredictions`: values,
 * labels and warnings are the same, apart from those that reading gave.
 *
 * @throws DataError where the rows are not the model's
 * @throws TypeError for what is no rows
 */
export function tableOfRows(model: Model, { rows, most }: Question): TableReading {
  checkShape(rows, rowsKindOf(model));
  const { table, warnings } = readRows(model, rows, most);
  return { table, warnings };
}

/**
 * A loaded model's predictions of rows as a request gives them.
 *
 * @throws DataError where the rows are not the model's
 * @throws TypeError for what is no rows
 */
export function predictRows(model: Model, question: Question): PredictedTable {
  checkShape(question.rows, rowsKindOf(model));
  return predictRead(model, question);
}

/**
 * A loaded model's explanations of rows as a request gives them.
 *
 * @throws DataError where the rows are not the model's
 * @throws TypeError for what is no rows
 */
export function explainRows(model: Model, question: Question): ExplainOutput {
  checkShape(question.rows, rowsKindOf(model));
  return explainRead(model, question);
}
