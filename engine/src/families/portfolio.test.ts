/** The portfolios of all families, as a search would try them. */

import { describe, expect, test } from "vitest";
import type { Feature } from "../data/encoded.ts";
import { fitIntoSpace } from "../search/fit-into-space.ts";
import { validateParameters } from "../search/validate-parameters.ts";
import type { Task } from "../tasks/index.ts";
import type { DataShape } from "./family.ts";
import { FAMILIES } from "./index.ts";
import { applyEntry, portfolioOf } from "./portfolio.ts";

const numeric = (count: number): Feature[] =>
  Array.from({ length: count }, (_, i) => ({ kind: "numeric", name: `x${i}`, column: `x${i}` }));
const categorical = (count: number, categories: number): Feature[] =>
  Array.from({ length: count }, (_, i) => ({
    kind: "categorical",
    name: `c${i}`,
    column: `c${i}`,
    categories: Array.from({ length: categories }, (_each, c) => String(c)),
  }));

const tasks: Task[] = [
  { kind: "regression", classes: [] },
  { kind: "binclass", classes: ["0", "1"] },
  { kind: "multiclass", classes: ["a", "b", "c"] },
];
const tables: [string, number, Feature[]][] = [
  ["few rows", 50, numeric(3)],
  ["categories", 2000, [...numeric(5), ...categorical(2, 4)]],
  ["many categories, and nothing else", 2000, categorical(3, 500)],
  ["a million rows", 1_000_000, numeric(300)],
];
const shapes = tables.flatMap(([name, rows, features]) =>
  tasks.map((task): [string, DataShape] => [`${name}, ${task.kind}`, { rows, task, features }]),
);

/** Those that learn from rows by themselves; others know other shapes. */
const ofRows = FAMILIES.filter(({ reads }) => reads === "bins" || reads === "values");

describe.each(ofRows.map((family) => [family.id, family] as const))("%s", (_id, family) => {
  test.each(shapes)(
    "%s: legal parameters, each unlike the others, the defaults first",
    (_, shape) => {
      const portfolio = family.portfolio(shape);
      const defaults = family.defaults(shape);
      const space = family.searchSpace(shape);
      expect(portfolio[0]).toEqual(defaults);
      for (const parameters of portfolio) {
        for (const name of Object.keys(defaults)) expect(parameters).toHaveProperty([name]);
        validateParameters(family.parameters(), parameters);
        validateParameters(family.parameters(), fitIntoSpace(space, parameters));
      }
      const points = portfolio.map((parameters) => JSON.stringify(fitIntoSpace(space, parameters)));
      expect(new Set(points).size).toBeGreaterThan(portfolio.length / 2);
    },
  );

  test("has between 6 and 10 configurations for every task", () => {
    for (const task of tasks) {
      const portfolio = family.portfolio({ rows: 1000, task, features: numeric(5) });
      expect(portfolio.length).toBeGreaterThanOrEqual(6);
      expect(portfolio.length).toBeLessThanOrEqual(10);
    }
  });
});

describe("an entry", () => {
  const legal = {
    rate: { type: "float", low: 0, high: 1 },
    leaf: { type: "int", low: 1, high: 100 },
  } as const;

  test("sets values and scales defaults, whole numbers staying whole", () => {
    const entry = { set: { kind: "a" }, times: { rate: 0.5, leaf: 2.6 } };
    expect(applyEntry(entry, { rate: 0.5, leaf: 3, kind: "b", other: 1 }, legal)).toEqual({
      rate: 0.25,
      leaf: 8,
      kind: "a",
      other: 1,
    });
  });

  test("cannot scale what is not a number", () => {
    expect(() => applyEntry({ set: {}, times: { kind: 2 } }, { kind: "b" }, legal)).toThrow(
      /"kind"/,
    );
  });

  test("belongs to one task", () => {
    const portfolio = {
      regression: [{ set: { rate: 1 }, times: {} }],
      binclass: [],
      multiclass: [],
    };
    const shape = { rows: 10, features: [] };
    const count = (task: Task) =>
      portfolioOf(portfolio, { ...shape, task }, { rate: 0 }, legal).length;
    expect(tasks.map(count)).toEqual([2, 1, 1]);
  });
});
