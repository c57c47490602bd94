/**
 * Runs rows of binned data down compiled trees (see `compile-trees.ts`), many side by side.
 *
 * A row leaves a tree by the last exit that no node keeps it from, and a node keeps a row that it sends
 * left from all exits on its right. So a tile of rows takes every node of a program in turn: the mask of
 * the rows that go right there, and at all nodes above that have it on their right, lets the first exit
 * right of it through, and the largest that got through is a row's own. There are no branches, and
 * 16 rows take one instruction. Nodes are visited whether rows reach them or not, so few rows, and what
 * lies below the upper nodes of large trees, are walked instead.
 */

import {
  EXIT_TABLE,
  EXIT_VALUES,
  GROUP_COUNT,
  GROUPS,
  KIND,
  MASK_BYTES,
  PARTIAL,
  PLANE_BYTES,
  PLANE_COUNT,
  PLANES,
  PROGRAM,
  PROGRAM_END,
  SMALL,
  TILE_ROWS,
  TREE_BYTES,
  TREES,
  WIDTH,
} from "./compiled-layout";
import { step, walkRow } from "./walk-trees";

/** Fewer rows are walked one by one. */
const SWEPT_ROWS = 6;
const COLUMN_SHIFT: u32 = 7;

/** Lays the planes of up to 128 rows out, 128 bytes each; past the end the last row stands. */
function layTile(
  compiled: usize,
  columnMajor: usize,
  columnStride: usize,
  rows: usize,
  from: i32,
  count: i32,
  tile: usize,
): void {
  const planes = <usize>load<i32>(compiled, PLANES);
  const planeCount = load<i32>(compiled, PLANE_COUNT);
  const sign = i8x16.splat(-128);
  const one = i8x16.splat(1);
  memory.fill(tile, 127, TILE_ROWS);
  for (let plane = 1; plane < planeCount; plane++) {
    const described = planes + <usize>plane * PLANE_BYTES;
    const column = columnMajor + <usize>load<i32>(described) * columnStride;
    const missing = load<i32>(described, 4);
    const to = tile + ((<usize>plane) << COLUMN_SHIFT);
    let source = column + <usize>from;
    if (rows !== 0 || count < TILE_ROWS) {
      source = to;
      for (let i = 0; i < TILE_ROWS; i++) {
        const place = from + min(i, count - 1);
        const row = rows === 0 ? place : load<i32>(rows + ((<usize>place) << 2));
        store<u8>(to + <usize>i, load<u8>(column + <usize>row));
      }
    }
    for (let i: usize = 0; i < <usize>TILE_ROWS; i += 16) {
      let bins = v128.load(source + i);
      if (missing >= 0) {
        bins = v128.andnot(i8x16.add(bins, one), i8x16.eq(bins, i8x16.splat(<i8>missing)));
      }
      v128.store(to + i, v128.xor(bins, sign));
    }
  }
}

/** Masks of the cells that are not in a set of 32 bytes. */
function outside(cells: v128, set: usize): v128 {
  const bins = v128.xor(cells, i8x16.splat(-128));
  const byte = i8x16.shr_u(bins, 3);
  const bits = i8x16(1, 2, 4, 8, 16, 32, 64, -128, 1, 2, 4, 8, 16, 32, 64, -128);
  const bit = i8x16.swizzle(bits, v128.and(bins, i8x16.splat(7)));
  // Places beyond 15 give 0, from either half.
  const low = i8x16.swizzle(v128.load(set), byte);
  const high = i8x16.swizzle(v128.load(set, 16), i8x16.sub(byte, i8x16.splat(16)));
  return i8x16.eq(v128.and(v128.or(low, high), bit), i8x16.splat(0));
}

