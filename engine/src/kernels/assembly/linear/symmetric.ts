/**
 * Products and factors of symmetric positive definite matrices of thousands of rows, f64, blocked so
 * that what the inner loop reads lies in the first two caches.
 *
 * A matrix of r rows and c columns lies in groups of four rows, each column after column: entry (i, k)
 * is f64 number ((i / 4) c + k) 4 + i % 4. Four columns of a group are a tile of 16 numbers in one
 * piece, and every product here is a row group times a transposed row group.
 */

/** Columns that one pass of a factorisation or solution takes. */
const PANEL: i32 = 128;
/** Tiles beside each other whose rows are kept in the second cache. */
const BESIDE: i32 = 32;

function at(matrix: usize, columns: i32, group: i32, column: i32): usize {
  return matrix + ((<usize>group * <usize>columns + <usize>column) << 5);
}

/** tile -= a bᵀ over `depth` columns of two row groups. */
function subtractProduct(a: usize, b: usize, depth: i32, tile: usize): void {
  let c00 = f64x2.splat(0);
  let c01 = f64x2.splat(0);
  let c10 = f64x2.splat(0);
  let c11 = f64x2.splat(0);
  let c20 = f64x2.splat(0);
  let c21 = f64x2.splat(0);
  let c30 = f64x2.splat(0);
  let c31 = f64x2.splat(0);
  const end = a + ((<usize>depth) << 5);
  while (a < end) {
    const a0 = v128.load(a);
    const a1 = v128.load(a, 16);
    let by = v128.load64_splat(b);
    c00 = f64x2.add(c00, f64x2.mul(a0, by));
    c01 = f64x2.add(c01, f64x2.mul(a1, by));
    by = v128.load64_splat(b, 8);
    c10 = f64x2.add(c10, f64x2.mul(a0, by));
    c11 = f64x2.add(c11, f64x2.mul(a1, by));
    by = v128.load64_splat(b, 16);
    c20 = f64x2.add(c20, f64x2.mul(a0, by));
    c21 = f64x2.add(c21, f64x2.mul(a1, by));
    by = v128.load64_splat(b, 24);
    c30 = f64x2.add(c30, f64x2.mul(a0, by));
    c31 = f64x2.add(c31, f64x2.mul(a1, by));
    a += 32;
    b += 32;
  }
  v128.store(tile, f64x2.sub(v128.load(tile), c00));
  v128.store(tile, f64x2.sub(v128.load(tile, 16), c01), 16);
  v128.store(tile, f64x2.sub(v128.load(tile, 32), c10), 32);
  v128.store(tile, f64x2.sub(v128.load(tile, 48), c11), 48);
  v128.store(tile, f64x2.sub(v128.load(tile, 64), c20), 64);
  v128.store(tile, f64x2.sub(v128.load(tile, 80), c21), 80);
  v128.store(tile, f64x2.sub(v128.load(tile, 96), c30), 96);
  v128.store(tile, f64x2.sub(v128.load(tile, 112), c31), 112);
}

/** tile = tile L⁻ᵀ for the 4 × 4 lower triangle L that is the tile `factor`. */
function solveTile(tile: usize, factor: usize): void {
  for (let half: usize = 0; half < 32; half += 16) {
    const x0 = f64x2.div(v128.load(tile + half), v128.load64_splat(factor));
    let x1 = f64x2.sub(v128.load(tile + half, 32), f64x2.mul(x0, v128.load64_splat(factor, 8)));
    x1 = f64x2.div(x1, v128.load64_splat(factor, 40));
    let x2 = f64x2.sub(v128.load(tile + half, 64), f64x2.mul(x0, v128.load64_splat(factor, 16)));
    x2 = f64x2.sub(x2, f64x2.mul(x1, v128.load64_splat(factor, 48)));
    x2 = f64x2.div(x2, v128.load64_splat(factor, 80));
    let x3 = f64x2.sub(v128.load(tile + half, 96), f64x2.mul(x0, v128.load64_splat(factor, 24)));
    x3 = f64x2.sub(x3, f64x2.mul(x1, v128.load64_splat(factor, 56)));
    x3 = f64x2.sub(x3, f64x2.mul(x2, v128.load64_splat(factor, 88)));
    x3 = f64x2.div(x3, v128.load64_splat(factor, 120));
    v128.store(tile + half, x0);
    v128.store(tile + half, x1, 32);
    v128.store(tile + half, x2, 64);
    v128.store(tile + half, x3, 96);
  }
}

