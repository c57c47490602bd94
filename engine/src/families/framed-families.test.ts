/** What every family of sequences and of series keeps to: saved models, equal bits, finite answers. */

import { describe, expect, test } from "vitest";
import { Arena } from "../compute/arena.ts";
import { CounterRandom, deriveKey } from "../compute/random.ts";
import type { EncodedData } from "../data/encoded.ts";
import { meanSteps } from "../data/frame.ts";
import type { Column, Table } from "../data/table.ts";
import { packModel, unpackModel } from "../model/packed.ts";
import type { Parameters } from "../search/space.ts";
import { outputCount, type Task } from "../tasks/index.ts";
import { runConfigSchema } from "../trainer/config/config.ts";
import { emptyState, type TrialState } from "../trainer/log/state.ts";
import { prepareTable } from "../trainer/plan/prepare.ts";
import type { PreparedRun } from "../trainer/plan/prepared.ts";
import { askStep } from "../trainer/search/ask.ts";
import type { DataShape, Family, FitContext, FittedModel, SavedModel } from "./family.ts";
import { FitLimits, FitStoppedError } from "./fit-limits.ts";
import { FAMILIES } from "./index.ts";

const STEPS = 40;

function numeric(name: string, values: readonly number[]): Column {
  return { kind: "numeric", name, values: Float64Array.from(values) };
}

function names(name: string, codes: readonly number[], categories: readonly string[]): Column {
  return { kind: "categorical", name, codes: Int32Array.from(codes), categories };
}

/** Sequences of 12 … 20 steps in two channels, whose slope and sign tell the label. */
function sequences(count: number, classes = 3): Table {
  const random = new CounterRandom(deriveKey(5, "sequences"));
  const rows = Array.from({ length: count }, (_, s) =>
    Array.from({ length: 12 + (s % 9) }, (_each, t) => ({
      s,
      t,
      a: (s % classes) * 0.2 * t + random.nextGaussian() * 0.1,
      b: s % 7 === 0 ? Number.NaN : Math.sin(t * (1 + (s % classes))) + random.nextGaussian() * 0.1,
      y: s % classes,
    })),
  ).flat();
  return {
    rows: rows.length,
    columns: [
      names(
        "id",
        rows.map(({ s }) => s),
        Array.from({ length: count }, (_, s) => `s${s}`),
      ),
      numeric(
        "t",
        rows.map(({ t }) => t),
      ),
      numeric(
        "a",
        rows.map(({ a }) => a),
      ),
      numeric(
        "b",
        rows.map(({ b }) => b),
      ),
      numeric(
        "y",
        rows.map(({ y }) => y),
      ),
    ],
  };
}

/** A rising season, one that comes now and then, a constant, and a short one. */
function series(): Table {
  const random = new CounterRandom(deriveKey(6, "series"));
  const of = [
    (t: number) => t + 10 * Math.sin((t * Math.PI) / 2) + random.nextGaussian(),
    (t: number) => (t % 5 === 0 ? 3 + random.nextFloat() : 0),
    () => 4,
    (t: number) => 100 - t,
  ];
  const rows = of.flatMap((value, s) =>
    Array.from({ length: s === 3 ? 7 : STEPS }, (_, t) => ({ s, t, y: value(t) })),
  );
  return {
    rows: rows.length,
    columns: [
      names(
        "id",
        rows.map(({ s }) => s),
        ["season", "rare", "constant", "short"],
      ),
      numeric(
        "t",
        rows.map(({ t }) => t),
      ),
      numeric(
        "y",
        rows.map(({ y }) => y),
      ),
    ],
  };
}

function prepared(family: Family, kind: Task["kind"], classes = 3): PreparedRun {
  const isSeries = family.reads === "series";
  const config = runConfigSchema.parse({
    task: isSeries
      ? {
          taskKind: kind,
          labelColumn: "y",
          timeColumn: "t",
          seriesColumns: ["id"],
          horizon: 4,
          seasonLength: 4,
        }
      : { taskKind: kind, labelColumn: "y", sequenceColumn: "id", orderColumn: "t" },
    modelFamilies: [family.id],
    nCvSplits: 2,
  });
  return prepareTable(isSeries ? series() : sequences(24, classes), config);
}

