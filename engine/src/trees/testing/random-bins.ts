/** Random binned data for this folder's and the tree families' tests. */

import { Arena } from "../../compute/arena.ts";
import { CounterRandom, deriveKey } from "../../compute/random.ts";
import type { EncodedData, Feature, FeatureBins } from "../../data/encoded.ts";

export interface BinColumn {
  readonly kind: "numeric" | "categorical";
  readonly valueBins: number;
  /** One a row; `valueBins` is missing. */
  readonly bins: ArrayLike<number>;
  /** Of more categories than bins: how many, and a code a row, as `WideColumn` has it. */
  readonly wide?: { readonly categories: number; readonly codes: ArrayLike<number> };
}

/** Lays columns of bins out as the encoder does. */
export function encodeBins(columns: readonly BinColumn[], arena = Arena.create()): EncodedData {
  const rows = columns[0].bins.length;
  const rowStride = Math.max(16, Math.ceil(columns.length / 16) * 16);
  const columnStride = Math.max(16, Math.ceil(rows / 16) * 16);
  const rowMajor = arena.allocate(rows * rowStride);
  const columnMajor = arena.allocate(columns.length * columnStride);
  const byRow = arena.u8(rowMajor, rows * rowStride).fill(0);
  columns.forEach(({ bins }, f) => {
    const column = arena.u8(columnMajor + f * columnStride, rows);
    for (let row = 0; row < rows; row++) {
      column[row] = bins[row];
      byRow[row * rowStride + f] = bins[row];
    }
  });
  const described = columns.map(({ kind, valueBins }): FeatureBins => {
    const edges =
      kind === "numeric" ? Float64Array.from({ length: valueBins - 1 }, (_, i) => i + 0.5) : [];
    return { kind, valueBins, edges: Float64Array.from(edges) };
  });
  const features = columns.map(
    ({ kind, valueBins, wide }, f): Feature =>
      kind === "numeric"
        ? { kind, name: `f${f}`, column: `f${f}` }
        : {
            kind,
            name: `f${f}`,
            column: `f${f}`,
            categories: Array.from({ length: wide?.categories ?? valueBins }, (_, c) => `c${c}`),
          },
  );
  const wide = columns.flatMap(({ wide: given }, feature) => {
    if (given === undefined) return [];
    const codes = arena.allocate(2 * rows);
    arena.u16(codes, rows).set(given.codes);
    return [{ feature, codes }];
  });
  return {
    arena: arena.handle(),
    rows,
    features,
    binned: { rowMajor, rowStride, columnMajor, columnStride, bins: described, wide },
    values: null,
  };
}

/** A column of more categories than bins, the first the most frequent, with unknown and missing ones. */
export function wideColumn(random: CounterRandom, rows: number, categories: number): BinColumn {
  const codes = Array.from({ length: rows }, () =>
    Math.floor((categories + 2) * random.nextFloat() ** 1.5),
  );
  const valueBins = 255;
  const bins = codes.map((code) => (code > categories ? valueBins : Math.min(code, valueBins - 1)));
  return { kind: "categorical", valueBins, bins, wide: { categories, codes } };
}

/** Columns of random bins; some skewed, some with missing cells, some categorical. */
export function randomColumns(
  seed: number,
  rows: number,
  count: number,
  options: { readonly categorical?: boolean; readonly missing?: boolean } = {},
): BinColumn[] {
  const random = new CounterRandom(deriveKey(seed, "columns"));
  return Array.from({ length: count }, (): BinColumn => {
    const kind = options.categorical && random.nextFloat() < 0.4 ? "categorical" : "numeric";
    const valueBins = 1 + random.nextInteger(random.nextFloat() < 0.3 ? 255 : 12);
    const missing = options.missing && random.nextFloat() < 0.5 ? 0.3 * random.nextFloat() : 0;
    const power = 1 + 3 * random.nextFloat();
    const bins = Array.from({ length: rows }, () =>
      random.nextFloat() < missing
        ? valueBins
        : Math.floor(valueBins * random.nextFloat() ** power),
    );
    return { kind, valueBins, bins };
  });
}
