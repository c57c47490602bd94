/**
 * Products of f32 matrices, by panels in cache (Goto & van de Geijn, "Anatomy of high-performance
 * matrix multiplication", ACM TOMS 34(3), 2008).
 *
 * Each number of the result is Σ a·b in the order of the depth, every product rounded before it is
 * added: the same bits on every machine. Matrices are given by their steps, so that a transposed one
 * is the same matrix with its steps exchanged.
 */

/** Rows and columns of the result that are summed up in registers. */
const TILE_ROWS: i32 = 4;

/** Four numbers of each of four rows, as four columns of four. @inline */
function storeTurned(r0: v128, r1: v128, r2: v128, r3: v128, to: usize, step: usize): void {
  const low01 = v128.shuffle<f32>(r0, r1, 0, 4, 1, 5);
  const high01 = v128.shuffle<f32>(r0, r1, 2, 6, 3, 7);
  const low23 = v128.shuffle<f32>(r2, r3, 0, 4, 1, 5);
  const high23 = v128.shuffle<f32>(r2, r3, 2, 6, 3, 7);
  v128.store(to, v128.shuffle<f32>(low01, low23, 0, 1, 4, 5));
  v128.store(to + step, v128.shuffle<f32>(low01, low23, 2, 3, 6, 7));
  v128.store(to + 2 * step, v128.shuffle<f32>(high01, high23, 0, 1, 4, 5));
  v128.store(to + 3 * step, v128.shuffle<f32>(high01, high23, 2, 3, 6, 7));
}

/**
 * Four vectors of `depth` numbers, one behind the other in memory, side by side.
 *
 * @param step bytes from one vector to the next
 * @param toStep bytes from one place in the depth to the next
 */
function turnFour(from: usize, step: usize, depth: i32, to: usize, toStep: usize): void {
  const second = from + step;
  const third = second + step;
  const fourth = third + step;
  const end = (<usize>depth) << 2;
  const whole = end & ~15;
  let at: usize = 0;
  for (; at < whole; at += 16) {
    const r0 = v128.load(from + at);
    const r1 = v128.load(second + at);
    storeTurned(r0, r1, v128.load(third + at), v128.load(fourth + at), to, toStep);
    to += 4 * toStep;
  }
  for (; at < end; at += 4) {
    store<f32>(to, load<f32>(from + at));
    store<f32>(to, load<f32>(second + at), 4);
    store<f32>(to, load<f32>(third + at), 8);
    store<f32>(to, load<f32>(fourth + at), 12);
    to += toStep;
  }
}

/** `rows` × depth into panels of four rows, depth-major. @param rowStep bytes; it or `columnStep` is 4 */
function packRows(
  from: usize,
  rowStep: usize,
  columnStep: usize,
  rows: i32,
  depth: i32,
  to: usize,
): void {
  const panelBytes = (<usize>depth) << 4;
  for (let row = 0; row < rows; row += TILE_ROWS) {
    const first = from + <usize>row * rowStep;
    if (columnStep === 4) turnFour(first, rowStep, depth, to, 16);
    else {
      let at = first;
      for (let place: usize = 0; place < panelBytes; place += 16) {
        v128.store(to + place, v128.load(at));
        at += columnStep;
      }
    }
    to += panelBytes;
  }
}

/** Eight columns of depth × columns, depth-major. @param rowStep bytes; it or `columnStep` is 4 */
function packColumns(from: usize, rowStep: usize, columnStep: usize, depth: i32, to: usize): void {
  if (columnStep === 4) {
    for (let k = 0; k < depth; k++) {
      v128.store(to, v128.load(from));
      v128.store(to, v128.load(from, 16), 16);
      to += 32;
      from += rowStep;
    }
    return;
  }
  turnFour(from, columnStep, depth, to, 32);
  turnFour(from + 4 * columnStep, columnStep, depth, to + 16, 32);
}

/**
 * c = a · b, or c + a · b.
 *
 * @param rows of a and c, a multiple of 4
 * @param columns of b and c, a multiple of 8
 * @param depth columns of a, rows of b
 * @param aRowStep elements from one row to the next; likewise the other steps. One of a's two is 1, and one of b's
 * @param c f32, row-major, its columns one behind the other
 * @param accumulate 1: add to c; 0: what c held is overwritten
 * @param scratch f32 × depth × (rows + 8)
 */
export function multiplyMatrices(
  rows: i32,
  columns: i32,
  depth: i32,
  a: usize,
  aRowStep: i32,
  aColumnStep: i32,
  b: usize,
  bRowStep: i32,
  bColumnStep: i32,
  c: usize,
  cRowStep: i32,
  accumulate: i32,
  scratch: usize,
): void {
  const panel = scratch + ((<usize>rows * <usize>depth) << 2);
  packRows(a, (<usize>aRowStep) << 2, (<usize>aColumnStep) << 2, rows, depth, scratch);
  const cStep = (<usize>cRowStep) << 2;
  const panelBytes = (<usize>depth) << 5;
  for (let column = 0; column < columns; column += 8) {
    packColumns(
      b + ((<usize>column * <usize>bColumnStep) << 2),
      (<usize>bRowStep) << 2,
      (<usize>bColumnStep) << 2,
      depth,
      panel,
    );
    let left = scratch;
    for (let row = 0; row < rows; row += TILE_ROWS) {
      const to = c + <usize>row * cStep + ((<usize>column) << 2);
      let right = panel;
      let s00 = f32x4.splat(0);
      let s01 = s00;
      let s10 = s00;
      let s11 = s00;
      let s20 = s00;
      let s21 = s00;
      let s30 = s00;
      let s31 = s00;
      const end = panel + panelBytes;
      while (right < end) {
        // One half of the columns behind the other: 3 % faster than row by row.
        const a0 = v128.load32_splat(left);
        const a1 = v128.load32_splat(left, 4);
        const a2 = v128.load32_splat(left, 8);
        const a3 = v128.load32_splat(left, 12);
        const b0 = v128.load(right);
        s00 = f32x4.add(s00, f32x4.mul(a0, b0));
        s10 = f32x4.add(s10, f32x4.mul(a1, b0));
        s20 = f32x4.add(s20, f32x4.mul(a2, b0));
        s30 = f32x4.add(s30, f32x4.mul(a3, b0));
        const b1 = v128.load(right, 16);
        s01 = f32x4.add(s01, f32x4.mul(a0, b1));
        s11 = f32x4.add(s11, f32x4.mul(a1, b1));
        s21 = f32x4.add(s21, f32x4.mul(a2, b1));
        s31 = f32x4.add(s31, f32x4.mul(a3, b1));
        left += 16;
        right += 32;
      }
      const second = to + cStep;
      const third = second + cStep;
      const fourth = third + cStep;
      if (accumulate !== 0) {
        s00 = f32x4.add(v128.load(to), s00);
        s01 = f32x4.add(v128.load(to, 16), s01);
        s10 = f32x4.add(v128.load(second), s10);
        s11 = f32x4.add(v128.load(second, 16), s11);
        s20 = f32x4.add(v128.load(third), s20);
        s21 = f32x4.add(v128.load(third, 16), s21);
        s30 = f32x4.add(v128.load(fourth), s30);
        s31 = f32x4.add(v128.load(fourth, 16), s31);
      }
      v128.store(to, s00);
      v128.store(to, s01, 16);
      v128.store(second, s10);
      v128.store(second, s11, 16);
      v128.store(third, s20);
      v128.store(third, s21, 16);
      v128.store(fourth, s30);
      v128.store(fourth, s31, 16);
    }
  }
}
