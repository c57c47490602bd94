/** Predictions in the shape of the API. */

import { answersOf } from "../tasks/index.ts";
import type { PredictOutput } from "./answer.ts";

/** One prediction: a value, a label with probabilities, or a step of a forecast. */
export type PredictionAnswer = ReturnType<typeof answersOf>[number];

/** Predictions of a model, in the order of its rows, sequences or steps. */
export interface PredictionAnswers {
  readonly predictions: PredictionAnswer[];
  readonly warnings: string[];
}

/** Predictions as the API answers them: one a row, sequence or forecast step, in their order, with warnings. */
export function predictionsOf(output: PredictOutput): PredictionAnswers {
  return { predictions: answersOf(output.task, output), warnings: [...output.warnings] };
}
