import { describe, expect, it } from "vitest";
import { Arena } from "../../compute/arena.ts";
import { CounterRandom, deriveKey } from "../../compute/random.ts";
import type { EncodedData } from "../../data/encoded.ts";
import type { Task } from "../../tasks/index.ts";
import { type BinColumn, encodeBins, randomColumns } from "../../trees/testing/random-bins.ts";
import type { FittedModel } from "../family.ts";
import { gbdt } from "./family.ts";
import { allRows, BINCLASS, contextOf, fit, MULTICLASS, PLAIN, REGRESSION } from "./testing/fit.ts";

const TASKS: readonly Task[] = [REGRESSION, BINCLASS, MULTICLASS];

interface Example {
  readonly columns: readonly BinColumn[];
  readonly data: EncodedData;
  readonly target: Float64Array;
}

/** A target of the task that follows the first columns. */
function example(task: Task, seed = 1, rows = 400): Example {
  const columns = randomColumns(seed, rows, 6, { categorical: true, missing: true });
  const random = new CounterRandom(deriveKey(seed, "target"));
  const target = Float64Array.from({ length: rows }, (_, row) => {
    const signal =
      columns[0].bins[row] / columns[0].valueBins +
      (columns[1].bins[row] % 3) +
      0.3 * random.nextGaussian();
    if (task.kind === "regression") return signal;
    return task.kind === "binclass"
      ? Number(signal > 1)
      : Math.min(2, Math.max(0, Math.floor(signal)));
  });
  return { columns, data: encodeBins(columns), target };
}

function loss(task: Task, target: ArrayLike<number>, predictions: Float64Array): number {
  let sum = 0;
  const outputs = predictions.length / target.length;
  for (let i = 0; i < target.length; i++) {
    if (task.kind === "regression") sum += (predictions[i] - target[i]) ** 2;
    else if (outputs > 1) sum -= Math.log(predictions[i * outputs + target[i]]);
    else sum -= Math.log(target[i] === 1 ? predictions[i] : 1 - predictions[i]);
  }
  return sum / target.length;
}

function bytesOf(model: FittedModel): string {
  const saved = model.save();
  const tensors = Object.entries(saved.tensors).map(([name, array]) => [
    name,
    array.constructor.name,
    Buffer.from(array.buffer, array.byteOffset, array.byteLength).toString("base64"),
  ]);
  return JSON.stringify([saved.header, tensors]);
}

const SEARCHED = {
  bagging_fraction: 0.7,
  feature_fraction: 0.5,
  lambda_l1: 0.01,
  lambda_l2: 0.5,
  min_data_in_leaf: 5,
};

