import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readTable } from "../data/readers/read-table.ts";
import type { Table } from "../data/table.ts";
import type { Model } from "../model/model.ts";
import { sharedPool } from "../testing/shared-pools.ts";
import { train } from "../train.ts";
import { intervalAround, resample } from "./bootstrap.ts";
import { evaluate } from "./evaluate.ts";
import { evaluationSchema } from "./evaluation-document.ts";
import {
  type EvaluationProgress,
  newProgressWords,
  readProgress,
  writeProgress,
} from "./evaluation-progress.ts";
import { evaluateFile } from "./evaluation-task.ts";
import { evaluationPage } from "./page.ts";
import { slicesBy } from "./slices.ts";

const ROWS = 300;
const noise = (i: number): number => ((i * 7919) % 101) / 101 - 0.5;
const line = (i: number): string => {
  const x = (i % 29) / 29;
  const side = ["north", "south", ""][i % 3];
  return `${x},${side},${x + 0.4 * noise(i) > 0.5 ? "yes" : "no"},${3 * x + noise(i)}`;
};
const CSV = `x,side,bought,amount\n${Array.from({ length: ROWS }, (_, i) => line(i)).join("\n")}\n`;

const tableOf = async (csv: string, written: readonly string[] = []): Promise<Table> =>
  (await readTable([new TextEncoder().encode(csv)], { format: "csv", written })).table;

let folder: string;
let good: Model;
let weak: Model;
let value: Model;
let table: Table;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "evaluate-"));
  table = await tableOf(CSV, ["bought"]);
  const bytes = join(folder, "data.csv");
  await writeFile(bytes, CSV);
  const run = async (label: string, ignored: string[], taskKind: "binclass" | "regression") => {
    const { model } = await train(
      { path: bytes, format: "csv" },
      {
        task: { taskKind, labelColumn: label, ignoreColumns: ignored },
        nTrials: 1,
        modelFamilies: ["linear"],
        nCvSplits: 2,
        ensemble: false,
      },
      { pool: sharedPool(2) },
    );
    return model;
  };
  good = await run("bought", ["amount"], "binclass");
  weak = await run("bought", ["amount", "x"], "binclass");
  value = await run("amount", ["bought"], "regression");
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const of = (...models: Model[]) => models.map((model, at) => ({ id: `model ${at}`, model }));

describe("scores", () => {
  test("are those of plain sums over the rows", () => {
    const evaluation = evaluate(table, { name: "e", models: of(value), metrics: ["rmse", "MAE"] });
    const { values } = value.predict(table);
    const amount = table.columns.find(({ name }) => name === "amount");
    const errors = Array.from(
      values,
      (each, i) => each - Number(amount?.kind === "numeric" && amount.values[i]),
    );
    const [{ scores, intervals, coverage }] = evaluation.models;
    expect(scores["mae"]).toBeCloseTo(errors.reduce((s, e) => s + Math.abs(e), 0) / ROWS, 12);
    expect(scores["rmse"]).toBeCloseTo(Math.sqrt(errors.reduce((s, e) => s + e * e, 0) / ROWS), 12);
    expect(intervals["rmse"]?.[0]).toBeLessThan(scores["rmse"] ?? 0);
    expect(intervals["rmse"]?.[1]).toBeGreaterThan(scores["rmse"] ?? 0);
    expect(coverage?.nominal).toBe(0.9);
    expect(coverage?.measured).toBeGreaterThan(0.8);
    expect(evaluationSchema.parse(JSON.parse(JSON.stringify(evaluation)))).toEqual(evaluation);
  });

  test("tell of intervals that hold too few of rows unlike those learned from", async () => {
    expect(evaluate(table, { name: "e", models: of(value) }).warnings).toEqual([]);
    const moved = Array.from({ length: 40 }, (_, i) => `0.5,north,yes,${i % 2 ? 1.5 : 30}`);
    const other = await tableOf(["x,side,bought,amount", ...moved].join("\n"));
    expect(evaluate(other, { name: "e", models: of(value) }).warnings).toEqual([
      expect.stringMatching(/hold 50 % of the 40 rows, fewer than the 90 % asked .* unlike/),
    ]);
  });

  test("of labels follow the model's threshold", () => {
    const { models } = evaluate(table, { name: "e", models: of(good), metrics: ["accuracy"] });
    const said = good.decide(good.predict(table));
    const right = Array.from({ length: ROWS }, (_, i) => line(i).split(",")[2]).filter(
      (label, i) => good.document.task.classes[said[i]] === label,
    );
    expect(models[0].scores["accuracy"]).toBeCloseTo(right.length / ROWS, 12);
    expect(models[0].figures.confusion?.accuracy).toBeCloseTo(right.length / ROWS, 12);
  });

  test("are of the rows whose label is known, and the others are told", async () => {
    const cut = await tableOf(`${CSV}0.5,north,,1\n0.5,north,maybe,1\n0.5,north,YES,1\n`, [
      "bought",
    ]);
    const evaluation = evaluate(cut, { name: "e", models: of(good) });
    expect(evaluation.rows).toBe(ROWS + 1);
    expect(evaluation.leftOut).toEqual({ missingLabel: 1, unknownClass: { maybe: 1 } });
    expect(evaluation.warnings.join("\n")).toMatch(/missing in 1 of 302 rows[\s\S]*"maybe" \(1\)/);
  });
});

