import { describe, expect, it } from "vitest";
import { deriveKey } from "../compute/random.ts";
import type { SequenceTransform } from "./feature-matrix.ts";
import { fitQuantileFeatures } from "./intervals/quantile-features.ts";
import { commonLength, fitToLengths, loadOfLengths, resample } from "./resampling.ts";
import { MINIROCKET, MiniRocket } from "./rocket/minirocket.ts";
import { RocketTransform } from "./rocket/rocket-transform.ts";
import { type SequenceSet, sequencesOf } from "./sequence-set.ts";
import { madeSequences, setOf } from "./testing/made-sequences.ts";
import { itKeepsTheLaws } from "./testing/transform-laws.ts";

const resampledOnly = (line: readonly number[], steps: number): number[] => [
  ...resample(setOf([[line]]), Uint32Array.of(0), steps).values[0],
];

describe("resample", () => {
  it("puts places on the straight lines between steps, from the first to the last", () => {
    expect(resampledOnly([0, 10, 30], 5)).toEqual([0, 5, 10, 20, 30]);
    expect(resampledOnly([0, 1, 2, 3, 4, 5, 6], 3)).toEqual([0, 3, 6]);
    expect(resampledOnly([4, 1, 7], 3)).toEqual([4, 1, 7]);
    expect(resampledOnly([4], 3)).toEqual([4, 4, 4]);
  });

  it("fills missing values as every treatment of channels does", () => {
    const [none, infinite] = [Number.NaN, Number.POSITIVE_INFINITY];
    expect(resampledOnly([none, 2, none, 4, infinite], 5)).toEqual([2, 2, 3, 4, 4]);
    expect(resampledOnly([none, 2, none, none, 8, none], 11)).toEqual([
      2, 2, 2, 3, 4, 5, 6, 7, 8, 8, 8,
    ]);
    expect(resampledOnly([none, none], 3)).toEqual([none, none, none]);
  });

  it("takes sequences of all channels in the order that is asked for", () => {
    const set = setOf([
      [
        [1, 2],
        [5, 6],
      ],
      [
        [3, 4, 5],
        [7, 8, 9],
      ],
    ]);
    const { count, offsets, values } = resample(set, Uint32Array.of(1, 0), 3);
    expect([count, [...offsets]]).toEqual([2, [0, 3, 6]]);
    expect(values.map((channel) => [...channel])).toEqual([
      [3, 4, 5, 1, 1.5, 2],
      [7, 8, 9, 5, 5.5, 6],
    ]);
  });
});

describe("the length that all are brought to", () => {
  const zeros = (lengths: readonly number[]): SequenceSet =>
    setOf(lengths.map((length) => [new Float64Array(length)]));

  it("is one that few training sequences exceed", () => {
    const set = zeros([...Array.from({ length: 99 }, (_, i) => 50 + (i % 10)), 5000]);
    expect(commonLength(set, sequencesOf(set, null))).toBeLessThan(60);
    expect(commonLength(set, Uint32Array.of(99))).toBe(5000);
  });

  it("is at most twice the mean", () => {
    const set = zeros([
      ...Array.from({ length: 80 }, () => 100),
      ...Array.from({ length: 20 }, () => 10_000),
    ]);
    expect(commonLength(set, sequencesOf(set, null))).toBe(2 * (80 + 2000));
  });
});

const minirocket = (set: SequenceSet, rows: Uint32Array | null): SequenceTransform =>
  fitToLengths(set, sequencesOf(set, rows), "resampled", (own, all) =>
    MiniRocket.fit(own, all, deriveKey(1, "test"), { features: 168 }),
  );

describe("a transform of sequences that are brought to one length", () => {
  itKeepsTheLaws({
    fit: minirocket,
    load: loadOfLengths((saved) => RocketTransform.load(MINIROCKET, saved)),
  });

  it("sees no difference between a shape and the same at half the speed", () => {
    const fast = Float64Array.from({ length: 31 }, (_, t) => (t * t) % 7);
    const slow = Float64Array.from({ length: 61 }, (_, t) => {
      const low = fast[Math.floor(t / 2)];
      return t % 2 === 0 ? low : (low + fast[(t + 1) / 2]) / 2;
    });
    const set = setOf([[fast], [slow], [slow.toReversed()]]);
    const { columns, values } = minirocket(set, Uint32Array.of(0)).transform(set, null);
    const [first, second, reversed] = [0, 1, 2].map((i) =>
      values.slice(i * columns, (i + 1) * columns),
    );
    expect(second).toEqual(first);
    expect(reversed).not.toEqual(first);
  });

  it("leaves the column of lengths what it was", () => {
    const lengths = [20, 35, 50];
    const set = madeSequences(lengths, 2, 3);
    const fit = (how: "original" | "resampled") =>
      fitToLengths(set, sequencesOf(set, null), how, (own, all) => fitQuantileFeatures(own, all));
    for (const how of ["original", "resampled"] as const) {
      const transform = fit(how);
      const { columns, values } = transform.transform(set, null);
      const place = transform.columns?.findIndex(({ channel }) => channel === -1) ?? -1;
      expect(lengths.map((_, i) => values[i * columns + place])).toEqual(lengths);
    }
  });

  it("tells a damaged header", () => {
    const set = madeSequences([20, 30], 1, 1);
    const saved = minirocket(set, null).save();
    const load = loadOfLengths((own) => RocketTransform.load(MINIROCKET, own));
    const header = Object.assign({}, saved.header, { steps: 0 });
    expect(() => load({ ...saved, header })).toThrow();
  });
});
