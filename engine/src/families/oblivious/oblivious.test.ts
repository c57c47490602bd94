import { describe, expect, it } from "vitest";
import { Arena } from "../../compute/arena.ts";
import { kernelsOf } from "../../compute/kernels.ts";
import { CounterRandom, deriveKey } from "../../compute/random.ts";
import { withScratch } from "../../compute/scratch.ts";
import { outputCount, type Task } from "../../tasks/index.ts";
import { encodeBins, randomColumns } from "../../trees/testing/random-bins.ts";
import type { FitContext, FittedModel } from "../family.ts";
import { allRows, BINCLASS, contextOf, MULTICLASS, REGRESSION } from "../gbdt/testing/fit.ts";
import { oblivious } from "./family.ts";
import { obliviousLoader } from "./loader.ts";

const QUANTILES: Task = { kind: "quantile_regression", classes: [], quantiles: [0.1, 0.5, 0.9] };
const TASKS: readonly Task[] = [REGRESSION, BINCLASS, MULTICLASS, QUANTILES];
const ROWS = 300;

/** Numbers and categories with missing cells; what is predicted depends on the first two columns. */
function scene(task: Task): FitContext {
  const random = new CounterRandom(deriveKey(3, "scene"));
  const columns = randomColumns(21, ROWS, 5, { categorical: true, missing: true });
  const data = encodeBins(columns);
  const target = Array.from({ length: ROWS }, (_, row) => {
    const value = columns[0].bins[row] / columns[0].valueBins + Number(columns[1].bins[row] < 2);
    const noisy = value + 0.2 * random.nextGaussian();
    return task.classes.length === 0
      ? noisy
      : Math.max(0, Math.min(task.classes.length - 1, Math.floor(noisy * 1.5)));
  });
  const rows = allRows(ROWS);
  return contextOf(task, data, target, {
    trainRows: rows.filter((row) => row % 4 !== 0),
    validRows: rows.filter((row) => row % 4 === 0),
  });
}

const small = { n_estimators: 30, early_stopping_rounds: 5, learning_rate: 0.2 };
const bytesOf = (model: FittedModel): string => {
  const { header, tensors } = model.save();
  const arrays = Object.entries(tensors).map(([name, array]) => [name, ...array]);
  return JSON.stringify([header, arrays]);
};

describe.each(TASKS)("oblivious for $kind", (task) => {
  const context = scene(task);
  const model = oblivious.fit(context, small);
  const outputs = outputCount(task);

  it("learns, and says what rows held out would be told without their say", () => {
    expect(model.facts["best_iteration"]).toBeGreaterThan(1);
    const held = model.predictHeldOut?.() ?? model.predict(context.data, context.validRows);
    expect(held).toHaveLength(context.validRows!.length * outputs);
    const { values } = model.curve!;
    expect(Math.min(...values)).toBeLessThan(0.95 * values[0]);
  });

  it("is the same bytes every time, and others under another key", () => {
    expect(bytesOf(oblivious.fit(context, small))).toBe(bytesOf(model));
    const other = oblivious.fit({ ...context, key: deriveKey(9, "other") }, small);
    expect(bytesOf(other)).not.toBe(bytesOf(model));
  });

  it("predicts the same once it is loaded, and explains what it predicts", () => {
    const { data } = context;
    const place = { task, features: data.features, bins: data.binned!.bins };
    const loaded = obliviousLoader.load(model.save(), { ...place, arena: data.arena });
    expect(loaded.predict(data, null)).toEqual(model.predict(data, null));
    const { baseValues, contributions, margins } = loaded.explain(data, null);
    const features = data.features.length;
    for (let row = 0; row < ROWS; row++) {
      for (let k = 0; k < outputs; k++) {
        let sum = baseValues[k];
        for (let f = 0; f < features; f++) sum += contributions[(row * features + f) * outputs + k];
        expect(sum).toBeCloseTo(margins[row * outputs + k], 6);
      }
    }
  });

  it("names what is damaged", () => {
    const { data } = context;
    const saved = model.save();
    const place = { task, features: data.features, bins: data.binned!.bins };
    const tensors = { ...saved.tensors, base: new Float64Array(outputs + 1) };
    expect(() => obliviousLoader.load({ ...saved, tensors }, place)).toThrow(/oblivious.*"base"/);
  });
});

