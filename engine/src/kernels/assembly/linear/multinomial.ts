/**
 * Products of a multinomial regression: margins of rows from tables of coefficients, the loss and its
 * slopes, and sums of slopes.
 *
 * Numbers of a row lie side by side, one a class, filled up to a multiple of four (`lanes`): margins by
 * -Infinity, all else by zeros. Rows come in fours, of which the last may be filled up, too. All sums run in
 * one order.
 */

import { expInRange, log } from "../numbers/elementary";

/** Of less than -708 next to nothing. */
function exponentials(x: v128): v128 {
  return expInRange(f64x2.pmax(x, f64x2.splat(-708.0)));
}

/**
 * out = base + dense · weights + the tables' rows.
 *
 * @param dense f64, rows × depth
 * @param weights f64, depth × lanes
 * @param codes u32, rows × sources: the row of `tables` that each adds
 * @param tables f64, any × lanes
 * @param base f64, lanes
 */
export function multinomialMargins(
  rows: i32,
  lanes: i32,
  depth: i32,
  dense: usize,
  weights: usize,
  sources: i32,
  codes: usize,
  tables: usize,
  base: usize,
  out: usize,
): void {
  const step = (<usize>lanes) << 3;
  const denseStep = (<usize>depth) << 3;
  const codeStep = (<usize>sources) << 2;
  for (let row = 0; row < rows; row += 4) {
    const x = dense + <usize>row * denseStep;
    const own = codes + <usize>row * codeStep;
    const to = out + <usize>row * step;
    for (let lane: usize = 0; lane < step; lane += 32) {
      let a0 = v128.load(base + lane);
      let a1 = v128.load(base + lane, 16);
      let b0 = a0;
      let b1 = a1;
      let c0 = a0;
      let c1 = a1;
      let d0 = a0;
      let d1 = a1;
      let from = weights + lane;
      for (let j: usize = 0; j < denseStep; j += 8) {
        const w0 = v128.load(from);
        const w1 = v128.load(from, 16);
        const xa = v128.load64_splat(x + j);
        const xb = v128.load64_splat(x + denseStep + j);
        const xc = v128.load64_splat(x + 2 * denseStep + j);
        const xd = v128.load64_splat(x + 3 * denseStep + j);
        a0 = f64x2.add(a0, f64x2.mul(xa, w0));
        a1 = f64x2.add(a1, f64x2.mul(xa, w1));
        b0 = f64x2.add(b0, f64x2.mul(xb, w0));
        b1 = f64x2.add(b1, f64x2.mul(xb, w1));
        c0 = f64x2.add(c0, f64x2.mul(xc, w0));
        c1 = f64x2.add(c1, f64x2.mul(xc, w1));
        d0 = f64x2.add(d0, f64x2.mul(xd, w0));
        d1 = f64x2.add(d1, f64x2.mul(xd, w1));
        from += step;
      }
      for (let s: usize = 0; s < codeStep; s += 4) {
        const ta = tables + <usize>load<u32>(own + s) * step + lane;
        a0 = f64x2.add(a0, v128.load(ta));
        a1 = f64x2.add(a1, v128.load(ta, 16));
        const tb = tables + <usize>load<u32>(own + codeStep + s) * step + lane;
        b0 = f64x2.add(b0, v128.load(tb));
        b1 = f64x2.add(b1, v128.load(tb, 16));
        const tc = tables + <usize>load<u32>(own + 2 * codeStep + s) * step + lane;
        c0 = f64x2.add(c0, v128.load(tc));
        c1 = f64x2.add(c1, v128.load(tc, 16));
        const td = tables + <usize>load<u32>(own + 3 * codeStep + s) * step + lane;
        d0 = f64x2.add(d0, v128.load(td));
        d1 = f64x2.add(d1, v128.load(td, 16));
      }
      const at = to + lane;
      v128.store(at, a0);
      v128.store(at, a1, 16);
      v128.store(at + step, b0);
      v128.store(at + step, b1, 16);
      v128.store(at + 2 * step, c0);
      v128.store(at + 2 * step, c1, 16);
      v128.store(at + 3 * step, d0);
      v128.store(at + 3 * step, d1, 16);
    }
  }
}

/**
 * weights += denseᵀ · slopes; each row's slopes are added to the tables' rows of its codes, and to base.
 * What is as in `multinomialMargins`.
 */
