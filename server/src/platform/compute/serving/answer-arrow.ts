/** Rows of an Arrow stream or file, predicted. */

import {
  DataError,
  hasClasses,
  type Model,
  type PredictOutput,
  predictionsOf,
  READ_LIMITS,
  readTable,
  rowsKindOfModel,
} from "@distillery/engine";
import { asDataFault } from "../../input/data-fault.ts";
import { unprocessable } from "../../input/problem.ts";
import type { AnsweredRows } from "../answered-rows.ts";
import { MOST_ARROW_ROWS, MOST_ROWS } from "../model-rows.ts";
import { arrowAnswer } from "./arrow-answer.ts";
import type { ArrowBody } from "./messages.ts";

/** A thread that answers holds the whole table: 1,000,000 rows of some hundred columns. */
export const ARROW_LIMITS = { ...READ_LIMITS, tableBytes: 2 ** 30 };

/** @throws UnprocessableError that names the column and the row or batch */
export async function answerArrow(model: Model, request: ArrowBody): Promise<AnsweredRows> {
  const { modelId, answerAs } = request;
  if (rowsKindOfModel(model) !== "rows") {
    throw unprocessable(["body"], "rows of sequences and series are sent as JSON");
  }
  try {
    const output = await predicted(model, request);
    const rows = output.values.length / output.outputs;
    if (answerAs === "arrow") return { body: arrowAnswer(modelId, output), rows };
    const answer = { model_id: modelId, ...predictionsOf(output) };
    return { body: Buffer.from(JSON.stringify(answer)), rows };
  } catch (error) {
    throw asDataFault(error, ["body"]);
  }
}

async function predicted(
  model: Model,
  { body, coverage, answerAs }: ArrowBody,
): Promise<PredictOutput> {
  const kinds = Object.fromEntries(model.inputs.columns.map(({ name, kind }) => [name, kind]));
  const most = answerAs === "arrow" ? MOST_ARROW_ROWS : MOST_ROWS.predict;
  const { table } = await readTable([body], {
    format: "arrow",
    kinds,
    maxRows: most + 1,
    limits: ARROW_LIMITS,
  });
  if (table.rows === 0) throw new DataError("There are no rows to predict.");
  if (table.rows > most) {
    const more = `at most ${most} rows are answered as ${answerAs === "arrow" ? "Arrow" : "JSON"}`;
    throw unprocessable(["body"], `${more}: send them in several requests`, {
      type: "too_long",
      ctx: { max_length: most },
    });
  }
  const predictions = model.predict(table, { coverage });
  const { task } = model.document;
  // What else reading says is for who registers a dataset, such as that a column has no values.
  return { ...predictions, task, labels: hasClasses(task) ? model.decide(predictions) : null };
}
