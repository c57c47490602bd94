/**
 * Statistics of a node's rows per bin of one feature, and the list of the bins it holds.
 *
 * Forests grow deep and try few features at a node, so most nodes have fewer rows than a feature
 * has bins. All work is therefore proportional to the node's rows: bins that were touched are kept
 * as bits while rows are added, and only they are read and cleared.
 */

/** Up to this many rows the touched bins are kept as bits; beyond, all bins are looked at. */
const FEW_ROWS: u32 = 96;

function noteBin(set: usize, bin: usize): void {
  const word = set + ((bin >> 6) << 3);
  store<u64>(word, load<u64>(word) | (u64(1) << (u64(bin) & 63)));
}

/** Adds weight and weighted target; bins are noted in `set` unless it is 0. */
function addMoments(
  rows: usize,
  stats: usize,
  count: u32,
  column: usize,
  histogram: usize,
  counts: usize,
  set: usize,
): void {
  const end = rows + (usize(count) << 2);
  let stat = stats;
  for (let at = rows; at < end; at += 4) {
    const bin = usize(load<u8>(column + usize(load<u32>(at))));
    const entry = histogram + (bin << 4);
    v128.store(entry, f64x2.add(v128.load(entry), v128.load(stat)));
    const tally = counts + (bin << 2);
    store<u32>(tally, load<u32>(tally) + 1);
    if (set !== 0) noteBin(set, bin);
    stat += 16;
  }
}

/** Adds weight to the row's class. */
function addClasses(
  rows: usize,
  stats: usize,
  count: u32,
  column: usize,
  histogram: usize,
  counts: usize,
  set: usize,
  bytes: usize,
): void {
  const end = rows + (usize(count) << 2);
  let stat = stats;
  for (let at = rows; at < end; at += 4) {
    const bin = usize(load<u8>(column + usize(load<u32>(at))));
    const entry = histogram + bin * bytes + (usize(load<u32>(stat, 8)) << 3);
    store<f64>(entry, load<f64>(entry) + load<f64>(stat));
    const tally = counts + (bin << 2);
    store<u32>(tally, load<u32>(tally) + load<u32>(stat, 12));
    if (set !== 0) noteBin(set, bin);
    stat += 16;
  }
}

/** Lists the set bits of a 256-bit set, ascending, as i32; returns how many. */
function listBits(set: usize, list: usize): i32 {
  let to = list;
  for (let word = 0; word < 4; word++) {
    let bits = load<u64>(set + (usize(word) << 3));
    while (bits !== 0) {
      store<i32>(to, (word << 6) + i32(ctz(bits)));
      to += 4;
      bits &= bits - 1;
    }
  }
  return i32((to - list) >> 2);
}

function listCounted(counts: usize, bins: i32, list: usize): i32 {
  let to = list;
  for (let bin = 0; bin <= bins; bin++) {
    if (load<u32>(counts + (usize(bin) << 2)) === 0) continue;
    store<i32>(to, bin);
    to += 4;
  }
  return i32((to - list) >> 2);
}

/**
 * Fills the histogram and `counts` (u32, distinct rows a bin) of one feature, both zero before.
 *
 * @param bins the missing bin, the highest there is
 * @param width f64 an entry; @param classes 0 for weight and weighted target
 * @param set 32 bytes of scratch
 * @param list receives the touched bins, ascending (i32); @returns how many
 */
export function fillHistogram(
  rows: usize,
  stats: usize,
  count: u32,
  column: usize,
  bins: i32,
  classes: i32,
  width: i32,
  histogram: usize,
  counts: usize,
  set: usize,
  list: usize,
): i32 {
  const bytes = usize(width) << 3;
  if (count > FEW_ROWS) {
    if (classes === 0) addMoments(rows, stats, count, column, histogram, counts, 0);
    else addClasses(rows, stats, count, column, histogram, counts, 0, bytes);
    return listCounted(counts, bins, list);
  }
  v128.store(set, i64x2.splat(0));
  v128.store(set, i64x2.splat(0), 16);
  if (classes === 0) addMoments(rows, stats, count, column, histogram, counts, set);
  else addClasses(rows, stats, count, column, histogram, counts, set, bytes);
  return listBits(set, list);
}

/** Makes histogram and counts zero again. */
export function clearHistogram(
  list: usize,
  touched: i32,
  width: i32,
  histogram: usize,
  counts: usize,
): void {
  const bytes = usize(width) << 3;
  for (let i = 0; i < touched; i++) {
    const bin = usize(load<i32>(list + (usize(i) << 2)));
    const entry = histogram + bin * bytes;
    for (let at: usize = 0; at < bytes; at += 16) v128.store(entry + at, i64x2.splat(0));
    store<u32>(counts + (bin << 2), 0);
  }
}