/** The exit of each of 128 rows, a byte each. */
function sweep128(p: usize, end: usize, tile: usize, masks: usize, exits: usize): void {
  let a = i8x16.splat(0);
  let b = a;
  let c = a;
  let d = a;
  let e = a;
  let f = a;
  let g = a;
  let h = a;
  let own = masks;
  while (p < end) {
    const word = load<u32>(p);
    const cells = tile + ((<usize>(word >>> 9)) << COLUMN_SHIFT);
    const above = masks + <usize>load<u16>(p, 6);
    const exit = v128.load_splat<u8>(p, 4);
    own += <usize>TILE_ROWS;
    if (word & 0x100) {
      const set = p + 8;
      const aOut = v128.and(outside(v128.load(cells), set), v128.load(above));
      v128.store(own, aOut);
      a = i8x16.max_u(a, v128.and(aOut, exit));
      const bOut = v128.and(outside(v128.load(cells, 16), set), v128.load(above, 16));
      v128.store(own, bOut, 16);
      b = i8x16.max_u(b, v128.and(bOut, exit));
      const cOut = v128.and(outside(v128.load(cells, 32), set), v128.load(above, 32));
      v128.store(own, cOut, 32);
      c = i8x16.max_u(c, v128.and(cOut, exit));
      const dOut = v128.and(outside(v128.load(cells, 48), set), v128.load(above, 48));
      v128.store(own, dOut, 48);
      d = i8x16.max_u(d, v128.and(dOut, exit));
      const eOut = v128.and(outside(v128.load(cells, 64), set), v128.load(above, 64));
      v128.store(own, eOut, 64);
      e = i8x16.max_u(e, v128.and(eOut, exit));
      const fOut = v128.and(outside(v128.load(cells, 80), set), v128.load(above, 80));
      v128.store(own, fOut, 80);
      f = i8x16.max_u(f, v128.and(fOut, exit));
      const gOut = v128.and(outside(v128.load(cells, 96), set), v128.load(above, 96));
      v128.store(own, gOut, 96);
      g = i8x16.max_u(g, v128.and(gOut, exit));
      const hOut = v128.and(outside(v128.load(cells, 112), set), v128.load(above, 112));
      v128.store(own, hOut, 112);
      h = i8x16.max_u(h, v128.and(hOut, exit));
      p += 40;
    } else {
      const split = v128.load_splat<u8>(p);
      const aRight = v128.and(i8x16.gt_s(v128.load(cells), split), v128.load(above));
      v128.store(own, aRight);
      a = i8x16.max_u(a, v128.and(aRight, exit));
      const bRight = v128.and(i8x16.gt_s(v128.load(cells, 16), split), v128.load(above, 16));
      v128.store(own, bRight, 16);
      b = i8x16.max_u(b, v128.and(bRight, exit));
      const cRight = v128.and(i8x16.gt_s(v128.load(cells, 32), split), v128.load(above, 32));
      v128.store(own, cRight, 32);
      c = i8x16.max_u(c, v128.and(cRight, exit));
      const dRight = v128.and(i8x16.gt_s(v128.load(cells, 48), split), v128.load(above, 48));
      v128.store(own, dRight, 48);
      d = i8x16.max_u(d, v128.and(dRight, exit));
      const eRight = v128.and(i8x16.gt_s(v128.load(cells, 64), split), v128.load(above, 64));
      v128.store(own, eRight, 64);
      e = i8x16.max_u(e, v128.and(eRight, exit));
      const fRight = v128.and(i8x16.gt_s(v128.load(cells, 80), split), v128.load(above, 80));
      v128.store(own, fRight, 80);
      f = i8x16.max_u(f, v128.and(fRight, exit));
      const gRight = v128.and(i8x16.gt_s(v128.load(cells, 96), split), v128.load(above, 96));
      v128.store(own, gRight, 96);
      g = i8x16.max_u(g, v128.and(gRight, exit));
      const hRight = v128.and(i8x16.gt_s(v128.load(cells, 112), split), v128.load(above, 112));
      v128.store(own, hRight, 112);
      h = i8x16.max_u(h, v128.and(hRight, exit));
      p += 8;
    }
  }
  v128.store(exits, a);
  v128.store(exits, b, 16);
  v128.store(exits, c, 32);
  v128.store(exits, d, 48);
  v128.store(exits, e, 64);
  v128.store(exits, f, 80);
  v128.store(exits, g, 96);
  v128.store(exits, h, 112);
}

