/**
 * A node's working record while its tree grows, at NODES + node × NODE_BYTES.
 *
 * Sums are packed like histogram entries: gradient in the high 32 bits (signed), hessian in the
 * low 32 (never negative), both in quantised units.
 */
@unmanaged
export class Node {
  start: u32;
  count: u32;
  sum: i64;
  /** Histogram slot, -1 = none held. */
  slot: i32;
  depth: i32;
  /** What a leaf below may answer (monotone constraints). */
  lower: f64;
  upper: f64;
  /** The best split found: its loss reduction, ≤ 0 where there is none. */
  gain: f64;
  leftSum: i64;
  feature: i32;
  bin: i32;
  missingLeft: i32;
  categorical: i32;
  set0: u64;
  set1: u64;
  set2: u64;
  set3: u64;
  /** From 1: which of the splits ahead is this node's; 0: none. */
  ahead: i32;
  /** Of a tree that a device grew: which of its records is this node's. */
  record: i32;
}

export function gradientOf(sum: i64): f64 {
  return f64(i32(sum >> 32));
}

export function hessianOf(sum: i64): f64 {
  return f64(u32(sum));
}
