import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createPool } from "../../worker/pool.ts";
import { runConfigSchema } from "../config/config.ts";
import type { RunEventBody } from "../log/events.ts";
import { applyEvent } from "../log/state.ts";
import { MemoryRunStore } from "../log/store.ts";
import { prepareTable } from "../plan/prepare.ts";
import { RunDriver } from "../run.ts";
import { FakeClock } from "../testing/fake-clock.ts";
import { Allocation, cheapestFirst, type RowRecord, rowsOfStep } from "./allocation.ts";
import { askStep } from "./ask.ts";
import { SearchTime } from "./search-time.ts";

const record = (more: Partial<RowRecord> = {}): RowRecord => ({
  kind: "bins",
  open: 100,
  asked: 1,
  spent: 1,
  cost: 1,
  share: 0.5,
  ...more,
});

/** Asks step after step until the time is over; each trial takes what it costs. Seconds by row. */
function spentBy(rows: readonly RowRecord[], seconds: number): number[] {
  const now = rows.map((row) => ({ ...row }));
  for (let left = seconds; ; ) {
    const asked = rowsOfStep(now, left, 1);
    const took = asked.reduce((sum, row) => sum + (now[row].cost ?? 0), 0);
    if (asked.length === 0 || took > left) return now.map(({ spent }) => spent);
    left -= took;
    for (const row of asked) {
      now[row].spent += now[row].cost ?? 0;
      now[row].asked++;
      now[row].open--;
    }
  }
}

describe("rowsOfStep", () => {
  it("asks each row once before any twice", () => {
    const rows = [record(), record({ asked: 0, cost: null }), record({ asked: 0, cost: null })];
    expect(rowsOfStep(rows, 10, 2)).toEqual([1, 2]);
  });

  it("begins with one of each kind", () => {
    const kinds = ["bins", "bins", "bins", "values", "values"];
    const rows = kinds.map((kind) => record({ kind, asked: 0, cost: null }));
    expect(rowsOfStep(rows, 10, 2)).toEqual([0, 3, 1, 4, 2]);
  });

  it("shares the time, and not the number of trials, as the shares say", () => {
    const rows = [
      record({ share: 0.6, spent: 2, cost: 2, open: 1e4 }),
      record({ share: 0.3, spent: 0.1, cost: 0.1, open: 1e4 }),
      record({ share: 0.1, spent: 5, cost: 5, open: 1e4 }),
    ];
    const spent = spentBy(rows, 1000);
    const total = spent.reduce((sum, each) => sum + each, 0);
    expect(spent.map((each) => Math.round((10 * each) / total))).toEqual([6, 3, 1]);
    // Of the time there is, nothing is left that a trial would have gone into.
    expect(total).toBeGreaterThan(1000 + 7 - 0.2);
  });

  it("fills what is left with trials that fit, and asks the shortest where none does", () => {
    const rows = [record({ cost: 5, share: 0.9 }), record({ cost: 0.4, share: 0.1 })];
    expect(rowsOfStep(rows, 3, 1)).toEqual([1]);
    expect(rowsOfStep(rows, 0.1, 1)).toEqual([1]);
  });

  it("leaves rows out that never came to an end, while there are others", () => {
    const failing = record({ cost: null, spent: 0 });
    expect(new Set(rowsOfStep([failing, record()], 100, 4))).toEqual(new Set([1]));
    expect(rowsOfStep([failing, failing], 100, 4)).toEqual([0, 1]);
    expect(rowsOfStep([failing, record()], Number.POSITIVE_INFINITY, 4)).toEqual([0, 1]);
  });

  it("asks at least one while there is one, never more than a row has, and no row without a point", () => {
    const any = fc.record({
      kind: fc.constantFrom("bins", "values"),
      open: fc.nat(3),
      asked: fc.nat(2),
      spent: fc.double({ min: 0, max: 1e4, noNaN: true }),
      cost: fc.option(fc.double({ min: 0.1, max: 1e4, noNaN: true })),
      share: fc.double({ min: 0.01, max: 1, noNaN: true }),
    });
    fc.assert(
      fc.property(
        fc.array(any, { minLength: 1, maxLength: 6 }),
        fc.double({ min: 0, noNaN: true }),
        fc.integer({ min: 1, max: 64 }),
        (rows, seconds, threads) => {
          const asked = rowsOfStep(rows, seconds, threads);
          expect(asked.length > 0).toBe(rows.some(({ open }) => open > 0));
          for (const [row, { open }] of rows.entries()) {
            expect(asked.filter((each) => each === row).length).toBeLessThanOrEqual(open);
          }
        },
      ),
    );
  });
});

