/** Drift: the index and the counts against plain ones, and what few rows may say. */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CounterRandom, deriveKey } from "../compute/random.ts";
import { fitFeatureSchema } from "../data/fit-feature-schema.ts";
import type { Column, Table } from "../data/table.ts";
import {
  columnReference,
  type Distribution,
  DriftCounter,
  type DriftReference,
  parseDriftReference,
  predictionsReference,
  rowsNeeded,
  SHIFT_LIMITS,
  stabilityIndex,
} from "./index.ts";
import { packDriftReference } from "./reference.ts";

/** Word by word as the index is defined, with half a row more in each bin that is not empty in both. */
function plainIndex(expected: readonly number[], actual: readonly number[]): number {
  const bins = expected.flatMap((e, i) => (e + (actual[i] ?? 0) > 0 ? [i] : []));
  const shares = (counts: readonly number[]): number[] => {
    const more = bins.map((bin) => (counts[bin] ?? 0) + 0.5);
    const all = more.reduce((a, b) => a + b, 0);
    return more.map((each) => each / all);
  };
  const [e, a] = [shares(expected), shares(actual)];
  return e.reduce(
    (sum, share, i) => sum + ((a[i] ?? 0) - share) * Math.log((a[i] ?? 0) / share),
    0,
  );
}

const counts = fc.array(fc.tuple(fc.nat(1000), fc.nat(1000)), { minLength: 1, maxLength: 30 });

describe("the stability index", () => {
  it("is what its definition says, the same both ways, and 0 for equal shares", () => {
    fc.assert(
      fc.property(counts, (pairs) => {
        const expected = pairs.map(([e]) => e);
        const actual = pairs.map(([, a]) => a);
        const index = stabilityIndex(expected, actual);
        const isEmpty = Math.max(...expected) === 0 || Math.max(...actual) === 0;
        if (isEmpty) return expect(index).toBeNull();
        expect(index).toBeCloseTo(plainIndex(expected, actual), 10);
        expect(index).toBeGreaterThanOrEqual(0);
        expect(stabilityIndex(actual, expected)).toBeCloseTo(index ?? Number.NaN, 10);
        expect(stabilityIndex(expected, expected)).toBeCloseTo(0, 12);
      }),
    );
    const from = [100_000, 100_000, 100_000];
    const moved = 0.1 * Math.log(1.3 / 0.7);
    expect(stabilityIndex(from, [70_000, 100_000, 130_000])).toBeCloseTo(moved, 4);
  });

  it("passes the first limit by chance about once in a hundred times from the rows that it needs", () => {
    const random = new CounterRandom(deriveKey(1, "drift"));
    const draw = (rows: number, bins: number): number[] => {
      const drawn = new Array<number>(bins).fill(0);
      for (let row = 0; row < rows; row++) {
        const bin = Math.floor(random.nextFloat() * bins);
        drawn[bin] = (drawn[bin] ?? 0) + 1;
      }
      return drawn;
    };
    for (const bins of [3, 11]) {
      const needed = rowsNeeded(bins, 2000) ?? 0;
      expect(needed).toBeGreaterThan(80);
      let passed = 0;
      for (let round = 0; round < 1000; round++) {
        const index = stabilityIndex(draw(2000, bins), draw(needed, bins)) ?? 0;
        if (index > SHIFT_LIMITS.moderate) passed++;
      }
      expect(passed).toBeGreaterThan(0);
      expect(passed).toBeLessThan(25);
    }
    expect(rowsNeeded(11, 50)).toBeNull();
  });
});

const number = fc.oneof(
  fc.integer({ min: -5, max: 5 }),
  fc.double({ noNaN: true }),
  fc.constant(Number.NaN),
  fc.constant(Number.POSITIVE_INFINITY),
);
const name = fc.constantFrom("a", "b", "c", "d", "e", null);

interface Cells {
  readonly numbers: number[];
  readonly names: (string | null)[];
  readonly flags: (boolean | null)[];
  readonly texts: (string | null)[];
}

const cells = (from: number): fc.Arbitrary<Cells> =>
  fc
    .array(fc.tuple(number, name, fc.option(fc.boolean()), fc.option(fc.string())), {
      minLength: from,
      maxLength: 60,
    })
    .map((rows) => ({
      numbers: rows.map(([value]) => value),
      names: rows.map(([, text]) => text),
      flags: rows.map(([, , flag]) => flag),
      texts: rows.map(([, , , text]) => text),
    }));

function tableOf({ numbers, names, flags, texts }: Cells): Table {
  const categories = [...new Set(names.filter((text) => text !== null))];
  const columns: Column[] = [
    { kind: "numeric", name: "number", values: Float64Array.from(numbers) },
    { kind: "timestamp", name: "time", values: Float64Array.from(numbers) },
    {
      kind: "categorical",
      name: "name",
      categories,
      codes: Int32Array.from(names, (text) => (text === null ? -1 : categories.indexOf(text))),
    },
    {
      kind: "boolean",
      name: "flag",
      values: Uint8Array.from(flags, (flag) => (flag === null ? 255 : Number(flag))),
    },
    { kind: "text", name: "text", values: texts },
  ];
  return { rows: numbers.length, columns };
}

