/** A soft label is a row of each class weighed by its share: every family must agree on that. */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Arena } from "../compute/arena.ts";
import { kernelsOf } from "../compute/kernels.ts";
import { CounterRandom, deriveKey } from "../compute/random.ts";
import { withScratch } from "../compute/scratch.ts";
import { outputCount, type Task } from "../tasks/index.ts";
import { fitForest } from "../trees/forest/fit-forest.ts";
import { goesLeft } from "../trees/forest/testing/reference.ts";
import { encodeBins, randomRows } from "../trees/forest/testing/rows.ts";
import { fit as fitGbdt } from "./gbdt/testing/fit.ts";
import { labelChannels } from "./label-channels.ts";
import { linear } from "./linear/family.ts";
import { contextOf, encodeColumns } from "./linear/testing/data.ts";

const TASKS: readonly Task[] = [
  { kind: "binclass", classes: ["a", "b"] },
  { kind: "multiclass", classes: ["a", "b", "c"] },
];

/** Row-major shares; of two classes the second's alone. */
function softLabels(task: Task, rows: number, seed: number): Float64Array {
  const random = new CounterRandom(deriveKey(seed, "soft"));
  const outputs = outputCount(task);
  if (outputs === 1) return Float64Array.from({ length: rows }, () => random.nextFloat());
  const soft = new Float64Array(rows * outputs);
  for (let row = 0; row < rows; row++) {
    const parts = Array.from({ length: outputs }, () => -Math.log(1 - random.nextFloat()));
    const sum = parts.reduce((a, b) => a + b);
    parts.forEach((part, k) => {
      soft[row * outputs + k] = part / sum;
    });
  }
  return soft;
}

/** One-hot: the soft form of hard labels. */
function oneHot(task: Task, target: Float64Array): Float64Array {
  const outputs = outputCount(task);
  if (outputs === 1) return target.slice();
  return Float64Array.from({ length: target.length * outputs }, (_, at) =>
    Number(target[Math.floor(at / outputs)] === at % outputs),
  );
}

function shareOf(task: Task, soft: Float64Array, row: number, k: number): number {
  if (task.kind === "multiclass") return soft[row * task.classes.length + k];
  return k === 1 ? soft[row] : 1 - soft[row];
}

const rows = 240;
const random = new CounterRandom(deriveKey(4, "cells"));
const cells = [0, 1, 2].map(() => Float64Array.from({ length: rows }, () => random.nextGaussian()));
const hard = (task: Task): Float64Array =>
  Float64Array.from({ length: rows }, (_, i) =>
    Math.min(
      task.classes.length - 1,
      Math.max(0, Math.round(cells[0][i] + 0.5 + random.nextGaussian())),
    ),
  );

describe.each(TASKS)("linear, $kind", (task) => {
  const data = encodeColumns(cells.map((column, i) => ({ name: `x${i}`, cells: column })));
  const parameters = linear.defaults({ rows, task, features: data.features });

  it("learns soft labels as it learns rows of each class weighed by the shares", () => {
    const soft = softLabels(task, rows, 1);
    const classes = task.classes.length;
    const repeated = encodeColumns(
      cells.map((column, i) => ({
        name: `x${i}`,
        cells: Float64Array.from({ length: rows * classes }, (_, at) => column[at % rows]),
      })),
    );
    const target = Float64Array.from({ length: rows * classes }, (_, at) => Math.floor(at / rows));
    const weights = target.map((k, at) => shareOf(task, soft, at % rows, k));
    const settings = { ...parameters, numeric_transform: "none" };
    const expected = linear.fit(contextOf(task, repeated, target, { weights }), settings);
    const found = linear.fit(
      contextOf(task, data, new Float64Array(rows), { softTarget: soft }),
      settings,
    );
    const first = Uint32Array.from({ length: rows }, (_, row) => row);
    const wanted = expected.predict(repeated, first);
    found.predict(data, null).forEach((p, i) => {
      expect(p).toBeCloseTo(wanted[i], 4);
    });
  });

  it("learns one-hot labels as hard ones", () => {
    const target = hard(task);
    const a = linear.fit(contextOf(task, data, target), parameters);
    const b = linear.fit(
      contextOf(
        task,
        data,
        target.map(() => 0),
        { softTarget: oneHot(task, target) },
      ),
      parameters,
    );
    const wanted = a.predict(data, null);
    b.predict(data, null).forEach((p, i) => {
      expect(p).toBeCloseTo(wanted[i], 6);
    });
  });
});

