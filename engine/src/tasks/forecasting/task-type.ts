/** The steps to come of one series or many. */

import { coverageError } from "../../metrics/coverage-error.ts";
import { intervalCoverage } from "../../metrics/interval-coverage.ts";
import { mae } from "../../metrics/mae.ts";
import { mase } from "../../metrics/mase.ts";
import { msis } from "../../metrics/msis.ts";
import { owa } from "../../metrics/owa.ts";
import { rmse } from "../../metrics/rmse.ts";
import { rmsse } from "../../metrics/rmsse.ts";
import { smape } from "../../metrics/smape.ts";
import { wape } from "../../metrics/wape.ts";
import { wql } from "../../metrics/wql.ts";
import { meanOf } from "../constants.ts";
import { KINDS_OF_ROWS } from "../labels/label-rows.ts";
import { readValues } from "../labels/read-values.ts";
import { DEFAULT_LEVELS, levelsSchema } from "../quantile_regression/levels.ts";
import type { TaskType } from "../task-type.ts";
import { forecastAnswer } from "./answer.ts";
import { forecastingFields } from "./fields.ts";
import { forecastingFraming } from "./framing.ts";

/** Of intervals, where a run says none. */
const DEFAULT_COVERAGE = 0.9;

export const forecasting = {
  kind: "forecasting",
  title: "Forecast",
  target: "value",
  classCount: null,
  fields: forecastingFields,

  readLabel: (column, _written, rows) =>
    readValues(column, rows, KINDS_OF_ROWS, { mayBeConstant: true }),
  traits: ({ quantiles, coverage }) => ({
    quantiles: levelsSchema.parse(quantiles) ?? [...DEFAULT_LEVELS],
    coverage: typeof coverage === "number" ? coverage : DEFAULT_COVERAGE,
  }),
  framing: forecastingFraming,
  // Windows of a rolling origin; see the framing.
  folds: "plain",
  defaultFolds: 3,

  outputs: () => 1,
  outputsBefore: () => 1,
  central: () => 0,
  loss: "squared_error",
  link: "identity",
  arrange: (values) => values,

  metrics: [mase, rmsse, smape, wape, owa, wql, msis, coverageError, intervalCoverage, mae, rmse],
  usualMetrics: [mase, rmsse, smape, wape, wql, msis, intervalCoverage],
  constants: (_task, rows) => [meanOf(rows)],

  calibrators: [],
  // A layer's weights would be fitted to errors of a few origins.
  familyShares: "similar_loss",
  refitsUpTo: 0,
  stacks: false,
  undistilled:
    "a forecast depends on where its history ends, so that a teacher would have to be asked from every step that a student learns from; a small family trained by itself, such as theta or lag_gbdt, learns from all of them",
  decision: null,
  conformal: "forecast",
  sections: ["forecasts", "residuals"],
  answer: forecastAnswer,
} as const satisfies TaskType;
