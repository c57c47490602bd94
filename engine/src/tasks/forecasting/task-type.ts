/** The steps to come of one series or many. */

import { mae } from "../../metrics/mae.ts";
import { mase } from "../../metrics/mase.ts";
import { owa } from "../../metrics/owa.ts";
import { rmse } from "../../metrics/rmse.ts";
import { rmsse } from "../../metrics/rmsse.ts";
import { smape } from "../../metrics/smape.ts";
import { wape } from "../../metrics/wape.ts";
import { meanOf } from "../constants.ts";
import { KINDS_OF_ROWS } from "../labels/label-rows.ts";
import { readValues } from "../labels/read-values.ts";
import { DEFAULT_LEVELS, levelsSchema } from "../quantile_regression/levels.ts";
import type { TaskType } from "../task-type.ts";
import { forecastAnswer } from "./answer.ts";
import { forecastingFields } from "./fields.ts";
import { forecastingFraming } from "./framing.ts";

export const forecasting = {
  kind: "forecasting",
  title: "Forecast",
  target: "value",
  classCount: null,
  fields: forecastingFields,

  readLabel: (column, _written, rows) =>
    readValues(column, rows, KINDS_OF_ROWS, { mayBeConstant: true }),
  traits: ({ quantiles }) => ({ quantiles: levelsSchema.parse(quantiles) ?? [...DEFAULT_LEVELS] }),
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

  metrics: [mase, rmsse, smape, wape, owa, mae, rmse],
  usualMetrics: [mase, rmsse, smape, wape],
  constants: (_task, rows) => [meanOf(rows)],

  calibrators: [],
  // A layer's weights would be fitted to errors of a few origins.
  stacks: false,
  distils: false,
  decision: null,
  conformal: "forecast",
  sections: ["forecasts", "residuals"],
  answer: forecastAnswer,
} as const satisfies TaskType;
