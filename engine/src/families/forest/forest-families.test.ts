import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { deriveKey } from "../../compute/random.ts";
import { accuracy } from "../../metrics/accuracy.ts";
import { logLoss } from "../../metrics/log-loss.ts";
import type { Metric } from "../../metrics/metric.ts";
import { rmse } from "../../metrics/rmse.ts";
import { outputCount, type Task, type TaskKind } from "../../tasks/index.ts";
import { encodeBins } from "../../trees/forest/testing/rows.ts";
import { extraTrees } from "../extra_trees/family.ts";
import type { DataShape, FitContext, LoadContext } from "../family.ts";
import { randomForest } from "../random_forest/family.ts";

interface PeerCase {
  readonly task: TaskKind;
  readonly classes: number;
  readonly train: number;
  readonly columns: number[][];
  readonly target: number[];
  readonly random_forest: Readonly<Record<string, number>>;
  readonly extra_trees: Readonly<Record<string, number>>;
}

const cases: PeerCase[] = JSON.parse(
  readFileSync(new URL("./forest-families.fixture.json", import.meta.url), "utf8"),
);
const FAMILIES = [randomForest, extraTrees];

function contextOf(each: PeerCase): FitContext {
  const classes = Array.from({ length: each.classes }, (_, c) => `${c}`);
  const columns = each.columns.map((cells) => {
    return { kind: "numeric", valueBins: 40, cells } as const;
  });
  return {
    task: { kind: each.task, classes },
    data: encodeBins(columns),
    target: Float64Array.from(each.target),
    softTarget: null,
    weights: null,
    trainRows: Uint32Array.from({ length: each.train }, (_, row) => row),
    validRows: null,
    key: deriveKey(1, "forest-families"),
    monotone: {},
  };
}

function shapeOf({ task, data, trainRows }: FitContext): DataShape {
  return { rows: trainRows.length, task, features: data.features };
}

function testRows(each: PeerCase): Uint32Array {
  const count = each.target.length - each.train;
  return Uint32Array.from({ length: count }, (_, i) => each.train + i);
}

function loadContext({ task, data }: FitContext): LoadContext {
  return { task, features: data.features, bins: data.binned?.bins ?? null };
}

const METRICS: Readonly<Record<string, Metric>> = { rmse, accuracy, log_loss: logLoss };

describe.each(cases)("forests on $task", (each) => {
  it.each(FAMILIES)("$id scores with its defaults as scikit-learn's does", (family) => {
    const context = contextOf(each);
    const model = family.fit(context, family.defaults(shapeOf(context)));
    const rows = testRows(each);
    const scored = {
      target: Float64Array.from(rows, (row) => each.target[row]),
      predictions: model.predict(context.data, rows),
      outputs: outputCount(context.task),
      weights: null,
    };
    const peers = family.id === "extra_trees" ? each.extra_trees : each.random_forest;
    for (const [name, peer] of Object.entries(peers)) {
      const score = METRICS[name].score(scored);
      if (METRICS[name].direction === "maximize") expect(score).toBeGreaterThan(peer - 0.02);
      else expect(score).toBeLessThan(peer * 1.03);
    }
    expect(model.importance().reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 12);
    // Five of eight columns matter.
    const [least, most] = [model.importance().slice(5), model.importance().slice(0, 5)];
    expect(Math.min(...most)).toBeGreaterThan(Math.max(...least));
  });

  it.each(FAMILIES)("$id explains predictions that its contributions add up to", (family) => {
    const context = contextOf(each);
    const model = family.fit(context, { n_estimators: 20 });
    const rows = Uint32Array.of(999, 3, 700);
    const outputs = outputCount(context.task);
    const found = model.explain(context.data, rows);
    expect(found.space).toBe("identity");
    expect(found.margins).toEqual(model.predict(context.data, rows));
    for (let i = 0; i < rows.length; i++) {
      for (let k = 0; k < outputs; k++) {
        let sum = found.baseValues[k];
        for (let f = 0; f < 8; f++) sum += found.contributions[(i * 8 + f) * outputs + k];
        expect(Math.abs(sum - found.margins[i * outputs + k])).toBeLessThan(1e-8);
      }
    }
  });

  it.each(FAMILIES)("$id predicts the same after saving and loading", (family) => {
    const context = contextOf(each);
    const model = family.fit(context, { n_estimators: 5 });
    const saved = model.save();
    const header: unknown = JSON.parse(JSON.stringify(saved.header));
    const loaded = family.load({ header, tensors: saved.tensors }, loadContext(context));
    expect(loaded.predict(context.data, null)).toEqual(model.predict(context.data, null));
    expect(loaded.facts).toEqual(model.facts);
    expect(loaded.save()).toEqual(saved);
    expect(model.facts["trees"]).toBe(5);
  });
});