describe("oblivious", () => {
  it("has trees of which each level asks one question", () => {
    const context = scene(REGRESSION);
    const formula = oblivious.fit(context, { ...small, depth: 3 }).formula!(context.data.features);
    if (formula.kind !== "trees") throw new Error("These are trees.");
    const { treeStarts, feature, splitBin, isCategorical, missingLeft, categorySets } =
      formula.trees;
    for (let tree = 0; tree + 1 < treeStarts.length; tree++) {
      const questions = new Set<string>();
      for (let node = treeStarts[tree]; node < treeStarts[tree + 1]; node++) {
        if (feature[node] < 0) continue;
        const at = splitBin[node];
        const side = isCategorical[node] ? categorySets.slice(at * 8, at * 8 + 8) : [at];
        questions.add([feature[node], missingLeft[node], ...side].join());
      }
      expect(questions.size).toBeLessThanOrEqual(3);
    }
  });

  const many = (() => {
    const random = new CounterRandom(deriveKey(5, "many"));
    const bins = Array.from({ length: 600 }, () => random.nextInteger(100));
    const effects = Array.from({ length: 100 }, () => random.nextGaussian());
    const data = encodeBins([{ kind: "categorical", valueBins: 100, bins }]);
    const target = bins.map((bin) => effects[bin] + 0.1 * random.nextGaussian());
    return contextOf(REGRESSION, data, target);
  })();
  /** Categories that each split sends to its smaller side. */
  const sizesOf = (model: FittedModel): number[] => {
    const formula = model.formula!(many.data.features);
    if (formula.kind !== "trees") throw new Error("These are trees.");
    const { feature, splitBin, categorySets } = formula.trees;
    return [...feature.keys()].flatMap((node) => {
      if (feature[node] < 0) return [];
      const words = categorySets.slice(splitBin[node] * 8, splitBin[node] * 8 + 8);
      const bits = Array.from(words, (word) => word.toString(2).replaceAll("0", "").length);
      const left = bits.reduce((sum, count) => sum + count, 0);
      return [Math.min(left, 100 - left)];
    });
  };

  it.each([
    ["native", (sizes: number[]) => sizes.every((size) => size <= 1)],
    ["ordered_target", (sizes: number[]) => sizes.some((size) => size > 10)],
    ["both", (sizes: number[]) => sizes.some((size) => size > 10) && sizes.includes(1)],
  ])("asks for many categories one by one, by statistics, or by both (%s)", (encoding, isSo) => {
    const given = { ...small, n_estimators: 60, categorical_encoding: encoding };
    const model = oblivious.fit(many, given);
    const said = model.predict(many.data, null);
    const { target } = many;
    const error = target.reduce((sum, value, row) => sum + (value - said[row]) ** 2, 0);
    const spread = target.reduce((sum, value) => sum + value ** 2, 0);
    expect(error).toBeLessThan(0.6 * spread);
    expect(isSo(sizesOf(model))).toBe(true);
    // Of few there are no statistics.
    const few = oblivious.fit(many, { ...given, max_cat_to_onehot: 100 });
    expect(sizesOf(few).every((size) => size <= 1)).toBe(true);
  });

  it("has statistics by default where categories have few rows, and searches for the best", () => {
    const categories = Array.from({ length: 100 }, (_, k) => `c${k}`);
    const shape = (rows: number, count: number) => ({
      rows,
      task: REGRESSION,
      features: [
        { kind: "categorical", name: "c", column: "c", categories: categories.slice(0, count) },
      ] as const,
    });
    const encodingOf = (rows: number, count: number) =>
      oblivious.defaults(shape(rows, count))["categorical_encoding"];
    expect([encodingOf(499, 100), encodingOf(500, 100), encodingOf(100, 64)]).toEqual([
      "both",
      "native",
      "native",
    ]);
    const searched = (count: number) => Object.keys(oblivious.searchSpace(shape(500, count)));
    expect(searched(65)).toContain("categorical_encoding");
    expect(searched(64)).not.toContain("categorical_encoding");
  });

  it("names a parameter that it does not have, and one that is out of range", () => {
    const context = scene(REGRESSION);
    expect(() => oblivious.fit(context, { num_leaves: 3 })).toThrow(/"num_leaves"/);
    expect(() => oblivious.fit(context, { depth: 40 })).toThrow(/"depth".*from 1 to 10/);
  });
});

describe("gradients that are drawn", () => {
  it("are those of so many of the rows, others weigh nothing", () => {
    const arena = Arena.create();
    const rows = 4000;
    withScratch(arena, (scratch) => {
      const list = scratch.u32(allRows(rows));
      const gradients = scratch.allocate(rows * 8);
      const drawn = scratch.allocate(rows * 8);
      const sums = scratch.allocate(32);
      const weights = scratch.f64(Float64Array.from({ length: rows }, (_, row) => row % 3));
      const given = arena.f32(gradients, 2 * rows);
      given.forEach((_, i) => {
        given[i] = (i % 7) - 3;
      });
      const draw = (threshold: number) => {
        kernelsOf(arena).drawGradients(
          list,
          rows,
          gradients,
          weights,
          threshold,
          5,
          6,
          drawn,
          sums,
        );
        return { pairs: [...arena.f32(drawn, 2 * rows)], sums: [...arena.f64(sums, 4)] };
      };
      const own = allRows(rows);
      const all = draw(2 ** 16);
      own.forEach((row) => {
        expect(all.pairs[2 * row]).toBe(given[2 * row]);
        expect(all.pairs[2 * row + 1]).toBe(row % 3);
      });
      const some = draw(0.7 * 2 ** 16);
      let [gradientSum, weightSum, squares, kept] = [0, 0, 0, 0];
      own.forEach((row) => {
        const weight = some.pairs[2 * row + 1];
        gradientSum += Math.abs(some.pairs[2 * row]);
        weightSum += weight;
        if (row % 3 === 0) return;
        squares += given[2 * row] ** 2 / (row % 3);
        if (weight === 0) expect(some.pairs[2 * row]).toBe(0);
        else kept++;
      });
      expect(some.sums).toEqual([gradientSum, weightSum, squares, all.sums[1]]);
      expect(some.sums.slice(2)).toEqual(all.sums.slice(2));
      expect(kept / ((2 / 3) * rows)).toBeCloseTo(0.7, 1);
    });
  });
});
