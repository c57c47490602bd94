/** Features of which no row has two away from their usual bins, in one column (`data/binning/bundled-bins.ts`). */

/** Bit by bit, which of 16 cells are not the usual bin. */
function unusual(cells: usize, usual: v128): i32 {
  return i8x16.bitmask(i8x16.ne(v128.load(cells), usual));
}

/**
 * Whether no row has this feature and one that was taken away from their usual bins; then its own rows are taken as well.
 *
 * @param cells u8 × rows @param usual its usual bin
 * @param taken u16 for each 16 rows, a bit a row, from the lowest
 */
export function takeRows(cells: usize, rows: i32, usual: i32, taken: usize): bool {
  const bins = i8x16.splat(i8(usual));
  const blocks = (rows + 15) >> 4;
  // Cells behind the last row are nobody's.
  const rest = rows & 15;
  const last = rest === 0 ? 0xffff : (1 << rest) - 1;
  for (let block = 0; block < blocks; block++) {
    const own = unusual(cells + (usize(block) << 4), bins) & (block === blocks - 1 ? last : 0xffff);
    if ((own & i32(load<u16>(taken + (usize(block) << 1)))) !== 0) return false;
  }
  for (let block = 0; block < blocks; block++) {
    const own = unusual(cells + (usize(block) << 4), bins) & (block === blocks - 1 ? last : 0xffff);
    const at = taken + (usize(block) << 1);
    store<u16>(at, load<u16>(at) | u16(own));
  }
  return true;
}

/**
 * Writes a feature's bins into the column that it shares: of rows that have another than the usual one.
 *
 * @param cells u8 × rows @param place of its first bin in the column @param out of the first row, `rowStride` bytes from one to the next
 */
export function placeBins(
  cells: usize,
  rows: i32,
  usual: i32,
  place: i32,
  out: usize,
  rowStride: usize,
): void {
  const bins = i8x16.splat(i8(usual));
  let row = 0;
  for (; row + 16 <= rows; row += 16) {
    let own = unusual(cells + usize(row), bins);
    while (own !== 0) {
      const at = usize(row + ctz(own));
      store<u8>(out + at * rowStride, u8(place + i32(load<u8>(cells + at))));
      own &= own - 1;
    }
  }
  for (; row < rows; row++) {
    const bin = i32(load<u8>(cells + usize(row)));
    if (bin !== usual) store<u8>(out + usize(row) * rowStride, u8(place + bin));
  }
}
