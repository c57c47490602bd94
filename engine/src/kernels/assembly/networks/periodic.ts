/**
 * Periodic embeddings of numbers: x itself, and three linear combinations of cos(2π(w x + b)) over
 * several learned frequencies w and phases b (Gorishniy, Rubachev & Babenko, "On embeddings for numerical
 * features", NeurIPS 2022; as "PBLD" in Holzmüller, Grinsztajn & Steinwart, "Better by default", NeurIPS
 * 2024, §3).
 *
 * Numbers come feature by feature, and their embeddings go into columns 4 f … 4 f + 3 of each row.
 */

import { four, ONE4, TWO4 } from "./vectors";

/** Combinations of a feature. */
const MIXED: usize = 3;

// As in `vectors.ts`: read from memory, in place of being put together.
const PI4: v128 = four(<f32>Math.PI);
const SINE_11: v128 = four(-1.0 / 39916800.0);
const SINE_9: v128 = four(1.0 / 362880.0);
const SINE_7: v128 = four(-1.0 / 5040.0);
const SINE_5: v128 = four(1.0 / 120.0);
const SINE_3: v128 = four(-1.0 / 6.0);
const COSINE_12: v128 = four(1.0 / 479001600.0);
const COSINE_10: v128 = four(-1.0 / 3628800.0);
const COSINE_8: v128 = four(1.0 / 40320.0);
const COSINE_6: v128 = four(-1.0 / 720.0);
const COSINE_4: v128 = four(1.0 / 24.0);
const COSINE_2: v128 = four(-0.5);
const FALL4: v128 = four(<f32>(-4 * Math.PI));

/** sin(π r) of four f32 in [-½, ½]. */
function sinPi4(r: v128): v128 {
  const x = f32x4.mul(r, PI4);
  const z = f32x4.mul(x, x);
  let p = SINE_11;
  p = f32x4.add(f32x4.mul(p, z), SINE_9);
  p = f32x4.add(f32x4.mul(p, z), SINE_7);
  p = f32x4.add(f32x4.mul(p, z), SINE_5);
  p = f32x4.add(f32x4.mul(p, z), SINE_3);
  return f32x4.add(x, f32x4.mul(f32x4.mul(x, z), p));
}

/** cos(π r) of four f32 in [-½, ½]. */
function cosPi4(r: v128): v128 {
  const x = f32x4.mul(r, PI4);
  const z = f32x4.mul(x, x);
  let p = COSINE_12;
  p = f32x4.add(f32x4.mul(p, z), COSINE_10);
  p = f32x4.add(f32x4.mul(p, z), COSINE_8);
  p = f32x4.add(f32x4.mul(p, z), COSINE_6);
  p = f32x4.add(f32x4.mul(p, z), COSINE_4);
  p = f32x4.add(f32x4.mul(p, z), COSINE_2);
  return f32x4.add(ONE4, f32x4.mul(z, p));
}

function sumLanes(v: v128): f32 {
  return (
    f32x4.extract_lane(v, 0) +
    f32x4.extract_lane(v, 1) +
    (f32x4.extract_lane(v, 2) + f32x4.extract_lane(v, 3))
  );
}

/**
 * @param x f32 × features × rows
 * @param rows a multiple of 4
 * @param weights f32: w × features × frequencies, b likewise, then the combinations, features ×
 *   frequencies × 3, and their biases, features × 3
 * @param out f32, row-major; or in groups of four rows, column by column
 * @param step columns of `out`
 * @param inQuads 1: `out` is in groups
 */
export function embedPeriodic(
  x: usize,
  features: i32,
  rows: i32,
  frequencies: i32,
  weights: usize,
  out: usize,
  step: i32,
  inQuads: i32,
): void {
  const each = (<usize>(features * frequencies)) << 2;
  const rowBytes = (<usize>step) << 2;
  for (let feature = 0; feature < features; feature++) {
    const own = (<usize>(feature * frequencies)) << 2;
    const frequency = weights + own;
    const phase = frequency + each;
    const mix = weights + 2 * each + MIXED * own;
    const bias = weights + (2 + MIXED) * each + ((<usize>feature * MIXED) << 2);
    let to = out + ((<usize>feature) << (inQuads !== 0 ? 6 : 4));
    for (let row = 0; row < rows; row += 4) {
      const given = v128.load(x);
      let s0 = v128.load32_splat(bias);
      let s1 = v128.load32_splat(bias, 4);
      let s2 = v128.load32_splat(bias, 8);
      let m = mix;
      for (let h: usize = 0; h < (<usize>frequencies) << 2; h += 4) {
        const w = v128.load32_splat(frequency + h);
        const v = f32x4.add(f32x4.mul(w, given), v128.load32_splat(phase + h));
        const sine = sinPi4(f32x4.sub(v, f32x4.nearest(v)));
        const wave = f32x4.sub(ONE4, f32x4.mul(TWO4, f32x4.mul(sine, sine)));
        s0 = f32x4.add(s0, f32x4.mul(wave, v128.load32_splat(m)));
        s1 = f32x4.add(s1, f32x4.mul(wave, v128.load32_splat(m, 4)));
        s2 = f32x4.add(s2, f32x4.mul(wave, v128.load32_splat(m, 8)));
        m += 12;
      }
      x += 16;
      if (inQuads !== 0) {
        v128.store(to, given);
        v128.store(to, s0, 16);
        v128.store(to, s1, 32);
        v128.store(to, s2, 48);
        to += rowBytes << 2;
        continue;
      }
      // Four features' numbers of four rows, turned into rows.
      const lowX = v128.shuffle<f32>(given, s0, 0, 4, 1, 5);
      const highX = v128.shuffle<f32>(given, s0, 2, 6, 3, 7);
      const lowS = v128.shuffle<f32>(s1, s2, 0, 4, 1, 5);
      const highS = v128.shuffle<f32>(s1, s2, 2, 6, 3, 7);
      v128.store(to, v128.shuffle<f32>(lowX, lowS, 0, 1, 4, 5));
      to += rowBytes;
      v128.store(to, v128.shuffle<f32>(lowX, lowS, 2, 3, 6, 7));
      to += rowBytes;
      v128.store(to, v128.shuffle<f32>(highX, highS, 0, 1, 4, 5));
      to += rowBytes;
      v128.store(to, v128.shuffle<f32>(highX, highS, 2, 3, 6, 7));
      to += rowBytes;
    }
  }
}

