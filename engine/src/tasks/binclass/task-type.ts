/** One of two classes, by the probability of the second. */

import { accuracy } from "../../metrics/accuracy.ts";
import { averagePrecision } from "../../metrics/average-precision.ts";
import { balancedAccuracy } from "../../metrics/balanced-accuracy.ts";
import { brier } from "../../metrics/brier.ts";
import { f1 } from "../../metrics/f1.ts";
import { f1Macro } from "../../metrics/f1-macro.ts";
import { logLoss } from "../../metrics/log-loss.ts";
import { mcc } from "../../metrics/mcc.ts";
import { rocAuc } from "../../metrics/roc-auc.ts";
import { labelAnswer } from "../answers.ts";
import { classSharesOf, positiveAlone } from "../constants.ts";
import { KINDS_OF_ROWS } from "../labels/label-rows.ts";
import { positiveClassFields } from "../labels/positive-class.ts";
import { readClasses } from "../labels/read-classes.ts";
import type { TaskType } from "../task-type.ts";

export const binclass = {
  kind: "binclass",
  title: "Classification into two classes",
  target: "class",
  classCount: { least: 2, most: 2 },
  fields: positiveClassFields,

  readLabel: (column, written, rows) => readClasses(column, written, rows, KINDS_OF_ROWS, 2),
  traits: () => ({}),
  framing: null,
  folds: "stratified",
  defaultFolds: 5,

  outputs: () => 1,
  outputsBefore: () => 1,
  central: () => 0,
  loss: "binary_log_loss",
  link: "logit",
  arrange: (probabilities) => probabilities,

  metrics: [logLoss, rocAuc, averagePrecision, accuracy, balancedAccuracy, f1, f1Macro, brier, mcc],
  usualMetrics: [accuracy, rocAuc, f1, logLoss],
  constants: (task, rows) => [classSharesOf(task, 1, rows), positiveAlone(task)],

  calibrators: ["temperature", "isotonic"],
  familyShares: null,
  refitsUpTo: 0,
  stacks: true,
  undistilled: null,
  decision: "threshold",
  conformal: "set",
  sections: ["confusion", "threshold_curves", "reliability"],
  answer: labelAnswer,
} as const satisfies TaskType;
