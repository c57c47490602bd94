/** Numbers that repeat, more of them than a byte tells apart: a fit has a bin for each, and keeps them through everything. */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Arena } from "../../compute/arena.ts";
import { CounterRandom, deriveKey } from "../../compute/random.ts";
import { binsToFit } from "../../data/binning/column-binner.ts";
import { encodeFeatures } from "../../data/encode.ts";
import type { EncodedData } from "../../data/encoded.ts";
import { fitFeatureSchema } from "../../data/fit-feature-schema.ts";
import type { Table } from "../../data/table.ts";
import type { Task } from "../../tasks/index.ts";
import { exactEdges } from "./exact-edges.ts";
import { gbdt } from "./family.ts";
import { allRows, BINCLASS, contextOf, fit, MULTICLASS, REGRESSION } from "./testing/fit.ts";

const key = deriveKey(5, "exact-bins-test");

function tableOf(columns: Readonly<Record<string, Float64Array>>): Table {
  const named = Object.entries(columns);
  return {
    rows: named[0][1].length,
    columns: named.map(([name, values]) => ({ kind: "numeric", name, values })),
  };
}

function encoded(table: Table, values = true): EncodedData {
  const rows = allRows(table.rows);
  const schema = fitFeatureSchema(table, { rows });
  const bins = binsToFit({ key }, table.rows);
  return encodeFeatures(schema, table, Arena.create(), { bins, values });
}

const ROWS = 12_000;
const VALUES = 600;
const random = new CounterRandom(key);
const noise = Float64Array.from({ length: ROWS }, () => random.nextGaussian());
const step = Float64Array.from({ length: ROWS }, () =>
  random.nextFloat() < 0.05 ? Number.NaN : random.nextInteger(VALUES) / 4,
);
/** Each value has a level of its own. */
const levels = Float64Array.from({ length: VALUES }, () => random.nextInteger(3));
const levelOf = (row: number): number => (Number.isNaN(step[row]) ? 1 : levels[4 * step[row]]);
const data = encoded(tableOf({ noise, step }));
const trainRows = allRows(ROWS).filter((row) => row % 3 !== 0);
const heldRows = allRows(ROWS).filter((row) => row % 3 === 0);

function labelsOf({ classes }: Task): Float64Array {
  const most = classes.length === 0 ? 2 : classes.length - 1;
  return Float64Array.from({ length: ROWS }, (_, row) => Math.min(most, levelOf(row)));
}

describe("the edges of a column", () => {
  const { binned } = data;
  if (binned === null) throw new Error("There are no bins.");

  it("lie between all values that repeat, in as few columns as there can be", () => {
    const exact = exactEdges(data, binned, trainRows, 1020);
    expect([...exact.keys()]).toEqual([1]);
    const parts = exact.get(1) ?? [];
    expect(parts.map(({ length }) => length)).toEqual([199, 200, 200]);
    const between = Array.from({ length: VALUES - 1 }, (_, i) => (i + 0.5) / 4);
    expect(parts.flatMap((edges) => [...edges])).toEqual(between);
  });

  it("are there where there are values, few enough, and enough rows of each", () => {
    expect(exactEdges({ ...data, values: null }, binned, trainRows, 1020).size).toBe(0);
    expect(exactEdges(data, binned, trainRows, VALUES).size).toBe(1);
    expect(exactEdges(data, binned, trainRows, VALUES - 1).size).toBe(0);
    expect(exactEdges(data, binned, trainRows, 255).size).toBe(0);
    expect(exactEdges(data, binned, trainRows.subarray(0, 6200), 1020).size).toBe(0);
    // Twenty rows a value, but most of them of one.
    const sparse = step.map((value, row) => (row % 4 === 0 ? value : 0));
    const mostlyZero = encoded(tableOf({ sparse }));
    expect(exactEdges(mostlyZero, mostlyZero.binned!, allRows(ROWS), 1020).size).toBe(0);
  });
});

