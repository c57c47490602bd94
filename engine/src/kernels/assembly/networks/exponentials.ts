/** e^x of f32 numbers, four at a time, by one polynomial in one order of operations. */

import { four, ONE4 } from "./vectors";

/** 1.5 · 2²³: added to a small number, it leaves the nearest integer in the lowest bits. */
const ROUNDING: f32 = 12582912.0;

const LOG2E4: v128 = four(<f32>Math.LOG2E);
const ROUNDING4: v128 = four(ROUNDING);
const LOG2_HIGH4: v128 = four(0.693359375);
const LOG2_LOW4: v128 = four(-2.1219444e-4);
const LEAST4: v128 = four(-87.0);
const TERM2: v128 = four(0.5);
const TERM3: v128 = four(1.0 / 6.0);
const TERM4: v128 = four(1.0 / 24.0);
const TERM5: v128 = four(1.0 / 120.0);
const TERM6: v128 = four(1.0 / 720.0);
const TERM7: v128 = four(1.0 / 5040.0);

/** What is raised: no less than what gives a normal number. @inline */
function within4(x: v128, most: v128): v128 {
  return f32x4.pmax(f32x4.pmin(x, most), LEAST4);
}

/** x / log 2, rounded, in the lowest bits. @inline */
function turns4(x: v128): v128 {
  return f32x4.add(f32x4.mul(x, LOG2E4), ROUNDING4);
}

/** x less its turns. @inline */
function rest4(x: v128, turns: v128): v128 {
  const k = f32x4.sub(turns, ROUNDING4);
  const r = f32x4.sub(x, f32x4.mul(k, LOG2_HIGH4));
  return f32x4.sub(r, f32x4.mul(k, LOG2_LOW4));
}

/** p · r + term. @inline */
function times4(p: v128, r: v128, term: v128): v128 {
  return f32x4.add(f32x4.mul(p, r), term);
}

/** p · 2ᵏ. Of the exponent's bits of `turns` nothing is left. @inline */
function raised4(p: v128, turns: v128): v128 {
  return f32x4.mul(p, i32x4.add(i32x4.shl(turns, 23), ONE4));
}

/** e^x of four f32, within 2 ulp where the result is a normal number. @param most of x, at most 88 @inline */
export function exp4(x: v128, most: v128): v128 {
  const within = within4(x, most);
  const turns = turns4(within);
  const r = rest4(within, turns);
  let p = times4(TERM7, r, TERM6);
  p = times4(p, r, TERM5);
  p = times4(p, r, TERM4);
  p = times4(p, r, TERM3);
  p = times4(p, r, TERM2);
  p = times4(p, r, ONE4);
  p = times4(p, r, ONE4);
  return raised4(p, turns);
}

/**
 * e^x of each. Operations of four vectors stand in turn, in the order of `exp4`: its chain is so long that a processor
 * that looks ahead one vector behind the other would wait for it.
 *
 * @param most of x, at most 88
 * @param count f32 numbers, a multiple of 16
 * @inline
 */
export function exponentials(x: usize, count: i32, most: v128, out: usize): void {
  const end = x + ((<usize>count) << 2);
  for (; x < end; x += 64) {
    const a = within4(v128.load(x), most);
    const b = within4(v128.load(x, 16), most);
    const c = within4(v128.load(x, 32), most);
    const d = within4(v128.load(x, 48), most);
    const turnsA = turns4(a);
    const turnsB = turns4(b);
    const turnsC = turns4(c);
    const turnsD = turns4(d);
    const ra = rest4(a, turnsA);
    const rb = rest4(b, turnsB);
    const rc = rest4(c, turnsC);
    const rd = rest4(d, turnsD);
    let pa = times4(TERM7, ra, TERM6);
    let pb = times4(TERM7, rb, TERM6);
    let pc = times4(TERM7, rc, TERM6);
    let pd = times4(TERM7, rd, TERM6);
    pa = times4(pa, ra, TERM5);
    pb = times4(pb, rb, TERM5);
    pc = times4(pc, rc, TERM5);
    pd = times4(pd, rd, TERM5);
    pa = times4(pa, ra, TERM4);
    pb = times4(pb, rb, TERM4);
    pc = times4(pc, rc, TERM4);
    pd = times4(pd, rd, TERM4);
    pa = times4(pa, ra, TERM3);
    pb = times4(pb, rb, TERM3);
    pc = times4(pc, rc, TERM3);
    pd = times4(pd, rd, TERM3);
    pa = times4(pa, ra, TERM2);
    pb = times4(pb, rb, TERM2);
    pc = times4(pc, rc, TERM2);
    pd = times4(pd, rd, TERM2);
    pa = times4(pa, ra, ONE4);
    pb = times4(pb, rb, ONE4);
    pc = times4(pc, rc, ONE4);
    pd = times4(pd, rd, ONE4);
    pa = times4(pa, ra, ONE4);
    pb = times4(pb, rb, ONE4);
    pc = times4(pc, rc, ONE4);
    pd = times4(pd, rd, ONE4);
    v128.store(out, raised4(pa, turnsA));
    v128.store(out, raised4(pb, turnsB), 16);
    v128.store(out, raised4(pc, turnsC), 32);
    v128.store(out, raised4(pd, turnsD), 48);
    out += 64;
  }
}
