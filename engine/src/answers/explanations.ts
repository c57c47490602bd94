/** Explanations in the shape of the API. */

import type { BlendExplanation } from "../model/blend-explanation.ts";
import type { SegmentExplanation } from "../model/segment-explanation.ts";
import { hasClasses, type Task } from "../tasks/index.ts";
import type { ExplainOutput } from "./answer.ts";

/** What one stretch of time of a channel adds. */
export interface SegmentAnswer {
  /** The column of the channel. */
  readonly column: string;
  /** Its first step in the sequence, from 0. */
  readonly start: number;
  /** The step behind its last. */
  readonly end: number;
  /** Its Shapley value. */
  readonly contribution: number;
  /** Standard error of the contribution; 0 where it is exact. */
  readonly error: number;
}

/** What stretches of time of a sequence add; see `SegmentExplanation`. */
export interface OverTimeAnswer {
  /** What the contributions add up in. */
  readonly space: "identity" | "probability";
  /** The prediction for the sequence with every step missing. */
  readonly base_value: number;
  /** `base_value` plus all contributions. */
  readonly prediction: number;
  /** Whether every combination of segments was asked. */
  readonly exact: boolean;
  /** Column by column, each by time. */
  readonly segments: SegmentAnswer[];
}

/** How the columns moved one output from the average prediction. */
export interface AdditiveAnswer {
  /** The prediction for no row in particular. */
  readonly base_value: number;
  /** `base_value` plus all contributions. */
  readonly prediction: number;
  /** By column. */
  readonly contributions: Record<string, number>;
  /** Where segments were asked for. */
  readonly over_time?: OverTimeAnswer;
}

/** Which prediction is explained, where rows are not explained one by one. */
export interface ExplainedKey {
  /** Sequence tasks: the sequence. */
  readonly id?: string;
  /** Forecasts: the series. */
  readonly series?: Record<string, string>;
  /** Forecasts: the step. */
  readonly time?: string | number;
}

/** One explanation: of the output, or one a class. */
export type ExplanationAnswer = ExplainedKey &
  (AdditiveAnswer | { readonly classes: Record<string, AdditiveAnswer> });

/** Explanations of a model, one a prediction. */
export interface ExplanationAnswers {
  /** The unit in which contributions add up. */
  readonly space: BlendExplanation["space"];
  readonly explanations: ExplanationAnswer[];
  readonly warnings: string[];
}

/**
 * Explanations as the API answers them: one a row, sequence or forecast step, in their order. Contributions add up to the
 * prediction less the base value, in the unit of the answer's `space`.
 */
export function explanationsOf(output: ExplainOutput): ExplanationAnswers {
  const { baseValues, predictions, contributions, columns, task, keys, overTime: found } = output;
  const one = (row: number, k: number): AdditiveAnswer => ({
    base_value: baseValues[k],
    prediction: predictions[row][k],
    contributions: Object.fromEntries(
      columns.map((column, index) => [column, contributions[row][k][index]]),
    ),
    ...(found ? { over_time: overTimeOf(found, k, task) } : {}),
  });
  const explanations = predictions.map((values, row) => ({
    ...keyOf(keys?.[row] ?? {}),
    ...(values.length === 1
      ? one(row, 0)
      : { classes: Object.fromEntries(task.classes.map((name, k) => [name, one(row, k)])) }),
  }));
  return { space: output.space, explanations, warnings: [...output.warnings] };
}

function keyOf({ id, series, time }: Readonly<Record<string, unknown>>): ExplainedKey {
  return {
    ...(typeof id === "string" && { id }),
    ...(typeof series === "object" && series !== null && { series: textsOf(series) }),
    ...((typeof time === "string" || typeof time === "number") && { time }),
  };
}

const textsOf = (values: object): Record<string, string> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)]));

function overTimeOf(found: SegmentExplanation, k: number, task: Task): OverTimeAnswer {
  return {
    space: hasClasses(task) ? "probability" : "identity",
    base_value: found.baseValues[k],
    prediction: found.predictions[k],
    exact: found.exact,
    segments: found.segments.map(({ column, start, end, contributions, errors }) => ({
      column,
      start,
      end,
      contribution: contributions[k],
      error: errors[k],
    })),
  };
}