/** The exit of each of 64 rows, a byte each. */
function sweep64(p: usize, end: usize, tile: usize, masks: usize, exits: usize): void {
  let a = i8x16.splat(0);
  let b = a;
  let c = a;
  let d = a;
  let own = masks;
  while (p < end) {
    const word = load<u32>(p);
    const cells = tile + ((<usize>(word >>> 9)) << COLUMN_SHIFT);
    const above = masks + <usize>load<u16>(p, 6);
    const exit = v128.load_splat<u8>(p, 4);
    let r0: v128;
    let r1: v128;
    let r2: v128;
    let r3: v128;
    if (word & 0x100) {
      r0 = outside(v128.load(cells), p + 8);
      r1 = outside(v128.load(cells, 16), p + 8);
      r2 = outside(v128.load(cells, 32), p + 8);
      r3 = outside(v128.load(cells, 48), p + 8);
      p += 40;
    } else {
      const split = v128.load_splat<u8>(p);
      r0 = i8x16.gt_s(v128.load(cells), split);
      r1 = i8x16.gt_s(v128.load(cells, 16), split);
      r2 = i8x16.gt_s(v128.load(cells, 32), split);
      r3 = i8x16.gt_s(v128.load(cells, 48), split);
      p += 8;
    }
    own += <usize>TILE_ROWS;
    r0 = v128.and(r0, v128.load(above));
    r1 = v128.and(r1, v128.load(above, 16));
    r2 = v128.and(r2, v128.load(above, 32));
    r3 = v128.and(r3, v128.load(above, 48));
    v128.store(own, r0);
    v128.store(own, r1, 16);
    v128.store(own, r2, 32);
    v128.store(own, r3, 48);
    a = i8x16.max_u(a, v128.and(r0, exit));
    b = i8x16.max_u(b, v128.and(r1, exit));
    c = i8x16.max_u(c, v128.and(r2, exit));
    d = i8x16.max_u(d, v128.and(r3, exit));
  }
  v128.store(exits, a);
  v128.store(exits, b, 16);
  v128.store(exits, c, 32);
  v128.store(exits, d, 48);
}

/** The exit of each of 16 rows. */
function sweep16(p: usize, end: usize, tile: usize, masks: usize, exits: usize): void {
  let a = i8x16.splat(0);
  let own = masks;
  while (p < end) {
    const word = load<u32>(p);
    const cells = v128.load(tile + ((<usize>(word >>> 9)) << COLUMN_SHIFT));
    const above = v128.load(masks + <usize>load<u16>(p, 6));
    const exit = v128.load_splat<u8>(p, 4);
    let right: v128;
    if (word & 0x100) {
      right = outside(cells, p + 8);
      p += 40;
    } else {
      right = i8x16.gt_s(cells, v128.load_splat<u8>(p));
      p += 8;
    }
    own += <usize>TILE_ROWS;
    right = v128.and(right, above);
    v128.store(own, right);
    a = i8x16.max_u(a, v128.and(right, exit));
  }
  v128.store(exits, a);
}

