/** The year of days, in runs. */

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CounterRandom, deriveKey } from "../../compute/random.ts";
import { sharedPool } from "../../testing/shared-pools.ts";
import { train } from "../../train.ts";
import { type RunConfigInput, runConfigSchema } from "../../trainer/config/config.ts";
import { prepareRun } from "../../trainer/plan/prepare.ts";
import { createPool } from "../../worker/pool.ts";
import type { DataShape } from "../family.ts";
import { harmonicRegression } from "./family.ts";

const DAY = 86_400_000;
const START = Date.UTC(2020, 0, 6);
const DAYS = 900;
const HORIZON = 120;

const valueAt = (day: number): number =>
  100 + 20 * Math.sin((2 * Math.PI * day) / 365.2425) + (day % 7 >= 5 ? 6 : 0);

let home = "";
let path = "";

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "distillery-year-"));
  path = join(home, "days.csv");
  const random = new CounterRandom(deriveKey(3, "days"));
  const rows = Array.from({ length: DAYS }, (_, day) => {
    const stamp = new Date(START + day * DAY).toISOString().slice(0, 10);
    return `${stamp},${(valueAt(day) + random.nextGaussian()).toFixed(3)}`;
  });
  await writeFile(path, ["day,y", ...rows].join("\n"));
});

afterAll(() => rm(home, { recursive: true }));

const run = (
  task: Partial<RunConfigInput["task"]>,
  family: string,
  fixed: Record<string, string> = {},
) =>
  train(
    { path, format: "csv" },
    {
      task: {
        ...{ taskKind: "forecasting", labelColumn: "y", timeColumn: "day", horizon: HORIZON },
        ...task,
      },
      hpoSpace: { models: [{ family, fixed }] },
      ...{ nTrials: 1, nCvSplits: 2, ensemble: false },
    },
    { pool: sharedPool(1) },
  );

describe("the year of days", () => {
  it.each(["theta", "ets", "arima"])("is known four months ahead, with %s", async (rest) => {
    const { model } = await run({}, "harmonic_regression", { rest });
    const { values } = model.predict({ rows: 0, columns: [] });
    const furthest = Math.max(...values.map((value, h) => Math.abs(value - valueAt(DAYS + h))));
    expect(furthest).toBeLessThan(5);
    // A history that begins elsewhere: half a year of it.
    const first = 500;
    const days = Array.from({ length: 180 }, (_, i) => first + i);
    const later = model.predict({
      rows: days.length,
      columns: [
        { kind: "timestamp", name: "day", values: Float64Array.from(days, (d) => START + d * DAY) },
        { kind: "numeric", name: "y", values: Float64Array.from(days, valueAt) },
      ],
    });
    const ahead = first + days.length;
    expect(later.keys?.[0]?.["time"]).toBe(new Date(START + ahead * DAY).toISOString());
    const off = later.values.map((value, h) => Math.abs(value - valueAt(ahead + h)));
    expect(Math.max(...off)).toBeLessThan(6);
  });

  it("is far off without it", async () => {
    const { model } = await run({}, "theta");
    const { values } = model.predict({ rows: 0, columns: [] });
    const furthest = Math.max(...values.map((value, h) => Math.abs(value - valueAt(DAYS + h))));
    expect(furthest).toBeGreaterThan(15);
  });

  it("is none of a run whose seasons are given, or that ends too early", () => {
    const shape = (year: number | undefined): DataShape => ({
      rows: DAYS,
      task: { kind: "forecasting", classes: [] },
      features: [],
      series: {
        ...{ count: 1, steps: DAYS, horizon: HORIZON, seasons: [7], zeros: 0 },
        ...(year === undefined ? {} : { year }),
      },
    });
    expect(harmonicRegression.suits(shape(365.2425)).use).toBe(true);
    expect(harmonicRegression.suits(shape(undefined)).use).toBe(false);
  });

  it("is looked for by default", async () => {
    const families = async (task: Partial<RunConfigInput["task"]>, nCvSplits: number) => {
      const config = runConfigSchema.parse({
        task: {
          ...{ taskKind: "forecasting", labelColumn: "y", timeColumn: "day", horizon: HORIZON },
          ...task,
        },
        ...{ nTrials: 1, nCvSplits, preset: "interpretable" },
      });
      const pool = createPool(1);
      const { plan } = await prepareRun({ file: { path, format: "csv" }, config }, pool);
      await pool.close();
      return plan.matrix.map(({ family }) => family);
    };
    expect(await families({}, 2)).toContain("harmonic_regression");
    expect(await families({ seasonLength: 7 }, 2)).not.toContain("harmonic_regression");
    // The earliest of four windows has less than one and a half years before it.
    expect(await families({}, 4)).not.toContain("harmonic_regression");
  });
});
