/** What every transform of sequences keeps to; each one's tests call this. */

import { expect, it } from "vitest";
import type { SequenceTransform } from "../feature-matrix.ts";
import type { SavedTransform } from "../saved-transform.ts";
import type { SequenceSet } from "../sequence-set.ts";
import { awkwardSequences, madeSequences } from "./made-sequences.ts";

export interface TransformKind {
  fit(set: SequenceSet, rows: Uint32Array | null): SequenceTransform;
  load(saved: SavedTransform): SequenceTransform;
}

export function itKeepsTheLaws(kind: TransformKind): void {
  it.each([1, 3])(
    "gives the same bits after loading and for any split of rows (%i channels)",
    (channels) => {
      const lengths = Array.from({ length: 12 }, (_, i) => 20 + ((i * 7) % 30));
      const set = madeSequences(lengths, channels, 3);
      const fitted = kind.fit(set, Uint32Array.of(0, 1, 2, 3, 4, 5));
      const all = fitted.transform(set, null);
      expect(all).toMatchObject({ rows: 12, columns: fitted.features });
      const saved = fitted.save();
      const header: unknown = JSON.parse(JSON.stringify(saved.header));
      const loaded = kind.load({ header, tensors: saved.tensors });
      expect(loaded.features).toBe(fitted.features);
      for (const rows of [[0, 1, 2, 3, 4, 5, 6], [11], [10, 7, 9, 8]]) {
        const part = loaded.transform(set, Uint32Array.from(rows));
        for (const [i, row] of rows.entries()) expect(rowOf(part, i)).toEqual(rowOf(all, row));
      }
    },
  );

  it("writes into the array that it is given", () => {
    const set = madeSequences([20, 25, 30], 2, 4);
    const fitted = kind.fit(set, null);
    const all = fitted.transform(set, null);
    const given = new Float32Array(3 * fitted.features + 5).fill(Number.NaN);
    const written = fitted.transform(set, null, undefined, given);
    expect(written).toEqual(all);
    expect(written.values.buffer).toBe(given.buffer);
    expect(() => fitted.transform(set, null, undefined, given.subarray(6))).toThrow(
      `${3 * fitted.features} values do not fit into an array of ${3 * fitted.features - 1}.`,
    );
  });

  it("takes sequences of one step, constant ones, missing channels and long ones", () => {
    const set = awkwardSequences(10_000);
    const fitted = kind.fit(set, null);
    const { values } = fitted.transform(set, null);
    expect(values.every(Number.isFinite)).toBe(true);
    const onShort = kind.fit(set, Uint32Array.of(0, 1, 5));
    expect(onShort.transform(set, null).values.every(Number.isFinite)).toBe(true);
  });

  it("refuses sequences of other channels", () => {
    const fitted = kind.fit(madeSequences([20, 20], 2, 1), null);
    expect(() => fitted.transform(madeSequences([20], 3, 1), null)).toThrow(
      "The sequences have 3 channels; those fitted on had 2.",
    );
  });

  it("says which array is missing", () => {
    const saved = kind.fit(madeSequences([20, 20], 2, 1), null).save();
    const [name] = Object.keys(saved.tensors);
    const { [name]: _, ...tensors } = saved.tensors;
    expect(() => kind.load({ header: saved.header, tensors })).toThrow(name);
    expect(() => kind.load({ header: {}, tensors: saved.tensors })).toThrow();
  });
}

export function rowOf(
  matrix: { readonly columns: number; readonly values: Float32Array },
  row: number,
): Float32Array {
  return matrix.values.slice(row * matrix.columns, (row + 1) * matrix.columns);
}
