import { describe, expect, it } from "vitest";
import { LOG_VERSION } from "../log/events.ts";
import type { TrialState } from "../log/state.ts";
import { type FinishContext, finishEstimate, keptSeconds } from "./cost-finish.ts";
import type { StorePrice } from "./store-price.ts";

const AT_NO_TIME: StorePrice = {
  writing: { file: 0, byte: 0 },
  reading: { file: 0, byte: 0 },
};

const column = (name: string) => ({ name, kind: "numeric", nullable: false }) as const;

const context: FinishContext = {
  plan: {
    logVersion: LOG_VERSION,
    task: { kind: "regression", classes: [] },
    rows: 1000,
    columns: [column("a"), column("b")],
    features: 2,
    matrix: [],
    leftOut: [],
    metrics: ["rmse"],
    folds: 2,
    splitter: "",
    trials: 9,
    trialsPerStep: 3,
    steps: 3,
    warnings: [],
  },
  ensemble: true,
  importanceRows: 500,
  models: 1,
  contention: 1,
};

/** Predicts 1 ms a row. */
function trial(number: number, rmse: number, folds = 2): TrialState {
  return {
    number,
    row: 0,
    family: "",
    parameters: {},
    step: 0,
    state: "finished",
    folds: Array.from({ length: 2 }, (_, fold) =>
      fold < folds
        ? {
            state: "finished",
            scores: { rmse },
            facts: {},
            seconds: 8,
            predictSeconds: 0.5,
            scoreSeconds: 0.01,
            bytes: 1e6,
            modelBytes: 1e6,
            cut: null,
          }
        : undefined,
    ),
    scores: { rmse },
    repeats: null,
    raisedFrom: null,
    expected: null,
    reason: null,
    started: "",
    ended: null,
  };
}

