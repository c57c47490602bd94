import { describe, expect, it } from "vitest";
import { Arena } from "../../compute/arena.ts";
import { kernelsOf } from "../../compute/kernels.ts";
import { CounterRandom, deriveKey } from "../../compute/random.ts";
import { Scratch } from "../../compute/scratch.ts";
import type { EncodedData } from "../../data/encoded.ts";
import * as layout from "../../kernels/assembly/shapes/layout.ts";
import { outputCount } from "../../tasks/index.ts";
import { encodeBins } from "../../trees/forest/testing/rows.ts";
import { predictTrees } from "../../trees/predictor.ts";
import { FitLimits } from "../fit-limits.ts";
import { BINCLASS, contextOf, MULTICLASS, REGRESSION } from "../gbdt/testing/fit.ts";
import { gam } from "./family.ts";
import { gridLines, strongestPairs } from "./pairs.ts";

const ROWS = 900;
const random = new CounterRandom(deriveKey(3, "gam"));
const draw = (bound: number): Uint8Array =>
  Uint8Array.from({ length: ROWS }, () => random.nextInteger(bound));
/** The last bin is the missing one. */
const columns = [
  { kind: "numeric", valueBins: 40, cells: draw(41) },
  { kind: "numeric", valueBins: 30, cells: draw(30) },
  { kind: "categorical", valueBins: 6, cells: draw(7) },
  { kind: "categorical", valueBins: 200, cells: draw(200) },
] as const;
const data: EncodedData = encodeBins(columns);
const signal = Float64Array.from({ length: ROWS }, (_, i) => {
  const [x, z, kind] = columns.map(({ cells }) => cells[i]);
  const bend = x === 40 ? 2 : Math.sin(x / 6);
  return 2 * bend + (x > 20 === z > 15 ? 1.5 : -1.5) + [0, 1, -1, 0.5, 0, 2, -2][kind];
});
const noise = Float64Array.from({ length: ROWS }, () => random.nextGaussian());
const targets = {
  regression: signal.map((value, i) => 100 + 10 * (value + 0.5 * noise[i])),
  binclass: signal.map((value, i) => Number(value + noise[i] > 0.5)),
  multiclass: signal.map(
    (value, i) => Number(value + noise[i] > -0.5) + Number(value + noise[i] > 1.5),
  ),
};
const train = Uint32Array.from({ length: 600 }, (_, i) => i);
const valid = Uint32Array.from({ length: 300 }, (_, i) => 600 + i);
const CASES = [
  { task: REGRESSION, target: targets.regression },
  { task: BINCLASS, target: targets.binclass },
  { task: MULTICLASS, target: targets.multiclass },
];

it.each([4, 38])(
  "keeps the rounds before steps run away, of weights many orders apart: %i",
  (seed) => {
    const own = new CounterRandom(deriveKey(seed, "weights"));
    const weights = Float64Array.from(targets.multiclass, () => {
      return [0, 1, 1, 2.5, 1e-3, 1e6][own.nextInteger(6)] ?? 1;
    });
    const context = contextOf(MULTICLASS, data, targets.multiclass, {
      ...{ trainRows: train.slice(0, 90), validRows: train.slice(90, 120), weights },
    });
    const shape = { rows: 120, task: MULTICLASS, features: data.features };
    const model = gam.fit(context, { ...gam.defaults(shape), n_estimators: 1000 });
    expect(Number(model.facts["validation_loss"])).toBeLessThan(Number.POSITIVE_INFINITY);
    expect(model.predict(data, valid).every(Number.isFinite)).toBe(true);
  },
);

it("gives a feature of a pair the lines that the other one has no use for", () => {
  expect(gridLines(256, 256)).toEqual([32, 32]);
  expect(gridLines(106, 7)).toEqual([128, 32]);
  expect(gridLines(22, 106)).toEqual([32, 46]);
  expect(gridLines(256, 2)).toEqual([128, 32]);
  const rows = Uint8Array.from({ length: 400 }, (_, i) => i % 100);
  const kinds = Uint8Array.from({ length: 400 }, (_, i) => (i >> 2) % 4);
  const factsOf = (feature: number, bins: number) => ({
    ...({ feature, kind: "numeric", values: new Float64Array(bins + 1) } as const),
    covers: new Float64Array(bins + 1).fill(1),
  });
  const gradients = Float64Array.from(rows, (bin, i) => (bin > 49 === kinds[i] > 1 ? 1 : -1));
  const [pair] = strongestPairs(
    [factsOf(0, 100), factsOf(1, 4)],
    {
      ...{ gradients, hessians: new Float64Array(400).fill(1), outputs: 1 },
      binsOf: (feature) => (feature === 0 ? rows : kinds),
    },
    1,
  );
  expect([pair.height, pair.width]).toEqual([101, 5]);
});

