/**
 * Boosting of shape functions on rows: what the last term's step adds to the rows' scores, then the gradients
 * of the next term's cells, in one pass. Several bags of the rows are learned side by side, four to a vector of
 * single precision ("group"); a row's mask says which bags have it. Row after row, so that sums have one order.
 *
 * A cell of a term is its bin: a byte by the row's number, or two bytes by its place among the learned rows where the
 * term is `wide`. Steps and scores are quads, (cell or place × groups + group) × outputs + output; so are histograms,
 * of gradients and then hessians. Targets are f32, places × outputs; weights f32 by place (0 = all 1).
 */

import { COVERS, LOGISTIC, SOFTMAX } from "./layout";

/** Rows whose sums are held in single precision before they are added to those in double. */
const BLOCK_ROWS: i32 = 8192;

/** e^x in single precision to some units in the last place; x is held within ± 87. */
function expQuad(given: v128): v128 {
  const x = f32x4.max(f32x4.min(given, f32x4.splat(87)), f32x4.splat(-87));
  const k = f32x4.nearest(f32x4.mul(x, f32x4.splat(f32(Math.LOG2E))));
  const high = f32x4.sub(x, f32x4.mul(k, f32x4.splat(0.693359375)));
  const r = f32x4.add(high, f32x4.mul(k, f32x4.splat(2.1219444e-4)));
  let p = f32x4.splat(1.0 / 720.0);
  p = f32x4.add(f32x4.mul(p, r), f32x4.splat(1.0 / 120.0));
  p = f32x4.add(f32x4.mul(p, r), f32x4.splat(1.0 / 24.0));
  p = f32x4.add(f32x4.mul(p, r), f32x4.splat(1.0 / 6.0));
  p = f32x4.add(f32x4.mul(p, r), f32x4.splat(0.5));
  p = f32x4.add(f32x4.mul(p, r), f32x4.splat(1));
  p = f32x4.add(f32x4.mul(p, r), f32x4.splat(1));
  const bits = i32x4.shl(i32x4.add(i32x4.trunc_sat_f32x4_s(k), i32x4.splat(127)), 23);
  return f32x4.mul(p, bits);
}

function addTo(at: usize, offset: usize, value: v128): void {
  v128.store(at + offset, f32x4.add(v128.load(at + offset), value));
}

/** Adds the block's sums to the totals, f64 pairs of quads, and clears them. */
function flush(partial: usize, totals: usize, quads: i32): void {
  const zero = f32x4.splat(0);
  for (let q = 0; q < quads; q++) {
    const x = v128.load(partial);
    v128.store(totals, f64x2.add(v128.load(totals), f64x2.promote_low_f32x4(x)));
    const high = f64x2.promote_low_f32x4(v128.shuffle<u64>(x, x, 1, 1));
    v128.store(totals + 16, f64x2.add(v128.load(totals + 16), high));
    v128.store(partial, zero);
    partial += 16;
    totals += 32;
  }
}

function cellOf(column: usize, wide: i32, row: u32, place: i32): usize {
  return wide ? usize(load<u16>(column + (usize(place) << 1))) : usize(load<u8>(column + row));
}

/**
 * @param rows u32, the learned rows by their places
 * @param applied the last term's cells, with its `steps`; 0: none
 * @param asked the next term's cells; 0: none
 * @param partial f32, room for the histogram of a block, as `totals` is in f64
 * @param masks u32 by place: bit b is set where bag b has the row
 * @param nibbles 16 quads, the lanes of each four bits as 0 and 1
 * @param scratch a quad an output
 */
export function shapePass(
  rows: usize,
  count: i32,
  applied: usize,
  appliedWide: i32,
  steps: usize,
  asked: usize,
  askedWide: i32,
  cells: i32,
  partial: usize,
  totals: usize,
  scores: usize,
  targets: usize,
  weights: usize,
  masks: usize,
  nibbles: usize,
  groups: i32,
  outputs: i32,
  loss: i32,
  scratch: usize,
): void {
  const quads = 2 * cells * groups * outputs;
  if (asked !== 0) {
    memory.fill(partial, 0, usize(quads) << 4);
    memory.fill(totals, 0, usize(quads) << 5);
  }
  const rowBytes = usize(groups * outputs) << 4;
  const one = f32x4.splat(1);
  const curvature: f32 = outputs > 1 ? f32(outputs) / f32(outputs - 1) : 1;
  for (let from = 0; from < count; from += BLOCK_ROWS) {
    const end = min(count, from + BLOCK_ROWS);
    for (let place = from; place < end; place++) {
      const row = load<u32>(rows + (usize(place) << 2));
      let score = scores + usize(place) * rowBytes;
      let step = steps;
      if (applied !== 0) step += cellOf(applied, appliedWide, row, place) * rowBytes;
      if (asked === 0) {
        for (let q: usize = 0; q < rowBytes; q += 16) addTo(score, q, v128.load(step + q));
        continue;
      }
      let cell = partial + ((cellOf(asked, askedWide, row, place) * rowBytes) << 1);
      const weight = weights === 0 ? <f32>1 : load<f32>(weights + (usize(place) << 2));
      const mask = load<u32>(masks + (usize(place) << 2));
      const target = targets + ((usize(place) * usize(outputs)) << 2);
      for (let group = 0; group < groups; group++) {
        const lanes = v128.load(nibbles + (usize((mask >> (group << 2)) & 15) << 4));
        const own = f32x4.mul(lanes, f32x4.splat(weight));
        if (loss === COVERS) {
          addTo(cell, 16, own);
          cell += 32;
        } else if (loss === SOFTMAX) {
          let most = f32x4.splat(-Infinity);
          for (let k: usize = 0; k < usize(outputs); k++) {
            let s = v128.load(score + (k << 4));
            if (applied !== 0) {
              s = f32x4.add(s, v128.load(step + (k << 4)));
              v128.store(score + (k << 4), s);
            }
            most = f32x4.max(most, s);
          }
          let sum = f32x4.splat(0);
          for (let k: usize = 0; k < usize(outputs); k++) {
            const e = expQuad(f32x4.sub(v128.load(score + (k << 4)), most));
            v128.store(scratch + (k << 4), e);
            sum = f32x4.add(sum, e);
          }
          const share = f32x4.div(one, sum);
          const curved = f32x4.mul(own, f32x4.splat(curvature));
          for (let k: usize = 0; k < usize(outputs); k++) {
            const p = f32x4.mul(v128.load(scratch + (k << 4)), share);
            addTo(cell, 0, f32x4.mul(own, f32x4.sub(p, v128.load32_splat(target + (k << 2)))));
            addTo(cell, 16, f32x4.mul(curved, f32x4.mul(p, f32x4.sub(one, p))));
            cell += 32;
          }
          score += usize(outputs) << 4;
          step += usize(outputs) << 4;
        } else {
          let s = v128.load(score);
          if (applied !== 0) {
            s = f32x4.add(s, v128.load(step));
            v128.store(score, s);
          }
          const y = v128.load32_splat(target);
          if (loss === LOGISTIC) {
            const p = f32x4.div(one, f32x4.add(one, expQuad(f32x4.neg(s))));
            addTo(cell, 0, f32x4.mul(own, f32x4.sub(p, y)));
            addTo(cell, 16, f32x4.mul(own, f32x4.mul(p, f32x4.sub(one, p))));
          } else {
            addTo(cell, 0, f32x4.mul(own, f32x4.sub(s, y)));
          }
          cell += 32;
          score += 16;
          step += 16;
        }
      }
    }
    if (asked !== 0) flush(partial, totals, quads);
  }
}
