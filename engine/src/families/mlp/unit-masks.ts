/** Dropout by the hash of the kernels (`mask4` of `kernels/assembly/networks/activations.ts`), for libraries that have no such op. */

import { type Dropout, dropped } from "./network.ts";

/** Row-major, rows × width, one a hidden layer; empty where nothing is dropped. */
export function unitMasks(
  dropout: Dropout,
  widths: readonly number[],
  rows: number,
): readonly Float32Array[] {
  if (dropout.kept >= 1) return [];
  return widths.map((width, layer) => {
    const [key, keepBelow, inverse] = dropped(dropout, layer);
    return Float32Array.from({ length: rows * width }, (_, element) =>
      hashOf(element, key) < keepBelow >>> 0 ? inverse : 0,
    );
  });
}

/** The finaliser of Wellons' "Prospecting for hash functions", 2018. */
function hashOf(element: number, key: number): number {
  let x = (Math.imul(element, 0x9e3779b1) + key) | 0;
  x ^= x >>> 16;
  x = Math.imul(x, 0x7feb352d);
  x ^= x >>> 15;
  x = Math.imul(x, 0x846ca68b);
  x ^= x >>> 16;
  return x >>> 0;
}
