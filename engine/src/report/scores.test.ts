/** What a run's report and its model's card say of scores, of the last value and of odd values. */

import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { CounterRandom, deriveKey } from "../compute/random.ts";
import type { ModelCard } from "../model/document.ts";
import { sharedPool } from "../testing/shared-pools.ts";
import { train } from "../train.ts";
import { type RunReport, reportSchema } from "./document.ts";
import { REPORT_JSON } from "./write-report.ts";

let folder: string;
let report: RunReport;
let card: ModelCard;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "report-scores-"));
  const random = new CounterRandom(deriveKey(1, "table"));
  let level = 0;
  const rows = Array.from({ length: 160 }, (_, day) => {
    level += random.nextGaussian();
    const size = day % 20 === 0 ? -999 : random.nextInteger(50);
    return [new Date(Date.UTC(2030, 0, 1 + day)).toISOString(), size, level].join(",");
  });
  await writeFile(join(folder, "walk.csv"), `day,size,level\n${rows.join("\n")}\n`);
  const { model } = await train(
    { path: join(folder, "walk.csv"), format: "csv" },
    {
      task: { taskKind: "regression", labelColumn: "level", timeColumn: "day" },
      hpoSpace: { models: [{ family: "linear" }] },
      metrics: ["rmse"],
      nTrials: 1,
      nCvSplits: 3,
      ensemble: false,
    },
    { folder: join(folder, "run"), pool: sharedPool(1) },
  );
  card = model.document.card;
  report = reportSchema.parse(JSON.parse(await readFile(join(folder, "run", REPORT_JSON), "utf8")));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

it("names a model's pooled scores and their mean over the folds, in the report and in the card", () => {
  const [model] = report.models;
  const [trial] = report.trials;
  // One trial alone: its own mean is the model's.
  expect(model.meanFoldScores?.["rmse"]).toBeCloseTo(Number(trial.scores?.["rmse"]), 9);
  const mean = trial.folds.reduce<number>((sum, fold) => sum + Number(fold), 0) / 3;
  expect(model.meanFoldScores?.["rmse"]).toBeCloseTo(mean, 9);
  // By Jensen's inequality the root of all folds' mean square is the larger.
  expect(Number(model.scores["rmse"])).toBeGreaterThan(mean);
  expect(card.scores).toEqual(model.scores);
  expect(card.meanFoldScores).toEqual(model.meanFoldScores);
});

it("holds a run in the order of time against the last value", () => {
  // A random walk stays nearer to where it was than to its mean.
  expect(report.baseline["rmse"]).toEqual({
    answer: "the last value",
    score: report.lastValue?.["rmse"],
  });
});

it("warns of values that are hardly meant", () => {
  expect(report.warnings).toContainEqual(
    expect.stringMatching(/^Column .*size.* is -999 in 8 rows/),
  );
});
