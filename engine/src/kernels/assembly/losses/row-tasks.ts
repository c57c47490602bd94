/**
 * The kernels of `losses.ts` by blocks of rows, which the threads of a fit share.
 *
 * What they sum, they sum by block; the caller adds the blocks up in their order, so that rounding is
 * the same on any number of threads.
 */

import { claimUnit, countAt, isHelped, joinJob, openJob, told } from "../crew/crew";
import {
  A_CHOSEN,
  A_CLASS_STEP,
  A_CLASSES,
  A_COUNT,
  A_DRAW_KEY_HIGH,
  A_DRAW_KEY_LOW,
  A_DRAW_THRESHOLD,
  A_DRAWN,
  A_GRADIENTS,
  A_KEY_HIGH,
  A_KEY_LOW,
  A_LOG_SUMS,
  A_PACKED,
  A_PAIRS,
  A_PROBABILITIES,
  A_REST,
  A_ROWS,
  A_SCORES,
  A_SUMS,
  A_TARGETS,
  A_THRESHOLD,
  A_WEIGHTS,
  BLOCK_ROWS,
  DRAW_BY_GRADIENT,
  DRAW_GRADIENTS,
  GRADIENT_SPREAD,
  LOG_SUMS,
  LOGISTIC_GRADIENTS,
  LOGISTIC_LOSS,
  MOST_UNITS,
  N_CURVATURE,
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
} from "../crew/crew-layout";
import { sampleRows } from "../numbers/philox";
import { drawByGradient, drawGradients } from "./drawn-gradients";
import * as gradientKernels from "./gradients";
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
      gradientKernels.squaredGradients(rows, count, scores, targets, weights, gradients, sums);
      return;
    case PINBALL_GRADIENTS:
      gradientKernels.pinballGradients(
        rows,
        count,
        scores,
        targets,
        weights,
        level,
        gradients,
        sums,
      );
      return;
    case LOGISTIC_GRADIENTS:
      gradientKernels.logisticGradients(rows, count, scores, targets, weights, gradients, sums);
      return;
    case SOFTMAX_GRADIENTS:
      gradientKernels.softmaxGradients(
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
      gradientKernels.softmaxSoftGradients(
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
      gradientKernels.quantise(
        rows,
        count,
        gradients,
        number(crew, N_GRADIENT_SCALE),
        number(crew, N_HESSIAN_SCALE),
        told(crew, A_PACKED),
      );
      return;
    case DRAW_GRADIENTS:
      drawGradients(
        rows,
        count,
        gradients,
        weights,
        u32(told(crew, A_DRAW_THRESHOLD)),
        u32(told(crew, A_DRAW_KEY_LOW)),
        u32(told(crew, A_DRAW_KEY_HIGH)),
        told(crew, A_PACKED),
        told(crew, A_SUMS) + (usize(unit) << 5),
      );
      return;
    case GRADIENT_SPREAD:
      gradientKernels.gradientSpread(rows, count, gradients, weights, sums);
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

function partSize(crew: usize): i32 {
  return max(BLOCK_ROWS, (i32(told(crew, A_COUNT)) + MOST_UNITS - 1) / MOST_UNITS);
}

/** Draws from some rows, to where they would lie if all before them were drawn, and left. */
export function drawUnit(crew: usize, task: i32, unit: i32): void {
  const size = partSize(crew);
  const from = unit * size;
  const start = usize(from) << 2;
  const rows = told(crew, A_ROWS) + start;
  const count = min(size, i32(told(crew, A_COUNT)) - from);
  const keyLow = u32(told(crew, A_KEY_LOW));
  const keyHigh = u32(told(crew, A_KEY_HIGH));
  const drawn = told(crew, A_DRAWN) + start;
  const rest = told(crew, A_REST) + start;
  let inside = 0;
  if (task === DRAW_BY_GRADIENT) {
    inside = drawByGradient(
      rows,
      count,
      told(crew, A_PAIRS),
      number(crew, N_CURVATURE),
      told(crew, A_PROBABILITIES),
      keyLow,
      keyHigh,
      drawn,
      rest,
      told(crew, A_SUMS) + (usize(unit) << 4),
    );
  } else {
    const threshold = u32(told(crew, A_THRESHOLD));
    inside = sampleRows(rows, count, threshold, keyLow, keyHigh, drawn, rest);
  }
  store<i32>(countAt(crew, unit), inside);
}

/** Draws from all rows, with whoever helps. Returns how many were drawn. */
export function drawRows(crew: usize, task: i32): i32 {
  const count = i32(told(crew, A_COUNT));
  const size = partSize(crew);
  const units = (count + size - 1) / size;
  if (units > 1 && isHelped(crew, true)) {
    openJob(crew, task, 0, units);
    let begun = units;
    for (let unit = claimUnit(crew); unit >= 0; unit = claimUnit(crew)) {
      drawUnit(crew, task, unit);
      begun--;
    }
    joinJob(crew, begun);
  } else {
    for (let unit = 0; unit < units; unit++) drawUnit(crew, task, unit);
  }
  let inside = 0;
  for (let unit = 0; unit < units; unit++) {
    const from = unit * size;
    const drawn = load<i32>(countAt(crew, unit));
    moveRows(told(crew, A_DRAWN), from, inside, drawn);
    moveRows(told(crew, A_REST), from, from - inside, min(size, count - from) - drawn);
    inside += drawn;
  }
  return inside;
}

function moveRows(list: usize, from: i32, to: i32, count: i32): void {
  if (from === to) return;
  memory.copy(list + (usize(to) << 2), list + (usize(from) << 2), usize(count) << 2);
}
