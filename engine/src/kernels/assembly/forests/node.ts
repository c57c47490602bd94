/**
 * A node's working record while a forest's tree grows, and the sums of its rows.
 *
 * A row's statistics are 16 bytes. For one target: its weight and its weight × target. For
 * classes: its weight, the number of its class as u32, and 1 as u32. A row with a share in several
 * classes has one entry for each, side by side; all but the first carry 0 there, so that the sum
 * counts rows. Weights and products are integers held in f64 whose sums stay below 2⁵³, so that
 * sums are exact in any order.
 */
@unmanaged
export class ForestNode {
  start: u32;
  count: u32;
  depth: i32;
  /** The best split found; -1 = none. */
  feature: i32;
  gain: f64;
  bin: i32;
  missingLeft: i32;
  categorical: i32;
  /** Distinct rows; `count` is of entries. */
  rows: u32;
  set0: u64;
  set1: u64;
  set2: u64;
  set3: u64;
}

/** Sums weight and weighted target; returns whether all rows have one target. */
export function sumMoments(stats: usize, count: u32, sums: usize): bool {
  const end = stats + (usize(count) << 4);
  const firstWeight = load<f64>(stats);
  const firstProduct = load<f64>(stats, 8);
  let total = f64x2.splat(0);
  let same = true;
  for (let at = stats; at < end; at += 16) {
    total = f64x2.add(total, v128.load(at));
    if (same) same = load<f64>(at, 8) * firstWeight === firstProduct * load<f64>(at);
  }
  v128.store(sums, total);
  return same;
}

/** Of the last `sumClasses`: distinct rows. */
export let summedRows: u32 = 0;

/** Sums weight per class; returns whether all rows have one class. */
export function sumClasses(stats: usize, count: u32, sums: usize, width: i32): bool {
  memory.fill(sums, 0, usize(width) << 3);
  const end = stats + (usize(count) << 4);
  const first = load<u32>(stats, 8);
  let same = true;
  let rows: u32 = 0;
  for (let at = stats; at < end; at += 16) {
    const label = load<u32>(at, 8);
    rows += load<u32>(at, 12);
    const sum = sums + (usize(label) << 3);
    store<f64>(sum, load<f64>(sum) + load<f64>(at));
    same = same && label === first;
  }
  summedRows = rows;
  return same;
}