describe("finishEstimate", () => {
  it("prices importance by what predicting cost: each column three times, and once as it is", () => {
    const one = finishEstimate([trial(0, 1)], context);
    // 500 rows × 7 passes × 1 ms.
    expect(one.importance / (500 * 7 * 0.001)).toBeCloseTo(1, 10);
    const half = finishEstimate([trial(0, 1)], { ...context, importanceRows: 250 });
    expect(half.importance).toBeCloseTo(one.importance / 2, 10);
    expect(one.total).toBeCloseTo(one.selecting + one.fitting + one.saving + one.reporting, 10);
    // One fold had to wait for its code to be compiled.
    const cold = trial(0, 1);
    if (cold.folds[0]?.state !== "finished") throw new Error("The trial lacks a fold.");
    cold.folds[0] = { ...cold.folds[0], predictSeconds: 50 };
    expect(finishEstimate([cold], context).importance).toBeCloseTo(one.importance, 10);
  });

  it("reads and writes the bytes of models, whatever their fits held beside them", () => {
    const one = trial(0, 1);
    const held = { ...one, folds: one.folds.map((fold) => fold && { ...fold, bytes: 1e12 }) };
    expect(finishEstimate([held], context)).toEqual(finishEstimate([one], context));
    const saving = (own: Partial<StorePrice>) =>
      finishEstimate([one], { ...context, storePrice: { ...AT_NO_TIME, ...own } }).saving;
    const none = saving({});
    // 2 MB in 2 folds go out of the store and into it, where they are 6 files.
    expect(saving({ reading: { file: 0.5, byte: 0 } }) - none).toBeCloseTo(1.3 * 1, 10);
    expect(saving({ writing: { file: 0.5, byte: 0 } }) - none).toBeCloseTo(1.3 * 3, 10);
    const byte = 1e-6;
    const moved = { reading: { file: 0, byte }, writing: { file: 0, byte } };
    expect(saving(moved) - none).toBeCloseTo(1.3 * 4, 10);
  });

  it("keeps a share of a budget for explaining rows in the report, and no more than 3 s", () => {
    const reporting = (budget: object) =>
      finishEstimate([trial(0, 1)], { ...context, ...budget }).reporting;
    expect(reporting({ timeBudget: 10 }) - reporting({})).toBeCloseTo(0.4, 10);
    expect(reporting({ timeBudget: 1e4 }) - reporting({})).toBeCloseTo(3, 10);
  });

  it("has nothing for a report that is not written", () => {
    const some = { ...context, timeBudget: 10 };
    const [written, without] = [true, false].map((reports) =>
      finishEstimate([trial(0, 1)], { ...some, reports }),
    );
    expect(without.reporting).toBe(0);
    expect(written.total - without.total).toBeCloseTo(written.reporting, 10);
  });

  it("expects no more members than a blend usually has, unless they are known", () => {
    const many = Array.from({ length: 40 }, (_, number) => trial(number, number));
    const few = finishEstimate(many.slice(0, 12), context);
    expect(finishEstimate(many, context).importance).toBeCloseTo(few.importance, 10);
    const known = finishEstimate(many, context, many.slice(0, 3));
    expect(known.importance).toBeCloseTo(few.importance / 4, 10);
    // Each of them is weighed at each step of the selection, however few get in.
    const large = { ...context, plan: { ...context.plan, rows: 1e6 } };
    const { selecting } = finishEstimate(many, large);
    expect(selecting).toBeGreaterThan(2 * finishEstimate(many.slice(0, 12), large).selecting);
    // Twice as much where others use the cores as well.
    expect(finishEstimate(many, { ...large, contention: 2 }).selecting).toBeCloseTo(
      2 * selecting,
      10,
    );
  });

  it("prices the selection among many classes by their number, what calibrates them by what it reads", () => {
    const of = (classes: number, rows: number, trials: number) => {
      const task = {
        kind: "multiclass",
        classes: Array.from({ length: classes }, String),
      } as const;
      const plan = { ...context.plan, task, rows, metrics: ["log_loss"] };
      const many = Array.from({ length: trials }, (_, number) => trial(number, 1));
      return finishEstimate(many, { ...context, plan }).selecting;
    };
    // Processor seconds that were measured, on a busy machine, of as many candidates.
    for (const [classes, rows, candidates, measured] of [
      [300, 20_000, 1, 2.8],
      [300, 20_000, 3, 6],
      [50, 30_000, 1, 1.3],
      [50, 30_000, 6, 6.4],
      [26, 16_000, 8, 4.5],
      [7, 50_000, 4, 2.1],
    ] as const) {
      const ratio = of(classes, rows, candidates) / measured;
      expect(ratio, `${classes} classes`).toBeGreaterThan(0.7);
      expect(ratio, `${classes} classes`).toBeLessThan(1.7);
    }
  });

  it("refits a winner on all rows, and a blend not at all", () => {
    expect(finishEstimate([trial(0, 1)], context).fitting).toBe(0);
    const winner = finishEstimate([trial(0, 1)], { ...context, ensemble: false });
    expect(winner.fitting / (8 * 2)).toBeCloseTo(1.3, 10);
  });

  it("counts neither trials that lack folds nor those that were dropped", () => {
    const some = [trial(0, 1), trial(1, 1, 1), { ...trial(2, 1), state: "dropped" } as const];
    expect(finishEstimate(some, context)).toEqual(finishEstimate([trial(0, 1)], context));
  });

  it("keeps no more than a share of a budget for what no data has a part in, however busy the machine", () => {
    const of = (contention: number, timeBudget?: number, models = 1) =>
      finishEstimate([], {
        ...context,
        contention,
        models,
        plan: { ...context.plan, rows: 0 },
        storePrice: AT_NO_TIME,
        ...(timeBudget === undefined ? {} : { timeBudget }),
      }).total;
    expect(of(4)).toBeCloseTo(4 * of(1), 9);
    // A long budget has room for all of it, a short one for less, and none for less than once.
    const explaining = (budget: number) => 0.04 * budget;
    expect(of(4, 60)).toBeCloseTo(of(4) + explaining(60), 9);
    expect(of(4, 4)).toBeCloseTo(0.4 * 4 + explaining(4), 9);
    expect(of(4, 9, 6)).toBeCloseTo(0.4 * 9 + explaining(9), 9);
    expect(of(4, 1)).toBeCloseTo(of(1) + explaining(1), 9);
    // Work on the data is priced as before.
    const selecting = (timeBudget: number) =>
      finishEstimate([trial(0, 1)], {
        ...context,
        plan: { ...context.plan, rows: 1e7 },
        contention: 4,
        timeBudget,
      }).selecting;
    expect(selecting(8) / selecting(600)).toBeGreaterThan(0.95);
  });

  it("has something for a run that has nothing yet", () => {
    const { total } = finishEstimate([], context);
    expect(total).toBeGreaterThan(0);
    expect(total).toBeLessThan(3);
  });
});

describe("keptSeconds", () => {
  it("leaves out what an estimate has for its errors, while these would not break the budget", () => {
    expect(keptSeconds(1.04, 10)).toBeCloseTo(0.8, 10);
    // A quarter of a second that a short budget may be overrun by, or of three hundredths of a long one.
    expect(keptSeconds(13, 10)).toBeCloseTo(12.75, 10);
    expect(keptSeconds(130, 1000)).toBeCloseTo(122.5, 10);
  });
});

it("keeps time for a report's scores by the rows that are scored, of forecasts", () => {
  const reporting = (kind: "forecasting" | "regression", scored: number, contention = 1): number =>
    finishEstimate([trial(0, 1)], {
      ...context,
      ...{ scored, contention, plan: { ...context.plan, task: { kind, classes: [] } } },
    }).reporting;
  const alone = reporting("forecasting", 0);
  const more = reporting("forecasting", 100_000) - alone;
  expect(more).toBeGreaterThan(1);
  expect(more).toBeLessThan(4);
  expect(reporting("forecasting", 200_000) - alone).toBeCloseTo(2 * more, 9);
  expect(reporting("forecasting", 100_000, 2)).toBeGreaterThan(alone + 2 * more - 1e-9);
  expect(reporting("regression", 100_000)).toBe(reporting("regression", 0));
});
