/** A number, by its mean. */

import { mae } from "../../metrics/mae.ts";
import { mape } from "../../metrics/mape.ts";
import { medianAbsoluteError } from "../../metrics/median-absolute-error.ts";
import { r2 } from "../../metrics/r2.ts";
import { rmse } from "../../metrics/rmse.ts";
import { rmsle } from "../../metrics/rmsle.ts";
import { valueAnswer } from "../answers.ts";
import { meanOf, medianOf } from "../constants.ts";
import { KINDS_OF_ROWS } from "../labels/label-rows.ts";
import { readValues } from "../labels/read-values.ts";
import type { TaskType } from "../task-type.ts";

export const regression = {
  kind: "regression",
  title: "Regression",
  target: "value",
  classCount: null,
  fields: {},

  readLabel: (column, _written, rows) => readValues(column, rows, KINDS_OF_ROWS),
  traits: () => ({}),
  framing: null,
  folds: "plain",
  defaultFolds: 5,

  outputs: () => 1,
  outputsBefore: () => 1,
  central: () => 0,
  loss: "squared_error",
  link: "identity",
  arrange: (values) => values,

  metrics: [rmse, mae, r2, mape, medianAbsoluteError, rmsle],
  usualMetrics: [rmse, mae, r2],
  // Of rows that weigh differently the median is another one.
  constants: (_task, rows) =>
    rows.weights === null ? [meanOf(rows), medianOf(rows)] : [meanOf(rows)],

  calibrators: [],
  familyShares: null,
  refitsUpTo: 0,
  stacks: true,
  undistilled: null,
  decision: null,
  conformal: "interval",
  sections: ["residuals"],
  answer: valueAnswer,
} as const satisfies TaskType;
