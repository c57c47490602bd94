/** Blends of few sequences: their members learn from all, and what they are judged by stays that of folds. */

import { beforeAll, describe, expect, it, vi } from "vitest";
import type { ComputePool } from "../../compute/pool.ts";
import { CounterRandom, deriveKey } from "../../compute/random.ts";
import type { NumericColumn, Table } from "../../data/table.ts";
import { FitStoppedError } from "../../families/fit-limits.ts";
import { loadModel } from "../../model/load.ts";
import type { Model } from "../../model/model.ts";
import { sharedPool } from "../../testing/shared-pools.ts";
import { type RunConfigInput, runConfigSchema } from "../config/config.ts";
import type { RunState } from "../log/state.ts";
import { MemoryRunStore, readModelFile } from "../log/store.ts";
import { prepareTable } from "../plan/prepare.ts";
import type { RefitInput } from "../pool-tasks/fit-task.ts";
import { selectionArtifact } from "../pool-tasks/fold-artifact.ts";
import { RunDriver } from "../run.ts";
import { modelFiles } from "../testing/dying-store.ts";
import { FakeClock } from "../testing/fake-clock.ts";
import { refitsBlends } from "./refits.ts";

let one: ComputePool;
let two: ComputePool;
beforeAll(() => {
  one = sharedPool(1);
  two = sharedPool(2);
});

const COUNT = 24;
const STEPS = 16;

/** How high a wave is, is the label. */
const waves: Table = (() => {
  const random = new CounterRandom(deriveKey(1, "waves"));
  const column = (name: string, value: (s: number, t: number) => number): NumericColumn => ({
    kind: "numeric",
    name,
    values: Float64Array.from({ length: COUNT * STEPS }, (_, row) =>
      value(Math.floor(row / STEPS), row % STEPS),
    ),
  });
  return {
    rows: COUNT * STEPS,
    columns: [
      column("id", (s) => s),
      column("t", (_, t) => t),
      column("a", (s, t) => (s / COUNT) * Math.sin(t) + 0.1 * random.nextGaussian()),
      column("y", (s) => s / COUNT),
    ],
  };
})();

const config: RunConfigInput = {
  task: {
    taskKind: "sequence_regression",
    labelColumn: "y",
    sequenceColumn: "id",
    orderColumn: "t",
  },
  hpoSpace: {
    models: [
      { family: "minirocket", fixed: { features: 1000 } },
      { family: "quant", fixed: { trees: 20, max_features: 0.5 } },
    ],
  },
  nTrials: 1,
  nCvSplits: 2,
};

interface Trained {
  readonly store: MemoryRunStore;
  readonly state: RunState;
  readonly model: Model;
}

async function trained(
  asked: RunConfigInput,
  options: Partial<ConstructorParameters<typeof RunDriver>[0]> = {},
  table = waves,
): Promise<Trained> {
  const parsed = runConfigSchema.parse(asked);
  const store = new MemoryRunStore();
  const run = prepareTable(table, parsed);
  const state = await new RunDriver({ run, config: parsed, store, pool: two, ...options }).drive();
  return { store, state, model: await loadModel((path) => readModelFile(store, path)) };
}

/** Seconds, of which no phase takes a share that shows. */
const AMPLE = 1e6;

const foldsOf = ({ model }: Trained) => model.document.members.map(({ fold }) => fold);

describe("a blend of few sequences", () => {
  let all: Trained;
  let kept: Trained;
  beforeAll(async () => {
    all = await trained(config);
    kept = await trained({ ...config, refitsCut: [{ model: 0, kept: "folds" }] });
  });

  it("has each member once, fitted on all of them, unless it is told to keep those of the folds", () => {
    const { members } = all.state.selections[0];
    expect(members.length).toBeGreaterThan(1);
    expect(foldsOf(all)).toEqual(members.map(() => null));
    expect(all.model.document.members.map(({ weight }) => weight)).toEqual(
      members.map(({ weight }) => weight),
    );
    expect(foldsOf(kept)).toEqual(members.flatMap(() => [0, 1]));
  });

  it("is scored and weighed by predictions out of fold, whichever fits answer", () => {
    expect(all.state.selections).toEqual(kept.state.selections);
    const name = selectionArtifact(0);
    expect(all.store.artifacts.get(name)).toEqual(kept.store.artifacts.get(name));
    expect(all.model.document.card.scores).toEqual(kept.model.document.card.scores);
    expect(all.model.document.card.importance).toEqual(kept.model.document.card.importance);
  });

  it("has intervals of the same residuals, which only a mean over folds narrows", () => {
    const [ofAll, ofFolds] = [all, kept].map(({ model }) => model.document.conformal);
    expect(ofFolds).toMatchObject({ kind: "interval", narrowed: true });
    expect(ofAll).toEqual({ ...ofFolds, narrowed: false });
  });

  it("answers, explains and is saved as other models are", () => {
    const { model } = all;
    const { values } = model.predict(waves);
    expect(values).toHaveLength(COUNT);
    expect(values).not.toEqual(kept.model.predict(waves).values);
    const { baseValues, contributions, predictions } = model.explain(waves);
    for (const [row, [prediction]] of predictions.entries()) {
      expect(prediction).toBeCloseTo(values[row], 6);
      const [own] = contributions[row];
      expect(own.reduce((sum, each) => sum + each, baseValues[0])).toBeCloseTo(prediction, 6);
    }
  });

  it("is the same by one thread", async () => {
    expect(modelFiles((await trained(config, { pool: one })).store)).toEqual(modelFiles(all.store));
  });
});

