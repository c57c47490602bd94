/**
 * Leaf values of a grown tree and the scores of the rows in it.
 *
 * Values come from sums finer than the histograms': 64-bit integers of the unpacked gradients,
 * so that rounding is far below f32 and the order of rows still does not matter.
 */

import { addShared, claimUnit, joinJob, openJob, tell, told } from "../crew/crew";
import {
  FOLLOW,
  LEAF_COVERS,
  LEAF_SCORES,
  LEAF_SUMS as LEAF_SUMS_TASK,
  MOST_UNITS,
  NUMBERS,
} from "../crew/crew-layout";
import {
  COLUMN_MAJOR,
  COLUMN_STRIDE,
  CREW,
  FOLLOWERS,
  GRADIENT_SCALE,
  HESSIAN_SCALE,
  LEAF_MARKS,
  LEAF_ORDER,
  LEAF_SUMS,
  OUT_COVER,
  OUT_FEATURE,
  OUT_LEFT,
  OUT_RIGHT,
  OUT_SPLIT,
  OUT_VALUE,
  RANGES,
  ROW_COUNT,
  ROWS_SCRATCH,
  TABLE,
  VALUE_BINS,
} from "./layout";
import {
  addInteger,
  fineScales,
  isLeaf,
  recordAt,
  rowOf,
  writeCover,
  writeValue,
} from "./leaf-values";
import { finishByMarks } from "./marked-leaves";
// biome-ignore lint/style/useImportType: AssemblyScript has no imports of types alone.
import { gradientOf, hessianOf, Node } from "./nodes";
import { fillTable, partition } from "./partition";
import { rangesOf, scratchOf } from "./places";
import { sizeOfUnit, startOfUnit, unitsOfRows } from "./shared-nodes";

/** Of fewer rows all that is read stays near, in whatever order. */
const LEAST_MARKED: i32 = 32768;

/** Sums of both of some rows' gradients, as integers. */
function sumRows(start: usize, end: usize, gradients: usize, fine: v128): v128 {
  let sums = i64x2.splat(0);
  for (let r = start; r < end; r += 4) {
    sums = addInteger(sums, gradients + (usize(load<u32>(r)) << 3), fine);
  }
  return sums;
}

function addValue(start: usize, end: usize, scores: usize, value: f64): void {
  for (let r = start; r < end; r += 4) {
    const score = scores + (usize(load<u32>(r)) << 3);
    store<f64>(score, load<f64>(score) + value);
  }
}

/** Of inner nodes. Children have higher numbers, so covers add up from the last node to the root. */
function addCovers(p: usize, nodes: i32): void {
  const values = usize(load<u32>(p, OUT_VALUE));
  const covers = usize(load<u32>(p, OUT_COVER));
  for (let i = nodes - 1; i >= 0; i--) {
    if (isLeaf(p, i)) continue;
    const at = usize(i) << 2;
    const left = usize(load<i32>(usize(load<u32>(p, OUT_LEFT)) + at)) << 3;
    const right = usize(load<i32>(usize(load<u32>(p, OUT_RIGHT)) + at)) << 3;
    store<f64>(values + (at << 1), 0);
    store<f64>(covers + (at << 1), load<f64>(covers + left) + load<f64>(covers + right));
  }
}

/**
 * Fills OUT_VALUE and OUT_COVER and adds each leaf's value to the scores of its rows.
 *
 * @param gradients f32 pairs (gradient, hessian), one a row of the data
 * @param fineGradient integer units in one unit of gradient; sums of all rows stay below 2⁵¹
 * @param weights f64 a row for the cover, or 0: rows count as 1
 * @param scores f64 a row
 */