describe.each(FAMILIES)("the shrinkage of $id", (family) => {
  const two = cases.find(({ task }) => task === "binclass") ?? cases[0];
  const validRows = testRows(two);
  const clean: FitContext = { ...contextOf(two), validRows };
  /** Labels that say next to nothing: four of nine are turned round, wherever they lie. */
  const noisy: FitContext = {
    ...clean,
    target: clean.target.map((label, row) => ((row * 7919) % 9 < 4 ? 1 - label : label)),
  };
  const parameters = { ...family.defaults(shapeOf(clean)), n_estimators: 20 };

  it("is what validation rows say, and larger where labels are noisy", () => {
    const [ofClean, ofNoisy] = [clean, noisy].map((context) => {
      const model = family.fit(context, parameters);
      const lossUnder = (predictions: Float64Array): number =>
        logLoss.score({
          ...{ predictions, outputs: 1, weights: null },
          target: Float64Array.from(validRows, (row) => context.target[row]),
        });
      const chosen = Number(model.facts["shrinkage"]);
      const losses = [0.25, 1, 4, 16, 64].map((shrinkage) =>
        lossUnder(
          family.fit(context, { ...parameters, shrinkage }).predict(context.data, validRows),
        ),
      );
      const own = lossUnder(model.predict(context.data, validRows));
      expect(own).toBeCloseTo(Math.min(...losses), 5);
      // What the rows are foretold by is chosen without them, so that they do not flatter it.
      const heldOut = model.predictHeldOut?.() ?? new Float64Array(0);
      expect(lossUnder(heldOut)).toBeGreaterThanOrEqual(own - 1e-9);
      return chosen;
    });
    expect(ofNoisy).toBeGreaterThan(ofClean);
  });

  it("is that of the folds where a fit has no such rows, in the geometric mean", () => {
    const facts = [{ shrinkage: 1 }, { shrinkage: 16 }, { trees: 3 }];
    expect(family.refitParameters(parameters, facts)["shrinkage"]).toBeCloseTo(4, 12);
    expect(family.refitParameters(parameters, [{ trees: 3 }])).toEqual(parameters);
    const given = { ...parameters, shrinkage: 2 };
    expect(family.refitParameters(given, facts)).toEqual(given);
    expect(family.fit(clean, given).facts["shrinkage"]).toBeUndefined();
    expect(family.fit(clean, given).predictHeldOut).toBeUndefined();
  });

  it("is left as it is for students, and chosen for both of two classes", () => {
    const taught = { ...clean, softTarget: clean.target };
    expect(family.fit(taught, parameters).facts["shrinkage"]).toBeUndefined();
    const both: FitContext = { ...noisy, task: { ...noisy.task, kind: "multiclass" } };
    const model = family.fit(both, parameters);
    const single = family.fit(noisy, parameters);
    expect(model.facts["shrinkage"]).toBe(single.facts["shrinkage"]);
    const seconds = model.predictHeldOut?.().filter((_, at) => at % 2 === 1) ?? [];
    for (const [row, share] of (single.predictHeldOut?.() ?? []).entries()) {
      expect(seconds[row]).toBeCloseTo(share, 5);
    }
  });
});

