/** Features of more categories than a byte tells apart: a fit knows them all, and keeps them through everything. */

import { describe, expect, it } from "vitest";
import { Arena } from "../../compute/arena.ts";
import { CounterRandom, deriveKey } from "../../compute/random.ts";
import { slowVarianceRatio } from "../../data/testing/variance-ratio.ts";
import type { Task } from "../../tasks/index.ts";
import { encodeBins, randomColumns, wideColumn } from "../../trees/testing/random-bins.ts";
import type { Family } from "../family.ts";
import { oblivious } from "../oblivious/family.ts";
import { gbdt } from "./family.ts";
import { allRows, BINCLASS, contextOf, MULTICLASS, REGRESSION } from "./testing/fit.ts";

const QUANTILES: Task = { kind: "quantile_regression", classes: [], quantiles: [0.1, 0.5] };
const CATEGORIES = 500;
const ROWS = 3000;

/** Nothing but the category says what the label is, and most of that by the last ones. */
function exampleOf(task: Task, rows = ROWS) {
  const random = new CounterRandom(deriveKey(7, "wide"));
  const wide = wideColumn(random, rows, CATEGORIES);
  const codes = wide.wide?.codes ?? [];
  const data = encodeBins([...randomColumns(3, rows, 3, { missing: true }), wide]);
  const classes = task.classes.length;
  const means = Float64Array.from({ length: CATEGORIES + 2 }, () => random.nextInteger(3));
  const target = Float64Array.from({ length: rows }, (_, row) => {
    const mean = means[codes[row]];
    return classes > 0 ? Math.min(classes - 1, mean) : mean + 0.1 * random.nextGaussian();
  });
  return { data, target, codes, trainRows: allRows(rows).filter((row) => row % 3 !== 0) };
}

const BOOSTED: readonly [string, Family, Record<string, string | number>][] = [
  ["gbdt", gbdt, { n_estimators: 30, learning_rate: 0.2, num_leaves: 15 }],
  ["gbdt", gbdt, { n_estimators: 30, categorical_encoding: "ordered_target" }],
  ["oblivious", oblivious, { n_estimators: 30, depth: 4 }],
];
const CASES = BOOSTED.flatMap((each) =>
  [REGRESSION, BINCLASS, MULTICLASS, QUANTILES].map((task) => [...each, task] as const),
);

describe.each(CASES)("%s of %s with many categories (%j, $kind)", (_, family, parameters, task) => {
  const { data, target, codes, trainRows } = exampleOf(task);
  const context = contextOf(task, data, target, { trainRows });
  const defaults = family.defaults({ rows: ROWS, task, features: data.features });
  const model = family.fit(context, { ...defaults, ...parameters });
  const bins = data.binned?.bins ?? null;
  const held = allRows(ROWS).filter((row) => row % 3 === 0);

  it("puts categories in the order of what their rows say", () => {
    const { derived_feature: of, derived_tables: tables } = model.save().tensors;
    const width = CATEGORIES + 2;
    expect([...of].every((feature) => feature === 3)).toBe(true);
    expect(of.length).toBe(task.kind === "multiclass" ? 3 : 1);
    for (let channel = 0; channel < of.length; channel++) {
      const table = tables.subarray(channel * width, (channel + 1) * width);
      const label = (row: number): number =>
        task.kind === "multiclass" ? Number(target[row] === channel) : target[row];
      const prior = trainRows.reduce((sum, row) => sum + label(row), 0) / trainRows.length;
      const groups = Array.from({ length: width }, (_each, code) =>
        [...trainRows].filter((row) => codes[row] === code).map(label),
      );
      const ratio = slowVarianceRatio(groups.filter((labels) => labels.length > 0));
      const smoothing = Math.min(1000, Math.max(0.1, ratio));
      const means = groups.map((labels) => {
        const sum = labels.reduce((total, each) => total + each, 0);
        return (sum + smoothing * prior) / (labels.length + smoothing);
      });
      const order = [...means.keys()].sort((a, b) => means[a] - means[b]);
      for (let i = 1; i < width; i++) {
        // Sums in another order may differ in their last bits.
        if (means[order[i]] - means[order[i - 1]] < 1e-9) continue;
        expect(table[order[i]]).toBeGreaterThanOrEqual(table[order[i - 1]]);
      }
      expect(new Set(table).size).toBeGreaterThan(10);
    }
  });

  it("tells categories apart that share a bin", () => {
    const rare = held.filter((row) => codes[row] >= 254 && codes[row] < CATEGORIES);
    const outputs = task.kind === "multiclass" ? 3 : (task.quantiles?.length ?? 1);
    const said = new Set(model.predict(data, rare).filter((_value, i) => i % outputs === 0));
    expect(said.size).toBeGreaterThan(5);
  });

  it("is restored from what it saved, in an arena and without, and no older version reads it", () => {
    const saved = model.save();
    expect(saved.header).toMatchObject({ version: 2 });
    const given = { task, features: data.features, bins };
    const places = [given, { ...given, arena: Arena.attach(data.arena).handle() }];
    for (const place of places) {
      const restored = family.load(saved, place);
      expect(restored.predict(data, null)).toEqual(model.predict(data, null));
      expect(restored.predict(data, held)).toEqual(model.predict(data, held));
      expect(restored.explain(data, held.subarray(0, 5))).toEqual(
        model.explain(data, held.subarray(0, 5)),
      );
      expect(restored.importance()).toEqual(model.importance());
      expect(restored.save()).toEqual(saved);
    }
    const { derived_tables: tables, ...others } = saved.tensors;
    for (const damaged of [tables.slice(1), tables.map(() => 255)]) {
      const tensors = { ...others, derived_tables: damaged };
      expect(() => family.load({ ...saved, tensors }, given)).toThrow(/derived/);
    }
    expect(() => family.load({ ...saved, tensors: others }, given)).toThrow(/damaged/);
  });

  it("explains its margins by the columns, and relies on the categories", () => {
    const rows = held.subarray(0, 7);
    const { baseValues, contributions, margins } = model.explain(data, rows);
    const outputs = baseValues.length;
    expect(contributions.length).toBe(rows.length * 4 * outputs);
    for (let i = 0; i < rows.length; i++) {
      for (let k = 0; k < outputs; k++) {
        let sum = baseValues[k];
        for (let f = 0; f < 4; f++) sum += contributions[(i * 4 + f) * outputs + k];
        expect(sum).toBeCloseTo(margins[i * outputs + k], 9);
      }
    }
    const shares = model.importance();
    expect(shares.length).toBe(4);
    expect(shares[3]).toBeGreaterThan(0.5);
    expect(shares.reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 9);
  });
});