export function finishTree(
  p: usize,
  nodes: i32,
  gradients: usize,
  fineGradient: f64,
  fineHessian: f64,
  shrinkage: f64,
  weights: usize,
  scores: usize,
): void {
  const rows = load<i32>(p, ROW_COUNT);
  const units = unitsOfRows(p, rows);
  if (rows >= LEAST_MARKED && load<u32>(p, LEAF_MARKS) !== 0) {
    finishByMarks(
      p,
      nodes,
      gradients,
      fineGradient,
      fineHessian,
      shrinkage,
      weights,
      scores,
      units > 1,
    );
  } else if (units > 1) {
    const leaves = orderLeaves(p, nodes);
    shareLeafSums(p, gradients, fineGradient, fineHessian, weights, scores, leaves, units);
    for (let i = 0; i < nodes; i++) {
      if (!isLeaf(p, i)) continue;
      const sums = usize(load<u32>(p, LEAF_SUMS)) + (usize(i) << 4);
      const g = load<i64>(sums);
      const h = load<i64>(sums, 8);
      writeValue(p, i, g, h, fineGradient, fineHessian, shrinkage);
    }
    shareLeafScores(p, units);
  } else {
    const fine = fineScales(fineGradient, fineHessian);
    for (let i = 0; i < nodes; i++) {
      if (!isLeaf(p, i)) continue;
      const node = recordAt(p, i);
      const start = rowOf(p, node.start);
      const end = rowOf(p, node.start + node.count);
      const sums = sumRows(start, end, gradients, fine);
      const g = i64x2.extract_lane(sums, 0);
      const h = i64x2.extract_lane(sums, 1);
      const value = writeValue(p, i, g, h, fineGradient, fineHessian, shrinkage);
      writeCover(p, i, weights);
      addValue(start, end, scores, value);
    }
  }
  addCovers(p, nodes);
}

/**
 * Fills OUT_VALUE and OUT_COVER of a tree whose rows lie on a device, from the sums at LEAF_SUMS.
 *
 * Returns 0 where the sums of a leaf are not what its histograms say, whose units are coarser.
 *
 * @param weights as `finishTree`; where they are given, the rows of leaves are at home
 * @param isOwn 0: the histograms are of other gradients
 */
export function finishAway(
  p: usize,
  nodes: i32,
  fineGradient: f64,
  fineHessian: f64,
  shrinkage: f64,
  weights: usize,
  isOwn: i32,
): i32 {
  for (let i = 0; i < nodes; i++) {
    if (!isLeaf(p, i)) continue;
    const node = recordAt(p, i);
    const sums = usize(load<u32>(p, LEAF_SUMS)) + (usize(i) << 4);
    const g = load<i64>(sums);
    const h = load<i64>(sums, 8);
    const gradientScale = load<f64>(p, GRADIENT_SCALE);
    const hessianScale = load<f64>(p, HESSIAN_SCALE);
    if (
      isOwn !== 0 &&
      (!isNear(f64(g) / fineGradient, fineGradient, gradientOf(node.sum), gradientScale, node) ||
        !isNear(f64(h) / fineHessian, fineHessian, hessianOf(node.sum), hessianScale, node))
    ) {
      return 0;
    }
    writeValue(p, i, g, h, fineGradient, fineHessian, shrinkage);
    writeCover(p, i, weights);
  }
  addCovers(p, nodes);
  return 1;
}

/** Whether both sums may be of the same rows: each was rounded by half a unit a row at most. */
function isNear(sum: f64, fine: f64, units: f64, scale: f64, node: Node): bool {
  const rounding = f64(node.count) * (0.5 / scale + 0.5 / fine);
  return abs(sum - units / scale) <= rounding * 1.001;
}

// The same by several threads: each unit is a range of the rows' places, which leaves divide among them.

/** Lists the leaves by the places of their rows; returns their number. */
function orderLeaves(p: usize, nodes: i32): i32 {
  const order = usize(load<u32>(p, LEAF_ORDER));
  const lefts = usize(load<u32>(p, OUT_LEFT));
  const stack = usize(load<u32>(p, RANGES));
  memory.fill(usize(load<u32>(p, LEAF_SUMS)), 0, usize(nodes) << 4);
  store<i32>(stack, 0);
  let depth = 1;
  let leaves = 0;
  while (depth > 0) {
    depth--;
    const node = load<i32>(stack + (usize(depth) << 2));
    if (isLeaf(p, node)) {
      store<i32>(order + (usize(leaves) << 2), node);
      leaves++;
      continue;
    }
    const left = load<i32>(lefts + (usize(node) << 2));
    store<i32>(stack + (usize(depth) << 2), left + 1);
    store<i32>(stack + (usize(depth + 1) << 2), left);
    depth += 2;
  }
  return leaves;
}