describe.each(CASES)("gam, $task.kind", ({ task, target }) => {
  const context = contextOf(task, data, target, { trainRows: train, validRows: valid });
  const defaults = gam.defaults({ rows: ROWS, task, features: data.features });
  const parameters = { ...defaults, n_estimators: 150, pair_rounds: 60, pairs: 2, bags: 5 };
  const model = gam.fit(context, parameters);
  const outputs = outputCount(task);

  it("learns shapes, and the pair that interacts", () => {
    const constant = gam.fit(context, { ...parameters, n_estimators: 1, pairs: 0 });
    const loss = Number(model.facts["validation_loss"]);
    expect(loss).toBeLessThan(0.75 * Number(constant.facts["validation_loss"]));
    const [x, , kind, many] = model.importance();
    expect(x).toBeGreaterThan(0.3);
    expect(kind).toBeGreaterThan(0.1);
    // 200 categories of three rows each say nothing.
    expect(many).toBeLessThan(0.1);
    const { terms } = model.save().header as { terms: { features: number[] }[] };
    expect(terms.slice(4).map(({ features }) => features)).toContainEqual([0, 1]);
  });

  it("explains each prediction to the last bit of its terms", () => {
    const { baseValues, contributions, margins } = model.explain(data, valid);
    for (let at = 0; at < margins.length; at++) {
      let sum = baseValues[at % outputs];
      for (let f = 0; f < 4; f++) {
        sum += contributions[(Math.floor(at / outputs) * 4 + f) * outputs + (at % outputs)];
      }
      expect(sum).toBeCloseTo(margins[at], 9);
    }
    // Over the learned rows each feature's part has mean 0, whatever weight bags gave them.
    const learned = model.explain(data, train).contributions;
    for (let f = 0; f < 4; f++) {
      let sum = 0;
      for (let i = 0; i < 600; i++) sum += learned[(i * 4 + f) * outputs];
      expect(Math.abs(sum / 600)).toBeLessThan(task === REGRESSION ? 0.5 : 0.05);
    }
  });

  it("is the sum of its trees", () => {
    const formula = model.formula?.(data.features);
    if (formula?.kind !== "trees") throw new Error("It has no trees.");
    const sums = predictTrees(formula.trees, data, null, formula.base);
    model.explain(data, null).margins.forEach((margin, i) => {
      expect(sums[i]).toBeCloseTo(margin, 5);
    });
  });

  it("comes back as it was saved, and says what is damaged", () => {
    const saved = model.save();
    const place = { task, features: data.features, bins: data.binned?.bins ?? null };
    const header: unknown = JSON.parse(JSON.stringify(saved.header));
    const again = gam.load({ header, tensors: saved.tensors }, place);
    expect(again.predict(data, null)).toEqual(model.predict(data, null));
    expect(again.explain(data, valid)).toEqual(model.explain(data, valid));
    const values = new Float64Array(3);
    expect(() => gam.load({ header, tensors: { ...saved.tensors, values } }, place)).toThrow(
      /"values" needs/,
    );
  });

  it("gives equal bits again, and those of a rerun by the number of its rounds", () => {
    expect(gam.fit(context, parameters).save()).toEqual(model.save());
    const limits = new FitLimits({ iterations: 7 });
    const short = gam.fit({ ...context, limits }, parameters);
    expect(short.facts["rounds"]).toBe(7);
    expect(limits.cutAt).toBe(7);
    expect(short.facts["pairs"]).toBe(0);
  });

  it("predicts held-out rows without their own say", () => {
    const own = model.predictHeldOut?.();
    const plain = model.predict(data, valid);
    expect(own?.length).toBe(plain.length);
    const away = own?.reduce((sum, value, i) => sum + Math.abs(value - plain[i]), 0) ?? 0;
    expect(away / plain.length).toBeLessThan(task === REGRESSION ? 3 : 0.05);
  });

  if (task.classes.length > 0) {
    it("learns one-hot labels as hard ones", () => {
      const soft = Float64Array.from({ length: ROWS * outputs }, (_, at) => {
        const label = target[Math.floor(at / outputs)];
        return outputs === 1 ? label : Number(label === at % outputs);
      });
      const none = new Float64Array(ROWS);
      const same = gam.fit({ ...context, target: none, softTarget: soft }, parameters);
      expect(same.predict(data, valid)).toEqual(model.predict(data, valid));
    });
  }
});

