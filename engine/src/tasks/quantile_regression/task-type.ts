/** A number, by quantiles of several levels. */

import { lowerQuantile } from "../../data/weighted-quantile.ts";
import { coverageError } from "../../metrics/coverage-error.ts";
import { pinball } from "../../metrics/pinball.ts";
import { KINDS_OF_ROWS } from "../labels/label-rows.ts";
import { readValues } from "../labels/read-values.ts";
import type { ConstantAnswer, ConstantRows, TaskForm, TaskType } from "../task-type.ts";
import { quantilesAnswer } from "./answer.ts";
import { DEFAULT_LEVELS, levelsOf, levelsSchema, middleOf } from "./levels.ts";

import { rearrange } from "./rearrange.ts";

export const quantileRegression = {
  kind: "quantile_regression",
  title: "Regression of quantiles",
  target: "value",
  classCount: null,
  fields: { quantiles: levelsSchema },

  readLabel: (column, _written, rows) => readValues(column, rows, KINDS_OF_ROWS),
  traits: ({ quantiles }) => ({ quantiles: levelsSchema.parse(quantiles) ?? [...DEFAULT_LEVELS] }),
  framing: null,
  folds: "plain",
  defaultFolds: 5,

  outputs: (task) => levelsOf(task).length,
  outputsBefore: ({ quantiles }) => quantiles?.length ?? DEFAULT_LEVELS.length,
  central: (task) => middleOf(levelsOf(task)),
  loss: "pinball",
  link: "identity",
  arrange: rearrange,

  metrics: [pinball, coverageError],
  usualMetrics: [pinball, coverageError],
  constants: (task, rows) => [quantilesOf(task, rows)],

  calibrators: [],
  // A layer's weights would be fitted to squares; quantiles are averaged level by level.
  familyShares: null,
  refitsUpTo: 0,
  stacks: false,
  undistilled:
    "a teacher answers with quantiles of its own, and quantiles of those are not those of the label",
  decision: null,
  // The quantiles themselves say how sure the model is.
  conformal: null,
  sections: ["residuals", "quantiles"],
  answer: quantilesAnswer,
} as const satisfies TaskType;

function quantilesOf(task: TaskForm, { target, weights }: ConstantRows): ConstantAnswer {
  return {
    nameFor: () => "the quantiles of all rows",
    of: (train) =>
      Float64Array.from(levelsOf(task), (level) =>
        lowerQuantile(
          Float64Array.from(train, (row) => target[row]),
          weights && Float64Array.from(train, (row) => weights[row]),
          level,
        ),
      ),
  };
}