/** Place in the order of the leaf that holds the row at a place. */
function leafWith(p: usize, leaves: i32, row: u32): i32 {
  const order = usize(load<u32>(p, LEAF_ORDER));
  let low = 0;
  let high = leaves - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (recordAt(p, load<i32>(order + (usize(middle) << 2))).start <= row) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Sums the gradients of a range of rows into their leaves', or adds the leaves' values to their scores. */
export function leafRowsUnit(crew: usize, p: usize, unit: i32, adds: bool): void {
  const gradients = told(crew, 0);
  const scores = told(crew, 1);
  const leaves = i32(told(crew, 2));
  const fine = v128.load(crew + NUMBERS);
  const all = load<i32>(p, ROW_COUNT);
  const order = usize(load<u32>(p, LEAF_ORDER));
  let from = u32(startOfUnit(p, all, unit));
  const to = from + u32(sizeOfUnit(p, all, unit));
  for (let leaf = leafWith(p, leaves, from); from < to; leaf++) {
    const id = load<i32>(order + (usize(leaf) << 2));
    const node = recordAt(p, id);
    const end = min(to, node.start + node.count);
    if (adds) {
      const value = load<f64>(usize(load<u32>(p, OUT_VALUE)) + (usize(id) << 3));
      addValue(rowOf(p, from), rowOf(p, end), scores, value);
    } else {
      const sums = sumRows(rowOf(p, from), rowOf(p, end), gradients, fine);
      const at = usize(load<u32>(p, LEAF_SUMS)) + (usize(id) << 4);
      addShared(at, i64x2.extract_lane(sums, 0));
      addShared(at + 8, i64x2.extract_lane(sums, 1));
    }
    from = end;
  }
}

/** The covers of a part of the leaves: each one's weights are added in the order of its rows. */
export function leafCoversUnit(crew: usize, p: usize, unit: i32): void {
  const leaves = i32(told(crew, 2));
  const weights = told(crew, 3);
  const size = (leaves + MOST_UNITS - 1) / MOST_UNITS;
  const to = min(leaves, (unit + 1) * size);
  for (let leaf = unit * size; leaf < to; leaf++) {
    writeCover(p, load<i32>(usize(load<u32>(p, LEAF_ORDER)) + (usize(leaf) << 2)), weights);
  }
}

function shareLeafSums(
  p: usize,
  gradients: usize,
  fineGradient: f64,
  fineHessian: f64,
  weights: usize,
  scores: usize,
  leaves: i32,
  units: i32,
): void {
  const crew = usize(load<u32>(p, CREW));
  tell(crew, 0, gradients);
  tell(crew, 1, scores);
  tell(crew, 2, leaves);
  tell(crew, 3, weights);
  store<f64>(crew + NUMBERS, fineGradient);
  store<f64>(crew + NUMBERS, fineHessian, 8);
  openJob(crew, LEAF_SUMS_TASK, p, units);
  let begun = units;
  for (let unit = claimUnit(crew); unit >= 0; unit = claimUnit(crew)) {
    leafRowsUnit(crew, p, unit, false);
    begun--;
  }
  joinJob(crew, begun);
  const size = (leaves + MOST_UNITS - 1) / MOST_UNITS;
  const parts = (leaves + size - 1) / size;
  openJob(crew, LEAF_COVERS, p, parts);
  begun = parts;
  for (let unit = claimUnit(crew); unit >= 0; unit = claimUnit(crew)) {
    leafCoversUnit(crew, p, unit);
    begun--;
  }
  joinJob(crew, begun);
}

function shareLeafScores(p: usize, units: i32): void {
  const crew = usize(load<u32>(p, CREW));
  openJob(crew, LEAF_SCORES, p, units);
  let begun = units;
  for (let unit = claimUnit(crew); unit >= 0; unit = claimUnit(crew)) {
    leafRowsUnit(crew, p, unit, true);
    begun--;
  }
  joinJob(crew, begun);
}

/**
 * Takes rows that the tree did not learn from (out of the bag, or held out) down its splits and
 * adds the leaves' values to their scores. All rows of a node move together, as in growing: no
 * row waits for its own chain of nodes.
 *
 * @param source u32 rows, not changed
 */
export function followTree(p: usize, nodes: i32, source: usize, count: i32, scores: usize): void {
  const units = unitsOfRows(p, count);
  if (units < 2) {
    followRows(p, nodes, source, 0, count, scores, 0);
    return;
  }
  const crew = usize(load<u32>(p, CREW));
  tell(crew, 0, nodes);
  tell(crew, 1, source);
  tell(crew, 2, count);
  tell(crew, 3, scores);
  openJob(crew, FOLLOW, p, units);
  let begun = units;
  for (let unit = claimUnit(crew); unit >= 0; unit = claimUnit(crew)) {
    followUnit(crew, p, unit, 0);
    begun--;
  }
  joinJob(crew, begun);
}

export function followUnit(crew: usize, p: usize, unit: i32, place: i32): void {
  const count = i32(told(crew, 2));
  followRows(
    p,
    i32(told(crew, 0)),
    told(crew, 1),
    startOfUnit(p, count, unit),
    sizeOfUnit(p, count, unit),
    told(crew, 3),
    place,
  );
}

/** Some of the rows, by the thread of a place. */
function followRows(
  p: usize,
  nodes: i32,
  source: usize,
  from: i32,
  count: i32,
  scores: usize,
  place: i32,
): void {
  const offset = usize(from) << 2;
  const rows = usize(load<u32>(p, FOLLOWERS)) + offset;
  const ranges = rangesOf(p, place);
  const features = usize(load<u32>(p, OUT_FEATURE));
  const splits = usize(load<u32>(p, OUT_SPLIT));
  const table = scratchOf(p, place) + TABLE;
  memory.copy(rows, source + offset, usize(count) << 2);
  store<u32>(ranges, 0);
  store<u32>(ranges, u32(count), 4);
  for (let i = 0; i < nodes; i++) {
    const node = recordAt(p, i);
    const at = usize(i) << 2;
    const reached = load<u32>(ranges + (at << 1), 4);
    const start = rows + (usize(load<u32>(ranges + (at << 1))) << 2);
    const feature = load<i32>(features + at);
    if (feature < 0) {
      const value = load<f64>(usize(load<u32>(p, OUT_VALUE)) + (at << 1));
      addValue(start, start + (usize(reached) << 2), scores, value);
      continue;
    }
    let goesLeft: u32 = 0;
    if (reached > 0) {
      fillTable(
        table,
        load<i32>(splits + at),
        load<i32>(usize(load<u32>(p, VALUE_BINS)) + (usize(feature) << 2)),
        node.missingLeft,
        node.categorical,
        changetype<usize>(node) + offsetof<Node>("set0"),
      );
      goesLeft = u32(
        partition(
          start,
          i32(reached),
          usize(load<u32>(p, ROWS_SCRATCH)) + offset,
          usize(load<u32>(p, COLUMN_MAJOR)) + usize(feature) * usize(load<u32>(p, COLUMN_STRIDE)),
          table,
        ),
      );
    }
    const left = ranges + (usize(load<i32>(usize(load<u32>(p, OUT_LEFT)) + at)) << 3);
    store<u32>(left, load<u32>(ranges + (at << 1)));
    store<u32>(left, goesLeft, 4);
    store<u32>(left, load<u32>(ranges + (at << 1)) + goesLeft, 8);
    store<u32>(left, reached - goesLeft, 12);
  }
}
