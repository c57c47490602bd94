/**
 * One random cut of a numeric feature (extremely randomised trees) without its histogram: the
 * node's bins are read once for their range, and rows are summed on one side of the cut only.
 */

/** Set by `gatherBins`: the range of the bins that hold values, and whether one row has none. */
export let lowest: i32 = 0;
export let highest: i32 = 0;
export let anyMissing: bool = false;

/** Copies the bins of the node's rows side by side. */
export function gatherBins(
  rows: usize,
  count: u32,
  column: usize,
  missingBin: i32,
  gathered: usize,
): void {
  let low = 255;
  let high = -1;
  let most = 0;
  for (let i: usize = 0; i < usize(count); i++) {
    const bin = i32(load<u8>(column + usize(load<u32>(rows + (i << 2)))));
    store<u8>(gathered + i, u8(bin));
    low = min(low, bin);
    most = max(most, bin);
    high = max(high, bin === missingBin ? -1 : bin);
  }
  lowest = low;
  highest = high;
  anyMissing = most === missingBin;
}

/** Adds weight and weighted target of the rows with bins `from` … `to` to one entry. */
export function sumMomentsBetween(
  gathered: usize,
  stats: usize,
  count: u32,
  from: i32,
  to: i32,
  entry: usize,
  tally: usize,
): void {
  const span = u32(to - from);
  let sum = f64x2.splat(0);
  let rows: u32 = 0;
  for (let i: usize = 0; i < usize(count); i++) {
    const inside = i32(u32(i32(load<u8>(gathered + i)) - from) <= span);
    sum = f64x2.add(sum, v128.and(v128.load(stats + (i << 4)), i64x2.splat(-i64(inside))));
    rows += u32(inside);
  }
  v128.store(entry, sum);
  store<u32>(tally, rows);
}

/** The same for weight a class. */
export function sumClassesBetween(
  gathered: usize,
  stats: usize,
  count: u32,
  from: i32,
  to: i32,
  entry: usize,
  tally: usize,
): void {
  const span = u32(to - from);
  let rows: u32 = 0;
  for (let i: usize = 0; i < usize(count); i++) {
    if (u32(i32(load<u8>(gathered + i)) - from) > span) continue;
    const stat = stats + (i << 4);
    const sum = entry + (usize(load<u32>(stat, 8)) << 3);
    store<f64>(sum, load<f64>(sum) + load<f64>(stat));
    rows += load<u32>(stat, 12);
  }
  store<u32>(tally, rows);
}
