/** Binned data from plain arrays, for the tests of forests. */

import { Arena } from "../../../compute/arena.ts";
import { CounterRandom, deriveKey } from "../../../compute/random.ts";
import type { EncodedData, Feature, FeatureBins } from "../../../data/encoded.ts";
import type { ForestInput } from "../fit-forest.ts";

export interface BinnedColumn {
  readonly kind: "numeric" | "categorical";
  readonly valueBins: number;
  /** One a row; `valueBins` = missing. */
  readonly cells: ArrayLike<number>;
}

export function encodeBins(columns: readonly BinnedColumn[]): EncodedData {
  const rows = columns[0].cells.length;
  const arena = Arena.create(256 << 20);
  const rowStride = Math.ceil(columns.length / 16) * 16;
  const columnStride = Math.ceil(rows / 16) * 16;
  const rowMajor = arena.allocate(rows * rowStride);
  const columnMajor = arena.allocate(columns.length * columnStride);
  const byRow = arena.u8(rowMajor, rows * rowStride).fill(0);
  const byColumn = arena.u8(columnMajor, columns.length * columnStride).fill(0);
  columns.forEach(({ cells }, f) => {
    for (let r = 0; r < rows; r++) {
      byRow[r * rowStride + f] = cells[r];
      byColumn[f * columnStride + r] = cells[r];
    }
  });
  const bins: FeatureBins[] = columns.map(({ kind, valueBins }) => {
    const edges = new Float64Array(kind === "numeric" ? valueBins - 1 : 0).map((_, i) => i);
    return { kind, valueBins, edges };
  });
  const features: Feature[] = columns.map(({ kind, valueBins }, f) => {
    const name = `f${f}`;
    if (kind === "numeric") return { kind, name, column: name };
    const categories = Array.from({ length: valueBins }, (_, i) => `c${i}`);
    return { kind, name, column: name, categories };
  });
  const binned = { rowMajor, rowStride, columnMajor, columnStride, bins };
  return { arena: arena.handle(), rows, features, binned, values: null };
}

export interface RandomRows {
  readonly data: EncodedData;
  readonly columns: readonly BinnedColumn[];
  readonly target: Float64Array;
  readonly weights: Float64Array | null;
}

export interface RandomShape {
  readonly seed: number;
  readonly rows: number;
  readonly columns: number;
  /** 0 = a real target. */
  readonly classes: number;
  readonly weighted: boolean;
  /** Most bins of a column. */
  readonly bins: number;
}

/** Rows with some missing cells and a target that depends on the first two columns. */
export function randomRows(options: RandomShape): RandomRows {
  const random = new CounterRandom(deriveKey(options.seed, "forest-test"));
  const columns = Array.from({ length: options.columns }, (): BinnedColumn => {
    const kind = random.nextFloat() < 0.35 ? "categorical" : "numeric";
    const most = kind === "categorical" ? Math.min(6, options.bins) : options.bins;
    const valueBins = 1 + random.nextInteger(most);
    const missing = random.nextFloat() < 0.5 ? 0.15 : 0;
    const cells = Uint8Array.from({ length: options.rows }, () =>
      random.nextFloat() < missing ? valueBins : random.nextInteger(valueBins),
    );
    return { kind, valueBins, cells };
  });
  const target = Float64Array.from({ length: options.rows }, (_, r) => {
    const signal = (columns[0].cells[r] % 3) + (columns[1 % columns.length].cells[r] % 2);
    const value = signal + random.nextGaussian();
    if (options.classes === 0) return value * 100 + 1e4;
    return Math.min(options.classes - 1, Math.max(0, Math.floor(value)));
  });
  const weights = options.weighted
    ? Float64Array.from({ length: options.rows }, () =>
        random.nextFloat() < 0.1 ? 0 : 0.1 + 3 * random.nextFloat(),
      )
    : null;
  return { data: encodeBins(columns), columns, target, weights };
}

/** What a forest of all those rows is grown on; no weight is 0. @param soft whether classes have shares of each row */
export function randomForestInput({
  soft,
  ...shape
}: RandomShape & { readonly soft: boolean }): ForestInput {
  const { data, target, weights } = randomRows(shape);
  const { classes } = shape;
  const shares = (row: number): readonly number[] => {
    const share = 0.2 + (0.6 * (row % 5)) / 4;
    const others = Array.from({ length: classes - 1 }, () => (1 - share) / (classes - 1));
    return classes === 2 ? [share] : [share, ...others];
  };
  return {
    ...{ data, target, classes },
    weights: weights?.map((weight) => weight + 0.01) ?? null,
    softTarget:
      soft && classes > 0
        ? Float64Array.from(Array.from(target.keys()).flatMap((row) => shares(row)))
        : null,
    trainRows: Uint32Array.from({ length: data.rows }, (_, row) => row),
    key: deriveKey(shape.seed, "forest"),
  };
}