function contextOf(run: PreparedRun): FitContext {
  const [{ train, valid }] = run.folds;
  return {
    task: run.task,
    data: run.data,
    target: run.target,
    softTarget: null,
    weights: run.weights,
    trainRows: train,
    validRows: valid,
    key: deriveKey(1, "fit"),
    monotone: {},
  };
}

function shapeOf({ data, task, plan }: PreparedRun): DataShape {
  const { frame } = data;
  return {
    rows: plan.rows,
    task,
    features: data.features,
    ...(frame?.kind === "sequences"
      ? { sequences: { channels: frame.channels, steps: meanSteps(frame), isUnequal: true } }
      : {}),
    ...(frame?.kind === "series"
      ? { series: { count: 4, steps: STEPS, horizon: 4, seasons: [4], zeros: 0.2 } }
      : {}),
  };
}

function loaded(family: Family, saved: SavedModel, { task, data }: PreparedRun): FittedModel {
  return family.load(saved, { task, features: data.features, bins: null });
}

function reloaded(family: Family, model: FittedModel, run: PreparedRun): FittedModel {
  return loaded(family, unpackModel(packModel(model.save()), "the model"), run);
}

const framed = FAMILIES.filter(({ reads }) => reads === "series" || reads === "sequences");
const kinds = (family: Family): Task["kind"][] =>
  family.reads === "series" ? ["forecasting"] : ["sequence_regression", "sequence_multiclass"];
const cases = framed.flatMap((family) =>
  kinds(family).map((kind) => [family.id, kind, family] as const),
);

test.each(cases.filter(([, , { reads }]) => reads === "sequences"))(
  "%s, %s, names an array of another kind than it saves",
  (_id, kind, family) => {
    const run = prepared(family, kind);
    const saved = family.fit(contextOf(run), family.defaults(shapeOf(run))).save();
    const names = Object.keys(saved.tensors);
    // The arrays of transforms; those of trees have a test of their own.
    const own = names.filter((name) => /^(\d+|transform)\./.test(name));
    for (const name of own.length > 0 ? own : names) {
      const tensors = { ...saved.tensors, [name]: new Uint8Array(3) };
      expect(() => loaded(family, { ...saved, tensors }, run), name).toThrow(
        name.replace(/^(\d+|transform)\./, ""),
      );
    }
  },
);

describe.each(cases)("%s, %s", (_id, kind, family) => {
  const run = prepared(family, kind);
  const shape = shapeOf(run);
  const fitted = (): FittedModel => family.fit(contextOf(run), family.defaults(shape));
  const valid = run.folds[0].valid;
  const bytesOf = (model: FittedModel): string =>
    Buffer.from(packModel(model.save())).toString("base64");

  test("gives equal bytes again, and finite predictions that a loaded model repeats", () => {
    const model = fitted();
    expect(bytesOf(fitted())).toBe(bytesOf(model));
    const predictions = model.predict(run.data, valid);
    expect(predictions.every(Number.isFinite)).toBe(true);
    expect([...reloaded(family, model, run).predict(run.data, valid)]).toEqual([...predictions]);
  });

  test("knows nothing of what it is to predict", () => {
    const hidden = { ...run.data, frame: withoutFuture(run.data, valid) };
    expect([...fitted().predict(hidden, valid)]).toEqual([...fitted().predict(run.data, valid)]);
  });

  test("explains what adds up to its predictions", () => {
    const model = fitted();
    const { baseValues, contributions, margins } = model.explain(run.data, valid);
    const width = baseValues.length;
    const columns = contributions.length / margins.length;
    for (const [at, margin] of margins.entries()) {
      const [row, k] = [Math.floor(at / width), at % width];
      let sum = baseValues[k];
      for (let c = 0; c < columns; c++) sum += contributions[(row * columns + c) * width + k];
      expect(sum).toBeCloseTo(margin, 6);
    }
    expect(model.importance().reduce((a, b) => a + b, 0)).toBeCloseTo(1, 9);
  });

  test("has legal portfolios that begin with the defaults", () => {
    const portfolio = family.portfolio(shape);
    expect(portfolio[0]).toEqual(family.defaults(shape));
    const legal = Object.keys(family.parameters());
    for (const parameters of portfolio) {
      for (const name of Object.keys(parameters)) expect(legal).toContain(name);
      const model = family.fit(contextOf(run), parameters);
      expect(model.predict(run.data, valid).every(Number.isFinite)).toBe(true);
    }
  });
});

