/** Rows of a request, and predictions and explanations of them, in the shapes of the API. */

import {
  answerSchema,
  asksForForecasts,
  cellFaults,
  forecastFault,
  HIGHEST_LEVEL,
  LOWEST_LEVEL,
  modelFault,
  type RowFault,
  type Rows,
  type RowsKind,
} from "@distillery/engine";
import { z } from "zod";
import { UnprocessableError, unprocessable, type ValidationErrorItem } from "../input/problem.ts";
import { bodyErrors } from "../input/validation-errors.ts";

/** Rows of one request; more are sent in several. A contribution costs far more than a prediction. */
export const MOST_ROWS = { predict: 10_000, explain: 1_000 } as const;
/** Rows of one request and its answer, both as Arrow. */
export const MOST_ARROW_ROWS = 1_000_000;
/** Values of one request: 10,000 rows of 400 columns. */
export const MOST_VALUES = 4_000_000;

/** What rows are sent for. */
export type Operation = keyof typeof MOST_ROWS;

/**
 * Rows of a list, by what they are: explained one by one they are fewer. Predictions of sequences and
 * steps to forecast are held to `MOST_ROWS` beside.
 */
const mostRows = (operation: Operation, kind: RowsKind | null): number =>
  kind === "rows" ? MOST_ROWS[operation] : MOST_ROWS.predict;

const cell = z.union([z.string(), z.number(), z.boolean(), z.null()]);
const record = z.record(z.string(), cell);

/** What a body of rows may be. */
export const rowsSchema = (operation: Operation) => rowsBeside(operation, {});

const inAll = `${MOST_ROWS.predict.toLocaleString("en")} rows of history and future together at most.`;

/** Members of a request that asks for forecasts. */
const forecastMembers = {
  history: z
    .array(record)
    .max(MOST_ROWS.predict)
    .optional()
    .describe(
      `Known values: rows with the time, the columns that tell series apart, and the label. They continue the training data of a series, or stand alone where they do not adjoin it. Absent: the end of the training data. ${inAll}`,
    ),
  future: z
    .array(record)
    .max(MOST_ROWS.predict)
    .optional()
    .describe(
      "Steps to forecast, as rows without the label, with the columns that are known in advance. Absent: the next `horizon` steps.",
    ),
  horizon: z
    .int()
    .min(1)
    .optional()
    .describe("Steps to forecast for series that have none in `future`. Default: as in training."),
  series: z
    .array(record)
    .min(1)
    .max(MOST_ROWS.predict)
    .optional()
    .describe(
      "Series to forecast, by the values of their columns; a sum of a `hierarchy` by those that it keeps, the total by none. Absent: the series of the rows, or all where there are no rows.",
    ),
};

/** @param beside members that stand beside the rows */
export const rowsBeside = <Beside extends z.ZodRawShape>(operation: Operation, beside: Beside) => {
  const most = MOST_ROWS[operation];
  const bound = `At most ${most} per request${most < MOST_ROWS.predict ? `, or ${MOST_ROWS.predict} steps of sequences or series` : ""}.`;
  return z.union([
    z.strictObject({
      ...beside,
      instances: z
        .array(record)
        .min(1)
        .max(MOST_ROWS.predict)
        .describe(
          `Rows as objects; a column left out is missing, and so is a text that stands for a missing cell in a file, as an empty one or NA does, unless training data held it as a text. For a model of sequences, rows are steps; for a forecast, rows with a label are history and the others are steps to forecast. ${bound}`,
        ),
    }),
    z.strictObject({
      ...beside,
      columns: z.array(z.string()).min(1).describe("Column names, by the order of the cells."),
      data: z
        .array(z.array(cell))
        .min(1)
        .max(MOST_ROWS.predict)
        .describe(`Rows as lists of cells. ${bound}`),
    }),
    z.strictObject({ ...beside, ...forecastMembers }),
  ]);
};

/** `rowsSchema` without a look into rows: of a fault in each cell, zod would make as many objects. */
const outline = z.union([
  z.strictObject({ instances: z.array(z.unknown()).min(1) }),
  z.strictObject({ columns: z.array(z.unknown()).min(1), data: z.array(z.unknown()).min(1) }),
]);

const forecastOutline = z.strictObject({
  history: z.array(z.unknown()).optional(),
  future: z.array(z.unknown()).optional(),
  horizon: forecastMembers.horizon,
  series: z.array(z.unknown()).min(1).optional(),
});

/**
 * The rows of a request's body, in time that follows its size whatever is wrong with it.
 *
 * @param kind of the model that is asked; null = of any
 * @param areJson see `cellFaults`
 * @throws UnprocessableError that names rows and cells
 */