describe.each(TASKS)("gbdt for $kind", (task) => {
  it("learns what there is to learn", () => {
    const { data, target } = example(task);
    const before = loss(
      task,
      target,
      fit(task, data, target, { n_estimators: 1, learning_rate: 1e-4 }).predict(data, null),
    );
    const after = loss(task, target, fit(task, data, target).predict(data, null));
    expect(after).toBeLessThan(0.3 * before);
  });

  it("gives equal bytes every time, and others under another key", () => {
    for (const extra of [false, true]) {
      const parameters = { ...SEARCHED, extra_trees: extra };
      const { data, target } = example(task);
      const again = example(task);
      const first = bytesOf(fit(task, data, target, parameters));
      expect(bytesOf(fit(task, data, target, parameters))).toBe(first);
      expect(bytesOf(fit(task, again.data, again.target, parameters))).toBe(first);
      const other = { key: deriveKey(4, "gbdt-test") };
      expect(bytesOf(fit(task, data, target, parameters, other))).not.toBe(first);
    }
  });

  it("is restored from what it saved", () => {
    const { data, target } = example(task);
    const model = fit(task, data, target, SEARCHED);
    const restored = gbdt.load(model.save(), {
      task,
      features: data.features,
      bins: data.binned!.bins,
    });
    expect(restored.predict(data, null)).toEqual(model.predict(data, null));
    expect(restored.importance()).toEqual(model.importance());
    expect(restored.facts).toEqual(model.facts);
    expect(bytesOf(restored)).toBe(bytesOf(model));
  });

  it("explains its margins exactly", () => {
    const { data, target } = example(task);
    const model = fit(task, data, target, SEARCHED);
    const rows = Uint32Array.of(3, 50, 311);
    const { baseValues, contributions, margins } = model.explain(data, rows);
    const outputs = baseValues.length;
    const features = data.features.length;
    const probabilities = model.predict(data, rows);
    for (let i = 0; i < rows.length; i++) {
      for (let k = 0; k < outputs; k++) {
        let sum = baseValues[k];
        for (let f = 0; f < features; f++) sum += contributions[(i * features + f) * outputs + k];
        expect(sum).toBeCloseTo(margins[i * outputs + k], 9);
      }
      if (task.kind === "regression") expect(probabilities[i]).toBe(margins[i]);
      if (task.kind === "binclass") {
        expect(probabilities[i]).toBeCloseTo(1 / (1 + Math.exp(-margins[i])), 12);
      }
    }
  });

  it("stops early and keeps the best round", () => {
    const { data, target } = example(task, 2, 600);
    const noisy = target.map((value, row) =>
      row % 3 !== 0 ? value : task.kind === "regression" ? value + ((row % 7) - 3) : 0,
    );
    const changes = {
      trainRows: allRows(600).filter((row) => row % 4 !== 0),
      validRows: allRows(600).filter((row) => row % 4 === 0),
    };
    const parameters = { n_estimators: 500, early_stopping_rounds: 15, learning_rate: 0.3 };
    const model = fit(task, data, noisy, parameters, changes);
    const best = Number(model.facts["best_iteration"]);
    expect(model.facts["rounds"]).toBe(best + 15);
    const heldOut = (rounds: number): number => {
      const short = fit(
        task,
        data,
        noisy,
        { ...parameters, n_estimators: rounds },
        {
          trainRows: changes.trainRows,
        },
      );
      const valid = [...changes.validRows].map((row) => noisy[row]);
      return loss(task, valid, short.predict(data, changes.validRows));
    };
    expect(heldOut(best)).toBeCloseTo(Number(model.facts["validation_loss"]), 9);
    expect(heldOut(best)).toBeLessThan(heldOut(best + 15));
    const refit = gbdt.refitParameters(parameters, [
      { best_iteration: best },
      { best_iteration: best + 3 },
    ]);
    expect(refit["n_estimators"]).toBe(Math.round(best + 1.5));
  });

  it("scores held-out and out-of-bag rows as it predicts them", () => {
    // The last round's validation loss comes from scores that were added up tree by tree.
    const { data, target } = example(task, 7);
    const validRows = allRows(400).filter((row) => row % 5 === 0);
    const trainRows = allRows(400).filter((row) => row % 5 !== 0);
    const model = fit(
      task,
      data,
      target,
      { ...SEARCHED, n_estimators: 7 },
      { trainRows, validRows },
    );
    const valid = [...validRows].map((row) => target[row]);
    const rounds = Number(model.facts["best_iteration"]);
    expect(rounds).toBeGreaterThan(0);
    expect(loss(task, valid, model.predict(data, validRows))).toBeCloseTo(
      Number(model.facts["validation_loss"]),
      9,
    );
  });

  it("takes a weight of k as k equal rows", () => {
    const { columns, data, target } = example(task, 3, 200);
    const weights = Float64Array.from({ length: 200 }, (_, row) => 1 + (row % 3));
    const repeated = [...allRows(200)].flatMap((row) => Array<number>(weights[row]).fill(row));
    const many = encodeBins(
      columns.map((column) => ({ ...column, bins: repeated.map((row) => column.bins[row]) })),
    );
    const parameters = {
      n_estimators: 8,
      // Less than the hessian of a row: rounding tells whether a row of weight 1 has one of 1.
      min_child_weight: 0.5,
      min_data_in_leaf: 1,
      min_data_per_group: 1,
      max_cat_to_onehot: 4,
    };
    const weighted = fit(task, data, target, parameters, { weights }).predict(data, null);
    const repeatedFit = fit(
      task,
      many,
      repeated.map((row) => target[row]),
      parameters,
    );
    const copies = repeatedFit.predict(many, null);
    const outputs = weighted.length / 200;
    repeated.forEach((row, i) => {
      for (let k = 0; k < outputs; k++) {
        expect(copies[i * outputs + k]).toBeCloseTo(weighted[row * outputs + k], 5);
      }
    });
  });

  it("ignores rows of weight zero", () => {
    const { data, target } = example(task, 4, 300);
    const weights = Float64Array.from({ length: 300 }, (_, row) => Number(row % 2));
    const spoilt = target.map((value, row) => (row % 2 ? value : (target[row + 1] + 1) % 2));
    const a = fit(task, data, target, {}, { weights }).predict(data, null);
    const b = fit(task, data, spoilt, {}, { weights }).predict(data, null);
    expect(b).toEqual(a);
  });

  it("answers with numbers whatever the data", () => {
    const single = encodeBins([{ kind: "numeric", valueBins: 1, bins: [0, 0, 0] }]);
    const absent = encodeBins([{ kind: "numeric", valueBins: 3, bins: [3, 3, 3, 3] }]);
    for (const [data, target] of [
      [single, [1, 1, 1]],
      [single, [0, 1, 0]],
      [absent, [0, 0, 1, 1]],
    ] as const) {
      const predictions = fit(task, data, target, SEARCHED).predict(data, null);
      expect([...predictions].every(Number.isFinite)).toBe(true);
    }
    const { data, target } = example(task);
    const one = fit(task, data, target, SEARCHED, { trainRows: Uint32Array.of(7) });
    expect([...one.predict(data, null)].every(Number.isFinite)).toBe(true);
  });
});

