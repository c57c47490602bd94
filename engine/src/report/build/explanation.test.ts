/** How many rows of a report are explained in the seconds that it has. */

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import type { Model } from "../../model/model.ts";
import { sharedPool } from "../../testing/shared-pools.ts";
import { train } from "../../train.ts";
import { explanationSection } from "./explanation.ts";

const ROWS = 200;
const data = Array.from({ length: ROWS }, (_, i) => [(i * 37) % 101, (i * 61) % 89]);

let model: Model;

beforeAll(async () => {
  const folder = await mkdtemp(join(tmpdir(), "distillery-explanation-"));
  const path = join(folder, "data.csv");
  const lines = data.map(([x, z]) => `${x},${z},${2 * x - z}`);
  await writeFile(path, ["x,z,y", ...lines].join("\n"));
  const task = { taskKind: "regression", labelColumn: "y" } as const;
  const config = { task, modelFamilies: ["linear"], nTrials: 1, nCvSplits: 2 };
  ({ model } = await train({ path, format: "csv" }, config, { pool: sharedPool(1) }));
  await rm(folder, { recursive: true });
});

afterEach(() => vi.restoreAllMocks());

describe("rows that are explained", () => {
  /** Of a model that takes so many seconds to make itself ready, and for each row. */
  function explainedRows(ready: number, ofRow: number, seconds: number, less = 0): number {
    let [now, isReady] = [0, false];
    vi.spyOn(performance, "now").mockImplementation(() => now);
    const explain = model.explain.bind(model);
    vi.spyOn(model, "explain").mockImplementation((rows, ...others) => {
      const explained = explain(rows, ...others);
      now += 1000 * ((isReady ? 0 : ready) + ofRow * explained.contributions.length);
      isReady = true;
      return explained;
    });
    const rows = data.map((_, row) => row);
    const section = explanationSection(
      model,
      { columns: ["x", "z"], data, rows },
      0,
      () => seconds - (isReady ? less : 0),
    );
    vi.restoreAllMocks();
    return section?.rows ?? 0;
  }

  test("are all where there is time, and as many as fit in it where there is little", () => {
    expect(explainedRows(0, 0.001, 5)).toBe(ROWS);
    expect(explainedRows(0, 0.125, 5)).toBe(40);
  });

  test("are no fewer where the first one has to make the model ready", () => {
    expect(explainedRows(3, 0.125, 5)).toBe(16);
    expect(explainedRows(4.5, 0.125, 5)).toBe(4);
  });

  test("are fewer where it is found meanwhile that what follows will take longer", () => {
    expect(explainedRows(0, 0.125, 5, 2.5)).toBe(20);
  });

  test("are one or two where each takes long", () => {
    expect(explainedRows(0, 10, 5)).toBe(1);
    expect(explainedRows(0, 3, 5)).toBe(2);
  });
});
