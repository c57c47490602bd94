import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Table } from "../../data/table.ts";
import { sharedPool } from "../../testing/shared-pools.ts";
import { type TrainedRun, train } from "../../train.ts";
import { runConfigSchema } from "./config.ts";
import { positiveClassWarnings } from "./positive-class.ts";

const asked = (positiveClass?: string) => ({
  task: {
    taskKind: "binclass" as const,
    labelColumn: "y",
    ...(positiveClass === undefined ? {} : { positiveClass }),
  },
  modelFamilies: ["linear"],
  metrics: ["average_precision", "f1", "log_loss"],
  nTrials: 1,
});

describe("the positive class", () => {
  let folder: string;
  let runOf: (positiveClass?: string) => Promise<TrainedRun>;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "positive-class-"));
    const path = join(folder, "rows.csv");
    // Few are "fraud", which comes before "ok" by its name.
    const lines = Array.from({ length: 200 }, (_, row) => {
      const rare = row % 10 === 0;
      return `${((row * 37) % 100) / 10 + (rare ? 6 : 0)},${rare ? "fraud" : "ok"}`;
    });
    await writeFile(path, `x,y\n${lines.join("\n")}\n`);
    runOf = (positiveClass) =>
      train({ path, format: "csv" }, asked(positiveClass), {
        folder: join(folder, positiveClass ?? "usual"),
        pool: sharedPool(2),
      });
  });
  afterAll(() => rm(folder, { recursive: true }));

  it("is the second by name, or the one that is named: it is predicted and scored", async () => {
    const [usual, named] = [(await runOf()).model, (await runOf("fraud")).model];
    expect(usual.document.task.classes).toEqual(["fraud", "ok"]);
    expect(named.document.task.classes).toEqual(["ok", "fraud"]);
    // The same rows from the other side: nearly the same log loss (other folds), and the rare class is harder to find.
    const [before, after] = [usual.document.card.scores, named.document.card.scores];
    expect(after["log_loss"]).toBeCloseTo(before["log_loss"] ?? 0, 2);
    expect(after["average_precision"]).toBeLessThan((before["average_precision"] ?? 0) - 0.01);
    const table: Table = {
      rows: 1,
      columns: [{ kind: "numeric", name: "x", values: Float64Array.of(15) }],
    };
    const [probability] = usual.predict(table).values;
    expect(named.predict(table).values[0]).toBeCloseTo(1 - probability, 1);
    expect(usual.document.card.warnings.join("\n")).toMatch(
      /average_precision and f1 are of "ok".*90\.0 % of the rows.*f1 of 0\.947\. If "fraud" is what is looked for/,
    );
    expect(named.document.card.warnings.join("\n")).not.toMatch(/are of "/);
  });

  it("must be one of the label's", async () => {
    await expect(runOf("frod")).rejects.toThrow(
      /no class "frod"; its classes are "fraud" and "ok"/,
    );
  });

  it("is of two classes alone", () => {
    const task = { taskKind: "multiclass", labelColumn: "y", positiveClass: "ok" };
    expect(() => runConfigSchema.parse({ task })).toThrow(/binclass/);
  });

  it("is not told where nobody asked for its scores, or few rows are of it", () => {
    const task = { kind: "binclass", classes: ["fraud", "ok"] } as const;
    const of = (metrics: string[] | null, share: number) => {
      const target = Float64Array.from({ length: 10 }, (_, row) => Number(row < 10 * share));
      const config = runConfigSchema.parse({ ...asked(), metrics });
      return positiveClassWarnings(config, task, metrics ?? ["f1"], target);
    };
    expect(of(["f1"], 0.9)).toHaveLength(1);
    expect(of(["roc_auc"], 0.9)).toEqual([]);
    expect(of(null, 0.9)).toEqual([]);
    expect(of(["f1"], 0.4)).toEqual([]);
  });
});
