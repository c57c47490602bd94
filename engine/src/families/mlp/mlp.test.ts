/** The mlp family as a search uses it: what it learns, says of itself, and keeps. */

import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { Arena } from "../../compute/arena.ts";
import { CounterRandom, deriveKey } from "../../compute/random.ts";
import { encodeFeatures } from "../../data/encode.ts";
import { schemaFeatures } from "../../data/feature-schema.ts";
import { fitFeatureSchema } from "../../data/fit-feature-schema.ts";
import type { Table } from "../../data/table.ts";
import { accuracy } from "../../metrics/accuracy.ts";
import { logLoss } from "../../metrics/log-loss.ts";
import type { Metric } from "../../metrics/metric.ts";
import { rmse } from "../../metrics/rmse.ts";
import type { Parameters } from "../../search/space.ts";
import { outputCount, type Task, type TaskKind, typeOf } from "../../tasks/index.ts";
import type { FitContext, FittedModel } from "../family.ts";
import { type FitBounds, FitLimits, FitStoppedError } from "../fit-limits.ts";
import { mlp } from "./family.ts";
import { arrangeTerms, fitTerms, readInputs } from "./inputs.ts";
import { isLearned, learningRateAt } from "./schedule.ts";

const ROWS = 400;
const TASKS: readonly Task[] = [
  { kind: "regression", classes: [] },
  { kind: "binclass", classes: ["no", "yes"] },
  { kind: "multiclass", classes: ["a", "b", "c"] },
  { kind: "quantile_regression", classes: [], quantiles: [0.1, 0.5, 0.9] },
];

/** A product of two numbers, a category of twelve and one of three; some cells are missing. */
function sceneOf(task: Task): FitContext {
  const random = new CounterRandom(deriveKey(3, "mlp scene"));
  const draw = (): number => 2 * random.nextFloat() - 1;
  const x = Float64Array.from({ length: ROWS }, draw);
  const z = Float64Array.from({ length: ROWS }, draw);
  const many = Int32Array.from({ length: ROWS }, () => random.nextInteger(12));
  const few = Int32Array.from({ length: ROWS }, () => random.nextInteger(3));
  const value = x.map((own, i) => {
    const effect = ((many[i] * 7) % 12) / 12 + (few[i] === 1 ? 0.5 : 0);
    return 2 * own * z[i] + effect + 0.05 * draw();
  });
  for (let i = 0; i < ROWS; i += 17) x[i] = i % 2 === 0 ? Number.NaN : Number.POSITIVE_INFINITY;
  const names = (count: number): string[] => Array.from({ length: count }, (_, k) => `c${k}`);
  const table: Table = {
    rows: ROWS,
    columns: [
      { kind: "numeric", name: "x", values: x },
      { kind: "numeric", name: "z", values: z },
      { kind: "numeric", name: "constant", values: new Float64Array(ROWS).fill(4) },
      { kind: "categorical", name: "many", codes: many, categories: names(12) },
      {
        kind: "categorical",
        name: "few",
        codes: few.map((c, i) => (i % 31 ? c : -1)),
        categories: names(3),
      },
    ],
  };
  const schema = fitFeatureSchema(table);
  const data = encodeFeatures(schema, table, Arena.create(), { bins: null, values: true });
  const target = value.map((own) => {
    if (typeOf(task).target === "value") return 100 + 10 * own;
    return task.classes.length === 2 ? Number(own > 0.6) : Number(own > 0.3) + Number(own > 0.9);
  });
  expect(schemaFeatures(schema.columns).length).toBe(data.features.length);
  const rows = Uint32Array.from({ length: ROWS }, (_, i) => i);
  return {
    task,
    data,
    target,
    softTarget: null,
    weights: null,
    trainRows: rows.filter((row) => row % 4 !== 0),
    validRows: rows.filter((row) => row % 4 === 0),
    key: deriveKey(9, "fit"),
    monotone: {},
  };
}

const parametersFor = ({ task, data }: FitContext, more: Parameters = {}): Parameters => ({
  ...mlp.defaults({ rows: ROWS, task, features: data.features }),
  epochs: 24,
  hidden_width: 32,
  ...more,
});

function deviationOf(values: Float64Array): number {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length);
}

const lossOf = (context: FitContext, model: FittedModel): number => {
  const facts = model.facts["validation_loss"];
  expect(context.validRows).not.toBeNull();
  return typeof facts === "number" ? facts : Number.NaN;
};

