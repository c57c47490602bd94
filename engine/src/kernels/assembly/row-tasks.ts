/**
 * The kernels of `losses.ts` by blocks of rows, which the threads of a fit share.
 *
 * What they sum, they sum by block; the caller adds the blocks up in their order, so that rounding is
 * the same on any number of threads.
 */

import { claimUnit, isHelped, joinJob, openJob, told } from "./crew";
import {
  A_CHOSEN,
  A_CLASS_STEP,
  A_CLASSES,
  A_COUNT,
  A_GRADIENTS,
  A_LOG_SUMS,
  A_PACKED,
  A_ROWS,
  A_SCORES,
  A_SUMS,
  A_TARGETS,
  A_WEIGHTS,
  BLOCK_ROWS,
  LOG_SUMS,
  LOGISTIC_GRADIENTS,
  LOGISTIC_LOSS,
  N_GRADIENT_SCALE,
  N_HESSIAN_SCALE,
  N_LEVEL,
  NUMBERS,
  PINBALL_GRADIENTS,
  PINBALL_LOSS,
  QUANTISE,
  SOFTMAX_GRADIENTS,
  SOFTMAX_LOSS,
  SOFTMAX_SOFT_GRADIENTS,
  SOFTMAX_SOFT_LOSS,
  SQUARED_GRADIENTS,
  SQUARED_LOSS,
} from "./crew-layout";
import * as losses from "./losses";

function number(crew: usize, which: i32): f64 {
  return load<f64>(crew + NUMBERS + (usize(which) << 3));
}

/** Does one block of the task. */
export function rowUnit(crew: usize, task: i32, unit: i32): void {
  const from = unit * BLOCK_ROWS;
  const rows = told(crew, A_ROWS) + (usize(from) << 2);
  const count = min(BLOCK_ROWS, i32(told(crew, A_COUNT)) - from);
  const scores = told(crew, A_SCORES);
  const targets = told(crew, A_TARGETS);
  const weights = told(crew, A_WEIGHTS);
  const gradients = told(crew, A_GRADIENTS);
  const logSums = told(crew, A_LOG_SUMS);
  const classes = i32(told(crew, A_CLASSES));
  const chosen = i32(told(crew, A_CHOSEN));
  const step = i32(told(crew, A_CLASS_STEP));
  const sums = told(crew, A_SUMS) + (usize(unit) << 4);
  const level = number(crew, N_LEVEL);
  switch (task) {
    case SQUARED_GRADIENTS:
      losses.squaredGradients(rows, count, scores, targets, weights, gradients, sums);
      return;
    case PINBALL_GRADIENTS:
      losses.pinballGradients(rows, count, scores, targets, weights, level, gradients, sums);
      return;
    case LOGISTIC_GRADIENTS:
      losses.logisticGradients(rows, count, scores, targets, weights, gradients, sums);
      return;
    case SOFTMAX_GRADIENTS:
      losses.softmaxGradients(
        rows,
        count,
        scores,
        logSums,
        classes,
        chosen,
        targets,
        weights,
        gradients,
        sums,
      );
      return;
    case SOFTMAX_SOFT_GRADIENTS:
      losses.softmaxSoftGradients(
        rows,
        count,
        scores,
        logSums,
        classes,
        chosen,
        targets,
        weights,
        gradients,
        sums,
      );
      return;
    case LOG_SUMS:
      losses.logSumExp(rows, count, scores, classes, step, logSums);
      return;
    case QUANTISE:
      losses.quantise(
        rows,
        count,
        gradients,
        number(crew, N_GRADIENT_SCALE),
        number(crew, N_HESSIAN_SCALE),
        told(crew, A_PACKED),
      );
      return;
    case SQUARED_LOSS:
      store<f64>(sums, losses.squaredLoss(rows, count, scores, targets, weights));
      return;
    case PINBALL_LOSS:
      store<f64>(sums, losses.pinballLoss(rows, count, scores, targets, weights, level));
      return;
    case LOGISTIC_LOSS:
      store<f64>(sums, losses.logisticLoss(rows, count, scores, targets, weights));
      return;
    case SOFTMAX_LOSS:
      store<f64>(sums, losses.softmaxLoss(rows, count, scores, step, logSums, targets, weights));
      return;
    case SOFTMAX_SOFT_LOSS:
      store<f64>(
        sums,
        losses.softmaxSoftLoss(rows, count, scores, classes, step, logSums, targets, weights),
      );
  }
}

/** Does a task on all rows that the block at `crew` tells of, with whoever helps. */
export function rowTask(crew: usize, task: i32): void {
  const units = (i32(told(crew, A_COUNT)) + BLOCK_ROWS - 1) / BLOCK_ROWS;
  if (units > 1 && units < 65536 && isHelped(crew, true)) {
    openJob(crew, task, 0, units);
    let begun = units;
    for (let unit = claimUnit(crew); unit >= 0; unit = claimUnit(crew)) {
      rowUnit(crew, task, unit);
      begun--;
    }
    joinJob(crew, begun);
  } else {
    for (let unit = 0; unit < units; unit++) rowUnit(crew, task, unit);
  }
}