it("keeps the fits of its folds where no time is left, and its card's config repeats that", async () => {
  const clock = new FakeClock();
  const late = await trained(
    { ...config, timeBudgetS: 1000 },
    {
      clock,
      onEvent: ({ type }) => {
        if (type === "selected") clock.advance(2000);
      },
    },
  );
  const { members } = late.state.selections[0];
  expect(foldsOf(late)).toEqual(members.flatMap(() => [0, 1]));
  expect(late.model.document.conformal).toMatchObject({ narrowed: true });
  const { card } = late.model.document;
  expect(card.config["refitsCut"]).toEqual([{ model: 0, kept: "folds" }]);
  expect(card.budget?.cut).toContainEqual(expect.stringMatching(/averages the fits of its folds/));
  const repeated = await trained(runConfigSchema.parse(card.config), { pool: one });
  expect(modelFiles(repeated.store)).toEqual(modelFiles(late.store));
});

it("leaves a single model the time of its folds, whatever is left: it is what was scored", async () => {
  const clock = new FakeClock();
  const run = one.run.bind(one);
  const given: number[] = [];
  const spy = vi.spyOn(one, "run").mockImplementation((name, input, options) => {
    if (name !== "refit") return run(name, input, options);
    const { bounds, ...refit } = input as RefitInput;
    const { seconds = Number.NaN, ...others } = bounds;
    given.push(seconds);
    // Its folds took some milliseconds, of which a machine that is busy may need many times as much.
    return run(name, { ...refit, bounds: others }, options);
  });
  try {
    const { state } = await trained(
      { ...config, ensemble: false, timeBudgetS: 1000 },
      {
        clock,
        pool: one,
        onEvent: ({ type }) => {
          if (type === "selected") clock.advance(2000);
        },
      },
    );
    const [{ trial }] = state.selections[0].members;
    const folds = state.trials[trial].folds.map((fold) =>
      fold?.state === "finished" ? fold.seconds : 0,
    );
    expect(given).toHaveLength(1);
    expect(given[0]).toBeGreaterThanOrEqual(2 * Math.max(...folds));
  } finally {
    spy.mockRestore();
  }
});

it("must learn from few rows whatever is left, and its iterations end as others do", async () => {
  const clock = new FakeClock();
  const run = one.run.bind(one);
  const given: RefitInput["bounds"][] = [];
  const spy = vi.spyOn(one, "run").mockImplementation(async (name, input, options) => {
    if (name !== "refit") return run(name, input, options);
    const { bounds } = input as RefitInput;
    given.push(bounds);
    if (bounds.mustLearn !== true) throw new FitStoppedError();
    return run(name, input, options);
  });
  try {
    const late = await trained(
      { ...config, ensemble: false, timeBudgetS: 1000 },
      {
        clock,
        pool: one,
        onEvent: ({ type }) => {
          if (type === "selected") clock.advance(2000);
        },
      },
    );
    expect(given.map(({ mustLearn = false }) => mustLearn)).toEqual([false, true]);
    for (const { seconds } of given) expect(seconds).toBeLessThan(1000);
    expect(late.model.document.kind).toBe("winner");
  } finally {
    spy.mockRestore();
  }
});

it("gives each fit a share of the time that is left, and the last one all of it", async () => {
  const clock = new FakeClock();
  const run = one.run.bind(one);
  const given: { readonly seconds: number; readonly left: number }[] = [];
  const spy = vi.spyOn(one, "run").mockImplementation((name, input, options) => {
    if (name === "refit") {
      const seconds = (input as RefitInput).bounds.seconds ?? Number.NaN;
      given.push({ seconds, left: AMPLE - clock.now() / 1000 });
      clock.advance(0.8 * seconds);
    }
    return run(name, input, options);
  });
  try {
    await trained({ ...config, timeBudgetS: AMPLE }, { clock, pool: one });
  } finally {
    spy.mockRestore();
  }
  expect(given.length).toBeGreaterThan(1);
  for (const { seconds, left } of given) expect(seconds).toBeLessThanOrEqual(left);
  const last = given[given.length - 1];
  // The rest is kept for what follows.
  expect(last.seconds).toBeGreaterThan(0.9 * last.left);
});

/** Seasons of eight series. */
const sold: Table = (() => {
  const random = new CounterRandom(deriveKey(2, "sold"));
  const column = (name: string, value: (s: number, t: number) => number): NumericColumn => ({
    kind: "numeric",
    name,
    values: Float64Array.from({ length: 8 * 40 }, (_, row) =>
      value(Math.floor(row / 40), row % 40),
    ),
  });
  const y = (s: number, t: number): number => 10 * s + 5 * (t % 4) + random.nextGaussian();
  return { rows: 320, columns: [column("s", (s) => s), column("t", (_, t) => t), column("y", y)] };
})();

