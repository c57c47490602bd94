/** Products of matrices of which one triangle is wanted. */

/**
 * Adds left · rightᵀ to the lower triangle of `out` between the rows `from` and `to`, in tiles of 2 × 4 that
 * stay in registers. What lies above the diagonal within a tile is written over.
 *
 * @param out row-major, size × size
 * @param left row-major, rows of `out` × depth; so is `right`
 */
export function addLowerProducts(
  out: Float64Array,
  size: number,
  { from, to }: { readonly from: number; readonly to: number },
  left: Float64Array,
  right: Float64Array,
  depth: number,
): void {
  for (let i = from; i < to; i += 2) {
    const pair = i + 1 < to;
    const a0 = i * depth;
    const a1 = pair ? a0 + depth : a0;
    const last = pair ? i + 1 : i;
    let j = from;
    for (; j + 3 <= last; j += 4) {
      const b = j * depth;
      let s00 = 0;
      let s01 = 0;
      let s02 = 0;
      let s03 = 0;
      let s10 = 0;
      let s11 = 0;
      let s12 = 0;
      let s13 = 0;
      for (let r = 0; r < depth; r++) {
        const x0 = left[a0 + r];
        const x1 = left[a1 + r];
        const y0 = right[b + r];
        const y1 = right[b + depth + r];
        const y2 = right[b + 2 * depth + r];
        const y3 = right[b + 3 * depth + r];
        s00 += x0 * y0;
        s01 += x0 * y1;
        s02 += x0 * y2;
        s03 += x0 * y3;
        s10 += x1 * y0;
        s11 += x1 * y1;
        s12 += x1 * y2;
        s13 += x1 * y3;
      }
      const row0 = i * size + j;
      out[row0] += s00;
      out[row0 + 1] += s01;
      out[row0 + 2] += s02;
      out[row0 + 3] += s03;
      if (pair) {
        const row1 = row0 + size;
        out[row1] += s10;
        out[row1 + 1] += s11;
        out[row1 + 2] += s12;
        out[row1 + 3] += s13;
      }
    }
    for (; j <= last; j++) {
      const b = j * depth;
      let s0 = 0;
      let s1 = 0;
      for (let r = 0; r < depth; r++) {
        s0 += left[a0 + r] * right[b + r];
        s1 += left[a1 + r] * right[b + r];
      }
      out[i * size + j] += s0;
      if (pair) out[(i + 1) * size + j] += s1;
    }
  }
}
