import { describe, expect, it } from "vitest";
import type { Column, Table } from "../../data/table.ts";
import { DataError } from "../../data/table.ts";
import { type RunConfigInput, runConfigSchema } from "../config/config.ts";
import { planTable } from "./plan.ts";

const ROWS = 60;

type Task = RunConfigInput["task"];

function plan(
  labels: (row: number) => number,
  metrics: readonly string[],
  { task = {}, ...more }: Partial<Omit<RunConfigInput, "task">> & { task?: Partial<Task> } = {},
) {
  const column = (name: string, of: (row: number) => number): Column => ({
    kind: "numeric",
    name,
    values: Float64Array.from({ length: ROWS }, (_, row) => of(row)),
  });
  const table: Table = {
    rows: ROWS,
    columns: [
      column("y", labels),
      column("x", (row) => row % 7),
      column("w", (row) => Number(row !== 9)),
      column("t", (row) => row),
    ],
  };
  const config = runConfigSchema.parse({
    modelFamilies: task.taskKind === "forecasting" ? ["theta"] : ["linear"],
    metrics: [...metrics],
    ...more,
    task: { taskKind: "regression", labelColumn: "y", ...task },
  });
  return planTable(table, config, []).plan;
}

function refusal(read: () => unknown): DataError {
  try {
    read();
  } catch (error) {
    if (error instanceof DataError) return error;
    throw error;
  }
  throw new Error("It was planned.");
}

const told = ({ warnings }: { readonly warnings: readonly string[] }, metric: string): string[] =>
  warnings.filter((warning) => warning.includes(metric));

const negative = (row: number): number => (row === 9 ? -3 : row + 1);
const everyFifth = (row: number): number => (row % 5 === 4 ? 0 : row + 1);

describe("labels that a metric cannot score", () => {
  it.each([["rmsle"], ["rmse", "rmsle"]])("are refused with their row, of %s %s", (...metrics) => {
    const error = refusal(() => plan(negative, metrics));
    expect(error).toMatchObject({ column: "y", row: 10 });
    expect(error.message).toBe(
      'The label "y" is -3 in row 10, and rmsle needs labels above -1. Correct or filter out such rows. Metrics that can score all of it: rmse, mae, r2, mape, median_absolute_error.',
    );
    const rest = refusal(() => plan((row) => -1 - row, metrics));
    expect(rest.message).toMatch(/is -1 in row 1 \(59 more rows are -1 or less\)/);
  });

  it("are passed over where they weigh nothing", () => {
    const task = { weightColumn: "w" };
    expect(told(plan(negative, ["rmsle"], { task }), "rmsle")).toEqual([]);
  });

  it("are told where their score says nothing", () => {
    expect(told(plan(everyFifth, ["rmse", "mape"]), "mape")).toEqual([
      expect.stringMatching(
        /^The label "y" is 0 in 12 of 60 rows, first in row 5: mape divides .*rmse, mae, r2, median/,
      ),
    ]);
    expect(
      told(
        plan((row) => row + 1, ["mape"]),
        "mape",
      ),
    ).toEqual([]);
    const task = { taskKind: "forecasting", timeColumn: "t", horizon: 4 } as const;
    expect(told(plan(everyFifth, ["mase", "smape"], { task }), "smape")).toEqual([
      expect.stringMatching(/is 0 in 12 of 60 steps, first in row 5: smape is 200 .*mase, rmsse/),
    ]);
  });

  it.each(["wape", "wql"])("are refused together, where %s has no score of all", (metric) => {
    const task = { taskKind: "forecasting", timeColumn: "t", horizon: 4 } as const;
    const ended = (row: number): number => (row < 40 ? row + 1 : 0);
    expect(refusal(() => plan(ended, ["mase", metric], { task })).message).toMatch(
      new RegExp(
        `^${metric} cannot score .* that are held out, all labels are 0\\. Metrics .*mase`,
      ),
    );
    const late = (row: number): number => (row < 55 ? row + 1 : 0);
    expect(told(plan(late, ["mase", metric], { task }), metric)).toEqual([
      expect.stringMatching(/^In window \d of 3 \w+ is undefined, since all labels are 0 there/),
    ]);
  });

  it("are told of folds in the order of time that lack a class, or hold one value", () => {
    const binary = { taskKind: "binclass", timeColumn: "t" } as const;
    const early = (row: number): number => Number(row < 20 ? row % 2 : row % 11 === 0 && row < 50);
    for (const metric of ["roc_auc", "average_precision"]) {
      expect(told(plan(early, [metric], { task: binary }), metric).join()).toMatch(
        /In .*undefined, since (all rows are of one class|no row is of the second class) there: the search cannot rank trials by it.*log_loss/,
      );
    }
    const flat = (row: number): number => Math.min(row, 50);
    const task = { timeColumn: "t" };
    expect(told(plan(flat, ["rmse", "r2"], { task }), "r2 is").join()).toMatch(
      /In fold 5 of 5 r2 is undefined, since all labels are equal there: trials have no score of it/,
    );
  });

  it("owa needs a naive method that errs", () => {
    const task = { taskKind: "forecasting", timeColumn: "t", horizon: 4 } as const;
    expect(() => plan(() => 5, ["mase", "owa"], { task })).toThrow(/the naive method makes no err/);
  });
});
