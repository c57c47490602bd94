/** What a card says of the limits of models of several families. */

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { loadModel } from "../../model/load.ts";
import { modelFolder } from "../../model/model-folder.ts";
import { sharedPool } from "../../testing/shared-pools.ts";
import { train } from "../../train.ts";
import { modelCardPage } from "./card-page.ts";
import { buildModelCard, type CardKeeper } from "./model-card.ts";

const KEEPER: CardKeeper = {
  id: "m",
  name: "m",
  version: null,
  aliases: [],
  tags: {},
  notes: "",
  created_at: null,
  job_id: null,
  dataset: null,
};

test.each([
  ["gaussian_process", true],
  ["linear", false],
  ["gbdt", false],
] as const)("the limits of %s", async (family, keepsRows) => {
  const folder = await mkdtemp(join(tmpdir(), "distillery-card-"));
  try {
    const path = join(folder, "data.csv");
    const lines = Array.from({ length: 40 }, (_, i) => `${(i * 37) % 41},${i % 3 ? "a" : "b"}`);
    await writeFile(path, ["x,y", ...lines].join("\n"));
    await train(
      { path, format: "csv" },
      {
        task: { taskKind: "binclass", labelColumn: "y" },
        hpoSpace: { models: [{ family }] },
        nTrials: 1,
        nCvSplits: 2,
      },
      { folder: join(folder, "run"), pool: sharedPool(1) },
    );
    const model = await loadModel(modelFolder(join(folder, "run", "model")));
    const card = buildModelCard(model, KEEPER, () => []);
    const limits = card.limits.join(" ");
    expect(limits.includes("hold training data: the rows of its Gaussian processes")).toBe(
      keepsRows,
    );
    expect(limits.includes("draw near to the shares of the classes")).toBe(keepsRows);
    expect(limits.includes("by trees")).toBe(!keepsRows);
    // Bins would end within.
    expect(card.inputs).toMatchObject([{ column: "x", range: [0, 40], range_rows: 40 }]);
    expect(modelCardPage(card)).toContain(">0 to 40<");
    expect(limits.includes("Numbers beyond those of the training data")).toBe(
      family !== "gaussian_process",
    );
    expect(Math.abs(Number(card.example["x"]) - 20)).toBeLessThanOrEqual(5);
  } finally {
    await rm(folder, { recursive: true });
  }
});
