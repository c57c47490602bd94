/** How predictions depend on columns, of models that are known, and in the seconds that there are. */

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import type { Model } from "../../model/model.ts";
import { sharedPool } from "../../testing/shared-pools.ts";
import { train } from "../../train.ts";
import { dependenceSchema } from "../dependence-document.ts";
import { dependenceNote } from "../html/dependence-words.ts";
import { dependenceSection } from "./dependence.ts";

const ROWS = 200;
const KINDS = ["red", "green", "blue"];
const data = Array.from({ length: ROWS }, (_, i) => [
  i % 9 === 0 ? null : (i * 37) % 101,
  KINDS[i % 3],
  (i * 61) % 89,
]);
const sample = { columns: ["x", "kind", "z"], data, rows: data.map((_, row) => row) };

async function trained(
  label: (x: number, kind: number, z: number) => string,
  taskKind: "regression" | "multiclass",
): Promise<Model> {
  const folder = await mkdtemp(join(tmpdir(), "distillery-dependence-"));
  const path = join(folder, "data.csv");
  const lines = data.map(([x, kind, z]) =>
    [x ?? "", kind, z, label(Number(x ?? 50), KINDS.indexOf(String(kind)), Number(z))].join(","),
  );
  await writeFile(path, ["x,kind,z,y", ...lines].join("\n"));
  const task = { taskKind, labelColumn: "y" } as const;
  const config = { task, modelFamilies: ["linear"], nTrials: 1, nCvSplits: 2 };
  const { model } = await train({ path, format: "csv" }, config, { pool: sharedPool(1) });
  await rm(folder, { recursive: true });
  return model;
}

let model: Model;
beforeAll(async () => {
  model = await trained((x, kind, z) => String(2 * x - z + 40 * kind), "regression");
});
afterEach(() => vi.restoreAllMocks());

describe("of a linear model", () => {
  test("is a straight line, by partial dependence and by accumulated effects, without a spread", () => {
    const section = dependenceSection(model, sample, ["x", "kind", "z"], 60);
    expect(dependenceSchema.parse(section)).toEqual(section);
    expect(section).toMatchObject({ rows: 100, localRows: 200, of: [] });
    const [x, kind, z] = section?.columns ?? [];
    for (const [column, slope] of [
      [x, 2],
      [z, -1],
    ] as const) {
      const points = column.points ?? [];
      expect(points.length).toBeGreaterThan(15);
      const [first, last] = [points[0], points[points.length - 1]];
      for (const of of ["mean", "local"] as const) {
        const steep = (last[of][0] - first[of][0]) / (last.value - first.value);
        expect(steep / slope).toBeCloseTo(1, 0.5);
      }
      for (const { mean, low, high, local } of points) {
        expect(high[0] - low[0]).toBeLessThan(0.01 * Math.abs(last.mean[0] - first.mean[0]));
        expect(local[0]).toBeCloseTo(mean[0], -0.5);
      }
    }
    expect(x.missing?.share).toBeCloseTo(23 / ROWS, 5);
    expect(z.missing).toBeNull();
    const levels = new Map(kind.levels?.map(({ name, mean }) => [name, mean[0]]));
    expect([...levels.keys()].sort()).toEqual([...KINDS].sort());
    expect((levels.get("blue") ?? 0) - (levels.get("red") ?? 0)).toBeGreaterThan(60);
  });

  test("shows the columns that it is asked for, and those alone whose values mean something", () => {
    const section = dependenceSection(model, sample, ["z", "nobody"], 60);
    expect(section?.columns.map(({ column }) => column)).toEqual(["z"]);
    expect(dependenceSection(model, sample, [], 60)).toBeNull();
    expect(dependenceSection(model, { columns: [], data: [], rows: [] }, ["x"], 60)).toBeNull();
  });
});

test("of several classes are their probabilities, which sum to 1", async () => {
  const classes = await trained(
    (x, _, z) => ["low", "mid", "high"][Math.min(2, Math.floor((x + z) / 65))],
    "multiclass",
  );
  const section = dependenceSection(classes, sample, ["x"], 60);
  expect(section?.of).toEqual(["high", "low", "mid"]);
  for (const { mean } of section?.columns[0].points ?? []) {
    expect(mean.reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 3);
  }
});

describe("in little time", () => {
  /** Of a model that takes so many seconds for each prediction. */
  function drawn(ofRow: number, seconds: number) {
    let now = 0;
    vi.spyOn(performance, "now").mockImplementation(() => now);
    const predict = model.predict.bind(model);
    vi.spyOn(model, "predict").mockImplementation((rows, ...others) => {
      const predicted = predict(rows, ...others);
      now += 1000 * ofRow * predicted.values.length;
      return predicted;
    });
    const section = dependenceSection(model, sample, ["x", "kind", "z"], seconds);
    vi.restoreAllMocks();
    return { section, spent: now / 1000 };
  }

  test("takes fewer rows, then fewer columns, then none, and never more time", () => {
    expect(drawn(1e-6, 1).section).toMatchObject({ rows: 100, localRows: 200 });
    const fewer = drawn(2e-4, 1);
    expect(fewer.section?.rows).toBeLessThan(100);
    expect(fewer.section?.columns).toHaveLength(3);
    const least = drawn(6e-4, 1);
    expect(least.section?.rows).toBe(30);
    expect(least.section?.columns.length).toBeLessThan(3);
    const none = { rows: 0, localRows: 0, of: [], columns: [] };
    expect(drawn(1e-2, 1).section).toEqual(none);
    expect(drawn(1e-6, 0).section).toEqual(none);
    expect(dependenceNote(none)).toContain("time was too short");
    for (const { spent } of [fewer, least]) expect(spent).toBeLessThan(1);
  });
});