export function multinomialSums(
  rows: i32,
  lanes: i32,
  depth: i32,
  dense: usize,
  weights: usize,
  sources: i32,
  codes: usize,
  tables: usize,
  base: usize,
  slopes: usize,
): void {
  const step = (<usize>lanes) << 3;
  const denseStep = (<usize>depth) << 3;
  const codeStep = (<usize>sources) << 2;
  for (let row = 0; row < rows; row += 4) {
    const x = dense + <usize>row * denseStep;
    const own = codes + <usize>row * codeStep;
    const given = slopes + <usize>row * step;
    for (let lane: usize = 0; lane < step; lane += 32) {
      const at = given + lane;
      const a0 = v128.load(at);
      const a1 = v128.load(at, 16);
      const b0 = v128.load(at + step);
      const b1 = v128.load(at + step, 16);
      const c0 = v128.load(at + 2 * step);
      const c1 = v128.load(at + 2 * step, 16);
      const d0 = v128.load(at + 3 * step);
      const d1 = v128.load(at + 3 * step, 16);
      const all0 = f64x2.add(f64x2.add(a0, b0), f64x2.add(c0, d0));
      const all1 = f64x2.add(f64x2.add(a1, b1), f64x2.add(c1, d1));
      v128.store(base + lane, f64x2.add(v128.load(base + lane), all0));
      v128.store(base + lane, f64x2.add(v128.load(base + lane, 16), all1), 16);
      let to = weights + lane;
      for (let j: usize = 0; j < denseStep; j += 8) {
        const xa = v128.load64_splat(x + j);
        const xb = v128.load64_splat(x + denseStep + j);
        const xc = v128.load64_splat(x + 2 * denseStep + j);
        const xd = v128.load64_splat(x + 3 * denseStep + j);
        const left0 = f64x2.add(f64x2.mul(xa, a0), f64x2.mul(xb, b0));
        const left1 = f64x2.add(f64x2.mul(xa, a1), f64x2.mul(xb, b1));
        const right0 = f64x2.add(f64x2.mul(xc, c0), f64x2.mul(xd, d0));
        const right1 = f64x2.add(f64x2.mul(xc, c1), f64x2.mul(xd, d1));
        v128.store(to, f64x2.add(v128.load(to), f64x2.add(left0, right0)));
        v128.store(to, f64x2.add(v128.load(to, 16), f64x2.add(left1, right1)), 16);
        to += step;
      }
      for (let s: usize = 0; s < codeStep; s += 4) {
        const ta = tables + <usize>load<u32>(own + s) * step + lane;
        v128.store(ta, f64x2.add(v128.load(ta), a0));
        v128.store(ta, f64x2.add(v128.load(ta, 16), a1), 16);
        const tb = tables + <usize>load<u32>(own + codeStep + s) * step + lane;
        v128.store(tb, f64x2.add(v128.load(tb), b0));
        v128.store(tb, f64x2.add(v128.load(tb, 16), b1), 16);
        const tc = tables + <usize>load<u32>(own + 2 * codeStep + s) * step + lane;
        v128.store(tc, f64x2.add(v128.load(tc), c0));
        v128.store(tc, f64x2.add(v128.load(tc, 16), c1), 16);
        const td = tables + <usize>load<u32>(own + 3 * codeStep + s) * step + lane;
        v128.store(td, f64x2.add(v128.load(td), d0));
        v128.store(td, f64x2.add(v128.load(td, 16), d1), 16);
      }
    }
  }
}

/**
 * Σ share · (log Σ exp margins - margin of the label), and its slopes.
 *
 * @param shares f64 a row
 * @param labels f64 a row: the class; or, where `soft`, rows × lanes: the share of each class, summing to 1
 * @param slopes f64, rows × lanes: the derivative by each margin; 0 = not wanted
 */
export function multinomialLoss(
  rows: i32,
  lanes: i32,
  classes: i32,
  margins: usize,
  shares: usize,
  labels: usize,
  soft: i32,
  slopes: usize,
  scratch: usize,
): f64 {
  const step = (<usize>lanes) << 3;
  const end = (<usize>classes) << 3;
  let total: f64 = 0;
  for (let row = 0; row < rows; row++) {
    const own = margins + <usize>row * step;
    const to = slopes !== 0 ? slopes + <usize>row * step : scratch;
    let tops = v128.load(own);
    for (let k: usize = 16; k < step; k += 16) tops = f64x2.pmax(tops, v128.load(own + k));
    const most = max(f64x2.extract_lane(tops, 0), f64x2.extract_lane(tops, 1));
    const top = f64x2.splat(most);
    let even = f64x2.splat(0);
    let odd = f64x2.splat(0);
    for (let k: usize = 0; k < step; k += 32) {
      const a = exponentials(f64x2.sub(v128.load(own + k), top));
      const b = exponentials(f64x2.sub(v128.load(own + k, 16), top));
      v128.store(to + k, a);
      v128.store(to + k, b, 16);
      even = f64x2.add(even, a);
      odd = f64x2.add(odd, b);
    }
    const sums = f64x2.add(even, odd);
    const sum = f64x2.extract_lane(sums, 0) + f64x2.extract_lane(sums, 1);
    const share = load<f64>(shares + ((<usize>row) << 3));
    const label = labels + (soft !== 0 ? <usize>row * step : (<usize>row) << 3);
    let wanted: f64 = 0;
    if (soft !== 0) {
      for (let k: usize = 0; k < end; k += 8) wanted += load<f64>(label + k) * load<f64>(own + k);
    } else wanted = load<f64>(own + ((<usize>load<f64>(label)) << 3));
    total += share * (log(sum) + most - wanted);
    if (slopes === 0) continue;
    const scale = f64x2.splat(share / sum);
    for (let k: usize = 0; k < step; k += 16)
      v128.store(to + k, f64x2.mul(v128.load(to + k), scale));
    for (let k = end; k < step; k += 8) store<f64>(to + k, 0);
    if (soft !== 0) {
      const less = f64x2.splat(share);
      for (let k: usize = 0; k < step; k += 16) {
        v128.store(to + k, f64x2.sub(v128.load(to + k), f64x2.mul(less, v128.load(label + k))));
      }
    } else {
      const at = to + ((<usize>load<f64>(label)) << 3);
      store<f64>(at, load<f64>(at) - share);
    }
  }
  return total;
}