/**
 * The way back through `embedPeriodic`, to its weights.
 *
 * @param g f32, row-major: the loss by what it gave
 * @param gradients as `weights`
 * @param scratch f32 × 3 × rows
 */
export function embedPeriodicBack(
  x: usize,
  features: i32,
  rows: i32,
  frequencies: i32,
  weights: usize,
  g: usize,
  step: i32,
  gradients: usize,
  scratch: usize,
): void {
  const each = (<usize>(features * frequencies)) << 2;
  const columnBytes = (<usize>rows) << 2;
  for (let feature = 0; feature < features; feature++) {
    const own = (<usize>(feature * frequencies)) << 2;
    const frequency = weights + own;
    const mix = weights + 2 * each + MIXED * own;
    const frequencyGradient = gradients + own;
    const mixGradient = gradients + 2 * each + MIXED * own;
    const biasGradient = gradients + (2 + MIXED) * each + ((<usize>feature * MIXED) << 2);
    turnColumns(g + ((<usize>feature) << 4), (<usize>step) << 2, rows, scratch, biasGradient);
    for (let h: usize = 0; h < (<usize>frequencies) << 2; h += 4) {
      const w = v128.load32_splat(frequency + h);
      const phase = v128.load32_splat(frequency + each + h);
      const m0 = v128.load32_splat(mix + MIXED * h);
      const m1 = v128.load32_splat(mix + MIXED * h, 4);
      const m2 = v128.load32_splat(mix + MIXED * h, 8);
      let d0 = f32x4.splat(0);
      let d1 = d0;
      let d2 = d0;
      let byFrequency = d0;
      let byPhase = d0;
      for (let at: usize = 0; at < columnBytes; at += 16) {
        const given = v128.load(x + at);
        const g0 = v128.load(scratch + at);
        const g1 = v128.load(scratch + columnBytes + at);
        const g2 = v128.load(scratch + 2 * columnBytes + at);
        const v = f32x4.add(f32x4.mul(w, given), phase);
        const turn = f32x4.sub(v, f32x4.nearest(v));
        const sine = sinPi4(turn);
        const wave = f32x4.sub(ONE4, f32x4.mul(TWO4, f32x4.mul(sine, sine)));
        d0 = f32x4.add(d0, f32x4.mul(wave, g0));
        d1 = f32x4.add(d1, f32x4.mul(wave, g1));
        d2 = f32x4.add(d2, f32x4.mul(wave, g2));
        let back = f32x4.mul(g0, m0);
        back = f32x4.add(back, f32x4.mul(g1, m1));
        back = f32x4.add(back, f32x4.mul(g2, m2));
        // d cos(2πv) / dv = -2π sin(2πv) = -4π sin(πv) cos(πv).
        const fall = f32x4.mul(FALL4, f32x4.mul(sine, cosPi4(turn)));
        const dv = f32x4.mul(back, fall);
        byFrequency = f32x4.add(byFrequency, f32x4.mul(dv, given));
        byPhase = f32x4.add(byPhase, dv);
      }
      store<f32>(mixGradient + MIXED * h, sumLanes(d0));
      store<f32>(mixGradient + MIXED * h, sumLanes(d1), 4);
      store<f32>(mixGradient + MIXED * h, sumLanes(d2), 8);
      store<f32>(frequencyGradient + h, sumLanes(byFrequency));
      store<f32>(frequencyGradient + each + h, sumLanes(byPhase));
    }
    x += columnBytes;
  }
}

/** Columns 1 to 3 of rows of four, one behind the other, and their sums. */
function turnColumns(from: usize, rowBytes: usize, rows: i32, to: usize, sums: usize): void {
  const columnBytes = (<usize>rows) << 2;
  let sum = f32x4.splat(0);
  for (let at: usize = 0; at < columnBytes; at += 16) {
    const r0 = v128.load(from);
    from += rowBytes;
    const r1 = v128.load(from);
    from += rowBytes;
    const r2 = v128.load(from);
    from += rowBytes;
    const r3 = v128.load(from);
    from += rowBytes;
    sum = f32x4.add(sum, f32x4.add(f32x4.add(r0, r1), f32x4.add(r2, r3)));
    const low01 = v128.shuffle<f32>(r0, r1, 0, 4, 1, 5);
    const high01 = v128.shuffle<f32>(r0, r1, 2, 6, 3, 7);
    const low23 = v128.shuffle<f32>(r2, r3, 0, 4, 1, 5);
    const high23 = v128.shuffle<f32>(r2, r3, 2, 6, 3, 7);
    v128.store(to + at, v128.shuffle<f32>(low01, low23, 2, 3, 6, 7));
    v128.store(to + columnBytes + at, v128.shuffle<f32>(high01, high23, 0, 1, 4, 5));
    v128.store(to + 2 * columnBytes + at, v128.shuffle<f32>(high01, high23, 2, 3, 6, 7));
  }
  store<f32>(sums, f32x4.extract_lane(sum, 1));
  store<f32>(sums, f32x4.extract_lane(sum, 2), 4);
  store<f32>(sums, f32x4.extract_lane(sum, 3), 8);
}
