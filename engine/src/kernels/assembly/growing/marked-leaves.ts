/**
 * The same as `finishTree` of one thread, in the order of the rows.
 *
 * Rows of a leaf lie far apart in a large table: to go from leaf to leaf is a cache line from afar for each row's
 * gradient, and another for its score. A mark a row, the number of its leaf, is a byte that stays near; with it gradients
 * and scores are read in their order. Sums are of integers, so that they have the same bits.
 *
 * Threads share it by ranges of rows: those of a leaf ascend, so that each thread finds its own in every leaf, and no
 * two write into one line of marks.
 */

import { addShared, claimUnit, joinJob, openJob, tell, told } from "../crew/crew";
import { MARKED_SCORES, MARKED_SUMS, NUMBERS } from "../crew/crew-layout";
import { CREW, LEAF_MARKS, LEAF_SUMS, ROW_COUNT, SOURCE_ROWS } from "./layout";
import {
  addInteger,
  fineScales,
  isLeaf,
  recordAt,
  rowOf,
  writeCover,
  writeValue,
} from "./leaf-values";
import { scratchOf } from "./places";

const MOST_LEAVES: i32 = 256;
/** Each looks for its rows in every leaf. */
const MOST_MARKED_UNITS: i32 = 16;
const LEAST_ROWS: i32 = 16384;

function sourceOf(p: usize, i: i32): usize {
  return usize(load<u32>(p, SOURCE_ROWS)) + (usize(i) << 2);
}

/** The first of ascending numbers that is not below one. */
function firstFrom(start: usize, end: usize, row: u32): usize {
  let low = start;
  let count = (end - start) >> 2;
  while (count > 0) {
    const half = count >> 1;
    const middle = low + (half << 2);
    if (load<u32>(middle) < row) {
      low = middle + 4;
      count -= half + 1;
    } else count = half;
  }
  return low;
}

/** Gives rows between two numbers that of their leaf, in the order of the nodes. */
function markRows(p: usize, nodes: i32, marks: usize, low: u32, high: u32): void {
  let leaf = 0;
  for (let i = 0; i < nodes; i++) {
    if (!isLeaf(p, i)) continue;
    const node = recordAt(p, i);
    const end = firstFrom(rowOf(p, node.start), rowOf(p, node.start + node.count), high);
    for (let r = firstFrom(rowOf(p, node.start), end, low); r < end; r += 4) {
      store<u8>(marks + usize(load<u32>(r)), u8(leaf));
    }
    leaf++;
  }
}

/** Marks a range of rows, and adds their gradients up by leaf. @param table cleared here */
function sumMarked(
  p: usize,
  nodes: i32,
  from: i32,
  to: i32,
  gradients: usize,
  fine: v128,
  table: usize,
): void {
  const marks = usize(load<u32>(p, LEAF_MARKS));
  const end = sourceOf(p, to);
  const high = to < load<i32>(p, ROW_COUNT) ? load<u32>(end) : 0xffffffff;
  markRows(p, nodes, marks, load<u32>(sourceOf(p, from)), high);
  memory.fill(table, 0, MOST_LEAVES << 4);
  for (let r = sourceOf(p, from); r < end; r += 4) {
    const row = usize(load<u32>(r));
    const sums = table + (usize(load<u8>(marks + row)) << 4);
    v128.store(sums, addInteger(v128.load(sums), gradients + (row << 3), fine));
  }
}

/** Adds the values at LEAF_SUMS to the scores of a range of rows. */
function addMarked(p: usize, from: i32, to: i32, scores: usize): void {
  const marks = usize(load<u32>(p, LEAF_MARKS));
  const table = usize(load<u32>(p, LEAF_SUMS));
  const end = sourceOf(p, to);
  for (let r = sourceOf(p, from); r < end; r += 4) {
    const row = usize(load<u32>(r));
    const score = scores + (row << 3);
    const value = load<f64>(table + (usize(load<u8>(marks + row)) << 4));
    store<f64>(score, load<f64>(score) + value);
  }
}

function rowsOfUnit(p: usize): i32 {
  return max(LEAST_ROWS, (load<i32>(p, ROW_COUNT) + MOST_MARKED_UNITS - 1) / MOST_MARKED_UNITS);
}

/** Sums the gradients of a range of rows, or adds to their scores. */
export function markedUnit(crew: usize, p: usize, unit: i32, place: i32, adds: bool): void {
  const size = rowsOfUnit(p);
  const from = unit * size;
  const to = min(load<i32>(p, ROW_COUNT), from + size);
  if (adds) {
    addMarked(p, from, to, told(crew, 1));
    return;
  }
  const own = scratchOf(p, place);
  sumMarked(p, i32(told(crew, 2)), from, to, told(crew, 0), v128.load(crew + NUMBERS), own);
  const all = usize(load<u32>(p, LEAF_SUMS));
  for (let at: usize = 0; at < usize(MOST_LEAVES << 4); at += 8) {
    const sum = load<i64>(own + at);
    if (sum !== 0) addShared(all + at, sum);
  }
}

function shareRows(p: usize, task: i32): void {
  const crew = usize(load<u32>(p, CREW));
  const size = rowsOfUnit(p);
  const units = (load<i32>(p, ROW_COUNT) + size - 1) / size;
  openJob(crew, task, p, units);
  let begun = units;
  for (let unit = claimUnit(crew); unit >= 0; unit = claimUnit(crew)) {
    markedUnit(crew, p, unit, 0, task === MARKED_SCORES);
    begun--;
  }
  joinJob(crew, begun);
}

/** Parameters as of `finishTree`; of at most 256 leaves. @param isShared there are helpers */
export function finishByMarks(
  p: usize,
  nodes: i32,
  gradients: usize,
  fineGradient: f64,
  fineHessian: f64,
  shrinkage: f64,
  weights: usize,
  scores: usize,
  isShared: bool,
): void {
  const table = usize(load<u32>(p, LEAF_SUMS));
  const fine = fineScales(fineGradient, fineHessian);
  if (isShared) {
    const crew = usize(load<u32>(p, CREW));
    tell(crew, 0, gradients);
    tell(crew, 1, scores);
    tell(crew, 2, nodes);
    v128.store(crew + NUMBERS, fine);
    memory.fill(table, 0, MOST_LEAVES << 4);
    shareRows(p, MARKED_SUMS);
  } else {
    sumMarked(p, nodes, 0, load<i32>(p, ROW_COUNT), gradients, fine, table);
  }
  let own = table;
  for (let i = 0; i < nodes; i++) {
    if (!isLeaf(p, i)) continue;
    const g = load<i64>(own);
    const h = load<i64>(own, 8);
    const value = writeValue(p, i, g, h, fineGradient, fineHessian, shrinkage);
    writeCover(p, i, weights);
    store<f64>(own, value);
    own += 16;
  }
  if (isShared) shareRows(p, MARKED_SCORES);
  else addMarked(p, 0, load<i32>(p, ROW_COUNT), scores);
}