export function readRows(
  body: unknown,
  operation: Operation,
  kind: RowsKind | null,
  areJson = true,
): Rows {
  const isForecast = asksForForecasts(body, kind);
  const shape = isForecast ? forecastOutline : outline;
  const parsed = shape.safeParse(body);
  if (!parsed.success) throw new UnprocessableError(bodyErrors(parsed.error, body, shape));
  const faults = cellFaults(parsed.data, areJson);
  if (faults.length > 0) throw new UnprocessableError(faults.map(inBody));
  const rows = parsed.data as Rows;
  checkRows(rows, operation, kind);
  return rows;
}

/**
 * That there are no more rows than are answered at once, and that they are of the model's kind.
 *
 * @param kind of the model that is asked; null = of any
 * @throws UnprocessableError
 */
export function checkRows(rows: Rows, operation: Operation, kind: RowsKind | null): void {
  const most = mostRows(operation, kind);
  if ("instances" in rows) {
    checkLength("instances", rows.instances.length, most);
    return;
  }
  if ("columns" in rows) {
    checkLength("data", rows.data.length, most);
    return;
  }
  const fault = kind && forecastFault(rows, kind);
  if (fault) throw new UnprocessableError([inBody(fault)]);
  const { history = [], future = [], series = [] } = rows;
  checkLength("history", history.length, most);
  checkLength("future", history.length + future.length, most);
  checkLength("series", series.length, most);
}

function checkLength(member: string, length: number, most: number): void {
  if (length <= most) return;
  const what = member === "future" ? "history and future together" : "List";
  throw unprocessable(
    ["body", member],
    `${what} should have at most ${most} items, not ${length}: send the rows in several requests`,
    {
      type: "too_long",
      ctx: { field_type: "List", max_length: most, actual_length: length },
    },
  );
}

/** What the engine finds wrong with rows, at its row and column; other errors as they are. */
export function asRowsFault(error: unknown, rows: Rows): unknown {
  const fault = modelFault(error, rows);
  return fault === null ? error : new UnprocessableError([inBody(fault)]);
}

const inBody = (fault: RowFault): ValidationErrorItem => ({
  ...fault,
  loc: ["body", ...fault.loc],
});

export const coverageQuery = z
  .number()
  .min(LOWEST_LEVEL)
  .max(HIGHEST_LEVEL)
  .optional()
  .describe(
    "The share of rows whose interval or set should contain the truth. Default: that of the training request, 0.9 unless it says otherwise. A value between two hundredths is rounded up.",
  );

export const predictionsSchema = z.object({
  model_id: z.uuid(),
  predictions: z.array(answerSchema),
  warnings: z.array(z.string()),
});

export type PredictionsAnswer = z.infer<typeof predictionsSchema>;

/** Which prediction it is of, where rows are not explained one by one. */
const explained = z.object({
  id: z.string().optional().describe("Sequence tasks: the sequence."),
  series: z.record(z.string(), z.string()).optional().describe("Forecasts: the series."),
  time: z.union([z.string(), z.number()]).optional().describe("Forecasts: the step."),
});

/** Segments of each channel. */
export const segmentsQuery = z
  .int()
  .min(1)
  .max(64)
  .optional()
  .describe(
    "Of a model of sequences, and of one sequence: tells also what each of so many equal stretches of time of each channel adds to the prediction (`over_time`). Segments of all channels together are at most 256. Default: none.",
  );

const overTime = z
  .object({
    space: z
      .enum(["identity", "probability"])
      .describe("What the contributions add up in: values, or probabilities."),
    base_value: z.number().describe("The prediction for the sequence with every step missing."),
    prediction: z.number().describe("base_value plus all contributions."),
    exact: z
      .boolean()
      .describe(
        "Whether every combination of segments was asked (up to 8 of them in all); else orders of them were drawn, always the same, and `error` says how far off they may be.",
      ),
    segments: z
      .array(
        z.object({
          column: z.string().describe("The column of the channel."),
          start: z.int().describe("Its first step in the sequence, from 0."),
          end: z.int().describe("The step behind its last."),
          contribution: z
            .number()
            .describe(
              "Its Shapley value; a segment that is left out lies on a straight line between its neighbours, or with the whole channel gone, at the channel's mean in training.",
            ),
          error: z.number().describe("Standard error of the contribution; 0 where it is exact."),
        }),
      )
      .describe("Column by column, each by time."),
  })
  .optional()
  .describe("What each stretch of time adds; where `segments` asked for it.");

const additive = z.object({
  base_value: z.number().describe("The prediction for no row in particular."),
  prediction: z.number().describe("base_value plus all contributions."),
  contributions: z.record(z.string(), z.number()),
  over_time: overTime,
});

export const explanationsSchema = z.object({
  model_id: z.uuid(),
  space: z
    .enum(["identity", "logit", "log_softmax", "probability"])
    .describe("The unit in which contributions add up."),
  explanations: z.array(
    z.union([
      explained.extend(additive.shape),
      explained.extend({
        classes: z.record(z.string(), additive).describe("One entry per class."),
      }),
    ]),
  ),
  warnings: z.array(z.string()),
});

export type ExplanationsAnswer = z.infer<typeof explanationsSchema>;
