/** A run whose series are of two kinds: the blend it saves weighs its members for each series. */

import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { CounterRandom, deriveKey } from "../compute/random.ts";
import type { Table } from "../data/table.ts";
import { loadModel } from "../model/load.ts";
import type { Model } from "../model/model.ts";
import { modelFolder } from "../model/model-folder.ts";
import { sharedPool } from "../testing/shared-pools.ts";
import { train } from "../train.ts";

const STEPS = 48;
const KINDS = 6;
const HORIZON = 4;
const PATTERN = [0, 10, 5, -15];

/** Of even series a pattern of four steps comes again; odd ones drift, and hold no pattern. */
function csv(): string {
  const random = new CounterRandom(deriveKey(2, "drift"));
  const lines = ["id,t,y"];
  for (let s = 0; s < 2 * KINDS; s++) {
    let level = 100;
    for (let t = 0; t < STEPS; t++) {
      level += s % 2 === 0 ? 0 : 4 + random.nextGaussian();
      lines.push(
        [
          `s${s}`,
          t,
          (level + (s % 2 === 0 ? PATTERN[t % 4] : 0) + 5 * random.nextGaussian()).toFixed(3),
        ].join(","),
      );
    }
  }
  return lines.join("\n");
}

let folder: string;
let model: Model;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "distillery-series-weights-"));
  const path = join(folder, "data.csv");
  await writeFile(path, csv());
  ({ model } = await train(
    { path, format: "csv" },
    {
      task: {
        taskKind: "forecasting",
        labelColumn: "y",
        timeColumn: "t",
        seriesColumns: ["id"],
        horizon: HORIZON,
        seasonLength: 4,
      },
      hpoSpace: {
        models: [{ family: "seasonal_naive" }, { family: "theta", fixed: { season: "none" } }],
      },
      nTrials: 1,
    },
    { folder: join(folder, "run"), pool: sharedPool(2) },
  ));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const NONE: Table = { rows: 0, columns: [] };

test("the weights lie beside the members, and say so", () => {
  expect(model.document.seriesWeights).toEqual({ file: "series-weights.dsm" });
  expect(model.document.files.map(({ path }) => path)).toContain("series-weights.dsm");
  expect(model.document.card.notes?.join(" ")).toMatch(/Each series has weights of its own/);
});

test("a loaded model forecasts as the trained one does, and not as its pooled weights would", async () => {
  const saved = join(folder, "run", "model");
  const loaded = await loadModel(modelFolder(saved));
  const asked = model.predict(NONE).values;
  expect(loaded.predict(NONE).values).toEqual(asked);
  const document = JSON.parse(await readFile(join(saved, "model.json"), "utf8"));
  const pooled = await loadModel(async (file) =>
    file === "model.json"
      ? new TextEncoder().encode(JSON.stringify({ ...document, seriesWeights: undefined }))
      : readFile(join(saved, file)),
  );
  expect(pooled.predict(NONE).values).not.toEqual(asked);
});

test("contributions add up to the forecasts", () => {
  const { values } = model.predict(NONE);
  const { baseValues, contributions, predictions } = model.explain(NONE);
  for (const [row, [own]] of contributions.entries()) {
    const sum = own.reduce((total, each) => total + each, baseValues[0]);
    expect(sum).toBeCloseTo(values[row], 6);
    expect(predictions[row][0]).toBeCloseTo(values[row], 6);
  }
});

test("a series that is new has the weights of all", async () => {
  const known = Array.from({ length: 12 }, (_, t) => ({
    id: "s0",
    t: STEPS + t,
    y: 100 + PATTERN[t % 4],
  }));
  const renamed = known.map((row) => ({ ...row, id: "new" }));
  const saved = join(folder, "run", "model");
  const document = JSON.parse(await readFile(join(saved, "model.json"), "utf8"));
  const pooled = await loadModel(async (file) =>
    file === "model.json"
      ? new TextEncoder().encode(JSON.stringify({ ...document, seriesWeights: undefined }))
      : readFile(join(saved, file)),
  );
  expect(model.predict(renamed).values).toEqual(pooled.predict(renamed).values);
  expect(model.predict(known).values).not.toEqual(pooled.predict(known).values);
});

test("a damaged file of weights is told", async () => {
  const saved = join(folder, "run", "model");
  const document = JSON.parse(await readFile(join(saved, "model.json"), "utf8"));
  const [frame] = document.files.filter(({ path }: { path: string }) => path === "frame.dsm");
  const other = { ...document, seriesWeights: { file: frame.path } };
  const read = async (file: string): Promise<Uint8Array> =>
    file === "model.json"
      ? new TextEncoder().encode(JSON.stringify(other))
      : readFile(join(saved, file));
  await expect(loadModel(read)).rejects.toThrow(/frame\.dsm has no weights of member 0/);
});
