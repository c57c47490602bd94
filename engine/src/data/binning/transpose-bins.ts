/** Column-major bins → row-major bins, a block of rows at a time so that both stay in cache. */

const BLOCK = 2048;

/**
 * @param columns `features` columns of `rows` bytes, `columnStride` apart
 * @param out `rows` rows of `features` bytes, `rowStride` apart; the padding is zeroed
 */
export function transposeBins(
  columns: Uint8Array,
  columnStride: number,
  rows: number,
  features: number,
  out: Uint8Array,
  rowStride: number,
): void {
  out.fill(0, 0, rows * rowStride);
  for (let start = 0; start < rows; start += BLOCK) {
    const end = Math.min(rows, start + BLOCK);
    for (let feature = 0; feature < features; feature++) {
      const column = feature * columnStride;
      let to = start * rowStride + feature;
      for (let row = start; row < end; row++) {
        out[to] = columns[column + row];
        to += rowStride;
      }
    }
  }
}