describe("slices", () => {
  test("part the rows by values and by quarters, with those that are missing", () => {
    const { slices, models } = evaluate(table, {
      name: "e",
      models: of(good, weak),
      metrics: ["accuracy"],
      slices: ["side", "x"],
    });
    const bySide = slices.filter(({ column }) => column === "side");
    expect(bySide.map(({ of: name, rows }) => [name, rows])).toEqual([
      ['"north"', 100],
      ['"south"', 100],
      ["missing", 100],
    ]);
    const mean =
      bySide.reduce((sum, { rows, scores }) => sum + rows * (scores[0]["accuracy"] ?? 0), 0) / ROWS;
    expect(mean).toBeCloseTo(models[0].scores["accuracy"] ?? 0, 12);
    expect(slices.filter(({ column }) => column === "x")).toHaveLength(4);
  });

  test("hold every row once, whatever a column has", () => {
    const cell = fc.option(fc.oneof(fc.integer({ min: -3, max: 3 }), fc.double({ noNaN: true })), {
      nil: Number.NaN,
    });
    fc.assert(
      fc.property(fc.array(cell, { minLength: 1, maxLength: 60 }), (values) => {
        const rows = Uint32Array.from(values, (_, i) => i);
        const slices = slicesBy(
          { kind: "numeric", name: "n", values: Float64Array.from(values) },
          rows,
        );
        const places = slices.flatMap(({ places: each }) => [...each]).sort((a, b) => a - b);
        expect(places).toEqual([...rows]);
        expect(slices.length).toBeLessThanOrEqual(13);
        for (const { places: each } of slices)
          expect([...each]).toEqual([...each].sort((a, b) => a - b));
      }),
    );
  });

  test.each(["numeric", "timestamp"] as const)("part %s columns that mostly hold one", (kind) => {
    const values = Float64Array.from({ length: 80 }, (_, i) => Math.max(0, i - 64) * 86_400_000);
    const rows = Uint32Array.from(values, (_, i) => i);
    const told = { numeric: "86400000", timestamp: "1970-01-02" }[kind];
    expect(
      slicesBy({ kind, name: "n", values }, rows).map(({ of, places }) => [of, places.length]),
    ).toEqual([
      [`below ${told}`, 65],
      [`from ${told}`, 15],
    ]);
  });

  test("tell times that no calendar has", () => {
    const values = Float64Array.from({ length: 80 }, (_, i) => i * 1e15);
    const rows = Uint32Array.from(values, (_, i) => i);
    const slices = slicesBy({ kind: "timestamp", name: "t", values }, rows);
    expect(slices.map(({ places }) => places.length)).toEqual([20, 20, 20, 20]);
    expect(slices.at(-1)?.of).toBe("from 60000000000000000");
  });
});

