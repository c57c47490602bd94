/** The losses: where boosting starts, its gradients, and the loss of rows. */

import type { HeldLoss } from "../../compute/gpu/boosting-requests.ts";
import type { Kernels } from "../../compute/kernels.ts";
import { lowerQuantile } from "../../data/weighted-quantile.ts";
import * as layout from "../../kernels/assembly/crew/crew-layout.ts";
import { type Task, typeOf } from "../../tasks/index.ts";
import type { GradientSums, RowList, RowWork } from "./row-work.ts";

export interface Objective {
  /** Margin outputs: trees a round. */
  readonly outputs: number;
  readonly name: string;
  /** By which name a device computes its gradients; absent: none does. */
  readonly held?: HeldLoss;
  /** The best constant margins; `target` as `targets` of the state. */
  start(target: Float64Array, weights: Float64Array | null, rows: Uint32Array): Float64Array;
  /** Called once a round, before the gradients of its outputs. */
  beginRound(work: RowWork, rows: RowList): void;
  gradients(work: RowWork, rows: RowList, output: number): GradientSums;
  /** Of several outputs whose trees may be grown side by side: the task of their gradients. */
  readonly gradientTask?: number;
  /**
   * Of a loss without curvature: a leaf's value from the residuals (target - score) of its rows, in
   * the place of a Newton step. Reorders `residuals`.
   */
  readonly leafValue?: (
    residuals: Float64Array,
    weights: Float64Array | null,
    output: number,
  ) => number;
  /** Weighted sum over the rows. */
  loss(work: RowWork, rows: RowList): number;
}

const squared: Objective = {
  outputs: 1,
  name: "squared_error",
  held: "squared",
  start(target, weights, rows) {
    let sum = 0;
    let total = 0;
    for (const row of rows) {
      const weight = weights === null ? 1 : weights[row];
      sum += target[row] * weight;
      total += weight;
    }
    return Float64Array.of(total > 0 ? sum / total : 0);
  },
  beginRound() {},
  gradients: (work, rows) => work.gradients(layout.SQUARED_GRADIENTS, rows, 0),
  loss: (work, rows) => work.loss(layout.SQUARED_LOSS, rows, 0),
};

/** One output a level. Leaves are renewed to the residuals' quantile, as in LightGBM. */
function pinball(levels: readonly number[]): Objective {
  return {
    outputs: levels.length,
    name: "pinball",
    start: (target, weights, rows) =>
      Float64Array.from(levels, (level) =>
        lowerQuantile(
          Float64Array.from(rows, (row) => target[row]),
          weights && Float64Array.from(rows, (row) => weights[row]),
          level,
        ),
      ),
    beginRound() {},
    gradients: (work, rows, output) =>
      work.gradients(layout.PINBALL_GRADIENTS, rows, output, levels[output]),
    leafValue: (residuals, weights, output) => lowerQuantile(residuals, weights, levels[output]),
    loss(work, rows) {
      const sum = levels.reduce(
        (total, level, output) => total + work.loss(layout.PINBALL_LOSS, rows, output, level),
        0,
      );
      return sum / levels.length;
    },
  };
}

/** What trees of values minimise. */
export const VALUE_OBJECTIVES = ["squared", "absolute"] as const;
export type ValueObjective = (typeof VALUE_OBJECTIVES)[number];

/** Twice the pinball loss of the median: gradients are signs, leaves the medians of their residuals. */
function absolute(): Objective {
  const ofMedian = pinball([0.5]);
  return {
    ...ofMedian,
    name: "absolute_error",
    loss: (work, rows) => 2 * ofMedian.loss(work, rows),
  };
}

/** Weighted shares of the classes, none below 1e-12. */
function classShares(
  target: Float64Array,
  weights: Float64Array | null,
  rows: Uint32Array,
  classes: number,
): Float64Array {
  const shares = new Float64Array(classes);
  let total = 0;
  for (const row of rows) {
    const weight = weights === null ? 1 : weights[row];
    shares[target[row]] += weight;
    total += weight;
  }
  return shares.map((sum) => (total > 0 ? Math.max(sum / total, 1e-12) : 1 / classes));
}

/** The same of labels by degrees, row-major: the probability of each class. */
function softShares(
  target: Float64Array,
  weights: Float64Array | null,
  rows: Uint32Array,
  classes: number,
): Float64Array {
  const shares = new Float64Array(classes);
  let total = 0;
  for (const row of rows) {
    const weight = weights === null ? 1 : weights[row];
    for (let k = 0; k < classes; k++) shares[k] += weight * target[row * classes + k];
    total += weight;
  }
  return shares.map((sum) => (total > 0 ? Math.max(sum / total, 1e-12) : 1 / classes));
}

/** Targets may be probabilities: the gradient and the loss are linear in them. */
function logistic(kernels: Kernels): Objective {
  return {
    outputs: 1,
    name: "log_loss",
    held: "logistic",
    start(target, weights, rows) {
      let [positive, negative, total] = [0, 0, 0];
      for (let i = 0; i < rows.length; i++) {
        const row = rows[i];
        const weight = weights === null ? 1 : weights[row];
        total += weight;
        positive += weight * target[row];
        negative += weight * (1 - target[row]);
      }
      const shareOf = (sum: number): number => (total > 0 ? Math.max(sum / total, 1e-12) : 1);
      return Float64Array.of(kernels.log(shareOf(positive)) - kernels.log(shareOf(negative)));
    },
    beginRound() {},
    gradients: (work, rows) => work.gradients(layout.LOGISTIC_GRADIENTS, rows, 0),
    loss: (work, rows) => work.loss(layout.LOGISTIC_LOSS, rows, 0),
  };
}

function softmax(kernels: Kernels, classes: number, soft: boolean): Objective {
  const gradients = soft ? layout.SOFTMAX_SOFT_GRADIENTS : layout.SOFTMAX_GRADIENTS;
  const loss = soft ? layout.SOFTMAX_SOFT_LOSS : layout.SOFTMAX_LOSS;
  return {
    outputs: classes,
    name: "log_loss",
    held: soft ? "softmax_soft" : "softmax",
    start(target, weights, rows) {
      const shares = (soft ? softShares : classShares)(target, weights, rows, classes);
      return shares.map((share) => kernels.log(share));
    },
    beginRound: (work, rows) => work.logSums(rows),
    gradients: (work, rows, output) => work.gradients(gradients, rows, output),
    gradientTask: gradients,
    loss(work, rows) {
      work.logSums(rows);
      return work.loss(loss, rows, 0);
    },
  };
}

/**
 * @param soft labels are probabilities of each class; of no matter for other tasks
 * @param ofValues of tasks whose loss is the squared error, and of no matter for others
 */
export function objectiveOf(
  task: Task,
  kernels: Kernels,
  soft = false,
  ofValues: ValueObjective = "squared",
): Objective {
  switch (typeOf(task).loss) {
    case "squared_error":
      return ofValues === "squared" ? squared : absolute();
    case "binary_log_loss":
      return logistic(kernels);
    case "multinomial_log_loss":
      return softmax(kernels, task.classes.length, soft);
    case "pinball":
      return pinball(task.quantiles ?? []);
  }
}
