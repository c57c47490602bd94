/**
 * Whole trees of a round that helpers grow, each of one class: from its gradients to the scores of the rows that follow.
 *
 * The trees of one round read the scores that it begins with, and each writes those of its own class, so they can be grown
 * in any order. A helper has gradients and a grower of its own, and does alone what the leader does with all others.
 */

import { claimTree, finishClassTree } from "../crew/crew";
import { BLOCK_ROWS, SOFTMAX_SOFT_GRADIENTS, TREES } from "../crew/crew-layout";
import {
  gradientSpread,
  quantise,
  softmaxGradients,
  softmaxSoftGradients,
} from "../losses/gradients";
import * as shape from "./class-trees-layout";
import { followTree } from "./follow-tree";
import { growTree } from "./grower";
import {
  CAT_NOISE,
  COLUMN_COUNT,
  COLUMN_LIST,
  COLUMN_OFFSETS,
  FEATURE_COUNT,
  FEATURE_LIST,
  GRADIENT_SCALE,
  HESSIAN_SCALE,
  HISTOGRAM_ENTRIES,
  KEY_HIGH,
  KEY_LOW,
  OFFSETS,
  OUT_FEATURE,
  OUT_SET_COUNT,
  PACKED,
  ROW_COUNT,
  SOURCE_ROWS,
} from "./layout";
import { finishTree } from "./leaves";

/** The bytes from OUT_FEATURE to OUT_COUNT. */
const OUT_BYTES: usize = 52;

/** Sums over the blocks of rows, in their order. */
let firstSum: f64 = 0;
let secondSum: f64 = 0;

function word(at: usize, offset: usize): usize {
  return usize(load<u32>(at + offset));
}

function powerOfTwo(exponent: i64): f64 {
  return reinterpret<f64>((exponent + 1023) << 52);
}

/** As `families/gbdt/quantisation.ts`. */
function scaleOf(sum: f64, rows: i32): f64 {
  return sum > 0 ? min(f64(0x7fffffff - rows) / sum, powerOfTwo(500)) : 1.0;
}

function fineScaleOf(sum: f64): f64 {
  if (!(sum > 0)) return 1.0;
  const scale = min(powerOfTwo(50) / sum, powerOfTwo(200));
  return reinterpret<f64>(reinterpret<u64>(scale) & 0x7ff0000000000000);
}

function scoresOf(fit: usize, unit: i32): usize {
  return word(fit, shape.SCORES) + ((word(fit, shape.CLASS_STEP) * usize(unit)) << 3);
}

function addSums(sums: usize): void {
  firstSum += load<f64>(sums);
  secondSum += load<f64>(sums, 8);
}

function sumGradients(fit: usize, seat: usize, unit: i32): void {
  const count = i32(word(fit, shape.TRAIN_COUNT));
  const gradients = word(seat, shape.SEAT_GRADIENTS);
  const sums = word(seat, shape.SEAT_SUMS);
  const scores = scoresOf(fit, unit);
  const logSums = word(fit, shape.LOG_SUMS);
  const classes = i32(word(fit, shape.CLASSES));
  const targets = word(fit, shape.TARGETS);
  const weights = word(fit, shape.WEIGHTS);
  const isSoft = word(fit, shape.GRADIENT_TASK) === SOFTMAX_SOFT_GRADIENTS;
  firstSum = 0;
  secondSum = 0;
  for (let from = 0; from < count; from += BLOCK_ROWS) {
    const rows = word(fit, shape.TRAIN_ROWS) + (usize(from) << 2);
    const size = min(BLOCK_ROWS, count - from);
    if (isSoft) {
      softmaxSoftGradients(
        rows,
        size,
        scores,
        logSums,
        classes,
        unit,
        targets,
        weights,
        gradients,
        sums,
      );
    } else {
      softmaxGradients(
        rows,
        size,
        scores,
        logSums,
        classes,
        unit,
        targets,
        weights,
        gradients,
        sums,
      );
    }
    addSums(sums);
  }
}