describe.each(TASKS.map((task) => [task.kind, task] as const))("mlp for %s", (_, task) => {
  const context = sceneOf(task);
  const model = mlp.fit(context, parametersFor(context));
  // Of a constant answer to labels of deviation 1.
  const deviation = deviationOf(context.target);
  const units = new Map<string, number>([
    ["squared_error", deviation ** 2],
    ["pinball", deviation],
  ]);
  const lossUnit = units.get(typeOf(task).loss) ?? 1;

  it("learns an interaction and many categories", () => {
    const constant = { regression: 1, binclass: 0.69, multiclass: 1.09, quantile_regression: 0.3 };
    const best = constant[task.kind as keyof typeof constant];
    expect(lossOf(context, model)).toBeLessThan(0.6 * best * lossUnit);
  });

  it("tells its losses in the label's units, as other families do", () => {
    const { validRows, target } = context;
    if (typeOf(task).target !== "value" || validRows === null) return;
    const outputs = outputCount(task);
    const predictions = model.predict(context.data, validRows);
    const errors = predictions.map((value, i) => {
      const error = target[validRows[Math.floor(i / outputs)]] - value;
      const level = task.quantiles?.[i % outputs];
      if (level === undefined) return error * error;
      return error >= 0 ? level * error : (level - 1) * error;
    });
    const mean = errors.reduce((sum, error) => sum + error, 0) / errors.length;
    expect(lossOf(context, model) / mean).toBeCloseTo(1, 3);
    expect(Math.min(...(model.curve?.values ?? [])) / mean).toBeCloseTo(1, 3);
  });

  it("explains predictions that its contributions add up to", () => {
    const rows = Uint32Array.from([0, 17, 34, 5, 399]);
    const { baseValues, contributions, margins } = model.explain(context.data, rows);
    const outputs = outputCount(task);
    const features = context.data.features.length;
    for (let i = 0; i < rows.length; i++) {
      for (let k = 0; k < outputs; k++) {
        let sum = baseValues[k];
        for (let f = 0; f < features; f++) sum += contributions[(i * features + f) * outputs + k];
        expect(sum).toBeCloseTo(margins[i * outputs + k], 6);
      }
    }
    if (typeOf(task).link === "identity") {
      expect([...margins]).toEqual([...model.predict(context.data, rows)]);
    }
    const importance = model.importance();
    expect(importance.reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 9);
    const shareOf = (name: string): number =>
      importance[context.data.features.findIndex((feature) => feature.name === name)];
    for (const name of ["x", "z", "many"]) expect(shareOf(name)).toBeGreaterThan(0.08);
  });

  it("predicts the same after saving and loading, row by row and together", () => {
    const { data } = context;
    const saved = model.save();
    const loaded = mlp.load(
      { header: JSON.parse(JSON.stringify(saved.header)), tensors: saved.tensors },
      { task, features: data.features, bins: null },
    );
    const all = loaded.predict(data, null);
    expect([...all]).toEqual([...model.predict(data, null)]);
    const outputs = outputCount(task);
    for (const row of [0, 1, 34, 398]) {
      const alone = loaded.predict(data, Uint32Array.from([row]));
      expect([...alone]).toEqual([...all.subarray(row * outputs, (row + 1) * outputs)]);
    }
    for (const name of Object.keys(saved.tensors)) {
      const { [name]: _lost, ...tensors } = saved.tensors;
      const damaged = { header: saved.header, tensors };
      expect(() => mlp.load(damaged, { task, features: data.features, bins: null })).toThrow(name);
    }
  });

  it("gives equal bytes every time, and others under another key", () => {
    const short = parametersFor(context, { epochs: 3 });
    const bytes = (key = context.key): number[] => [
      ...mlp.fit({ ...context, key }, short).predict(context.data, null),
    ];
    expect(bytes()).toEqual(bytes());
    expect(bytes(deriveKey(10, "fit"))).not.toEqual(bytes());
  });

  it("ends after as many epochs as it is given, whole or not", () => {
    const limits = new FitLimits({ iterations: 2 });
    const { facts } = mlp.fit({ ...context, limits }, parametersFor(context));
    expect([facts["epochs"], limits.cutAt]).toEqual([2, 2]);
  });

  it("gives up a first epoch that is asked to end, unless it must learn: of many rows it takes seconds", () => {
    /** Asked amid the first epoch. */
    class Asked extends FitLimits {
      readonly #stop: Int32Array;

      constructor(stop: Int32Array, bounds: FitBounds = {}) {
        super({ stop, ...bounds });
        this.#stop = stop;
      }

      override begin(): boolean {
        this.#stop[0] = 1;
        return super.begin();
      }
    }
    const fit = (bounds?: FitBounds) =>
      mlp.fit(
        { ...context, limits: new Asked(new Int32Array(1), bounds) },
        parametersFor(context, { batch_size: 32 }),
      );
    expect(() => fit()).toThrow(FitStoppedError);
    expect(fit({ mustLearn: true }).facts["epochs"]).toBe(1);
  });
});

