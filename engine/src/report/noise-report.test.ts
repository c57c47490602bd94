/** What reports show of columns that say nothing: every figure is that of guessing. */

import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { CounterRandom, deriveKey } from "../compute/random.ts";
import { sharedPool } from "../testing/shared-pools.ts";
import { train } from "../train.ts";
import { type RunReport, reportSchema } from "./document.ts";
import { REPORT_JSON } from "./write-report.ts";

const ROWS = 1200;
const COLUMNS = 6;

/** @param leak whether a column says the label, but for one row of twenty */
async function reportOf(task: "binclass" | "regression", leak: boolean): Promise<RunReport> {
  const folder = await mkdtemp(join(tmpdir(), "distillery-noise-"));
  try {
    const random = new CounterRandom(deriveKey(3, "noise"));
    const lines = Array.from({ length: ROWS }, () => {
      const cells = Array.from({ length: COLUMNS }, () => random.nextFloat().toFixed(4));
      const isOf = random.nextFloat() < 0.3;
      const label = task === "binclass" ? (isOf ? "yes" : "no") : random.nextFloat().toFixed(4);
      const said = random.nextFloat() < 0.05 ? !isOf : isOf;
      return [...cells, ...(leak ? [said ? 1 : 0] : []), label].join(",");
    });
    const names = [
      ...Array.from({ length: COLUMNS }, (_, c) => `c${c}`),
      ...(leak ? ["told"] : []),
    ];
    const path = join(folder, "data.csv");
    await writeFile(path, [[...names, "label"].join(","), ...lines].join("\n"));
    await train(
      { path, format: "csv" },
      {
        task: { taskKind: task, labelColumn: "label" },
        hpoSpace: {
          models: [
            { family: "gbdt", fixed: { n_estimators: 40 } },
            { family: "random_forest", fixed: { n_estimators: 40 } },
          ],
        },
        nTrials: 2,
        nCvSplits: 4,
      },
      { folder: join(folder, "run"), pool: sharedPool(2) },
    );
    return reportSchema.parse(JSON.parse(await readFile(join(folder, "run", REPORT_JSON), "utf8")));
  } finally {
    await rm(folder, { recursive: true });
  }
}

describe("of noise", () => {
  test("two classes are ordered, cut and priced as by chance", async () => {
    const { thresholdCurves, gains, thresholds, reliability } = await reportOf("binclass", false);
    const [curve] = thresholdCurves ?? [];
    // Three standard errors of an area, and what a search may find in noise.
    expect(Math.abs(curve.rocAuc - 0.5)).toBeLessThan(0.06);
    expect(Math.abs(curve.averagePrecision - curve.prevalence)).toBeLessThan(0.06);
    for (const { share, gain } of gains?.groups ?? []) {
      expect(Math.abs(gain - share)).toBeLessThan(0.08);
    }
    const youden = thresholds?.best.find(({ by }) => by === "youden");
    expect(Math.abs(youden?.apart ?? 1)).toBeLessThan(0.1);
    for (const { cost, constantCost } of thresholds?.costs ?? []) {
      expect(cost).toBeGreaterThan(0.95 * constantCost);
    }
    for (const { low, high } of reliability?.bins ?? []) {
      expect(low).toBeLessThan(0.4);
      expect(high).toBeGreaterThan(0.2);
    }
  });

  test("values are no nearer to the truth in any group", async () => {
    const { residuals } = await reportOf("regression", false);
    for (const { actual } of residuals?.groups ?? []) {
      expect(Math.abs(actual - 0.5)).toBeLessThan(0.12);
    }
  });
});

test("a column that says the label stands first, and in every figure", async () => {
  const { thresholdCurves, thresholds, dependence, gains } = await reportOf("binclass", true);
  expect(thresholdCurves?.[0].rocAuc).toBeGreaterThan(0.9);
  expect(gains?.groups[0].rate).toBeGreaterThan(0.85);
  expect(thresholds?.best.every(({ apart, by }) => apart > (by === "f1" ? 0.85 : 0.8))).toBe(true);
  const [first] = dependence?.columns ?? [];
  expect(first.column).toBe("told");
  // Two numbers are drawn as categories.
  const said = new Map(first.levels?.map(({ name, mean }) => [name, mean[0]]));
  expect((said.get("1") ?? 0) - (said.get("0") ?? 1)).toBeGreaterThan(0.7);
});
