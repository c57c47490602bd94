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
   */
  of(outputs: ArrayLike<number>, at: number, target: Float64Array, from: number): number;
  /** Likewise its derivatives. @param gradient written from `at` on */
  gradientOf(
    outputs: ArrayLike<number>,
    at: number,
    target: Float64Array,
    from: number,
    gradient: Float32Array,
  ): void;
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
        of(outputs, at, target, from) {
          const error = outputs[at] - target[from];
          return error * error;
        },
        gradientOf(outputs, at, target, from, gradient) {
          gradient[at] = outputs[at] - target[from];
        },
      };
    case "pinball":
      return {
        of(outputs, at, target, from) {
          let sum = 0;
          for (let k = 0; k < count; k++) {
            const error = target[from] - outputs[at + k];
            sum += error >= 0 ? levels[k] * error : (levels[k] - 1) * error;
          }
          return sum / count;
        },
        gradientOf(outputs, at, target, from, gradient) {
          for (let k = 0; k < count; k++) {
            gradient[at + k] = target[from] - outputs[at + k] >= 0 ? -levels[k] : 1 - levels[k];
          }
        },
      };
    case "binary_log_loss":
      return {
        of(outputs, at, target, from) {
          const margin = outputs[at];
          return Math.max(0, margin) - target[from] * margin + log(1 + exp(-Math.abs(margin)));
        },
        gradientOf(outputs, at, target, from, gradient) {
          const margin = outputs[at];
          const small = exp(-Math.abs(margin));
          const share = margin >= 0 ? 1 / (1 + small) : small / (1 + small);
          gradient[at] = share - target[from];
        },
      };
    case "multinomial_log_loss": {
      const logSumOf = (outputs: ArrayLike<number>, at: number): number => {
        let largest = outputs[at];
        for (let k = 1; k < count; k++) largest = Math.max(largest, outputs[at + k]);
        let sum = 0;
        for (let k = 0; k < count; k++) sum += exp(outputs[at + k] - largest);
        return largest + log(sum);
      };
      return {
        of(outputs, at, target, from) {
          const logSum = logSumOf(outputs, at);
          let loss = 0;
          for (let k = 0; k < count; k++) {
            const share = target[from + k];
            if (share !== 0) loss += share * (logSum - outputs[at + k]);
          }
          return loss;
        },
        gradientOf(outputs, at, target, from, gradient) {
          const logSum = logSumOf(outputs, at);
          for (let k = 0; k < count; k++) {
            gradient[at + k] = exp(outputs[at + k] - logSum) - target[from + k];
          }
        },
      };
    }
  }
}
