/**
 * The losses that a network minimises, row by row: the loss, and its derivatives by the outputs.
 * A row's target is as many numbers as outputs: a scaled value once a level, or shares of classes (of
 * two, that of the second).
 */

import type { Kernels } from "../../compute/kernels.ts";
import type { Loss } from "../../tasks/task-type.ts";

export interface RowLoss {
  /**
   * @param outputs of the row, at `at`
   * @param target of the row, at `from`
   * @param gradient written from `at` on; null: not asked for
   */
  of(
    outputs: ArrayLike<number>,
    at: number,
    target: Float64Array,
    from: number,
    gradient: Float32Array | null,
  ): number;
}

/** @param levels of quantiles, where those are predicted */
export function rowLoss(
  loss: Loss,
  count: number,
  levels: readonly number[],
  { exp, log }: Pick<Kernels, "exp" | "log">,
): RowLoss {
  switch (loss) {
    case "squared_error":
      return {
        of(outputs, at, target, from, gradient) {
          const error = outputs[at] - target[from];
          if (gradient) gradient[at] = error;
          return error * error;
        },
      };
    case "pinball":
      return {
        of(outputs, at, target, from, gradient) {
          let sum = 0;
          for (let k = 0; k < count; k++) {
            const error = target[from] - outputs[at + k];
            sum += error >= 0 ? levels[k] * error : (levels[k] - 1) * error;
            if (gradient) gradient[at + k] = error >= 0 ? -levels[k] : 1 - levels[k];
          }
          return sum / count;
        },
      };
    case "binary_log_loss":
      return {
        of(outputs, at, target, from, gradient) {
          const margin = outputs[at];
          const small = exp(-Math.abs(margin));
          const share = margin >= 0 ? 1 / (1 + small) : small / (1 + small);
          if (gradient) gradient[at] = share - target[from];
          return Math.max(0, margin) - target[from] * margin + log(1 + small);
        },
      };
    case "multinomial_log_loss":
      return {
        of(outputs, at, target, from, gradient) {
          let largest = outputs[at];
          for (let k = 1; k < count; k++) largest = Math.max(largest, outputs[at + k]);
          let sum = 0;
          for (let k = 0; k < count; k++) sum += exp(outputs[at + k] - largest);
          const logSum = largest + log(sum);
          let loss = 0;
          for (let k = 0; k < count; k++) {
            const share = target[from + k];
            if (share !== 0) loss += share * (logSum - outputs[at + k]);
            if (gradient) gradient[at + k] = exp(outputs[at + k] - logSum) - share;
          }
          return loss;
        },
      };
  }
}