const ofForecasts: RunConfigInput = {
  task: {
    ...{ taskKind: "forecasting", labelColumn: "y", timeColumn: "t", seriesColumns: ["s"] },
    ...{ horizon: 4, seasonLength: 4 },
  },
  hpoSpace: {
    models: [
      { family: "lag_gbdt", fixed: { rounds: 30, min_data_in_leaf: 5 } },
      { family: "theta", fixed: { form: "standard" } },
    ],
  },
  nTrials: 1,
  nCvSplits: 2,
  timeBudgetS: AMPLE,
};

/** A run whose fits on all rows have time for so many iterations. */
async function endedAfter(
  iterations: number,
  asked: RunConfigInput,
  table = sold,
): Promise<Trained> {
  const run = one.run.bind(one);
  const spy = vi.spyOn(one, "run").mockImplementation((name, input, options) => {
    const given = input as RefitInput;
    const bounds = { ...given.bounds, iterations };
    return run(name, name === "refit" ? { ...given, bounds } : input, options);
  });
  try {
    return await trained(asked, { clock: new FakeClock(), pool: one }, table);
  } finally {
    spy.mockRestore();
  }
}

const cutOf = ({ model }: Trained): readonly string[] => model.document.card.budget?.cut ?? [];
const bytesOf = async (again: Trained, table = sold): Promise<unknown> => {
  const { card } = again.model.document;
  return modelFiles((await trained(runConfigSchema.parse(card.config), {}, table)).store);
};

describe("forecasts whose fits on all rows are ended before those of folds were", () => {
  it("are those of the folds' fits where they are far from them, which the card says and repeats", async () => {
    const late = await endedAfter(3, ofForecasts);
    expect(late.state.selections[0].members.length).toBeGreaterThan(1);
    expect(foldsOf(late)).toEqual(late.state.selections[0].members.flatMap(() => [0, 1]));
    expect(cutOf(late)).toContainEqual(expect.stringMatching(/averages the fits of its folds/));
    const { values } = late.model.predict({ rows: 0, columns: [] });
    // They go on with the last values, which no fold has learned from: seasons of series 0 to 7.
    for (const [i, value] of values.entries()) {
      expect(Math.abs(value - 10 * Math.floor(i / 4) - 5 * (i % 4))).toBeLessThan(4);
    }
    expect(await bytesOf(late)).toEqual(modelFiles(late.store));
  });

  it("are kept where they are near, and the card says how far they came", async () => {
    const late = await endedAfter(7, {
      ...ofForecasts,
      hpoSpace: { models: [{ family: "theta" }] },
    });
    expect(foldsOf(late)).toEqual([null]);
    expect(cutOf(late)).toEqual([
      "The fit of trial 0 (theta) on all rows was ended after 7 rounds, trees, solver steps or series, where those of its folds, which the scores are of, had 8.",
    ]);
    expect(await bytesOf(late)).toEqual(modelFiles(late.store));
  });

  it("are kept of a single model, whose card says it", async () => {
    const single = {
      ...ofForecasts,
      ensemble: false,
      hpoSpace: { models: [ofForecasts.hpoSpace!.models![0]] },
    };
    const late = await endedAfter(3, single);
    expect(late.model.document.kind).toBe("winner");
    expect(cutOf(late)).toEqual([
      expect.stringMatching(/trial 0 \(lag_gbdt\) .* after 3 rounds.* had 30\.$/),
    ]);
  });
});

it("says of a single model of any kind that its fit on all rows was ended before those of its folds", async () => {
  const models = [{ family: "quant" as const, fixed: { trees: 20, max_features: 0.5 } }];
  const single = { ...config, timeBudgetS: AMPLE, ensemble: false, hpoSpace: { models } };
  const late = await endedAfter(2, single, waves);
  expect(cutOf(late)).toEqual([
    expect.stringMatching(/\(quant\) on all rows was ended after 2 rounds, trees/),
  ]);
  const whole = await trained(single, { clock: new FakeClock() });
  expect(cutOf(whole)).toEqual([]);
});

it("is asked of few sequences and of folds in time, and not of rows", () => {
  const asked = (kind: "regression" | "sequence_regression", rows: number, timeColumn?: string) => {
    const { plan } = prepareTable(waves, runConfigSchema.parse(config));
    const task = { kind, classes: [] };
    return refitsBlends(
      { task, plan: { ...plan, rows } },
      { task: { ...runConfigSchema.parse(config).task, timeColumn } },
    );
  };
  expect(asked("sequence_regression", 1000)).toBe(true);
  expect(asked("sequence_regression", 1001)).toBe(false);
  expect(asked("sequence_regression", 1001, "t")).toBe(true);
  expect(asked("regression", 24)).toBe(false);
  expect(asked("regression", 24, "t")).toBe(true);
});
