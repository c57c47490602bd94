/** Column-major bins row by row, as histograms and explanations read them. */

/** Rows whose bins stay in the cache while they are moved. */
const BLOCK: i32 = 256;

/** The bins of 16 rows of a column; zeros for one that is not there. */
function loadBins(column: usize, row: i32): v128 {
  return column === 0 ? i8x16.splat(0) : v128.load(column + usize(row));
}

/** Writes four rows of four features. */
function storeRows(out: usize, rowStride: usize, rows: v128): void {
  v128.store32_lane(out, rows, 0);
  v128.store32_lane(out + rowStride, rows, 1);
  v128.store32_lane(out + (rowStride << 1), rows, 2);
  v128.store32_lane(out + 3 * rowStride, rows, 3);
}

/** Moves 16 rows of four neighbouring features; columns that are not there are null. */
function transposeTile(
  row: i32,
  c0: usize,
  c1: usize,
  c2: usize,
  c3: usize,
  out: usize,
  rowStride: usize,
): void {
  const a = loadBins(c0, row);
  const b = loadBins(c1, row);
  const c = loadBins(c2, row);
  const d = loadBins(c3, row);
  // Two features side by side, then four.
  const lowAB = v128.shuffle<u8>(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
  const lowCD = v128.shuffle<u8>(c, d, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
  const highAB = v128.shuffle<u8>(
    a,
    b,
    8,
    24,
    9,
    25,
    10,
    26,
    11,
    27,
    12,
    28,
    13,
    29,
    14,
    30,
    15,
    31,
  );
  const highCD = v128.shuffle<u8>(
    c,
    d,
    8,
    24,
    9,
    25,
    10,
    26,
    11,
    27,
    12,
    28,
    13,
    29,
    14,
    30,
    15,
    31,
  );
  const step = rowStride << 2;
  storeRows(out, rowStride, v128.shuffle<u16>(lowAB, lowCD, 0, 8, 1, 9, 2, 10, 3, 11));
  storeRows(out + step, rowStride, v128.shuffle<u16>(lowAB, lowCD, 4, 12, 5, 13, 6, 14, 7, 15));
  storeRows(
    out + (step << 1),
    rowStride,
    v128.shuffle<u16>(highAB, highCD, 0, 8, 1, 9, 2, 10, 3, 11),
  );
  storeRows(
    out + 3 * step,
    rowStride,
    v128.shuffle<u16>(highAB, highCD, 4, 12, 5, 13, 6, 14, 7, 15),
  );
}

/** Where a listed column begins; null behind the last one. */
function columnAt(columns: usize, columnStride: usize, list: usize, count: i32, place: i32): usize {
  if (place >= count) return 0;
  const column = list === 0 ? usize(place) : usize(load<u32>(list + (usize(place) << 2)));
  return columns + column * columnStride;
}

/**
 * Column-major bins row by row.
 *
 * @param columns u8, `columnStride` bytes from one to the next
 * @param list u32 × count, of the columns; null: the first ones
 * @param rowStride bytes of a row of `out`, a multiple of 4 and no fewer than `count`; those behind the columns become 0
 */
export function transposeBins(
  columns: usize,
  columnStride: usize,
  rows: i32,
  list: usize,
  count: i32,
  out: usize,
  rowStride: usize,
): void {
  for (let start = 0; start < rows; start += BLOCK) {
    const end = min(rows, start + BLOCK);
    const whole = start + ((end - start) & ~15);
    for (let f = 0; f < i32(rowStride); f += 4) {
      const c0 = columnAt(columns, columnStride, list, count, f);
      const c1 = columnAt(columns, columnStride, list, count, f + 1);
      const c2 = columnAt(columns, columnStride, list, count, f + 2);
      const c3 = columnAt(columns, columnStride, list, count, f + 3);
      let to = out + usize(start) * rowStride + usize(f);
      for (let row = start; row < whole; row += 16) {
        transposeTile(row, c0, c1, c2, c3, to, rowStride);
        to += 16 * rowStride;
      }
      for (let row = whole; row < end; row++) {
        const at = usize(row);
        store<u8>(to, c0 === 0 ? 0 : load<u8>(c0 + at));
        store<u8>(to, c1 === 0 ? 0 : load<u8>(c1 + at), 1);
        store<u8>(to, c2 === 0 ? 0 : load<u8>(c2 + at), 2);
        store<u8>(to, c3 === 0 ? 0 : load<u8>(c3 + at), 3);
        to += rowStride;
      }
    }
  }
}
