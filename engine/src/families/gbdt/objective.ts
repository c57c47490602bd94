/** The losses: where boosting starts, its gradients, and the loss of rows. */

import type { Pointer } from "../../compute/arena.ts";
import type { Kernels } from "../../compute/kernels.ts";
import { lowerQuantile } from "../../data/weighted-quantile.ts";
import { type Task, typeOf } from "../../tasks/index.ts";

/** Where the rows' numbers lie. Scores of output k start at `scores` + 8 k × `rows`. */
export interface BoostingState {
  readonly kernels: Kernels;
  /** Rows of the data, learned from or not. */
  readonly rows: number;
  readonly outputs: number;
  readonly scores: Pointer;
  /** Of a soft objective: row-major, rows × outputs. */
  readonly targets: Pointer;
  /** 0 = all 1. */
  readonly weights: Pointer;
  /** f32 pairs. */
  readonly gradients: Pointer;
  /** Two f64. */
  readonly sums: Pointer;
  /** f64 a row; used by softmax alone, else 0. */
  readonly logSums: Pointer;
}

export interface RowList {
  readonly pointer: Pointer;
  readonly count: number;
}

export interface Objective {
  /** Margin outputs: trees a round. */
  readonly outputs: number;
  readonly name: string;
  /** The best constant margins; `target` as `targets` of the state. */
  start(target: Float64Array, weights: Float64Array | null, rows: Uint32Array): Float64Array;
  /** Called once a round, before the gradients of its outputs. */
  beginRound(state: BoostingState, rows: RowList): void;
  gradients(state: BoostingState, rows: RowList, output: number): void;
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
  loss(state: BoostingState, rows: RowList): number;
}

function outputScores(state: BoostingState, output: number): Pointer {
  return state.scores + output * state.rows * 8;
}

const squared: Objective = {
  outputs: 1,
  name: "squared_error",
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
  gradients(state, rows) {
    state.kernels.squaredGradients(
      rows.pointer,
      rows.count,
      state.scores,
      state.targets,
      state.weights,
      state.gradients,
      state.sums,
    );
  },
  loss(state, rows) {
    return state.kernels.squaredLoss(
      rows.pointer,
      rows.count,
      state.scores,
      state.targets,
      state.weights,
    );
  },
};

/** One output a level. Leaves are renewed to the residuals' quantile, as in LightGBM. */
function pinball(kernels: Kernels, levels: readonly number[]): Objective {
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
    gradients(state, rows, output) {
      kernels.pinballGradients(
        rows.pointer,
        rows.count,
        outputScores(state, output),
        state.targets,
        state.weights,
        levels[output],
        state.gradients,
        state.sums,
      );
    },
    leafValue: (residuals, weights, output) => lowerQuantile(residuals, weights, levels[output]),
    loss(state, rows) {
      const sum = levels.reduce(
        (total, level, output) =>
          total +
          kernels.pinballLoss(
            rows.pointer,
            rows.count,
            outputScores(state, output),
            state.targets,
            state.weights,
            level,
          ),
        0,
      );
      return sum / levels.length;
    },
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
    start(target, weights, rows) {
      let [positive, negative, total] = [0, 0, 0];
      for (const row of rows) {
        const weight = weights === null ? 1 : weights[row];
        total += weight;
        positive += weight * target[row];
        negative += weight * (1 - target[row]);
      }
      const shareOf = (sum: number): number => (total > 0 ? Math.max(sum / total, 1e-12) : 1);
      return Float64Array.of(kernels.log(shareOf(positive)) - kernels.log(shareOf(negative)));
    },
    beginRound() {},
    gradients(state, rows) {
      state.kernels.logisticGradients(
        rows.pointer,
        rows.count,
        state.scores,
        state.targets,
        state.weights,
        state.gradients,
        state.sums,
      );
    },
    loss(state, rows) {
      return state.kernels.logisticLoss(
        rows.pointer,
        rows.count,
        state.scores,
        state.targets,
        state.weights,
      );
    },
  };
}

function softmax(kernels: Kernels, classes: number, soft: boolean): Objective {
  const normalise = (state: BoostingState, rows: RowList): void => {
    state.kernels.logSumExp(
      rows.pointer,
      rows.count,
      state.scores,
      classes,
      state.rows,
      state.logSums,
    );
  };
  return {
    outputs: classes,
    name: "log_loss",
    start(target, weights, rows) {
      const shares = (soft ? softShares : classShares)(target, weights, rows, classes);
      return shares.map((share) => kernels.log(share));
    },
    beginRound: normalise,
    gradients(state, rows, output) {
      const { softmaxGradients, softmaxSoftGradients } = state.kernels;
      (soft ? softmaxSoftGradients : softmaxGradients)(
        rows.pointer,
        rows.count,
        outputScores(state, output),
        state.logSums,
        classes,
        output,
        state.targets,
        state.weights,
        state.gradients,
        state.sums,
      );
    },
    loss(state, rows) {
      normalise(state, rows);
      if (soft) {
        return state.kernels.softmaxSoftLoss(
          rows.pointer,
          rows.count,
          state.scores,
          classes,
          state.rows,
          state.logSums,
          state.targets,
          state.weights,
        );
      }
      return state.kernels.softmaxLoss(
        rows.pointer,
        rows.count,
        state.scores,
        state.rows,
        state.logSums,
        state.targets,
        state.weights,
      );
    },
  };
}

/** @param soft labels are probabilities of each class; of no matter for other tasks */
export function objectiveOf(task: Task, kernels: Kernels, soft = false): Objective {
  switch (typeOf(task).loss) {
    case "squared_error":
      return squared;
    case "binary_log_loss":
      return logistic(kernels);
    case "multinomial_log_loss":
      return softmax(kernels, task.classes.length, soft);
    case "pinball":
      return pinball(kernels, task.quantiles ?? []);
  }
}