describe.each(FAMILIES)("$id", (family) => {
  const context = contextOf(cases[1]);

  it("keeps defaults and searches within its legal ranges", () => {
    for (const each of cases) {
      for (const rows of [10, 1000, 14_000, 1_000_000]) {
        const shape = { ...shapeOf(contextOf(each)), rows };
        const parameters = family.parameters();
        const defaults = family.defaults(shape);
        const space = family.searchSpace(shape);
        for (const name of Object.keys(parameters)) {
          if (name !== "criterion" && name !== "shrinkage") expect(defaults[name]).toBeDefined();
        }
        const { shrinkage } = defaults;
        expect(shrinkage).toBe(each.task === "regression" ? 0.1 : undefined);
        const { criterion } = defaults;
        expect(criterion).toBe(
          each.task === "regression" ? undefined : rows > 50_000 ? "gini" : "entropy",
        );
        for (const [name, searched] of Object.entries(space)) {
          const legal = parameters[name];
          if (searched.type === "categorical" || legal.type === "categorical") continue;
          expect(searched.low).toBeGreaterThanOrEqual(legal.low);
          expect(searched.high).toBeLessThanOrEqual(legal.high);
          expect(defaults[name]).toBeGreaterThanOrEqual(searched.low);
          expect(defaults[name]).toBeLessThanOrEqual(searched.high);
        }
      }
    }
  });

  it("answers each of two classes where the task does, with the shares that it has for one", () => {
    const two = cases.find(({ task }) => task === "binclass") ?? cases[0];
    const one = contextOf(two);
    const both: FitContext = { ...one, task: { ...one.task, kind: "multiclass" } };
    const parameters = { ...family.defaults(shapeOf(one)), n_estimators: 7 };
    const whole = Float64Array.from({ length: 2 * one.target.length }, (_, at) =>
      Number(one.target[at >> 1] === at % 2),
    );
    for (const [share, softTarget] of [
      [null, null],
      [one.target, whole],
    ]) {
      const single = family.fit({ ...one, softTarget: share }, parameters);
      const seconds = single.predict(one.data, null);
      const model = family.fit({ ...both, softTarget }, parameters);
      const found = model.predict(both.data, null);
      expect(found).toHaveLength(2 * seconds.length);
      for (const [row, second] of seconds.entries()) {
        expect(found[2 * row]).toBeCloseTo(1 - second, 6);
        expect(found[2 * row + 1]).toBeCloseTo(second, 6);
      }
      const saved = model.save();
      const header: unknown = JSON.parse(JSON.stringify(saved.header));
      const loaded = family.load({ header, tensors: saved.tensors }, loadContext(both));
      expect(loaded.predict(both.data, null)).toEqual(found);
      const { baseValues, contributions } = model.explain(both.data, Uint32Array.of(3));
      for (const k of [0, 1]) {
        let sum = baseValues[k];
        for (let at = k; at < contributions.length; at += 2) sum += contributions[at];
        expect(sum).toBeCloseTo(found[2 * 3 + k], 6);
      }
    }
  });

  it("names the parameter that it cannot take", () => {
    expect(() => family.fit(context, { trees: 3 })).toThrow(/no parameter "trees"; it has n_est/);
    expect(() => family.fit(context, { max_features: 2 })).toThrow(
      /"max_features" cannot be 2; it is a number from 0.001 to 1/,
    );
    expect(() => family.fit(context, { min_samples_leaf: 1.5 })).toThrow(
      /"min_samples_leaf" cannot be 1.5/,
    );
    expect(() => family.fit(context, { bootstrap: "yes" })).toThrow(/one of true, false/);
  });

  it("refuses monotone constraints rather than break them", () => {
    expect(() => family.fit({ ...context, monotone: { f3: 1 } }, {})).toThrow(/f3 monotone; gbdt/);
  });

  it("says what is wrong with a damaged or newer model", () => {
    const saved = family.fit(context, { n_estimators: 2 }).save();
    const load = (header: unknown, tensors = saved.tensors) =>
      family.load({ header, tensors }, loadContext(context));
    expect(() => load({ version: 2, facts: {} })).toThrow(/version 2; this release reads/);
    expect(() => load(null)).toThrow(/has no version/);
    expect(() => load({ version: 1 })).toThrow(/no facts/);
    const short = { ...saved.tensors, leaf_value: new Float64Array(3) };
    expect(() => load(saved.header, short)).toThrow(/"leaf_value" has 3 entries/);
    const { base: _, ...baseless } = saved.tensors;
    expect(() => load(saved.header, baseless)).toThrow(/"base" needs one finite number/);
    const task: Task = { kind: "multiclass", classes: ["a", "b", "c"] };
    expect(() => family.load(saved, { ...loadContext(context), task })).toThrow(
      /stored .* damaged/,
    );
  });

  it("learns from rows with one class, one row, and constant features", () => {
    const one = { ...context, trainRows: Uint32Array.of(4) };
    expect([
      ...family.fit(one, { n_estimators: 3 }).predict(context.data, Uint32Array.of(9)),
    ]).toEqual([expect.closeTo(context.target[4], 12)]);
    const flat = { ...context, target: new Float64Array(context.target.length).fill(1) };
    const model = family.fit(flat, { n_estimators: 3 });
    expect(model.predict(context.data, Uint32Array.of(0))[0]).toBeCloseTo(1, 12);
    expect([...model.importance()]).toEqual(new Array(8).fill(0));
  });
});
