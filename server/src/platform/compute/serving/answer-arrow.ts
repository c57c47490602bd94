/** Rows of an Arrow stream or file, predicted: all at once, or in parts that several threads take. */

import {
  DataError,
  hasClasses,
  joinPredictions,
  type Model,
  type ModelPredictions,
  type PredictOutput,
  predictionsOf,
  READ_LIMITS,
  readTable,
  rowsKindOfModel,
  type Table,
} from "@distillery/engine";
import {
  type ArrowRange,
  type ArrowRangesOptions,
  arrowRanges,
  readArrowRange,
} from "@distillery/engine/arrow";
import { asDataFault } from "../../input/data-fault.ts";
import { unprocessable } from "../../input/problem.ts";
import type { AnsweredRows } from "../answered-rows.ts";
import { MOST_ARROW_ROWS, MOST_ROWS } from "../model-rows.ts";
import { arrowAnswer } from "./arrow-answer.ts";
import type { ArrowBody, ArrowPart, ArrowParts } from "./messages.ts";

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

/** Rows of a part: some ms of work, behind which a small request may wait. */
const PART_ROWS = 8192;
/** Of one body: each looks through its columns for itself. */
const MOST_PARTS = 32;

/** Parts of a body that are worth several threads; null = it is answered whole. */
export function planArrow(
  model: Model,
  { body, answerAs }: ArrowBody,
): { readonly parts: readonly ArrowRange[] } | null {
  const isShared = body.buffer instanceof SharedArrayBuffer;
  if (!isShared || answerAs !== "arrow" || rowsKindOfModel(model) !== "rows") return null;
  const options = readingOf(model);
  const whole = arrowRanges(body, MOST_ARROW_ROWS, options);
  if (whole === null) return null;
  const rows = whole.reduce((sum, range) => sum + range.rows, 0);
  if (rows > MOST_ARROW_ROWS) return null;
  const parts = arrowRanges(body, Math.max(PART_ROWS, rows / MOST_PARTS), options) ?? [];
  return parts.length > 1 ? { parts } : null;
}

/** @throws UnprocessableError, where it is better told of the whole */
export function predictArrowPart(model: Model, request: ArrowPart): ModelPredictions {
  const { body, range, coverage } = request;
  try {
    return model.predict(readArrowRange(body, range, readingOf(model)), { coverage });
  } catch (error) {
    throw asDataFault(error, ["body"]);
  }
}

/** The answer to a body whose parts were predicted. */
export function joinArrow(model: Model, { modelId, parts }: ArrowParts): AnsweredRows {
  const output = outputOf(model, joinPredictions(parts, model.document));
  return { body: arrowAnswer(modelId, output), rows: output.values.length / output.outputs };
}

const readingOf = ({ inputs }: Model): ArrowRangesOptions => ({
  kinds: Object.fromEntries(inputs.columns.map(({ name, kind }) => [name, kind])),
  limits: ARROW_LIMITS,
});

async function predicted(
  model: Model,
  { body, coverage, answerAs }: ArrowBody,
): Promise<PredictOutput> {
  const most = answerAs === "arrow" ? MOST_ARROW_ROWS : MOST_ROWS.predict;
  const table = tableIn(model, body, most) ?? (await readWhole(model, body, most));
  if (table.rows === 0) throw new DataError("There are no rows to predict.");
  if (table.rows > most) {
    const more = `at most ${most} rows are answered as ${answerAs === "arrow" ? "Arrow" : "JSON"}`;
    throw unprocessable(["body"], `${more}: send them in several requests`, {
      type: "too_long",
      ctx: { max_length: most },
    });
  }
  return outputOf(model, model.predict(table, { coverage }));
}

/** The rows with only those columns decoded that the model reads; null where that is not possible. */
function tableIn(model: Model, body: Uint8Array, most: number): Table | null {
  const options = readingOf(model);
  const ranges = arrowRanges(body, most + 1, options);
  if (ranges?.length !== 1) return null;
  try {
    return readArrowRange(body, ranges[0], options);
  } catch (error) {
    // Who reads all of it says what is wrong, and where.
    if (error instanceof DataError) return null;
    throw error;
  }
}

async function readWhole(model: Model, body: Uint8Array, most: number): Promise<Table> {
  const { kinds, limits } = readingOf(model);
  const { table } = await readTable([body], {
    format: "arrow",
    kinds,
    maxRows: most + 1,
    limits,
  });
  return table;
}

/** What else reading says is for who registers a dataset, such as that a column has no values. */
function outputOf(model: Model, predictions: ModelPredictions): PredictOutput {
  const { task } = model.document;
  return { ...predictions, task, labels: hasClasses(task) ? model.decide(predictions) : null };
}