function lowBytes(a: v128, b: v128): v128 {
  return v128.shuffle<u8>(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
}

function highBytes(a: v128, b: v128): v128 {
  return v128.shuffle<u8>(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
}

function lowPairs(a: v128, b: v128): v128 {
  return v128.shuffle<u16>(a, b, 0, 8, 1, 9, 2, 10, 3, 11);
}

function highPairs(a: v128, b: v128): v128 {
  return v128.shuffle<u16>(a, b, 4, 12, 5, 13, 6, 14, 7, 15);
}

/** Adds four singles of one tree, then of the next, to four scores. */
function addFour(scores: usize, one: v128, next: v128): void {
  let low = f64x2.add(v128.load(scores), f64x2.promote_low_f32x4(one));
  low = f64x2.add(low, f64x2.promote_low_f32x4(next));
  v128.store(scores, low);
  const oneHigh = f64x2.promote_low_f32x4(v128.shuffle<u64>(one, one, 1, 1));
  const nextHigh = f64x2.promote_low_f32x4(v128.shuffle<u64>(next, next, 1, 1));
  v128.store(scores, f64x2.add(f64x2.add(v128.load(scores, 16), oneHigh), nextHigh), 16);
}

/** Adds one of 16 values in single precision to each of 16 scores, then one of the next tree's. */
function addSmall(table: usize, exits: usize, next: usize, nextExits: usize, scores: usize): void {
  const index = v128.load(exits);
  const b0 = i8x16.swizzle(v128.load(table), index);
  const b1 = i8x16.swizzle(v128.load(table, 16), index);
  const b2 = i8x16.swizzle(v128.load(table, 32), index);
  const b3 = i8x16.swizzle(v128.load(table, 48), index);
  const nextIndex = v128.load(nextExits);
  const n0 = i8x16.swizzle(v128.load(next), nextIndex);
  const n1 = i8x16.swizzle(v128.load(next, 16), nextIndex);
  const n2 = i8x16.swizzle(v128.load(next, 32), nextIndex);
  const n3 = i8x16.swizzle(v128.load(next, 48), nextIndex);
  const bLow = lowBytes(b0, b1);
  const bHigh = lowBytes(b2, b3);
  const nLow = lowBytes(n0, n1);
  const nHigh = lowBytes(n2, n3);
  addFour(scores, lowPairs(bLow, bHigh), lowPairs(nLow, nHigh));
  addFour(scores + 32, highPairs(bLow, bHigh), highPairs(nLow, nHigh));
  const bLow2 = highBytes(b0, b1);
  const bHigh2 = highBytes(b2, b3);
  const nLow2 = highBytes(n0, n1);
  const nHigh2 = highBytes(n2, n3);
  addFour(scores + 64, lowPairs(bLow2, bHigh2), lowPairs(nLow2, nHigh2));
  addFour(scores + 96, highPairs(bLow2, bHigh2), highPairs(nLow2, nHigh2));
}

function addPair(from: usize, score: usize): void {
  v128.store(score, f64x2.add(v128.load(score), v128.load(from)));
}

function addValues(from: usize, width: usize, score: usize): void {
  let pairs = width >> 1;
  for (; pairs > 0; pairs--) {
    addPair(from, score);
    from += 16;
    score += 16;
  }
  if (width & 1) store<f64>(score, load<f64>(score) + load<f64>(from));
}

function addWhole(values: usize, width: usize, exits: usize, count: usize, scores: usize): void {
  if (width === 1) {
    for (let i: usize = 0; i < count; i++) {
      const at = scores + (i << 3);
      store<f64>(at, load<f64>(at) + load<f64>(values + ((<usize>load<u8>(exits + i)) << 3)));
    }
    return;
  }
  const size = width << 3;
  if (width === 4) {
    for (let i: usize = 0; i < count; i++) {
      const from = values + ((<usize>load<u8>(exits + i)) << 5);
      addPair(from, scores);
      addPair(from + 16, scores + 16);
      scores += 32;
    }
    return;
  }
  for (let i: usize = 0; i < count; i++) {
    addValues(values + <usize>load<u8>(exits + i) * size, width, scores + i * size);
  }
}

/** Walks on from the exits, four rows side by side. */
function addPartial(
  table: usize,
  width: usize,
  tile: usize,
  exits: usize,
  count: usize,
  scores: usize,
): void {
  const size = width << 3;
  for (let i: usize = 0; i < count; i += 4) {
    let p0 = load<usize>(table + ((<usize>load<u8>(exits + i)) << 2));
    let p1 = load<usize>(table + ((<usize>load<u8>(exits + i, 1)) << 2));
    let p2 = load<usize>(table + ((<usize>load<u8>(exits + i, 2)) << 2));
    let p3 = load<usize>(table + ((<usize>load<u8>(exits + i, 3)) << 2));
    let moved: usize = 1;
    while (moved !== 0) {
      const q0 = step(p0, tile + i, COLUMN_SHIFT);
      const q1 = step(p1, tile + i + 1, COLUMN_SHIFT);
      const q2 = step(p2, tile + i + 2, COLUMN_SHIFT);
      const q3 = step(p3, tile + i + 3, COLUMN_SHIFT);
      moved = (q0 ^ p0) | (q1 ^ p1) | (q2 ^ p2) | (q3 ^ p3);
      p0 = q0;
      p1 = q1;
      p2 = q2;
      p3 = q3;
    }
    const score = scores + i * size;
    addValues(p0 + 8, width, score);
    addValues(p1 + 8, width, score + size);
    addValues(p2 + 8, width, score + 2 * size);
    addValues(p3 + 8, width, score + 3 * size);
  }
}

function sweepRows(
  count: usize,
  program: usize,
  end: usize,
  tile: usize,
  masks: usize,
  exits: usize,
): void {
  if (count === 16) sweep16(program, end, tile, masks, exits);
  else if (count === 64) sweep64(program, end, tile, masks, exits);
  else sweep128(program, end, tile, masks, exits);
}

/** Adds the values of a group's trees to the scores of a tile: f64 rows × width. */
function sweepGroup(
  tree: usize,
  end: usize,
  width: usize,
  tile: usize,
  masks: usize,
  exits: usize,
  rows: i32,
  scores: usize,
): void {
  const count: usize = rows <= 16 ? 16 : rows <= 64 ? 64 : TILE_ROWS;
  for (; tree < end; tree += TREE_BYTES) {
    const program = <usize>load<i32>(tree, PROGRAM);
    const programEnd = <usize>load<i32>(tree, PROGRAM_END);
    sweepRows(count, program, programEnd, tile, masks, exits);
    const kind = load<i32>(tree, KIND);
    const table = <usize>load<i32>(tree, EXIT_TABLE);
    if (kind === SMALL) {
      const next = tree + TREE_BYTES;
      if (next < end && load<i32>(next, KIND) === SMALL) {
        const nextProgram = <usize>load<i32>(next, PROGRAM);
        const nextEnd = <usize>load<i32>(next, PROGRAM_END);
        const nextExits = exits + <usize>TILE_ROWS;
        sweepRows(count, nextProgram, nextEnd, tile, masks, nextExits);
        const nextTable = <usize>load<i32>(next, EXIT_TABLE);
        for (let i: usize = 0; i < count; i += 16) {
          addSmall(table, exits + i, nextTable, nextExits + i, scores + (i << 3));
        }
        tree = next;
      } else {
        addWhole(<usize>load<i32>(tree, EXIT_VALUES), width, exits, count, scores);
      }
    } else if (kind === PARTIAL) {
      addPartial(table, width, tile, exits, count, scores);
    } else {
      addWhole(<usize>load<i32>(tree, EXIT_VALUES), width, exits, count, scores);
    }
  }
}

/**
 * Adds each tree's value to its output's score, in the order of the trees.
 *
 * @param columnMajor u8, `columnStride` bytes a feature; @param rows u32 rows of it, or 0 for the
 *   first `count`
 * @param scores f64 count × outputs
 * @param scratch (planes + 1) × 128 bytes, the masks' 32 KiB, and 128 × (outputs × 8 + 2) bytes
 */
export function sweepTrees(
  compiled: usize,
  columnMajor: usize,
  columnStride: usize,
  rows: usize,
  count: i32,
  scores: usize,
  outputs: i32,
  scratch: usize,
): void {
  if (count < SWEPT_ROWS) {
    for (let i = 0; i < count; i++) {
      const row = rows === 0 ? i : load<i32>(rows + ((<usize>i) << 2));
      const score = scores + ((<usize>i * <usize>outputs) << 3);
      walkRow(compiled, columnMajor + <usize>row, columnStride, score, scratch);
    }
    return;
  }
  const trees = <usize>load<i32>(compiled, TREES);
  const groups = <usize>load<i32>(compiled, GROUPS);
  const groupCount = load<i32>(compiled, GROUP_COUNT);
  const width = <usize>load<i32>(compiled, WIDTH);
  const tile = scratch;
  const masks = tile + ((<usize>load<i32>(compiled, PLANE_COUNT)) << COLUMN_SHIFT);
  const exits = masks + <usize>MASK_BYTES;
  const sums = exits + 2 * <usize>TILE_ROWS;
  memory.fill(masks, 255, TILE_ROWS);
  memory.fill(sums, 0, (width * <usize>TILE_ROWS) << 3);
  for (let from = 0; from < count; from += TILE_ROWS) {
    const live = min<i32>(TILE_ROWS, count - from);
    layTile(compiled, columnMajor, columnStride, rows, from, live, tile);
    for (let group = 0; group < groupCount; group++) {
      // A group of trees with one value each has its output's scores side by side.
      const own = scores + ((<usize>from * <usize>outputs + <usize>group) << 3);
      copyScores(own, <usize>outputs, sums, width, live, true);
      const first = load<i32>(groups + ((<usize>group) << 2));
      const end = load<i32>(groups + ((<usize>group) << 2), 4);
      sweepGroup(
        trees + <usize>first * TREE_BYTES,
        trees + <usize>end * TREE_BYTES,
        width,
        tile,
        masks,
        exits,
        live,
        sums,
      );
      copyScores(own, <usize>outputs, sums, width, live, false);
    }
  }
}

/** Between rows of all outputs, and rows of `width`. */
function copyScores(
  rows: usize,
  outputs: usize,
  sums: usize,
  width: usize,
  count: i32,
  inwards: bool,
): void {
  for (let i: usize = 0; i < <usize>count; i++) {
    for (let k: usize = 0; k < width; k++) {
      const row = rows + ((i * outputs + k) << 3);
      const sum = sums + ((i * width + k) << 3);
      if (inwards) store<f64>(sum, load<f64>(row));
      else store<f64>(row, load<f64>(sum));
    }
  }
}
