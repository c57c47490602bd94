/** Series of months whose time is a year in decimals, as R's `time()` has it. */

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { readRows } from "../../answers/rows.ts";
import type { Model } from "../../model/model.ts";
import { sharedPool } from "../../testing/shared-pools.ts";
import { train } from "../../train.ts";

const MONTHS = 72;
const yearAt = (i: number): number => Number((1949 + i / 12).toFixed(2));
const valueAt = (i: number): number => 100 + i + 20 * Math.sin((Math.PI * i) / 6);

let folder: string;
let model: Model;
let warnings: readonly string[];
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "distillery-decimal-years-"));
  const path = join(folder, "data.csv");
  const rows = Array.from({ length: MONTHS }, (_, i) => `${yearAt(i)},${valueAt(i)}`);
  await writeFile(path, ["time,value", ...rows].join("\n"));
  const trained = await train(
    { path, format: "csv" },
    {
      task: { taskKind: "forecasting", labelColumn: "value", timeColumn: "time", horizon: 12 },
      hpoSpace: { models: [{ family: "seasonal_naive" }] },
      nTrials: 1,
    },
    { folder: join(folder, "run"), pool: sharedPool(1) },
  );
  ({ model } = trained);
  warnings = trained.model.document.card.warnings;
});
afterAll(() => rm(folder, { recursive: true, force: true }));

function timesOf(request: Readonly<Record<string, unknown>>): unknown[] {
  const { table, options } = readRows(model, request, undefined);
  return (model.predict(table, options).keys ?? []).map((key) => key["time"]);
}

it("are of months, with the season of a year", () => {
  expect(warnings).toContainEqual(expect.stringContaining("months as years in decimals"));
  expect(model.document.card.splitter).toContain("1 month each");
  expect(timesOf({}).slice(0, 2)).toEqual(["1955-01-01T00:00:00.000Z", "1955-02-01T00:00:00.000Z"]);
});

it("go on by a history that is written so, or as dates", () => {
  for (const time of [yearAt(MONTHS), String(yearAt(MONTHS)), "1955-01-01"]) {
    const later = { history: [{ time, value: 170 }], horizon: 1 };
    expect(timesOf(later)).toEqual(["1955-02-01T00:00:00.000Z"]);
  }
});
