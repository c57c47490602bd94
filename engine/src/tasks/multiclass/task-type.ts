/** One of several classes, by a probability for each. */

import { accuracy } from "../../metrics/accuracy.ts";
import { averagePrecision } from "../../metrics/average-precision.ts";
import { balancedAccuracy } from "../../metrics/balanced-accuracy.ts";
import { brier } from "../../metrics/brier.ts";
import { f1Macro } from "../../metrics/f1-macro.ts";
import { logLoss } from "../../metrics/log-loss.ts";
import { mcc } from "../../metrics/mcc.ts";
import { rocAuc } from "../../metrics/roc-auc.ts";
import { labelAnswer } from "../answers.ts";
import { classSharesOf, equalShares } from "../constants.ts";
import { KINDS_OF_ROWS } from "../labels/label-rows.ts";
import { MAX_CLASSES, readClasses } from "../labels/read-classes.ts";
import type { TaskForm, TaskType } from "../task-type.ts";

const outputs = ({ classes }: TaskForm): number => classes.length;

export const multiclass = {
  kind: "multiclass",
  title: "Classification",
  target: "class",
  classCount: { least: 2, most: MAX_CLASSES },
  fields: {},

  readLabel: (column, written, rows) => readClasses(column, written, rows, KINDS_OF_ROWS, null),
  traits: () => ({}),
  framing: null,
  folds: "stratified",
  defaultFolds: 5,

  outputs,
  outputsBefore: (_traits, distinct) => distinct(),
  central: () => null,
  loss: "multinomial_log_loss",
  link: "log_softmax",
  arrange: (probabilities) => probabilities,

  metrics: [logLoss, rocAuc, averagePrecision, accuracy, balancedAccuracy, f1Macro, brier, mcc],
  usualMetrics: [accuracy, f1Macro, logLoss],
  constants: (task, rows) => [classSharesOf(task, outputs(task), rows), equalShares(task)],

  calibrators: ["temperature", "isotonic"],
  familyShares: null,
  refitsUpTo: 0,
  stacks: true,
  undistilled: null,
  decision: "most_probable",
  conformal: "set",
  sections: ["confusion", "threshold_curves", "reliability"],
  answer: labelAnswer,
} as const satisfies TaskType;