/** Cholesky factor of one tile, in place in its lower triangle; false where there is none. */
function factorTile(tile: usize): bool {
  for (let j: usize = 0; j < 4; j++) {
    let rest = load<f64>(tile + (j << 5) + (j << 3));
    const scale = rest;
    for (let k: usize = 0; k < j; k++) {
      const value = load<f64>(tile + (k << 5) + (j << 3));
      rest -= value * value;
    }
    // Not a number fails, too.
    if (!(rest > scale * 1e-15) || rest === Infinity) return false;
    const root = Math.sqrt(rest);
    store<f64>(tile + (j << 5) + (j << 3), root);
    for (let i = j + 1; i < 4; i++) {
      let value = load<f64>(tile + (j << 5) + (i << 3));
      for (let k: usize = 0; k < j; k++) {
        value -= load<f64>(tile + (k << 5) + (i << 3)) * load<f64>(tile + (k << 5) + (j << 3));
      }
      store<f64>(tile + (j << 5) + (i << 3), value / root);
    }
  }
  return true;
}

/** Row group `group` of x, columns start .. end: solved for the factor's same columns. */
function solvePanel(x: usize, group: i32, factor: usize, size: i32, start: i32, end: i32): void {
  const row = at(x, size, group, start);
  for (let j = start; j < end; j += 4) {
    const tile = at(x, size, group, j);
    subtractProduct(row, at(factor, size, j >> 2, start), j - start, tile);
    solveTile(tile, at(factor, size, j >> 2, j));
  }
}

/**
 * x[group][column ≥ end] -= x[group][start .. end] · factor[column][start .. end]ᵀ for row groups
 * from .. to.
 *
 * @param lower 1 = x is the factor itself: only up to the diagonal
 * @param upper 1 = x is upper triangular: entries before the diagonal are zero
 */
function updateBeyond(
  x: usize,
  from: i32,
  to: i32,
  factor: usize,
  size: i32,
  start: i32,
  end: i32,
  lower: bool,
  upper: bool,
): void {
  const tiles = size >> 2;
  for (let first = end >> 2; first < tiles; first += BESIDE) {
    const last = min(first + BESIDE, tiles);
    for (let group = lower ? max(from, first) : from; group < to; group++) {
      const begin = upper ? max(start, group << 2) : start;
      if (begin >= end) break;
      const row = at(x, size, group, begin);
      const stop = lower ? min(last, group + 1) : last;
      for (let j = first; j < stop; j++) {
        subtractProduct(row, at(factor, size, j, begin), end - begin, at(x, size, group, j << 2));
      }
    }
  }
}

/**
 * One step of the Cholesky factor of a symmetric matrix, in place in its lower triangle; what is above is
 * spoilt. Asked for the panels one after another from column 0 on, so that whoever asks may stop between two.
 *
 * @param size a multiple of 4
 * @param start of the panel, @param width of it, both multiples of 4
 * @returns 0, or 1 where the matrix is not positive definite to working precision
 */
export function choleskyPanel(matrix: usize, size: i32, start: i32, width: i32): i32 {
  const groups = size >> 2;
  const end = min(start + width, size);
  for (let j = start; j < end; j += 4) {
    const diagonal = at(matrix, size, j >> 2, j);
    const row = at(matrix, size, j >> 2, start);
    subtractProduct(row, row, j - start, diagonal);
    if (!factorTile(diagonal)) return 1;
    for (let group = (j >> 2) + 1; group < end >> 2; group++) {
      const tile = at(matrix, size, group, j);
      subtractProduct(at(matrix, size, group, start), row, j - start, tile);
      solveTile(tile, diagonal);
    }
  }
  for (let group = end >> 2; group < groups; group++) {
    solvePanel(matrix, group, matrix, size, start, end);
  }
  updateBeyond(matrix, end >> 2, groups, matrix, size, start, end, true, false);
  return 0;
}

/**
 * X = X L⁻ᵀ in place, L a Cholesky factor: each row of X becomes L⁻¹ times it.
 *
 * @param x groups × 4 rows of `size` columns
 * @param unit -1; or the number of x's first row as one of the identity matrix: entries before the
 *   diagonal are known to be zero
 */
export function solveRows(x: usize, groups: i32, factor: usize, size: i32, unit: i32): void {
  const first = unit < 0 ? 0 : unit >> 2;
  // Row groups are counted as those of the whole matrix.
  const base = x - ((<usize>first * <usize>size) << 5);
  for (let start = 0; start < size; start += PANEL) {
    const end = min(start + PANEL, size);
    for (let group = first; group < first + groups; group++) {
      const begin = unit < 0 ? start : max(start, group << 2);
      if (begin >= end) break;
      solvePanel(base, group, factor, size, begin, end);
    }
    updateBeyond(base, first, first + groups, factor, size, start, end, false, unit >= 0);
  }
}

/** The sums of squares of the rows of x: f64 × 4 groups. */
export function rowSquares(x: usize, groups: i32, columns: i32, out: usize): void {
  for (let group = 0; group < groups; group++) {
    let low = f64x2.splat(0);
    let high = f64x2.splat(0);
    let from = at(x, columns, group, 0);
    for (let k = 0; k < columns; k++, from += 32) {
      const a = v128.load(from);
      const b = v128.load(from, 16);
      low = f64x2.add(low, f64x2.mul(a, a));
      high = f64x2.add(high, f64x2.mul(b, b));
    }
    v128.store(out + ((<usize>group) << 5), low);
    v128.store(out + ((<usize>group) << 5), high, 16);
  }
}