describe("comparisons", () => {
  test("find the better of two, whichever comes first", () => {
    const [worse] = evaluate(table, {
      name: "e",
      models: of(good, weak),
      metrics: ["log_loss"],
    }).comparisons;
    expect(worse.difference).toBeGreaterThan(0);
    expect(worse.interval?.[0]).toBeGreaterThan(0);
    expect(worse.betterShare).toBe(0);
    const [better] = evaluate(table, {
      name: "e",
      models: of(weak, good),
      metrics: ["log_loss"],
    }).comparisons;
    expect(better.difference).toBeCloseTo(-(worse.difference ?? 0), 12);
    expect(better.betterShare).toBe(1);
    const [same] = evaluate(table, {
      name: "e",
      models: of(good, good),
      metrics: ["log_loss"],
    }).comparisons;
    expect(same).toMatchObject({ difference: 0, interval: [0, 0], betterShare: 0.5 });
  });

  test("resample alike for equal states, with intervals as wide as theory has them", () => {
    const rows = 4_000;
    const values = Float64Array.from({ length: rows }, (_, i) => noise(i));
    const mean = (drawn: Uint32Array): number[] => [
      drawn.reduce((sum, row) => sum + values[row], 0) / drawn.length,
    ];
    const once = resample(rows, [mean], 7);
    expect(resample(rows, [mean], 7)).toEqual(once);
    const deviation = Math.sqrt(values.reduce((sum, each) => sum + each * each, 0) / rows);
    const [low, high] = intervalAround(0, once.deviations[0][0]) ?? [0, 0];
    const expected = (2 * 1.96 * deviation) / Math.sqrt(rows);
    expect(Math.abs(high - low - expected)).toBeLessThan(0.15 * expected);
    // Of more rows than are drawn, deviations shrink by the share.
    const many = 40_000;
    const wide = resample(
      many,
      [(drawn) => [drawn.reduce((sum, row) => sum + noise(row), 0) / drawn.length]],
      7,
    );
    const [from, to] = intervalAround(0, wide.deviations[0][0]) ?? [0, 0];
    const narrower = (2 * 1.96 * deviation) / Math.sqrt(many);
    expect(Math.abs(to - from - narrower)).toBeLessThan(0.15 * narrower);
  });
});

describe("rows that the model learned", () => {
  const STEPS = 8;
  const wave = (s: number): string[] =>
    Array.from({ length: STEPS }, (_, t) => {
      const v = (s % 2 ? 1 : -1) * Math.sin(t) + noise(s * STEPS + t);
      return `s${s},${t},${v},${s % 2 ? "up" : "down"}`;
    });
  const forms = {
    rows: {
      head: "id,x,side,bought,amount",
      task: { taskKind: "binclass", labelColumn: "bought" },
      family: "linear",
      of: (i: number) => [`${i},${line(i)}`],
    },
    sequences: {
      head: "s,t,v,kind",
      task: {
        taskKind: "sequence_binclass",
        labelColumn: "kind",
        sequenceColumn: "s",
        orderColumn: "t",
      },
      family: "minirocket",
      of: wave,
    },
  } as const;

  test.each(["rows", "sequences"] as const)("are found again: %s", async (form) => {
    const { head, task, family, of: linesOf } = forms[form];
    const file = async (name: string, from: number, to: number) => {
      const lines = Array.from({ length: to - from }, (_, i) => linesOf(from + i)).flat();
      const path = join(folder, `${form}-${name}.csv`);
      await writeFile(path, [head, ...(name === "back" ? lines.reverse() : lines)].join("\n"));
      return { path, format: "csv" as const };
    };
    const learned = await file("learned", 0, 120);
    const config = {
      ...{ task, modelFamilies: [family], nTrials: 1, nCvSplits: 2, ensemble: false },
      importanceRows: 20,
    };
    const trained = async (name: string, more: object = {}): Promise<string> => {
      const own = join(folder, `${form} ${name}`);
      await train(learned, { ...config, ...more }, { folder: own, pool: sharedPool(1) });
      return join(own, "model");
    };
    const models = [{ id: "m", folder: await trained("usual") }];
    const told = async (name: string, from: number, to: number, own = models) => {
      const input = { file: await file(name, from, to), models: own, name: "e" };
      const { evaluation, html } = await evaluateFile(input);
      const found = evaluation.warnings.filter((warning) => /equal a row/.test(warning));
      for (const _ of found) expect(html).toContain("kept back from its training");
      return found;
    };
    expect(await told("fresh", 120, 200)).toEqual([]);
    // Steps have an order of their own.
    const part = [expect.stringMatching(/^40 of the 40 rows equal a row that the model learned/)];
    expect(await told("back", 30, 70)).toEqual(part);
    expect(await told("half", 80, 160)).toEqual([expect.stringMatching(/^40 of the 80 rows/)]);
    if (form === "sequences") return;
    const without = await trained("without", { rowSketch: false });
    expect(await readdir(without)).not.toContain("learned-rows.dsm");
    expect(await told("part", 30, 70, [{ id: "m", folder: without }])).toEqual([]);
  });
});

