/** Rows of every form that there is not, asked of models of every form of rows. */

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sharedPool } from "../testing/shared-pools.ts";
import { train } from "../train.ts";
import { explain, predict } from "../worker/model-task.ts";

let folder = "";

const TASKS = {
  regression: { family: "linear", task: {} },
  binclass: { family: "linear", task: {} },
  forecasting: { family: "seasonal_naive", task: { timeColumn: "t", horizon: 2 } },
  sequence_regression: { family: "minirocket", task: { sequenceColumn: "id", orderColumn: "t" } },
} as const;
type Kind = keyof typeof TASKS;
const KINDS = ["regression", "binclass", "forecasting", "sequence_regression"] as const;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "distillery-"));
  for (const kind of KINDS) {
    const rows = Array.from({ length: 240 }, (_, i) => {
      const id = Math.floor(i / 6);
      const label = { regression: i % 7, binclass: i % 2, forecasting: i % 5 };
      return [id, i, (i * 7919) % 13, kind === "sequence_regression" ? id % 3 : label[kind]];
    });
    const path = join(folder, `${kind}.csv`);
    await writeFile(path, ["id,t,x,y", ...rows.map((row) => row.join())].join("\n"));
    const { family, task } = TASKS[kind];
    await train(
      { path, format: "csv" },
      {
        task: { taskKind: kind, labelColumn: "y", ...task },
        hpoSpace: { models: [{ family }] },
        ...{ nTrials: 1, nCvSplits: 2 },
      },
      { folder: join(folder, kind), pool: sharedPool(1) },
    );
  }
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** As a program without types may call it. */
function ask(kind: Kind, rows: unknown, more: object = {}): readonly (() => Promise<unknown>)[] {
  const input = { folder: join(folder, kind, "model"), rows, ...more } as Parameters<
    typeof predict
  >[0];
  return [() => predict(input), () => explain(input)];
}

const WRONG = [
  [undefined, /^The rows are missing\. Give them as /],
  [null, /^The rows are null\. Give them as /],
  ["history", /^The rows are the text "history"/],
  [7, /^The rows are 7\./],
  [true, /^The rows are true\./],
  [[], /^The rows are a list, which does not say what it holds/],
  [[{ t: 1, x: 2, y: 3 }], /^The rows are a list/],
  [[[1, 2]], /^The rows are a list/],
  [Promise.resolve({ instances: [] }), /^The rows are a promise/],
  [{ rows: [] }, /^The rows are an object with the member "rows", which is none of rows/],
  [{ folder: "x" }, /the member "folder"/],
  [{ instance: [{ x: 1 }] }, /the member "instance", .*"instances"/],
  [{ instances: { x: 1 } }, /an object whose `instances` is an object, and not a list/],
  [{ instances: undefined }, /an object whose `instances` is undefined, and not a list/],
  [{ instances: "x" }, /an object whose `instances` is the text "x"/],
  [{ instances: [[1, 2]] }, /Instance 0 is not an object of columns/],
  [{ instances: [null] }, /Instance 0 is not an object of columns/],
  [{ columns: ["x"] }, /^The rows are `columns` alone/],
  [{ data: [[1]] }, /^The rows are `data` alone/],
  [{ columns: [1], data: [[1]] }, /an object whose `columns` has 1 at 0, and not the name/],
  [{ columns: ["x"], data: [1] }, /Instance 0 has no list of cells/],
  [{ columns: ["x"], data: [[1]], instances: [] }, /of several forms: "columns", "data"/],
] as const;

describe.each(KINDS)("a model of %s", (kind) => {
  it.each(WRONG)("refuses %j", async (rows, message) => {
    for (const asked of ask(kind, rows)) await expect(asked()).rejects.toThrow(message);
  });

  it("says which forms it takes", async () => {
    for (const asked of ask(kind, null)) {
      await expect(asked()).rejects.toThrow("`{ instances: [{ column: value }] }`");
      const isForecast = kind === "forecasting";
      const told = expect(asked()).rejects;
      await (isForecast ? told : told.not).toThrow("`{ history, future, horizon, series }`");
    }
  });
});

describe("a model of series", () => {
  it.each([
    [{ history: {} }, /`history` is an object, and not a list/],
    [{ history: null }, /`history` is null/],
    [{ future: [[1]] }, /future\[0\] is not an object/],
    [{ horizon: "2" }, /`horizon` is the text "2", and not a whole number of steps/],
    [{ horizon: 0 }, /`horizon` is 0/],
    [{ horizon: 1.5 }, /`horizon` is 1.5/],
    [{ series: "a" }, /`series` is the text "a"/],
    [{ series: ["a"] }, /`series` has the text "a" at 0, and not an object/],
    [{ instances: [{ t: 1, y: 2 }], horizon: 1 }, /of several forms/],
  ])("refuses %j", async (rows, message) => {
    for (const asked of ask("forecasting", rows)) await expect(asked()).rejects.toThrow(message);
  });

  it("forecasts all of them where nothing is said", async () => {
    const [asked] = ask("forecasting", { history: undefined });
    expect(await asked()).toMatchObject({ values: { length: 2 } });
  });
});

describe.each(["regression", "binclass", "sequence_regression"] as const)(
  "a model of %s",
  (kind) => {
    it.each([
      [{}, /^The rows are an object without members/],
      [{ history: [] }, /the member "history", which models of series alone take/],
      [{ horizon: 2 }, /the member "horizon", which models of series alone take/],
    ])("answers no forecasts: %j", async (rows, message) => {
      for (const asked of ask(kind, rows)) await expect(asked()).rejects.toThrow(message);
    });
  },
);

it.each([null, "model", {}, { rows: {} }, { folder: 7 }])(
  "%j is no model to ask",
  async (given) => {
    const input = given as Parameters<typeof predict>[0];
    await expect(predict(input)).rejects.toThrow(/^predict takes `\{ folder, rows \}`/);
    await expect(explain(input)).rejects.toThrow(/^explain takes `\{ folder, rows \}`/);
  },
);