describe.each([REGRESSION, BINCLASS, MULTICLASS])("gbdt with a bin a value ($kind)", (task) => {
  const target = labelsOf(task);
  const parameters = { n_estimators: 25, num_leaves: 63, exact_bins: 1020 };
  const exact = fit(task, data, target, parameters, { trainRows });
  const loss = (model: typeof exact): number => {
    const said = model.predict(data, heldRows);
    const outputs = said.length / heldRows.length;
    let sum = 0;
    heldRows.forEach((row, i) => {
      if (outputs > 1) sum -= Math.log(said[i * outputs + target[row]]);
      else if (task.classes.length > 0) sum -= Math.log(target[row] === 1 ? said[i] : 1 - said[i]);
      else sum += (said[i] - target[row]) ** 2;
    });
    return sum / heldRows.length;
  };

  it("tells values apart that a byte's bins put together", () => {
    const coarse = fit(task, data, target, { ...parameters, exact_bins: 255 }, { trainRows });
    expect(loss(exact)).toBeLessThan(0.8 * loss(coarse));
    expect([exact.readsValues, coarse.readsValues]).toEqual([true, false]);
  });

  it("is restored from what it saved, and no version without such columns reads it", () => {
    const saved = exact.save();
    expect(saved.header).toMatchObject({ version: 3 });
    const given = { task, features: data.features, bins: data.binned?.bins ?? null };
    for (const place of [given, { ...given, arena: data.arena }]) {
      const restored = gbdt.load(saved, place);
      expect(restored.predict(data, null)).toEqual(exact.predict(data, null));
      const few = heldRows.subarray(0, 5);
      expect(restored.explain(data, few)).toEqual(exact.explain(data, few));
      expect([restored.importance(), restored.save(), restored.readsValues]).toEqual([
        ...[exact.importance(), saved, true],
      ]);
    }
    const { derived_edges: edges, derived_edge_counts: counts, ...others } = saved.tensors;
    for (const damaged of [
      others,
      { ...others, derived_edges: edges },
      { ...others, derived_edge_counts: counts },
      { ...others, derived_edge_counts: counts, derived_edges: edges.slice(1) },
      { ...others, derived_edge_counts: counts.slice(1), derived_edges: edges },
      { ...others, derived_edge_counts: counts, derived_edges: edges.toReversed() },
      { ...others, derived_edge_counts: counts.map((count) => -count), derived_edges: edges },
    ]) {
      expect(() => gbdt.load({ ...saved, tensors: damaged }, given)).toThrow(/damaged/);
    }
  });

  it("explains its margins by the columns of the data", () => {
    const { baseValues, contributions, margins } = exact.explain(data, heldRows.subarray(0, 7));
    const outputs = baseValues.length;
    for (let i = 0; i < 7 * outputs; i++) {
      const [row, k] = [Math.floor(i / outputs), i % outputs];
      const [first, second] = [0, 1].map((f) => contributions[(row * 2 + f) * outputs + k]);
      expect(baseValues[k] + first + second).toBeCloseTo(margins[i], 9);
    }
    expect(exact.importance()[1]).toBeGreaterThan(0.8);
  });
});

it("grows the trees that it grows on a column for each part of the values", () => {
  fc.assert(
    fc.property(fc.integer({ min: 256, max: 900 }), fc.nat(1000), (values, seed) => {
      const drawn = new CounterRandom(deriveKey(seed, "parts"));
      const rows = 10 * values + 500;
      const x = Float64Array.from({ length: rows }, (_, row) =>
        row < 10 * values ? row % values : Number.NaN,
      );
      const target = Float64Array.from(x, (value) => Math.sin(value / 9) + drawn.nextGaussian());
      const whole = encoded(tableOf({ x }));
      const edges = exactEdges(whole, whole.binned!, allRows(rows), 1020).get(0) ?? [];
      const bounds = edges.map((part) => [part[0] - 0.5, part[part.length - 1] + 0.5]);
      const parts = bounds.map(([low, high]) =>
        x.map((value) => Math.min(Math.max(value, low), high)),
      );
      const apart = encoded(tableOf(Object.fromEntries(parts.map((part, i) => [`p${i}`, part]))));
      expect(apart.binned?.bins.map((bins) => bins.edges)).toEqual(edges);
      const parameters = { n_estimators: 5, num_leaves: 31, exact_bins: 1020 };
      const [one, other] = [whole, apart].map((each) => fit(REGRESSION, each, target, parameters));
      expect(one.predict(whole, null)).toEqual(other.predict(apart, null));
    }),
    { numRuns: 8 },
  );
});

it("keeps a monotone constraint on all columns of the values", () => {
  const target = Float64Array.from(step, (value, row) => (value || 0) / 50 + noise[row]);
  const changes = { trainRows, monotone: { step: 1 as const } };
  const model = fit(REGRESSION, data, target, { exact_bins: 1020, num_leaves: 31 }, changes);
  const ascending = Float64Array.from({ length: VALUES }, (_, i) => i / 4);
  const schema = fitFeatureSchema(tableOf({ noise, step }), { rows: allRows(ROWS) });
  const asked = encodeFeatures(
    schema,
    tableOf({ noise: new Float64Array(VALUES), step: ascending }),
    Arena.create(),
    { bins: data.binned?.bins ?? null, values: true },
  );
  const said = model.predict(asked, null);
  for (let i = 1; i < VALUES; i++) expect(said[i]).toBeGreaterThanOrEqual(said[i - 1]);
  expect(new Set(said).size).toBeGreaterThan(20);
});

it("is the default of small tables, but not of students", () => {
  const shape = { rows: 5000, task: REGRESSION, features: data.features };
  const of = (more: object): unknown => gbdt.defaults({ ...shape, ...more })["exact_bins"];
  expect([of({}), of({ student: true }), of({ rows: 2 ** 21 })]).toEqual([1020, 255, 255]);
  const { space, fixed } = { space: {}, fixed: {} };
  const reads = (...portfolio: object[]): boolean | undefined =>
    gbdt.readsValuesBeside?.({ space, fixed, portfolio: portfolio.map((each) => ({ ...each })) });
  expect([reads({ exact_bins: 256 }), reads({ exact_bins: 255 }, {}), reads()]).toEqual([
    ...[true, false, false],
  ]);
  const context = contextOf(
    REGRESSION,
    encoded(tableOf({ noise, step }), false),
    labelsOf(REGRESSION),
  );
  expect(gbdt.fit(context, { n_estimators: 2 }).readsValues).toBe(false);
});
