import { expect, it } from "vitest";
import type { NumericColumn, Table } from "../../data/table.ts";
import { buildMatrix } from "../plan/matrix.ts";
import { planTable } from "../plan/plan.ts";
import { type RunConfigInput, runConfigSchema } from "./config.ts";
import { PRESETS } from "./presets.ts";

const table: Table = (() => {
  const column = (name: string, step: number): NumericColumn => ({
    kind: "numeric",
    name,
    values: Float64Array.from({ length: 60 }, (_, row) => (row * step) % 17),
  });
  return { rows: 60, columns: [column("x", 3), column("z", 7), column("y", 5)] };
})();

const task = { taskKind: "regression" as const, labelColumn: "y" };

function planned(more: Partial<RunConfigInput>) {
  const config = runConfigSchema.parse({ task, ...more });
  const { plan } = planTable(table, config, []);
  const { families, folds, trials, isOpen } = {
    ...plan,
    families: plan.matrix.map(({ family }) => family),
  };
  return { families, folds, each: trials / families.length, isOpen, ensemble: config.ensemble };
}

const usual = planned({});

it("balanced is what a run without one is", () => {
  expect(planned({ preset: "balanced" })).toEqual(usual);
  expect(usual).toMatchObject({ folds: 5, each: 20, ensemble: true });
});

it("fast has few trials, whatever time there is", () => {
  expect(planned({ preset: "fast" })).toEqual({ ...usual, each: 2 });
  expect(planned({ preset: "fast", timeBudgetS: 60 })).toMatchObject({ each: 2, folds: 8 });
  expect(planned({ timeBudgetS: 60 }).isOpen).toBe(true);
});

it("best has more trials and, of few rows, more folds", () => {
  expect(planned({ preset: "best" })).toEqual({ ...usual, each: 60, folds: 8 });
  expect(planned({ preset: "best", timeBudgetS: 60 }).isOpen).toBe(true);
});

it("interpretable and small are single models of some families, and the plan says why of those", () => {
  const readable = planned({ preset: "interpretable" });
  expect(readable).toMatchObject({ families: ["linear", "gam"], ensemble: false, folds: 5 });
  const small = planned({ preset: "small" });
  expect(small.ensemble).toBe(false);
  expect(small.families).toContain("gbdt");
  expect(small.families).not.toContain("random_forest");
  const { leftOut } = planTable(table, runConfigSchema.parse({ task, preset: "small" }), []).plan;
  expect(leftOut.find(({ family }) => family === "random_forest")?.reason).toBe(
    "It predicts slowly, and a small model is asked for.",
  );
});

it("gives way to what is asked for", () => {
  const asked = { modelFamilies: ["gbdt"], nTrials: 3, nCvSplits: 4, ensemble: true };
  for (const preset of PRESETS) {
    expect(planned({ ...asked, preset })).toMatchObject({
      families: ["gbdt"],
      each: 3,
      folds: 4,
      ensemble: true,
    });
  }
});

it("says so where it leaves no family, and is its own repetition", () => {
  const sequences = runConfigSchema.parse({
    task: {
      taskKind: "sequence_binclass",
      labelColumn: "y",
      sequenceColumn: "id",
      orderColumn: "t",
    },
    preset: "interpretable",
  });
  const shape = {
    rows: 60,
    task: { kind: "sequence_binclass" as const, classes: ["0", "1"] },
    features: [],
  };
  expect(() => buildMatrix(sequences, shape)).toThrow(/^No family is left for 'interpretable'\. /);
  for (const preset of PRESETS) {
    const parsed = runConfigSchema.parse({ task, preset, timeBudgetS: 9 });
    expect(JSON.stringify(runConfigSchema.parse(parsed))).toBe(JSON.stringify(parsed));
  }
});