/** Variance of a gradient a unit of hessian. */
function varianceOf(fit: usize, seat: usize): f64 {
  const count = i32(word(fit, shape.TRAIN_COUNT));
  const sums = word(seat, shape.SEAT_SUMS);
  firstSum = 0;
  secondSum = 0;
  for (let from = 0; from < count; from += BLOCK_ROWS) {
    gradientSpread(
      word(fit, shape.TRAIN_ROWS) + (usize(from) << 2),
      min(BLOCK_ROWS, count - from),
      word(seat, shape.SEAT_GRADIENTS),
      word(fit, shape.WEIGHTS),
      sums,
    );
    addSums(sums);
  }
  return secondSum > 0 ? firstSum / secondSum : 0.0;
}

function growClassTree(fit: usize, seat: usize, unit: i32): void {
  const p = seat;
  const own = word(fit, shape.UNITS) + usize(unit) * shape.UNIT_BYTES;
  const train = i32(word(fit, shape.TRAIN_COUNT));
  const gradients = word(seat, shape.SEAT_GRADIENTS);
  const weights = word(fit, shape.WEIGHTS);
  const scores = scoresOf(fit, unit);
  const noise = load<f64>(fit, shape.CAT_NOISE);
  sumGradients(fit, seat, unit);
  const gradientScale = scaleOf(firstSum, train);
  const hessianScale = scaleOf(secondSum, train);
  const fineGradient = fineScaleOf(firstSum);
  const fineHessian = fineScaleOf(secondSum);
  const rows = word(fit, shape.TRAIN_ROWS);
  quantise(rows, train, gradients, gradientScale, hessianScale, word(p, PACKED));
  memory.copy(p + OUT_FEATURE, own + shape.UNIT_OUT, OUT_BYTES);
  store<u32>(p, load<u32>(own, shape.UNIT_FEATURE_LIST), FEATURE_LIST);
  store<u32>(p, load<u32>(own, shape.UNIT_FEATURE_COUNT), FEATURE_COUNT);
  store<u32>(p, load<u32>(own, shape.UNIT_OFFSETS), OFFSETS);
  store<u32>(p, load<u32>(own, shape.UNIT_ENTRIES), HISTOGRAM_ENTRIES);
  store<u32>(p, load<u32>(own, shape.UNIT_COLUMN_LIST), COLUMN_LIST);
  store<u32>(p, load<u32>(own, shape.UNIT_COLUMN_COUNT), COLUMN_COUNT);
  store<u32>(p, load<u32>(own, shape.UNIT_COLUMN_OFFSETS), COLUMN_OFFSETS);
  store<u32>(p, load<u32>(own, shape.UNIT_KEY_LOW), KEY_LOW);
  store<u32>(p, load<u32>(own, shape.UNIT_KEY_HIGH), KEY_HIGH);
  store<u32>(p, load<u32>(fit, shape.LEARNED_ROWS), SOURCE_ROWS);
  store<u32>(p, load<u32>(fit, shape.LEARNED_COUNT), ROW_COUNT);
  store<f64>(p, gradientScale, GRADIENT_SCALE);
  store<f64>(p, hessianScale, HESSIAN_SCALE);
  store<f64>(p, noise > 0 ? noise * varianceOf(fit, seat) : 0.0, CAT_NOISE);
  const nodes = growTree(p);
  const shrinkage = load<f64>(fit, shape.LEARNING_RATE);
  finishTree(p, nodes, gradients, fineGradient, fineHessian, shrinkage, weights, scores);
  const followers = i32(word(fit, shape.FOLLOWER_COUNT));
  if (followers > 0) followTree(p, nodes, word(fit, shape.FOLLOWER_ROWS), followers, scores);
  store<i32>(own, nodes, shape.UNIT_NODES);
  store<u32>(own, load<u32>(p, OUT_SET_COUNT), shape.UNIT_SETS);
}

/** Of a helper: grows a tree of the round. False where all are begun that helpers may. */
export function helpClassTrees(crew: usize, place: i32): bool {
  const unit = claimTree(crew);
  if (unit < 0) return false;
  const fit = word(crew, TREES);
  growClassTree(fit, word(fit, shape.SEATS) + usize(place - 1) * word(fit, shape.SEAT_BYTES), unit);
  finishClassTree(crew);
  return true;
}