interface PeerCase {
  readonly task: TaskKind;
  readonly classes: number;
  readonly train: number;
  readonly columns: number[][];
  readonly target: number[];
}
const readJson = (path: string) => JSON.parse(readFileSync(new URL(path, import.meta.url), "utf8"));
const cases: PeerCase[] = readJson("../forest/forest-families.fixture.json");
const peers: Record<string, Record<string, number>> = readJson("./mlp.fixture.json");
const METRICS: Readonly<Record<string, Metric>> = { rmse, accuracy, log_loss: logLoss };

it.each(cases)("scores with its defaults at least as scikit-learn's do: $task", (each) => {
  const table: Table = {
    rows: each.target.length,
    columns: each.columns.map((cells, i) => {
      return { kind: "numeric", name: `x${i}`, values: Float64Array.from(cells) };
    }),
  };
  const schema = fitFeatureSchema(table);
  const data = encodeFeatures(schema, table, Arena.create(), { bins: null, values: true });
  const classes = Array.from({ length: each.classes }, (_, c) => `${c}`);
  const rows = Uint32Array.from(each.target.keys());
  const context: FitContext = {
    task: { kind: each.task, classes },
    data,
    target: Float64Array.from(each.target),
    softTarget: null,
    weights: null,
    trainRows: rows.subarray(0, each.train),
    validRows: null,
    key: deriveKey(1, "peers"),
    monotone: {},
  };
  const shape = { rows: each.train, task: context.task, features: data.features };
  const model = mlp.fit(context, { ...mlp.defaults(shape), epochs: 40 });
  const test = rows.subarray(each.train);
  const scored = {
    target: Float64Array.from(test, (row) => each.target[row]),
    predictions: model.predict(data, test),
    outputs: outputCount(context.task),
    weights: null,
  };
  for (const [name, peer] of Object.entries(peers[each.task])) {
    const score = METRICS[name].score(scored);
    if (METRICS[name].direction === "maximize") expect(score).toBeGreaterThan(peer - 0.02);
    else expect(score).toBeLessThan(peer * 1.03);
  }
});

it("says of held-out rows what epochs chosen by other rows say", () => {
  const context = sceneOf(TASKS[0]);
  const model = mlp.fit(context, parametersFor(context, { epochs: 12 }));
  const heldOut = model.predictHeldOut?.();
  const own = model.predict(context.data, context.validRows);
  expect(heldOut?.length).toBe(own.length);
  const same = own.filter((value, i) => Math.abs(value - (heldOut?.[i] ?? 0)) < 1e-9).length;
  // Most parts choose the same epoch.
  expect(same).toBeGreaterThan(0);
});

it("knows a number's place between quantiles, and beyond them the last", () => {
  const context = sceneOf(TASKS[0]);
  const { data, trainRows } = context;
  const limits = { oneHotMost: 8, leastRows: 100, pieces: 4 };
  const terms = arrangeTerms(fitTerms(data, trainRows, limits));
  const { numbers, places } = readInputs(data, terms, trainRows);
  terms.numbers.forEach(({ knots = [] }, t) => {
    expect(knots.length).toBe(5);
    expect(knots).toEqual(knots.toSorted((a, b) => a - b));
    const own = places.subarray(t * trainRows.length, (t + 1) * trainRows.length);
    const counts = [0, 1, 2, 3].map(
      (piece) => own.filter((p) => p >= piece && p < piece + 1).length,
    );
    for (const count of counts) expect(count / trainRows.length).toBeCloseTo(0.25, 1);
    own.forEach((place, i) => {
      const piece = Math.min(3, Math.floor(place));
      const x = knots[piece] + (place - piece) * (knots[piece + 1] - knots[piece]);
      expect(x).toBeCloseTo(numbers[t * trainRows.length + i], 4);
    });
  });
  const far = arrangeTerms(fitTerms(data, trainRows.subarray(0, 40), limits));
  for (const place of readInputs(data, far, null).places) {
    expect(place).toBeGreaterThanOrEqual(0);
    expect(place).toBeLessThanOrEqual(4);
  }
});

