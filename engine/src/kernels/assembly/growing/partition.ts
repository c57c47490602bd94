/** Stable partition of a node's rows by one split. */

/** Fills a table of 256 bytes: 1 where a row with that bin goes left. */
export function fillTable(
  table: usize,
  bin: i32,
  missingBin: i32,
  missingLeft: i32,
  categorical: i32,
  set: usize,
): void {
  if (categorical) {
    for (let b = 0; b < 256; b++) {
      const word = load<u64>(set + (usize(b >> 6) << 3));
      store<u8>(table + usize(b), u8((word >> (u64(b) & 63)) & 1));
    }
    return;
  }
  memory.fill(table, 1, usize(bin + 1));
  memory.fill(table + usize(bin + 1), 0, usize(255 - bin));
  store<u8>(table + usize(missingBin), u8(missingLeft));
}

/**
 * Rows that go left keep their order at the front, the others theirs behind them.
 * Both targets are written for every row and only the pointers depend on the bin: no branch to
 * mispredict. Returns how many went left.
 */
export function partition(
  rows: usize,
  count: i32,
  scratch: usize,
  column: usize,
  table: usize,
): i32 {
  const end = rows + (usize(count) << 2);
  let left = rows;
  let right = scratch;
  for (let at = rows; at < end; at += 4) {
    const row = load<u32>(at);
    const goes = usize(load<u8>(table + usize(load<u8>(column + usize(row)))));
    store<u32>(left, row);
    store<u32>(right, row);
    left += goes << 2;
    right += (goes ^ 1) << 2;
  }
  memory.copy(left, scratch, right - scratch);
  return i32((left - rows) >> 2);
}

/**
 * The same into memory apart: rows that go left in their order from the front, the others from the end
 * backwards. Returns how many went left.
 */
export function partitionApart(
  rows: usize,
  count: i32,
  apart: usize,
  column: usize,
  table: usize,
): i32 {
  const end = rows + (usize(count) << 2);
  let left = apart;
  let right = apart + (usize(count) << 2) - 4;
  for (let at = rows; at < end; at += 4) {
    const row = load<u32>(at);
    const goes = usize(load<u8>(table + usize(load<u8>(column + usize(row)))));
    store<u32>(left, row);
    store<u32>(right, row);
    left += goes << 2;
    right -= (goes ^ 1) << 2;
  }
  return i32((left - apart) >> 2);
}

/** Takes what `partitionApart` laid out to where it belongs, all in its order. */
export function gatherApart(
  apart: usize,
  count: i32,
  wentLeft: i32,
  left: usize,
  right: usize,
): void {
  const middle = apart + (usize(wentLeft) << 2);
  memory.copy(left, apart, middle - apart);
  let to = right;
  let from = apart + (usize(count) << 2);
  while (from >= middle + 16) {
    from -= 16;
    const four = v128.load(from);
    v128.store(to, v128.shuffle<i32>(four, four, 3, 2, 1, 0));
    to += 16;
  }
  while (from > middle) {
    from -= 4;
    store<u32>(to, load<u32>(from));
    to += 4;
  }
}