describe.each(TASKS)("gbdt, $kind", (task) => {
  const each = randomRows({ seed: 5, rows, columns: 4, classes: 0, weighted: false, bins: 30 });
  const none = new Float64Array(rows);

  it("learns one-hot labels as hard ones, bit for bit", () => {
    const target = hard(task);
    for (const categorical_encoding of ["native", "ordered_target"]) {
      const settings = { categorical_encoding, max_cat_to_onehot: 1, bagging_fraction: 0.7 };
      const a = fitGbdt(task, each.data, target, settings);
      const b = fitGbdt(task, each.data, none, settings, { softTarget: oneHot(task, target) });
      expect(b.predict(each.data, null)).toEqual(a.predict(each.data, null));
    }
  });

  it("steps from the mean label by Newton's step of the soft loss", () => {
    // Two groups of rows and one split: both leaves can be told by hand.
    const group = Uint8Array.from({ length: rows }, (_, i) => i % 2);
    const data = encodeBins([{ kind: "numeric", valueBins: 2, cells: group }]);
    const soft = softLabels(task, rows, 2);
    const rate = 0.3;
    const model = fitGbdt(
      task,
      data,
      none,
      { n_estimators: 1, num_leaves: 2, learning_rate: rate },
      { softTarget: soft },
    );
    const classes = task.classes.length;
    const mean = (k: number, of: (row: number) => boolean): number => {
      const some = [...group.keys()].filter(of);
      return some.reduce((sum, row) => sum + shareOf(task, soft, row, k), 0) / some.length;
    };
    const factor = task.kind === "multiclass" ? classes / (classes - 1) : 1;
    const found = model.predict(data, null);
    for (const which of [0, 1]) {
      const margins = task.classes.map((_, k) => {
        const base = mean(k, () => true);
        const own = mean(k, (row) => group[row] === which);
        const start = task.kind === "multiclass" ? Math.log(base) : Math.log(base / (1 - base));
        return start + (rate * (own - base)) / (factor * base * (1 - base));
      });
      const exp = margins.map((margin) => Math.exp(margin));
      const wanted =
        task.kind === "multiclass"
          ? exp.map((e) => e / exp.reduce((a, b) => a + b))
          : [1 / (1 + Math.exp(-margins[1]))];
      wanted.forEach((p, k) => {
        expect(found[which * wanted.length + k]).toBeCloseTo(p, 4);
      });
    }
  });

  it("stops early by the soft loss of the rows that it does not learn", () => {
    const soft = softLabels(task, rows, 3);
    const train = Uint32Array.from({ length: 160 }, (_, i) => i);
    const valid = Uint32Array.from({ length: 80 }, (_, i) => 160 + i);
    const model = fitGbdt(
      task,
      each.data,
      none,
      { n_estimators: 60, early_stopping_rounds: 5 },
      { softTarget: soft, trainRows: train, validRows: valid },
    );
    const predicted = model.predict(each.data, valid);
    const outputs = outputCount(task);
    let loss = 0;
    valid.forEach((row, i) => {
      task.classes.forEach((_, k) => {
        const at = i * outputs;
        const p = outputs > 1 ? predicted[at + k] : k === 1 ? predicted[at] : 1 - predicted[at];
        loss -= (shareOf(task, soft, row, k) * Math.log(p)) / valid.length;
      });
    });
    // Leaves are kept in single precision.
    expect(model.facts["validation_loss"]).toBeCloseTo(loss, 5);
  });
});