it("keeps monotone constraints, beside which no pair is", () => {
  const context = contextOf(REGRESSION, data, targets.regression, { monotone: { f0: -1 } });
  const model = gam.fit(context, { n_estimators: 60, bags: 3, pairs: 3, pair_rounds: 5 });
  const along = encodeBins(
    columns.map(({ kind, valueBins }, f) => ({
      kind,
      valueBins,
      cells: Uint8Array.from({ length: 40 }, (_, i) => (f === 0 ? i : 0)),
    })),
  );
  const said = model.predict(along, null);
  for (let i = 1; i < 40; i++) expect(said[i]).toBeLessThanOrEqual(said[i - 1] + 1e-9);
  expect(said[39]).toBeLessThan(said[0]);
});

it("sums gradients as one would by hand", () => {
  const scratch = new Scratch(Arena.attach(data.arena));
  const { arena } = scratch;
  const bags = 6;
  const [groups, cells] = [2, 41];
  const rows = Uint32Array.from({ length: 300 }, (_, i) => 3 * i);
  const masks = rows.map(() => random.nextInteger(2 ** bags));
  const weights = Float32Array.from(rows, () => Math.fround(random.nextFloat()));
  const scores = Float32Array.from({ length: 300 * groups * 4 }, () => random.nextGaussian());
  const pointers = {
    scores: scratch.allocate(scores.length * 4),
    targets: scratch.allocate(1200),
    weights: scratch.allocate(1200),
    nibbles: scratch.allocate(256),
    partial: scratch.allocate(cells * groups * 32),
    totals: scratch.allocate(cells * groups * 64),
    softmax: scratch.allocate(16),
  };
  arena.f32(pointers.scores, scores.length).set(scores);
  arena.f32(pointers.targets, 300).set(Array.from(rows, (row) => targets.binclass[row]));
  arena.f32(pointers.weights, 300).set(weights);
  arena
    .f32(pointers.nibbles, 64)
    .set(Array.from({ length: 64 }, (_, at) => ((at >> 2) >> (at & 3)) & 1));
  kernelsOf(arena).shapePass(
    ...([scratch.u32(rows), 300, 0, 0, 0, data.binned?.columnMajor ?? 0, 0, cells] as const),
    ...([pointers.partial, pointers.totals, pointers.scores, pointers.targets] as const),
    ...([pointers.weights, scratch.u32(masks), pointers.nibbles, groups, 1] as const),
    ...([layout.LOGISTIC, pointers.softmax] as const),
  );
  const found = arena.f64(pointers.totals, cells * groups * 8).slice();
  const wanted = new Float64Array(found.length);
  for (const [i, row] of rows.entries()) {
    for (let bag = 0; bag < bags; bag++) {
      if (((masks[i] >> bag) & 1) === 0) continue;
      const p = 1 / (1 + Math.exp(-scores[(i * groups + (bag >> 2)) * 4 + (bag & 3)]));
      const at = (columns[0].cells[row] * groups + (bag >> 2)) * 8 + (bag & 3);
      wanted[at] += weights[i] * (p - targets.binclass[row]);
      wanted[at + 4] += weights[i] * p * (1 - p);
    }
  }
  scratch.release();
  wanted.forEach((value, at) => {
    expect(found[at]).toBeCloseTo(value, 4);
  });
  expect(wanted.some((value) => value !== 0)).toBe(true);
});

it("finds the pair whose product the labels are", () => {
  const bins = [0, 1, 2].map(() => draw(20));
  const facts = bins.map((_, feature) => ({
    ...{ feature, kind: "numeric" as const, values: new Float64Array(21) },
    covers: Float64Array.from({ length: 21 }, (_, bin) => (bin < 20 ? 45 : 0)),
  }));
  const gradients = Float64Array.from(
    noise,
    (value, i) => 0.5 * value - (bins[0][i] > 9 === bins[2][i] > 9 ? 1 : -1),
  );
  const rows = {
    ...{ gradients, hessians: new Float64Array(ROWS).fill(1), outputs: 1 },
    binsOf: (feature: number) => bins[feature],
  };
  const [best] = strongestPairs(facts, rows, 1);
  expect(best.features).toEqual([0, 2]);
  expect([best.height, best.width]).toEqual([21, 21]);
});