describe("Allocation", () => {
  it("asks other rows once a step of one was refused, and none when all were", async () => {
    const values = Float64Array.from({ length: 40 }, (_, row) => (row * 7) % 40);
    const columns = ["x", "y"].map((name) => ({ kind: "numeric", name, values }) as const);
    const config = runConfigSchema.parse({
      task: { taskKind: "regression", labelColumn: "y" },
      modelFamilies: ["linear", "gbdt"],
      nCvSplits: 2,
      timeBudgetS: 10,
    });
    const pool = createPool(1);
    const run = prepareTable({ rows: 40, columns }, config);
    const store = new MemoryRunStore();
    const driver = new RunDriver({ run, config, store, pool, clock: new FakeClock() });
    const { state } = driver;
    const log = (event: RunEventBody) =>
      applyEvent(state, { at: "2026-01-01T00:00:00Z", ...event });
    log({ type: "planned", plan: run.plan });
    const trials = askStep(state, run.plan, config, [0, 1]);
    log({ type: "step_asked", step: 0, trials });
    for (const { trial } of trials) {
      for (const fold of [0, 1]) {
        const seconds = 2 - trial;
        log({ type: "fold_finished", trial, fold, scores: { rmse: 1 }, facts: {}, seconds });
      }
    }
    // With one alone there is no blend to look at.
    log({ type: "trial_finished", trial: 0, scores: { rmse: 1 } });
    log({ type: "trial_pruned", trial: 1, folds: 1, reason: "", expected: { rmse: 1 } });
    const allocation = new Allocation(driver, new SearchTime(driver));
    expect(await allocation.next()).toMatchObject({ rows: [1] });
    allocation.leaveOut([1]);
    expect(await allocation.next()).toMatchObject({ rows: [0] });
    allocation.leaveOut([0]);
    expect(await allocation.next()).toMatchObject({ rows: [] });
    await pool.close();
  });
});

describe("the first step", () => {
  /** Families in the order of their first trials, of a table whose rows are fewer than the plan says. */
  async function firstFamilies(
    rows: number,
    seconds: number,
    taskKind: "regression" | "multiclass" = "regression",
    roundSeconds?: number,
  ): Promise<readonly string[]> {
    const values = Float64Array.from({ length: 40 }, (_, row) => (row * 7) % 40);
    const labels = taskKind === "multiclass" ? values.map((value) => value % 4) : values;
    const columns = [
      { kind: "numeric", name: "x", values },
      { kind: "numeric", name: "y", values: labels },
    ] as const;
    const config = runConfigSchema.parse({
      task: { taskKind, labelColumn: "y" },
      modelFamilies: ["gbdt", "extra_trees", "linear"],
      nCvSplits: 5,
      timeBudgetS: seconds,
    });
    const pool = createPool(1);
    const prepared = prepareTable({ rows: 40, columns }, config);
    const matrix = prepared.plan.matrix.map((row) =>
      row.roundSeconds === undefined || roundSeconds === undefined ? row : { ...row, roundSeconds },
    );
    const run = { ...prepared, contention: 1, plan: { ...prepared.plan, rows, matrix } };
    const store = new MemoryRunStore();
    const driver = new RunDriver({ run, config, store, pool, clock: new FakeClock() });
    const { state, plan } = driver;
    applyEvent(state, { at: "2026-01-01T00:00:00Z", type: "planned", plan });
    const asked = await new Allocation(driver, new SearchTime(driver)).next();
    await pool.close();
    return asked?.rows.map((row) => plan.matrix[row].family) ?? [];
  }

  it("begins with boosting, and with the linear model where boosting would have few rounds", async () => {
    expect(await firstFamilies(10_000, 60)).toEqual([
      ...["gbdt", "linear", "linear", "linear", "extra_trees"],
    ]);
    // Those that choose their penalty come later where they take their time, as here.
    expect(await firstFamilies(300_000, 6)).toEqual(["linear", "gbdt", "extra_trees"]);
    // Where nothing is left, the first trial has more than a share of what is promised.
    expect(await firstFamilies(200_000, 0.4)).toEqual(["linear", "gbdt", "extra_trees"]);
    // Of a part of the rows, where boosting would not have a round.
    expect(await firstFamilies(100_000_000, 6)).toEqual(["linear", "gbdt", "extra_trees"]);
  });

  it("leaves boosting for the end where each class has a tree a round, and there is time for few", async () => {
    expect(await firstFamilies(1000, 60, "multiclass", 1e-4)).toEqual([
      ...["gbdt", "linear", "extra_trees"],
    ]);
    expect(await firstFamilies(1000, 60, "multiclass", 100)).toEqual([
      ...["linear", "extra_trees", "gbdt"],
    ]);
    // Of values there is one tree a round.
    expect(await firstFamilies(10_000, 60, "regression", 100)).toEqual([
      ...["gbdt", "linear", "linear", "linear", "extra_trees"],
    ]);
  });
});

describe("prices of families", () => {
  it("order the first step, and leave out what could not end", () => {
    expect(cheapestFirst([0, 1, 2, 3], [5, 0.3, 40, 1], 10)).toEqual([1, 3, 0]);
    expect(cheapestFirst([0, 1], [15, 90], 10)).toEqual([0]);
  });

  it("leave the cheapest, however dear it is, and what has no price", () => {
    expect(cheapestFirst([0, 1], [900, 90], 10)).toEqual([1]);
    expect(cheapestFirst([0, 1], [900, undefined], 10)).toEqual([1]);
  });
});