describe("the soft kernels", () => {
  it("give the softmax's gradients, hessians and loss of shares", () => {
    const arena = Arena.create();
    const kernels = kernelsOf(arena);
    fc.assert(
      fc.property(
        fc.nat(),
        fc.integer({ min: 2, max: 6 }),
        fc.boolean(),
        (seed, classes, weighted) => {
          withScratch(arena, (scratch) => {
            const task: Task = {
              kind: "multiclass",
              classes: Array.from({ length: classes }, (_, k) => `${k}`),
            };
            const draw = new CounterRandom(deriveKey(seed, "scores"));
            const count = 20;
            const soft = softLabels(task, count, seed);
            const scores = Float64Array.from(
              { length: count * classes },
              () => 3 * draw.nextGaussian(),
            );
            const weights = weighted
              ? Float64Array.from({ length: count }, () => draw.nextFloat())
              : null;
            const learned = Uint32Array.from({ length: count }, (_, i) => i).filter(
              (i) => i % 3 > 0,
            );
            const at = {
              rows: scratch.u32(learned),
              scores: scratch.f64(scores),
              targets: scratch.f64(soft),
              weights: weights ? scratch.f64(weights) : 0,
              logSums: scratch.allocate(count * 8),
              gradients: scratch.allocate(count * 8),
              sums: scratch.allocate(16),
            };
            kernels.logSumExp(at.rows, learned.length, at.scores, classes, count, at.logSums);
            const p = (row: number, k: number): number => {
              const all = Array.from({ length: classes }, (_, c) =>
                Math.exp(scores[c * count + row]),
              );
              return all[k] / all.reduce((a, b) => a + b);
            };
            let loss = 0;
            for (let k = 0; k < classes; k++) {
              kernels.softmaxSoftGradients(
                at.rows,
                learned.length,
                at.scores + k * count * 8,
                at.logSums,
                classes,
                k,
                at.targets,
                at.weights,
                at.gradients,
                at.sums,
              );
              const pairs = arena.f32(at.gradients, 2 * count);
              for (const row of learned) {
                const w = weights ? weights[row] : 1;
                expect(pairs[2 * row]).toBeCloseTo(w * (p(row, k) - soft[row * classes + k]), 5);
                expect(pairs[2 * row + 1]).toBeCloseTo(
                  (w * classes * p(row, k) * (1 - p(row, k))) / (classes - 1),
                  5,
                );
                loss -= w * soft[row * classes + k] * Math.log(p(row, k));
              }
            }
            const found = kernels.softmaxSoftLoss(
              at.rows,
              learned.length,
              at.scores,
              classes,
              count,
              at.logSums,
              at.targets,
              at.weights,
            );
            expect(found).toBeCloseTo(loss, 8);
          });
        },
      ),
      { numRuns: 30, seed: 1 },
    );
  });
});

