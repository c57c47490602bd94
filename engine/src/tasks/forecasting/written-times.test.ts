/** Time columns whose texts are read by what all of them tell: requests are read as the training data were. */

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { readRows } from "../../answers/rows.ts";
import type { Model } from "../../model/model.ts";
import { sharedPool } from "../../testing/shared-pools.ts";
import { train } from "../../train.ts";

const MONTHS = [..."JanFebMarAprMayJunJulAugSepOctNovDec".matchAll(/.../g)].map(String);
const two = (value: number): string => String(value % 100).padStart(2, "0");
const COUNT = 48;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "distillery-written-times-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function trained(name: string, timeAt: (i: number) => string): Promise<Model> {
  const path = join(folder, `${name}.csv`);
  const rows = Array.from({ length: COUNT }, (_, i) => `${timeAt(i)},${i % 4},${10 + (i % 12)}`);
  await writeFile(path, ["t,x,y", ...rows].join("\n"));
  const { model } = await train(
    { path, format: "csv" },
    {
      task: {
        ...{ taskKind: "forecasting", labelColumn: "y", timeColumn: "t", horizon: 3 },
        knownColumns: ["x"],
      },
      hpoSpace: { models: [{ family: "seasonal_naive" }] },
      nTrials: 1,
    },
    { folder: join(folder, name), pool: sharedPool(1) },
  );
  return model;
}

function timesOf(model: Model, times: readonly string[]): unknown[] {
  const instances = times.map((t) => ({ t, x: 1 }));
  const { table, options } = readRows(model, { instances }, undefined);
  return (model.predict(table, options).keys ?? []).map((key) => key["time"]);
}

const isMonths = (asked: unknown[], first: number): void =>
  expect(asked).toEqual([0, 1, 2].map((i) => new Date(Date.UTC(2015, first + i)).toISOString()));

it.each<[string, (month: number, year: number) => string]>([
  ["years of two digits", (month, year) => `${MONTHS[month]}-${two(year)}`],
  ["months with slashes", (month, year) => `${two(month + 1)}/${year}`],
  ["first days with hyphens", (month, year) => `01-${two(month + 1)}-${year}`],
  ["first days with slashes", (month, year) => `1/${month + 1}/${year}`],
  ["clocks of twelve hours", (month, year) => `1/${month + 1}/${year} 12:00 AM`],
])("reads %s in requests as in training", async (name, write) => {
  const at = (i: number): string => write(i % 12, 2015 + Math.floor(i / 12));
  const model = await trained(name.replace(/\W/g, ""), at);
  expect(model.document.card.splitter).toContain("(1 month each)");
  isMonths(timesOf(model, [COUNT, COUNT + 1, COUNT + 2].map(at)), COUNT);
  expect(() => timesOf(model, ["15-Jan", "16-Jan", "17-Jan"])).toThrow('"15-Jan"');
});