/** Over after so many questions. */
class CountedLimits extends FitLimits {
  asked = 0;
  readonly #most: number;

  constructor(most: number) {
    super();
    this.#most = most;
  }

  override throwIfOver(): void {
    if (++this.asked > this.#most) throw new FitStoppedError();
  }
}

const transforming = cases.filter(([, , { reads }]) => reads === "sequences");

test.each(transforming)(
  "%s, %s, can be ended wherever it asks, and leaves no memory",
  (_, kind, family) => {
    const run = prepared(family, kind);
    const fit = (limits: FitLimits): FittedModel =>
      family.fit({ ...contextOf(run), limits }, family.defaults(shapeOf(run)));
    const whole = new CountedLimits(Number.POSITIVE_INFINITY);
    const live = (): number => Arena.attach(run.data.arena).liveBytes;
    fit(whole);
    expect(whole.asked).toBeGreaterThan(1);
    const before = live();
    for (const share of [0, 0.3, 0.6, 0.95]) {
      const most = Math.floor(share * whole.asked);
      expect(() => fit(new CountedLimits(most))).toThrow(FitStoppedError);
      expect(live()).toBe(before);
    }
  },
);

const byShares = transforming.filter(
  // A neighbour's say is its class, and no student is one.
  ([, kind, { predictsFast }]) => kind !== "sequence_regression" && predictsFast,
);

test.each(byShares)(
  "%s, %s, learns classes by degrees, of which whole ones are a case",
  (_, kind, family) => {
    const run = prepared(family, kind);
    const context = contextOf(run);
    const outputs = outputCount(run.task);
    const shares = Float64Array.from({ length: run.target.length * outputs }, (_each, i) =>
      Number(run.target[Math.floor(i / outputs)] === (outputs === 1 ? 1 : i % outputs)),
    );
    const defaults = family.defaults(shapeOf(run));
    const predicted = (softTarget: Float64Array | null): Float64Array =>
      family.fit({ ...context, softTarget }, defaults).predict(run.data, run.folds[0].valid);
    const hard = predicted(null);
    for (const [i, value] of predicted(shares).entries()) expect(value).toBeCloseTo(hard[i], 9);
    const even = predicted(shares.map((share) => (share + 1 / (outputs === 1 ? 2 : outputs)) / 2));
    expect([...even]).not.toEqual([...hard]);
  },
);

test.each(transforming.filter(([, kind]) => kind === "sequence_multiclass"))(
  "%s, %s, answers each of two classes",
  (_, kind, family) => {
    const run = prepared(family, kind, 2);
    const { valid } = run.folds[0];
    const fitted = (softTarget: Float64Array | null): FittedModel =>
      family.fit({ ...contextOf(run), softTarget }, family.defaults(shapeOf(run)));
    const model = fitted(null);
    const predictions = model.predict(run.data, valid);
    for (const [i, row] of valid.entries()) {
      expect(predictions[2 * i] + predictions[2 * i + 1]).toBeCloseTo(1, 9);
      expect(predictions[2 * i + run.target[row]]).toBeGreaterThan(0.5);
    }
    expect(predictions).toHaveLength(2 * valid.length);
    expect([...reloaded(family, model, run).predict(run.data, valid)]).toEqual([...predictions]);
    if (!family.predictsFast) return;
    const whole = Float64Array.from({ length: 2 * run.target.length }, (_each, i) =>
      Number(run.target[i >> 1] === i % 2),
    );
    for (const [i, value] of fitted(whole).predict(run.data, valid).entries()) {
      expect(value).toBeCloseTo(predictions[i], 9);
    }
  },
);

test("settings that are few are tried once each, and no trial twice", () => {
  const config = runConfigSchema.parse({
    task: {
      taskKind: "forecasting",
      labelColumn: "y",
      timeColumn: "t",
      seriesColumns: ["id"],
      horizon: 4,
    },
    modelFamilies: ["croston", "lag_gbdt"],
    nCvSplits: 2,
    nTrials: 9,
    nTrialsPerStep: 4,
  });
  const { plan } = prepareTable(series(), config);
  expect(plan).toMatchObject({ trials: 5 + 9, trialsPerRow: 9, steps: 3 });
  const state = emptyState();
  const asked: string[] = [];
  for (let step = 0; step < plan.steps; step++) {
    const trials = askStep(state, plan, { ...config, warmStart: [] });
    for (const { row, parameters } of trials) asked.push(JSON.stringify([row, parameters]));
    state.stepsAsked++;
    state.trials.push(
      ...trials.map(({ row, parameters }) => finishedTrial(state.trials.length, row, parameters)),
    );
  }
  expect(asked).toHaveLength(14);
  expect(new Set(asked).size).toBe(14);
});

/** As a request does that brings the history of series that training did not have. */
function asUnknown(data: EncodedData): EncodedData {
  const { frame } = data;
  if (frame?.kind !== "series") throw new Error("Forecasts are made of series.");
  return { ...data, frame: { ...frame, ids: new Int32Array(frame.ids.length).fill(-1) } };
}

const local = framed.filter(({ id }) => ["seasonal_naive", "theta", "ets", "arima"].includes(id));

describe.each(local.map((family) => [family.id, family] as const))("local %s", (_id, family) => {
  const run = prepared(family, "forecasting");
  const { valid } = run.folds[0];

  test("fits series that it does not know as the trial did, also once it was loaded", () => {
    const unknown = asUnknown(run.data);
    const answers = family.portfolio(shapeOf(run)).map((parameters) => {
      const model = family.fit(contextOf(run), parameters);
      const answer = [...model.predict(unknown, valid)];
      expect([...reloaded(family, model, run).predict(unknown, valid)]).toEqual(answer);
      return answer.join();
    });
    expect(new Set(answers).size).toBeGreaterThan(1);
  });

  test("forecasts trend and season of series that it had no time to fit", () => {
    const limits = new FitLimits({ iterations: 1 });
    const model = family.fit({ ...contextOf(run), limits }, family.defaults(shapeOf(run)));
    expect(model.facts).toEqual({ series: 1 });
    const { frame } = run.data;
    if (frame?.kind !== "series") throw new Error("Forecasts are made of series.");
    const falling = valid.filter((row) => row >= frame.offsets[3]);
    const forecasts = model.predict(run.data, valid).slice(-falling.length);
    expect(forecasts[forecasts.length - 1]).toBeLessThan(forecasts[0]);
  });
});

function finishedTrial(number: number, row: number, parameters: Parameters): TrialState {
  return {
    number,
    row,
    family: "",
    parameters,
    step: 0,
    state: "finished",
    folds: [],
    scores: { mase: 1 + number / 100 },
    repeats: null,
    raisedFrom: null,
    expected: null,
    reason: null,
    started: null,
    ended: null,
  };
}

/** The values of steps that are forecast, unknown; sequences are whole either way. */
function withoutFuture(
  { frame }: EncodedData,
  rows: Uint32Array,
): NonNullable<EncodedData["frame"]> {
  if (frame === undefined) throw new Error("Framed data has a frame.");
  if (frame.kind === "sequences") return frame;
  const target = frame.target.slice();
  for (const row of rows) target[row] = Number.NaN;
  return { ...frame, target };
}