test("how far it is can be read meanwhile: rows of each model, then resamples", () => {
  const words = newProgressWords();
  const seen: EvaluationProgress[] = [readProgress(words)];
  evaluate(table, { name: "e", models: of(good, weak) }, (now) => {
    writeProgress(words, now);
    seen.push(readProgress(words));
  });
  const done = (stage: string): number[] =>
    seen.filter((each) => each.stage === stage).map((each) => each.done);
  expect(done("reading")).toEqual([0]);
  const predicted = done("predicting");
  expect([predicted[0], predicted.at(-1)]).toEqual([0, 2 * ROWS]);
  expect(predicted).toContain(ROWS);
  expect(predicted).toEqual(predicted.toSorted((a, b) => a - b));
  const { stage, total } = seen.at(-1) ?? {};
  expect(stage).toBe("resampling");
  expect(done("resampling")).toEqual(Array.from({ length: total ?? 0 }, (_, draw) => draw));
});

describe("what cannot be evaluated", () => {
  test.each([
    ["no label", "x,side\n1,north\n", [], /no column "bought" for the label/],
    [
      "none of the classes",
      "x,side,bought\n1,north,maybe\n",
      [],
      /none of the model's classes \("no", "yes"\); it has "maybe"/,
    ],
    ["no values", "x,side,bought\n1,north,\n2,south,\n", [], /missing in all rows/],
    ["an unknown slice", CSV, ["sides"], /no column "sides" for the slices; the closest: "side"/],
  ])("is told: %s", async (_, csv, slices, message) => {
    const other = await tableOf(csv, ["bought"]);
    expect(() => evaluate(other, { name: "e", models: of(good), slices })).toThrow(message);
  });

  test("models of different tasks, and metrics of others", () => {
    expect(() => evaluate(table, { name: "e", models: of(good, value) })).toThrow(
      /do not predict the same/,
    );
    expect(() => evaluate(table, { name: "e", models: of(good), metrics: ["rmse"] })).toThrow(
      /does not fit a binclass task/,
    );
  });
});

test("the page shows all of it, and asks for nothing else", async () => {
  const evaluation = evaluate(table, {
    name: "Tuesday's <customers>",
    models: of(good, weak),
    slices: ["side"],
  });
  const page = await evaluationPage(evaluation);
  expect(page).toContain("Tuesday&#39;s &lt;customers&gt;");
  for (const title of ["Models", "Comparison", "Slices", "Calibration", "Confusion matrix"]) {
    expect(page).toContain(title);
  }
  expect(page).not.toMatch(/<script|src=/);
});