it("stops by rows that are told by the whole statistics, as predicted ones are", () => {
  const { data, target, trainRows } = exampleOf(BINCLASS);
  const validRows = allRows(ROWS).filter((row) => row % 3 === 0);
  const context = contextOf(BINCLASS, data, target, { trainRows, validRows });
  const model = gbdt.fit(context, { n_estimators: 60, early_stopping_rounds: 5 });
  const losses = Array.from(model.predict(data, validRows), (p, i) =>
    Math.log(target[validRows[i]] === 1 ? p : 1 - p),
  );
  const mean = -losses.reduce((sum, each) => sum + each, 0) / losses.length;
  expect(mean).toBeCloseTo(Number(model.facts["validation_loss"]), 5);
});

it("has no statistics of categories that say nothing, but in place of them", () => {
  const { data, trainRows } = exampleOf(REGRESSION);
  const random = new CounterRandom(deriveKey(8, "noise"));
  const columnsOf = (categorical_encoding: string): number[] =>
    Array.from({ length: 12 }, () => {
      const target = Float64Array.from({ length: ROWS }, () => random.nextGaussian());
      const context = contextOf(REGRESSION, data, target, { trainRows });
      const { tensors } = gbdt.fit(context, { n_estimators: 1, categorical_encoding }).save();
      return tensors["derived_feature"]?.length ?? 0;
    });
  // Of twelve draws of noise about half lie nearer to each other within categories.
  const beside = columnsOf("native");
  expect(beside).toContain(0);
  expect(beside).toContain(1);
  expect(columnsOf("ordered_target")).toEqual(new Array(12).fill(1));
});

it("has statistics of the eight largest of many classes", () => {
  const classes = Array.from({ length: 11 }, (_, k) => String(k));
  const task: Task = { kind: "multiclass", classes };
  const { data, codes } = exampleOf(task);
  // Classes 4, 7 and 10 are the smallest.
  const target = Float64Array.from(codes, (code, row) =>
    row % 200 < 3 ? 4 + 3 * (row % 3) : code % 4,
  );
  const others = [5, 6, 8, 9];
  Array.from(codes).forEach((code, row) => {
    const place = (code % 20) - 10;
    if (row % 200 >= 3 && place >= 0 && place < others.length) target[row] = others[place];
  });
  const model = gbdt.fit(contextOf(task, data, target), { n_estimators: 2 });
  expect(model.save().tensors["derived_feature"].length).toBe(8);
});