const schema = {
  ...fitFeatureSchema({
    rows: 2,
    columns: [{ kind: "numeric", name: "x", values: Float64Array.of(1, 2) }],
  }),
  // "d" is one that training knew and gave no bin of its own, "e" one that it did not know.
  columns: [
    { kind: "categorical" as const, name: "name", categories: ["a", "b", "c", "d"], omitted: 0 },
  ],
};

/** What the counter should count, a cell at a time. */
function plainCounts(of: Distribution, given: Cells): number[] {
  const missing = of.counts.length;
  const outside = missing + 1;
  const ofNumber = (value: number): number[] => {
    if (!("edges" in of)) throw new Error("no numbers");
    if (Number.isNaN(value)) return [missing];
    const bin = of.edges.findIndex((edge) => value <= edge);
    const [low, high] = of.range ?? [1, 0];
    const isInside = value >= low && value <= high;
    return [bin < 0 ? of.edges.length : bin, ...(isInside ? [] : [outside])];
  };
  const ofName = (text: string | null): number[] => {
    if (text === null) return [missing];
    const bin = "values" in of ? of.values.indexOf(text) : -1;
    if (bin >= 0) return [bin];
    return [missing - 1, ...(text === "e" ? [outside] : [])];
  };
  const places = {
    numeric: () => given.numbers.flatMap(ofNumber),
    timestamp: () => given.numbers.flatMap(ofNumber),
    text: () => given.texts.flatMap((text) => ofNumber(text?.length ?? Number.NaN)),
    boolean: () => given.flags.map((flag) => (flag === null ? missing : Number(flag))),
    categorical: () => given.names.flatMap(ofName),
  };
  const all = places[of.kind]();
  return Array.from({ length: outside + 1 }, (_, at) => all.filter((each) => each === at).length);
}

describe("counting", () => {
  it("puts each cell where plain counting does, in training and later", () => {
    fc.assert(
      fc.property(cells(1), cells(0), (trained, later) => {
        const columns = tableOf(trained).columns.map((column) => columnReference(column, schema));
        for (const of of columns) {
          expect([...of.counts, of.missing, of.outside]).toEqual(plainCounts(of, trained));
        }
        const task = { kind: "regression", classes: [] };
        const predicted = {
          values: Float64Array.from(trained.numbers, (value) =>
            Number.isFinite(value) ? value : 0,
          ),
          outputs: 1,
          labels: null,
        };
        const reference: DriftReference = {
          version: 1,
          rows: trained.numbers.length,
          columns,
          omitted: 0,
          predictedRows: trained.numbers.length,
          predictions: predictionsReference(task, predicted),
        };
        expect(parseDriftReference(packDriftReference(reference))).toEqual(reference);
        const counter = new DriftCounter(reference, schema, task);
        const counted = new Float64Array(counter.length);
        const values = Float64Array.from(later.numbers, () => 1);
        const table = tableOf(later);
        counter.add(counted, table, { values, outputs: 1, labels: null });
        counter.add(counted, { ...table, columns: [] }, { values, outputs: 1, labels: null });
        const rows = later.numbers.length;
        const twice = columns.flatMap((of) => {
          const counts = plainCounts(of, later);
          counts[of.counts.length] = (counts[of.counts.length] ?? 0) + rows;
          return counts;
        });
        const ofValues = counted.subarray(1 + twice.length);
        expect([...counted.subarray(0, 1 + twice.length)]).toEqual([2 * rows, ...twice]);
        expect(ofValues.subarray(0, -2).reduce((sum, each) => sum + each, 0)).toBe(2 * rows);
      }),
    );
  });

  it("of classes counts the label, and the probability of the second of two", () => {
    const two = { kind: "binclass", classes: ["no", "yes"] };
    const values = Float64Array.from({ length: 1000 }, (_, row) => row / 1000);
    const labels = Uint32Array.from(values, (value) => Number(value >= 0.7));
    const [probability, label] = predictionsReference(two, { values, outputs: 1, labels });
    expect(probability).toMatchObject({ name: "probability of yes", range: [0, 0.999] });
    expect(probability?.counts).toEqual(new Array(10).fill(100));
    expect(label).toMatchObject({ values: ["no", "yes"], counts: [700, 300, 0] });
    const three = { kind: "multiclass", classes: ["a", "b", "c"] };
    const [shares, ...others] = predictionsReference(three, {
      values: new Float64Array(9),
      outputs: 3,
      labels: Uint32Array.of(2, 0, 2),
    });
    expect(shares?.counts).toEqual([1, 0, 2, 0]);
    expect(others).toEqual([]);
  });

  it("gives equal numbers one bin, and few rows few bins", () => {
    const of = (values: number[]) =>
      columnReference({ kind: "numeric", name: "n", values: Float64Array.from(values) }, schema);
    const heavy = of(Array.from({ length: 2000 }, (_, row) => (row < 1500 ? 0 : row)));
    expect(heavy.counts[0]).toBe(1500);
    expect(of(Array.from({ length: 2000 }, (_, row) => row)).counts).toEqual(
      new Array(10).fill(200),
    );
    expect(of(Array.from({ length: 40 }, (_, row) => row)).counts).toEqual([20, 20]);
    expect(of([Number.NaN])).toMatchObject({ counts: [0], missing: 1, range: null });
  });
});
