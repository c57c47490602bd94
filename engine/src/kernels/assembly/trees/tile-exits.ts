/** By which exit each row of a tile leaves a tree, all nodes in turn (see `sweep-trees.ts`). */

import { PLANE_BYTES, PLANE_COUNT, PLANES, TILE_ROWS } from "./compiled-layout";

/** From a column of a tile to the next, in bits. */
export const COLUMN_SHIFT: u32 = 7;

/** Lays the planes of up to 128 rows out, 128 bytes each; past the end the last row stands. */
export function layTile(
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
export function sweep128(p: usize, end: usize, tile: usize, masks: usize, exits: usize): void {
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
export function sweep64(p: usize, end: usize, tile: usize, masks: usize, exits: usize): void {
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
export function sweep16(p: usize, end: usize, tile: usize, masks: usize, exits: usize): void {
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