describe("gbdt", () => {
  it("frees what it allocated, also when it throws", () => {
    const { data, target } = example(REGRESSION);
    const arena = Arena.attach(data.arena);
    const before = arena.liveBytes;
    fit(REGRESSION, data, target, SEARCHED).predict(data, null);
    expect(arena.liveBytes).toBe(before);
    const broken = target.map((value, row) => (row === 3 ? Number.POSITIVE_INFINITY : value));
    const changes = {
      trainRows: allRows(400).filter((row) => row !== 3),
      validRows: Uint32Array.of(3),
    };
    expect(() => fit(REGRESSION, data, broken, {}, changes)).toThrow(/validation loss/);
    expect(arena.liveBytes).toBe(before);
  });

  it("keeps to monotone constraints for any row", () => {
    const random = new CounterRandom(deriveKey(9, "monotone"));
    const rows = 600;
    const columns = randomColumns(9, rows, 3).map((column) => ({
      kind: "numeric" as const,
      valueBins: 20,
      bins: Array.from(column.bins, () => random.nextInteger(20)),
    }));
    const [a, b] = columns.map((column) => column.bins);
    const target = Float64Array.from(
      { length: rows },
      (_, row) => Math.sin(a[row] / 3) * 2 - 0.2 * b[row] + random.nextGaussian(),
    );
    for (const growth of ["leafwise", "depthwise"]) {
      const free = fit(REGRESSION, encodeBins(columns), target, { growth, num_leaves: 16 });
      const model = fit(
        REGRESSION,
        encodeBins(columns),
        target,
        { growth, num_leaves: 16 },
        {
          monotone: { f0: 1, f1: -1 },
        },
      );
      // Every pair of first and second feature, at one value of the third.
      const grid = encodeBins(
        [0, 1, 2].map((f) => ({
          kind: "numeric" as const,
          valueBins: 20,
          bins: Array.from({ length: 400 }, (_, i) => [i % 20, Math.floor(i / 20), 7][f]),
        })),
      );
      const violations = (predictions: Float64Array): number => {
        let count = 0;
        for (let i = 0; i < 400; i++) {
          if (i % 20 > 0 && predictions[i] < predictions[i - 1]) count++;
          if (i >= 20 && predictions[i] > predictions[i - 20]) count++;
        }
        return count;
      };
      expect(violations(free.predict(grid, null))).toBeGreaterThan(0);
      expect(violations(model.predict(grid, null))).toBe(0);
    }
  });

  it("sends missing cells where they belong", () => {
    const bins = Array.from({ length: 300 }, (_, row) => (row % 3 === 0 ? 10 : row % 10));
    const target = bins.map((bin) => (bin === 10 || bin >= 8 ? 5 : bin >= 4 ? 0 : -5));
    const data = encodeBins([{ kind: "numeric", valueBins: 10, bins }]);
    const model = fit(REGRESSION, data, target, { n_estimators: 60 });
    model.predict(data, null).forEach((value, row) => {
      expect(value).toBeCloseTo(target[row], 3);
    });
  });

  it("separates categories that no order separates", () => {
    const bins = Array.from({ length: 800 }, (_, row) => row % 40);
    const target = bins.map((bin) => (bin * 7) % 2);
    const data = encodeBins([{ kind: "categorical", valueBins: 40, bins }]);
    const model = fit(REGRESSION, data, target, {
      n_estimators: 30,
      num_leaves: 2,
      min_data_per_group: 1,
      cat_smooth: 0.1,
      cat_l2: 0,
    });
    model.predict(data, null).forEach((value, row) => {
      expect(value).toBeCloseTo(target[row], 2);
    });
  });

  it("learns from ordered target statistics of many categories", () => {
    const random = new CounterRandom(deriveKey(21, "statistics"));
    const rows = 3000;
    const effects = Float64Array.from({ length: 200 }, () => random.nextGaussian());
    const bins = Array.from({ length: rows }, () => random.nextInteger(201));
    const second = Array.from({ length: rows }, () => random.nextInteger(9));
    const data = encodeBins([
      { kind: "categorical", valueBins: 200, bins },
      { kind: "numeric", valueBins: 9, bins: second },
    ]);
    const signal = Float64Array.from(bins, (bin, i) => (effects[bin] ?? 1) + second[i] / 9);
    for (const task of TASKS) {
      const target = signal.map((value) => {
        const noisy = value + 0.5 * random.nextGaussian();
        if (task.kind === "regression") return noisy;
        return task.kind === "binclass" ? Number(noisy > 0.5) : noisy > 1 ? 2 : Number(noisy > 0);
      });
      const trainRows = allRows(rows).filter((row) => row % 3 !== 0);
      const validRows = allRows(rows).filter((row) => row % 3 === 0);
      const held = [...validRows].map((row) => target[row]);
      const parameters = {
        categorical_encoding: "ordered_target",
        cat_smooth: 1,
        n_estimators: 40,
      };
      const changes = { trainRows, validRows };
      const model = fit(task, data, target, parameters, changes);
      const predictions = model.predict(data, validRows);
      // Validation rows were scored by their statistics, predictions read sets of categories.
      expect(loss(task, held, predictions)).toBeCloseTo(Number(model.facts["validation_loss"]), 9);
      const constant = fit(task, data, target, { n_estimators: 1, learning_rate: 1e-4 }, changes);
      const before = loss(task, held, constant.predict(data, validRows));
      expect(loss(task, held, predictions)).toBeLessThan(0.75 * before);
      expect(bytesOf(fit(task, data, target, parameters, changes))).toBe(bytesOf(model));
      expect(model.importance()[0]).toBeGreaterThan(0.5);
    }
  });

  it("does not let a row's own target leak into its statistic", () => {
    // Every row has a category of few rows and a target without any signal.
    const random = new CounterRandom(deriveKey(22, "leak"));
    const bins = Array.from({ length: 400 }, (_, row) => row % 200);
    const target = Float64Array.from({ length: 400 }, () => random.nextGaussian());
    const data = encodeBins([{ kind: "categorical", valueBins: 200, bins }]);
    const parameters = { n_estimators: 1, learning_rate: 1, num_leaves: 4, cat_smooth: 0.01 };
    const fitted = (encoding: string): number =>
      loss(
        REGRESSION,
        target,
        fit(REGRESSION, data, target, {
          ...parameters,
          cat_l2: 0,
          min_data_per_group: 1,
          max_cat_threshold: 256,
          cat_noise: 0,
          categorical_encoding: encoding,
        }).predict(data, null),
      );
    // Sets of categories can follow the noise; cuts found without a row's own target cannot.
    expect(fitted("native")).toBeLessThan(0.7);
    expect(fitted("ordered_target")).toBeGreaterThan(0.8);
  });

  it("limits depth and leaves", () => {
    const { data, target } = example(REGRESSION);
    const tensors = fit(REGRESSION, data, target, { max_depth: 2, num_leaves: 31 }).save().tensors;
    const starts = tensors["tree_starts"];
    for (let tree = 0; tree + 1 < starts.length; tree++) {
      expect(starts[tree + 1] - starts[tree]).toBeLessThanOrEqual(7);
    }
  });

  it("names a parameter that is wrong", () => {
    const { data, target } = example(REGRESSION);
    expect(() => fit(REGRESSION, data, target, { num_leaves: 1 })).toThrow(/"num_leaves"/);
    expect(() => fit(REGRESSION, data, target, { leaves: 10 })).toThrow(/no parameter "leaves"/);
    expect(() => fit(REGRESSION, data, target, { extra_trees: 1 })).toThrow(/"extra_trees"/);
  });

  it.each([
    // Trees that have one objective only name none.
    ["of classes", { task: BINCLASS }, ["objective"]],
    ["of values whose medians are asked for", { task: REGRESSION, seeksMedians: true }, []],
  ])("has defaults inside its space, %s", (_, asked, absent) => {
    const { data } = example(asked.task);
    const shape = { rows: 400, ...asked, features: data.features };
    const defaults = gbdt.defaults(shape);
    for (const [name, parameter] of Object.entries(gbdt.searchSpace(shape))) {
      const value = defaults[name];
      if (parameter.type === "categorical") expect(parameter.choices).toContain(value);
      else {
        expect(value).toBeGreaterThanOrEqual(parameter.low);
        expect(value).toBeLessThanOrEqual(parameter.high);
      }
      expect(gbdt.parameters()).toHaveProperty(name);
    }
    expect([...Object.keys(defaults), ...absent].toSorted()).toEqual(
      Object.keys(gbdt.parameters()).toSorted(),
    );
  });

  it("refuses a damaged or newer model", () => {
    const { data, target } = example(REGRESSION);
    const saved = fit(REGRESSION, data, target).save();
    const context = { task: REGRESSION, features: data.features, bins: data.binned!.bins };
    const { leaf: _, ...without } = saved.tensors;
    const leaf = Uint8Array.from(saved.tensors["leaf"]);
    leaf[0] ^= 1;
    expect(() => gbdt.load({ ...saved, tensors: without }, context)).toThrow(/"leaf" is missing/);
    expect(() => gbdt.load({ ...saved, tensors: { ...saved.tensors, leaf } }, context)).toThrow(
      /"leaf" does not mark/,
    );
    expect(() => gbdt.load({ ...saved, header: { version: 2 } }, context)).toThrow(/version 2/);
    expect(() => gbdt.load({ ...saved, header: {} }, context)).toThrow(/no version/);
    expect(() => gbdt.load(saved, { ...context, features: data.features.slice(0, 1) })).toThrow(
      /feature/,
    );
  });

  it("trains the same on a subset as on that subset alone", () => {
    const { columns, data, target } = example(REGRESSION, 12);
    const trainRows = allRows(400).filter((row) => row % 2 === 0);
    const alone = encodeBins(
      columns.map((column) => ({ ...column, bins: [...trainRows].map((row) => column.bins[row]) })),
    );
    const part = fit(REGRESSION, data, target, {}, { trainRows });
    const whole = gbdt.fit(
      contextOf(
        REGRESSION,
        alone,
        [...trainRows].map((row) => target[row]),
      ),
      PLAIN,
    );
    expect(part.predict(data, trainRows)).toEqual(whole.predict(alone, null));
  });
});
