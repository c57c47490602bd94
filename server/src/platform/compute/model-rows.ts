/** Rows of a request, and predictions and explanations of them, in the shapes of the API. */

import {
  answerSchema,
  answersOf,
  DataError,
  type ExplainOutput,
  HIGHEST_LEVEL,
  LOWEST_LEVEL,
  type PredictOutput,
  type Rows,
} from "@distillery/engine";
import { z } from "zod";
import { UnprocessableError, unprocessable, type ValidationErrorItem } from "../input/problem.ts";
import { bodyErrors } from "../input/validation-errors.ts";

/** Rows of one request; more are sent in several. A contribution costs far more than a prediction. */
export const MOST_ROWS = { predict: 10_000, explain: 1_000 } as const;
/** Values of one request: 10,000 rows of 400 columns. */
export const MOST_VALUES = 4_000_000;

const cell = z.union([z.string(), z.number(), z.boolean(), z.null()]);

/** @param most the largest number of rows */
export const rowsSchema = (most: number) => rowsBeside(most, {});

/**
 * @param most the largest number of rows
 * @param beside members that stand beside the rows
 */
export const rowsBeside = <Beside extends z.ZodRawShape>(most: number, beside: Beside) =>
  z.union([
    z.strictObject({
      ...beside,
      instances: z
        .array(z.record(z.string(), cell))
        .min(1)
        .max(most)
        .describe(`Rows as objects; a column left out is missing. At most ${most} a request.`),
    }),
    z.strictObject({
      ...beside,
      columns: z.array(z.string()).min(1).describe("Column names, by the order of the cells."),
      data: z
        .array(z.array(cell))
        .min(1)
        .max(most)
        .describe(`Rows as lists of cells. At most ${most} a request.`),
    }),
  ]);

/** `rowsSchema` without a look into rows: of a fault in each cell, zod would make as many objects. */
const outline = z.union([
  z.strictObject({ instances: z.array(z.unknown()).min(1) }),
  z.strictObject({ columns: z.array(z.unknown()).min(1), data: z.array(z.unknown()).min(1) }),
]);

/** So many faults are named. */
const MOST_FAULTS = 100;

/**
 * The rows of a request's body, in time that follows its size whatever is wrong with it.
 *
 * @param most the largest number of rows
 * @throws UnprocessableError that names rows and cells
 */
export function readRows(body: unknown, most: number): Rows {
  const parsed = outline.safeParse(body);
  if (!parsed.success) throw new UnprocessableError(bodyErrors(parsed.error, body, outline));
  const rows = parsed.data;
  const [name, list] = "instances" in rows ? ["instances", rows.instances] : ["data", rows.data];
  if (list.length > most) {
    throw unprocessable(
      ["body", name],
      `List should have at most ${most} items, not ${list.length}: send the rows in several requests`,
      {
        type: "too_long",
        ctx: { field_type: "List", max_length: most, actual_length: list.length },
      },
    );
  }
  const faults: ValidationErrorItem[] = [];
  const wrong = (loc: readonly (string | number)[], type: string, msg: string): boolean =>
    faults.push({ loc: ["body", ...loc], msg, type }) === MOST_FAULTS;
  if ("columns" in rows) {
    for (const [at, column] of rows.columns.entries()) {
      if (typeof column === "string") continue;
      if (wrong(["columns", at], "string_type", "Input should be a valid string")) break;
    }
  }
  for (const [at, row] of list.entries()) {
    if (faults.length === MOST_FAULTS) break;
    if (typeof row !== "object" || row === null || Array.isArray(row) !== (name === "data")) {
      if (name === "data") wrong([name, at], "list_type", "Input should be a valid list");
      else wrong([name, at], "dict_type", "Input should be a valid dictionary");
      continue;
    }
    for (const key in row) {
      const value = (row as Readonly<Record<string, unknown>>)[key];
      if (typeof value !== "object" || value === null) continue;
      const place = name === "data" ? Number(key) : key;
      const msg = "Input should be a string, a number, a boolean or null";
      if (wrong([name, at, place], "scalar_type", msg)) break;
    }
  }
  if (faults.length > 0) throw new UnprocessableError(faults);
  return rows as Rows;
}

/** What the engine finds wrong with rows, at its row and column; other errors as they are. */
export function asRowsFault(error: unknown, rows: Rows): unknown {
  if (!(error instanceof DataError)) return error;
  const { row, column, message } = error;
  const inInstances = "instances" in rows;
  const loc: (string | number)[] = ["body"];
  if (row !== undefined) loc.push(inInstances ? "instances" : "data", row - 1);
  if (column !== undefined) {
    if (inInstances) loc.push(...(row === undefined ? ["instances"] : []), column);
    else {
      // A fault of the column as a whole stands where it is named.
      if (row === undefined) loc.push("columns");
      loc.push(row === undefined ? rows.columns.lastIndexOf(column) : rows.columns.indexOf(column));
    }
  }
  return unprocessable(loc, message, {
    ctx: { ...(column !== undefined && { column }), ...(row !== undefined && { row }) },
  });
}

export const coverageQuery = z
  .number()
  .min(LOWEST_LEVEL)
  .max(HIGHEST_LEVEL)
  .optional()
  .describe(
    "The share of rows whose interval or set is to hold the truth. Default: what the training request asked for, 0.9 unless it says otherwise. A value between two hundredths is served by the higher one.",
  );

export const predictionsSchema = z.object({
  model_id: z.uuid(),
  predictions: z.array(answerSchema),
  warnings: z.array(z.string()),
});

export type PredictionsAnswer = z.infer<typeof predictionsSchema>;
type Predictions = PredictionsAnswer["predictions"];

export function toPredictions(output: PredictOutput): Predictions {
  return answersOf(output.task, output);
}

const additive = z.object({
  base_value: z.number().describe("The prediction for no row in particular."),
  prediction: z.number().describe("base_value plus all contributions."),
  contributions: z.record(z.string(), z.number()),
});

export const explanationsSchema = z.object({
  model_id: z.uuid(),
  space: z
    .enum(["identity", "logit", "log_softmax", "probability"])
    .describe("What the contributions add up in."),
  explanations: z.array(
    z.union([
      additive,
      z.object({ classes: z.record(z.string(), additive).describe("One entry a class.") }),
    ]),
  ),
  warnings: z.array(z.string()),
});

export type ExplanationsAnswer = z.infer<typeof explanationsSchema>;
type Explanations = ExplanationsAnswer["explanations"];

export function toExplanations(output: ExplainOutput): Explanations {
  const { baseValues, predictions, contributions, columns, task } = output;
  const one = (row: number, k: number) => ({
    base_value: baseValues[k],
    prediction: predictions[row][k],
    contributions: Object.fromEntries(
      columns.map((column, index) => [column, contributions[row][k][index]]),
    ),
  });
  return predictions.map((values, row) =>
    values.length === 1
      ? one(row, 0)
      : { classes: Object.fromEntries(task.classes.map((name, k) => [name, one(row, k)])) },
  );
}