it.each([0, 1000])("reads 12 categories where each is to have %i rows", (least) => {
  const context = sceneOf(TASKS[2]);
  const model = mlp.fit(context, parametersFor(context, { embedding_min_rows: least }));
  expect(lossOf(context, model)).toBeLessThan(0.7);
  const { data, task } = context;
  const saved = model.save();
  const loaded = mlp.load(
    { header: JSON.parse(JSON.stringify(saved.header)), tensors: saved.tensors },
    { task, features: data.features, bins: null },
  );
  expect(loaded.predict(data, null)).toEqual(model.predict(data, null));
  const formula = model.formula?.(data.features);
  const vectors = formula?.kind === "network" ? formula.vectors : [];
  // A learned vector, or a statistic of each class.
  expect(vectors.map(({ rows }) => [rows.length, rows[0].length])).toEqual([
    [13, least === 0 ? 8 : 3],
  ]);
});

it("relies less on a category of noise that statistics stand for than on one of learned vectors", () => {
  const context = sceneOf(TASKS[0]);
  const random = new CounterRandom(deriveKey(1, "noise"));
  const { data } = context;
  const many = data.features.findIndex(({ name }) => name === "many");
  const cells = Arena.attach(data.arena).f64((data.values ?? 0) + many * data.rows * 8, data.rows);
  for (let row = 0; row < data.rows; row++) cells[row] = random.nextInteger(12);
  const shareOf = (least: number): number => {
    const parameters = parametersFor(context, { epochs: 12, embedding_min_rows: least });
    return mlp.fit(context, parameters).importance()[many];
  };
  expect(shareOf(1000)).toBeLessThan(0.3 * shareOf(0));
});

it("refits for as long as its folds found best", () => {
  const context = sceneOf(TASKS[1]);
  const parameters = parametersFor(context, { epochs: 10 });
  const given = mlp.refitParameters(parameters, [{ best_epoch: 3 }, { best_epoch: 6 }]);
  expect(given["stop_epoch"]).toBe(5);
  const model = mlp.fit({ ...context, validRows: null }, given);
  expect(model.facts["epochs"]).toBe(5);
});

/** Labels that are chance, and numbers enough to learn them by heart. */
function chance(): FitContext {
  const random = new CounterRandom(deriveKey(4, "mlp chance"));
  const columns = Array.from({ length: 20 }, (_, k) => ({
    kind: "numeric" as const,
    name: `x${k}`,
    values: Float64Array.from({ length: ROWS }, () => random.nextGaussian()),
  }));
  const table: Table = { rows: ROWS, columns };
  const data = encodeFeatures(fitFeatureSchema(table), table, Arena.create(), {
    bins: null,
    values: true,
  });
  const target = Float64Array.from({ length: ROWS }, () => random.nextInteger(2));
  return { ...sceneOf(TASKS[1]), data, target };
}

it("leaves out the last fall where rows are learned by heart, and no other one", () => {
  const epochs = 45;
  const factsOf = (context: FitContext) =>
    mlp.fit(context, parametersFor(context, { epochs, dropout: 0 })).facts;
  const { best_epoch: best, epochs: all } = factsOf(chance());
  expect(all).toBe(21);
  expect(best).toBeLessThanOrEqual(15);
  expect(factsOf(sceneOf(TASKS[0]))["epochs"]).toBe(epochs);
  // Without validation rows nothing tells it.
  expect(factsOf({ ...chance(), validRows: null })["epochs"]).toBe(epochs);
  const watched = { best: 15, leastLoss: 1, lastLoss: 1.2 };
  expect([20, 21].map((epoch) => isLearned(epoch, epochs, watched))).toEqual([false, true]);
  expect(isLearned(21, epochs, { ...watched, best: 16 })).toBe(false);
  expect(isLearned(21, epochs, { ...watched, lastLoss: 1.05 })).toBe(false);
});

it("lets the learning rate fall to 0 four times, each twice as long as the one before", () => {
  for (const end of [1, 3, 7, 15]) expect(learningRateAt(end / 15)).toBeCloseTo(0, 9);
  expect(learningRateAt((Math.SQRT2 * 8 - 1) / 15)).toBeCloseTo(1, 9);
});
