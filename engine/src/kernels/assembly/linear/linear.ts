/**
 * The dense terms of a linear model over many rows: each cell becomes columns of the design, and these
 * are weighed and added up. Every row takes the steps of `families/linear/terms.ts` in their order, two
 * rows side by side, so that it gets the same bits as by itself.
 *
 * Columns and sums lie column by column, `stride` bytes each: a multiple of 16, with room for an even
 * number of rows.
 */

/** What is made of a cell: see `families/linear/numeric-transform.ts`. */
export const SPLINE = 1;
export const INTERPOLATED = 2;

function cube(value: v128): v128 {
  const power = f64x2.mul(f64x2.mul(value, value), value);
  return v128.and(power, f64x2.gt(value, f64x2.splat(0)));
}

export function writeSpline(
  cells: usize,
  count: usize,
  knots: usize,
  knotCount: usize,
  out: usize,
  stride: usize,
): void {
  const first = load<f64>(knots);
  const end = knots + (knotCount << 3);
  const last = load<f64>(end - 8);
  const beforeLast = load<f64>(end - 16);
  const range = last - first;
  const lastGap = f64x2.splat((last - beforeLast) / range);
  const penultimate = (beforeLast - first) / range;
  for (let at: usize = 0; at < count; at += 16) {
    const scaled = f64x2.div(
      f64x2.sub(v128.load(cells + at), f64x2.splat(first)),
      f64x2.splat(range),
    );
    const place = f64x2.min(f64x2.splat(2), f64x2.max(f64x2.splat(-1), scaled));
    const afterLast = cube(f64x2.sub(place, f64x2.splat(1)));
    const afterBeforeLast = cube(f64x2.sub(place, f64x2.splat(penultimate)));
    let to = out + at;
    v128.store(to, place);
    for (let knot = knots; knot < end - 16; knot += 8) {
      const own = (load<f64>(knot) - first) / range;
      const one = f64x2.div(f64x2.mul(afterBeforeLast, f64x2.splat(1 - own)), lastGap);
      const other = f64x2.div(f64x2.mul(afterLast, f64x2.splat(penultimate - own)), lastGap);
      to += stride;
      v128.store(to, f64x2.add(f64x2.sub(cube(f64x2.sub(place, f64x2.splat(own))), one), other));
    }
  }
}

/** The scores follow the knots. */
export function writeInterpolated(
  cells: usize,
  count: usize,
  knots: usize,
  knotCount: usize,
  out: usize,
): void {
  const scores = knots + (knotCount << 3);
  const first = load<f64>(knots);
  const last = load<f64>(scores - 8);
  for (let at: usize = 0; at < count; at += 8) {
    const value = load<f64>(cells + at);
    if (value <= first) {
      store<f64>(out + at, load<f64>(scores));
    } else if (value >= last) {
      store<f64>(out + at, load<f64>(scores + ((knotCount - 1) << 3)));
    } else {
      let low: usize = 0;
      let length = knotCount - 1;
      while (length > 1) {
        const half = length >> 1;
        const middle = low + half;
        low = select<usize>(middle, low, load<f64>(knots + (middle << 3)) <= value);
        length -= half;
      }
      const below = load<f64>(knots + (low << 3));
      const above = load<f64>(knots + (low << 3), 8);
      const score = load<f64>(scores + (low << 3));
      const part = (value - below) / (above - below);
      store<f64>(out + at, score + part * (load<f64>(scores + (low << 3), 8) - score));
    }
  }
}

/**
 * Adds a term's contributions to the sums of `count` rows.
 *
 * @param kind 0: `design` holds the columns, not yet centred and scaled; 1: a spline; 2: interpolated
 * @param cells f64 a row; @param finite whether columns of other cells are 0
 * @param block f64: the columns' means, their deviations, their means over the training rows, the
 *   coefficients (columns × outputs), the knots, and the scores of interpolated ones
 * @param design room for `columns`
 * @param sums one column an output
 */
export function addLinearTerm(
  kind: i32,
  cells: usize,
  finite: i32,
  count: i32,
  block: usize,
  columns: i32,
  knotCount: i32,
  outputs: i32,
  design: usize,
  sums: usize,
  stride: usize,
): void {
  const size = (<usize>count) << 3;
  const columnBytes = (<usize>columns) << 3;
  const coefficients = block + 3 * columnBytes;
  const knots = coefficients + columnBytes * <usize>outputs;
  if (kind === SPLINE) {
    writeSpline(cells, size, knots, <usize>knotCount, design, stride);
  } else if (kind === INTERPOLATED) {
    writeInterpolated(cells, size, knots, <usize>knotCount, design);
  }
  const zero = f64x2.splat(0);
  for (let c: usize = 0; c < columnBytes; c += 8) {
    const mean = v128.load_splat<f64>(block + c);
    const deviation = v128.load_splat<f64>(block + columnBytes + c);
    const trained = v128.load_splat<f64>(block + 2 * columnBytes + c);
    const column = design + (c >> 3) * stride;
    for (let at: usize = 0; at < size; at += 16) {
      let value = f64x2.div(f64x2.sub(v128.load(column + at), mean), deviation);
      if (finite) {
        const cell = v128.load(cells + at);
        value = v128.and(value, f64x2.eq(f64x2.sub(cell, cell), zero));
      }
      v128.store(column + at, f64x2.sub(value, trained));
    }
  }
  for (let k: usize = 0; k < <usize>outputs; k++) {
    const own = sums + k * stride;
    const first = coefficients + (k << 3);
    const step = (<usize>outputs) << 3;
    for (let at: usize = 0; at < size; at += 16) {
      let sum = zero;
      let coefficient = first;
      for (let column = design + at; coefficient < knots; column += stride) {
        sum = f64x2.add(sum, f64x2.mul(v128.load_splat<f64>(coefficient), v128.load(column)));
        coefficient += step;
      }
      v128.store(own + at, f64x2.add(v128.load(own + at), sum));
    }
  }
}

/** Adds `bytes` of f64 to others, a whole number of pairs. */
export function addColumns(from: usize, to: usize, bytes: usize): void {
  for (let at: usize = 0; at < bytes; at += 16) {
    v128.store(to + at, f64x2.add(v128.load(to + at), v128.load(from + at)));
  }
}