describe("a forest's tree", () => {
  it("cuts soft labels where their impurity falls most, and holds their mean", () => {
    fc.assert(
      fc.property(
        fc.record({
          seed: fc.nat(),
          rows: fc.integer({ min: 4, max: 60 }),
          columns: fc.integer({ min: 1, max: 4 }),
          weighted: fc.boolean(),
          bins: fc.constantFrom(3, 20),
        }),
        fc.constantFrom(2, 3, 5),
        fc.constantFrom(1, 4),
        (shape, classes, minLeaf) => {
          const made = randomRows({ ...shape, classes: 0 });
          const numeric = made.columns.filter(({ kind }) => kind === "numeric");
          fc.pre(numeric.length > 0);
          fc.pre(made.weights === null || made.weights.some((weight) => weight > 0));
          const task: Task = {
            kind: classes > 2 ? "multiclass" : "binclass",
            classes: Array.from({ length: classes }, (_, k) => `${k}`),
          };
          const soft = softLabels(task, shape.rows, shape.seed);
          const trees = fitForest(
            {
              data: encodeBins(numeric),
              target: new Float64Array(shape.rows),
              softTarget: soft,
              classes,
              weights: made.weights,
              trainRows: Uint32Array.from({ length: shape.rows }, (_, row) => row),
              key: deriveKey(1, "soft-forest"),
            },
            {
              trees: 1,
              featureFraction: 1,
              minLeaf,
              maxLeaves: 1_000_000,
              maxDepth: 0,
              randomCuts: false,
              bootstrap: false,
              sampleFraction: 1,
              shrinkage: 0,
            },
          );
          const weightOf = (row: number): number => made.weights?.[row] ?? 1;
          const means = (some: readonly number[]): number[] => {
            const total = some.reduce((sum, row) => sum + weightOf(row), 0);
            return task.classes.map(
              (_, k) =>
                some.reduce((sum, row) => sum + weightOf(row) * shareOf(task, soft, row, k), 0) /
                total,
            );
          };
          // Weight × Gini index of the masses: what is left of it falls by the same amount.
          const purity = (some: readonly number[]): number =>
            some.reduce((sum, row) => sum + weightOf(row), 0) *
            means(some).reduce((sum, share) => sum + share * share, 0);
          const gain = (left: readonly number[], right: readonly number[]): number =>
            purity(left) + purity(right) - purity([...left, ...right]);
          const visit = (node: number, some: readonly number[]): void => {
            const sides = numeric.flatMap(({ cells: column, valueBins }) =>
              Array.from({ length: valueBins }, (_, cut) =>
                [false, true].map(
                  (missingLeft) => (row: number) =>
                    column[row] <= cut || (missingLeft && column[row] === valueBins),
                ),
              ).flat(),
            );
            const best = Math.max(
              -1,
              ...sides.map((goes) => {
                const left = some.filter(goes);
                const right = some.filter((row) => !goes(row));
                return Math.min(left.length, right.length) < minLeaf ? -1 : gain(left, right);
              }),
            );
            const feature = trees.feature[node];
            if (feature < 0) {
              if (some.length >= 2 * minLeaf) expect(best).toBeLessThan(1e-2);
              const wanted = task.kind === "multiclass" ? means(some) : [means(some)[1]];
              wanted.forEach((share, k) => {
                expect(Math.abs(trees.value[node * wanted.length + k] - share)).toBeLessThan(5e-3);
              });
              return;
            }
            const { cells: column, valueBins } = numeric[feature];
            const left = some.filter((row) => goesLeft(trees, node, column[row], valueBins));
            const right = some.filter((row) => !goesLeft(trees, node, column[row], valueBins));
            expect(Math.min(left.length, right.length)).toBeGreaterThanOrEqual(minLeaf);
            // Shares below a thousandth go to the other classes.
            expect(gain(left, right)).toBeGreaterThan(best - 1e-2);
            visit(trees.left[node], left);
            visit(trees.right[node], right);
          };
          visit(
            0,
            [...soft.keys()].filter((row) => row < shape.rows && weightOf(row) > 0),
          );
        },
      ),
      { numRuns: 60, seed: 3 },
    );
  });

  it("draws a row with all its shares, and is a forest of hard labels where they are one-hot", () => {
    const task = TASKS[1];
    const each = randomRows({
      seed: 8,
      rows: 80,
      columns: 3,
      classes: 3,
      weighted: false,
      bins: 20,
    });
    const settings = {
      trees: 5,
      featureFraction: 0.7,
      minLeaf: 2,
      maxLeaves: 1_000_000,
      maxDepth: 0,
      randomCuts: true,
      bootstrap: true,
      sampleFraction: 1,
      shrinkage: 0,
    };
    const input = {
      data: each.data,
      target: each.target,
      classes: 3,
      weights: null,
      trainRows: Uint32Array.from({ length: 80 }, (_, row) => row),
      key: deriveKey(2, "soft-forest"),
    };
    const wanted = fitForest(input, settings);
    const found = fitForest({ ...input, softTarget: oneHot(task, each.target) }, settings);
    expect(found.feature).toEqual(wanted.feature);
    expect(found.splitBin).toEqual(wanted.splitBin);
    found.value.forEach((value, i) => {
      expect(value).toBeCloseTo(wanted.value[i], 9);
    });
  });
});

describe("labelChannels", () => {
  it("gives one array an output", () => {
    const target = Float64Array.of(0, 2);
    const [two, three] = TASKS;
    const soft = Float64Array.of(0.2, 0.3, 0.5, 1, 0, 0);
    expect(labelChannels({ task: two, target, softTarget: null })).toEqual([target]);
    expect(labelChannels({ task: three, target, softTarget: null }).map((c) => [...c])).toEqual([
      [1, 0],
      [0, 0],
      [0, 1],
    ]);
    expect(labelChannels({ task: three, target, softTarget: soft }).map((c) => [...c])).toEqual([
      [0.2, 1],
      [0.3, 0],
      [0.5, 0],
    ]);
  });
});
