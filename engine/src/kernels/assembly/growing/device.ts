/**
 * Nodes whose rows lie on a device (`trees/tree-device.ts`): those of DEVICE_ROWS rows or more. The device
 * partitions them and sums their histograms, to the same integers; splits are searched here.
 *
 * Where it fails amid a tree, the tree is grown anew without it, so that nothing is left of its part. Where the
 * gradients lie there alone, that is for the caller, who has to compute them first.
 */

import { DEVICE_ROWS, FEATURE_LIST, GRADIENTS_AWAY, OFFSETS, VALUE_BINS } from "./layout";
// biome-ignore lint/style/useImportType: AssemblyScript has no imports of types alone.
import { Node } from "./nodes";
import { pointer } from "./unsplit";

/** Of the engine (`compute/gpu/device-calls.ts`); each says whether the device did it. */
declare function deviceHistogram(first: u32, count: u32, to: usize): i32;
declare function deviceSplit(
  first: u32,
  count: u32,
  feature: i32,
  table: usize,
  wantsHistogram: i32,
  others: i32,
): i32;
declare function deviceOffer(first: u32, count: u32, feature: i32, table: usize, gain: f64): void;
declare function deviceIsSplit(first: u32): i32;
declare function deviceRecord(record: i32, to: usize): i32;
declare function deviceDistrust(): void;
declare function deviceLeaves(nodes: i32): i32;

let failed = false;

/** Whether the tree is to be grown anew; says so once. */
export function takeFailure(): bool {
  const was = failed;
  failed = false;
  return was;
}

/** Whether gradients lie on the device alone. */
export function areGradientsAway(p: usize): bool {
  if (ASC_FEATURE_THREADS) return load<u32>(p, GRADIENTS_AWAY) !== 0;
  return false;
}

export function hasFailed(): bool {
  return failed;
}

/** The device's part of the tree is not to be used: it is grown anew. */
export function failAway(p: usize): void {
  failed = true;
  store<u32>(p, 0, DEVICE_ROWS);
}

export function isAway(p: usize, node: Node): bool {
  if (ASC_FEATURE_THREADS) {
    const least = load<u32>(p, DEVICE_ROWS);
    return least !== 0 && node.count >= least;
  }
  return false;
}

/** Sum of all rows of a histogram, by the bins of its first feature. */
export function sumOfHistogram(p: usize, histogram: usize): i64 {
  const feature = usize(load<u32>(pointer(p, FEATURE_LIST))) << 2;
  const first = histogram + (usize(load<u32>(pointer(p, OFFSETS) + feature)) << 3);
  const bins = load<i32>(pointer(p, VALUE_BINS) + feature);
  let sum: i64 = 0;
  for (let bin = 0; bin <= bins; bin++) sum += load<i64>(first + (usize(bin) << 3));
  return sum;
}

/** Fills the histogram of a node that is away; the tree is to be grown anew where that fails. */
export function fillAway(p: usize, node: Node, histogram: usize, sumIsKnown: bool): void {
  if (ASC_FEATURE_THREADS) {
    if (
      deviceHistogram(node.start, node.count, histogram) === 0 ||
      (sumIsKnown && sumOfHistogram(p, histogram) !== node.sum)
    ) {
      failAway(p);
    }
  }
}

/** Whether the device has not split a node that is away yet, so that others may be split on the same way. */
export function isToSend(p: usize, node: Node): bool {
  if (ASC_FEATURE_THREADS) return isAway(p, node) && deviceIsSplit(node.start) === 0;
  return false;
}

/**
 * Names a node that the device may split with the next one.
 *
 * @param table of its split @param gain the more, the sooner the tree will have it split
 */
export function offer(node: Node, table: usize, gain: f64): void {
  if (ASC_FEATURE_THREADS) deviceOffer(node.start, node.count, node.feature, table, gain);
}

/**
 * Partitions a node that is away; returns how many rows went left.
 *
 * @param others that were offered and are split with it at most, by their gains
 */
export function splitAway(
  p: usize,
  node: Node,
  table: usize,
  wantsHistogram: bool,
  others: i32,
): i32 {
  let goesLeft = -1;
  if (ASC_FEATURE_THREADS) {
    goesLeft = deviceSplit(
      node.start,
      node.count,
      node.feature,
      table,
      i32(wantsHistogram),
      others,
    );
    if (goesLeft < 0 || u32(goesLeft) > node.count) failAway(p);
  }
  return max(0, goesLeft);
}

/** Copies the record of a node of a tree that the device grew; returns whether there is one. */
export function readRecord(record: i32, to: usize): bool {
  if (ASC_FEATURE_THREADS) return deviceRecord(record, to) !== 0;
  return false;
}

/** What the device said of the tree cannot be: it is not asked again. */
export function distrustAway(p: usize): void {
  if (ASC_FEATURE_THREADS) deviceDistrust();
  failAway(p);
}

/** Has all rows of the tree here. */
export function bringHome(p: usize, nodes: i32): void {
  if (ASC_FEATURE_THREADS) {
    if (load<u32>(p, DEVICE_ROWS) === 0) return;
    // Those of a root that was not split are here, unless they never were.
    if ((nodes > 1 || areGradientsAway(p)) && deviceLeaves(nodes) === 0) failAway(p);
  }
}