/** X = X L⁻¹ in place: after `solveRows`, each row is (L Lᵀ)⁻¹ times what it was. */
export function solveRowsBack(x: usize, groups: i32, factor: usize, size: i32): void {
  for (let group = 0; group < groups; group++) {
    const row = at(x, size, group, 0);
    for (let i = size - 1; i >= 0; i--) {
      const line = at(factor, size, i >> 2, 0) + ((<usize>(i & 3)) << 3);
      const to = row + ((<usize>i) << 5);
      const by = v128.load64_splat(line + ((<usize>i) << 5));
      const low = f64x2.div(v128.load(to), by);
      const high = f64x2.div(v128.load(to, 16), by);
      v128.store(to, low);
      v128.store(to, high, 16);
      for (let k: usize = 0; k < (<usize>i) << 5; k += 32) {
        const weight = v128.load64_splat(line + k);
        v128.store(row + k, f64x2.sub(v128.load(row + k), f64x2.mul(low, weight)));
        v128.store(row + k, f64x2.sub(v128.load(row + k, 16), f64x2.mul(high, weight)), 16);
      }
    }
  }
}

/**
 * matrix -= P Pᵀ on and below the diagonal (and in some tiles above it).
 *
 * @param panel f64, groups × 4 rows of `depth` columns, as matrices lie here
 */
export function subtractGram(panel: usize, groups: i32, depth: i32, matrix: usize): void {
  const size = groups << 2;
  const line = (<usize>depth) << 5;
  for (let first = 0; first < groups; first += BESIDE) {
    const last = min(first + BESIDE, groups);
    for (let i = first; i < groups; i++) {
      for (let j = first; j < min(last, i + 1); j++) {
        const tile = at(matrix, size, i, j << 2);
        subtractProduct(panel + <usize>i * line, panel + <usize>j * line, depth, tile);
      }
    }
  }
}

/** tiles += the products of eight rows and four rows of f32, gathered in f32 over `depth`. */
function addProduct8(a: usize, b: usize, depth: i32, above: usize, below: usize): void {
  let c00 = f32x4.splat(0);
  let c01 = f32x4.splat(0);
  let c10 = f32x4.splat(0);
  let c11 = f32x4.splat(0);
  let c20 = f32x4.splat(0);
  let c21 = f32x4.splat(0);
  let c30 = f32x4.splat(0);
  let c31 = f32x4.splat(0);
  const end = a + ((<usize>depth) << 5);
  while (a < end) {
    const a0 = v128.load(a);
    const a1 = v128.load(a, 16);
    let by = v128.load32_splat(b);
    c00 = f32x4.add(c00, f32x4.mul(a0, by));
    c01 = f32x4.add(c01, f32x4.mul(a1, by));
    by = v128.load32_splat(b, 4);
    c10 = f32x4.add(c10, f32x4.mul(a0, by));
    c11 = f32x4.add(c11, f32x4.mul(a1, by));
    by = v128.load32_splat(b, 8);
    c20 = f32x4.add(c20, f32x4.mul(a0, by));
    c21 = f32x4.add(c21, f32x4.mul(a1, by));
    by = v128.load32_splat(b, 12);
    c30 = f32x4.add(c30, f32x4.mul(a0, by));
    c31 = f32x4.add(c31, f32x4.mul(a1, by));
    a += 32;
    b += 32;
  }
  addWide(above, c00);
  addWide(above + 32, c10);
  addWide(above + 64, c20);
  addWide(above + 96, c30);
  addWide(below, c01);
  addWide(below + 32, c11);
  addWide(below + 64, c21);
  addWide(below + 96, c31);
}

function addWide(to: usize, four: v128): void {
  const low = f64x2.promote_low_f32x4(four);
  const high = f64x2.promote_low_f32x4(
    i8x16.shuffle(four, four, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7),
  );
  v128.store(to, f64x2.add(v128.load(to), low));
  v128.store(to, f64x2.add(v128.load(to, 16), high), 16);
}

/**
 * matrix += P Pᵀ on and below the diagonal (and in some tiles above it).
 *
 * @param panel f32, eights × 8 rows of `depth` columns: entry (i, k) is number
 *   ((i / 8) depth + k) 8 + i % 8
 */
export function addGram(panel: usize, eights: i32, depth: i32, matrix: usize): void {
  const size = eights << 3;
  const line = (<usize>depth) << 5;
  for (let first = 0; first < eights; first += BESIDE) {
    const last = min(first + BESIDE, eights);
    for (let i = first; i < eights; i++) {
      const a = panel + <usize>i * line;
      for (let j = first; j < min(last, i + 1); j++) {
        const b = panel + <usize>j * line;
        const above = at(matrix, size, i << 1, j << 3);
        const below = at(matrix, size, (i << 1) + 1, j << 3);
        addProduct8(a, b, depth, above, below);
        addProduct8(a, b + 16, depth, above + 128, below + 128);
      }
    }
  }
}
