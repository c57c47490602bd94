import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { Arena } from "../../compute/arena.ts";
import { CounterRandom, deriveKey } from "../../compute/random.ts";
import type { EncodedData, Feature } from "../../data/encoded.ts";
import { DataError } from "../../data/table.ts";
import type { ParameterValue } from "../../search/space.ts";
import { outputCount, type Task } from "../../tasks/index.ts";
import type { FitContext } from "../family.ts";
import { linear } from "./family.ts";
import { NUMERIC_TRANSFORMS } from "./numeric-transform.ts";
import { usualColumns } from "./parameters.ts";
import { allRows, contextOf, encodeColumns } from "./testing/data.ts";

const TASKS = [
  { kind: "regression", classes: [] },
  { kind: "binclass", classes: ["no", "yes"] },
  { kind: "multiclass", classes: ["a", "b", "c"] },
] as const satisfies readonly Task[];

function parametersFor(context: FitContext, changes: Record<string, ParameterValue> = {}) {
  const shape = {
    rows: context.trainRows.length,
    task: context.task,
    features: context.data.features,
  };
  return { ...linear.defaults(shape), ...changes };
}

/** Numbers with gaps, small integers, few and many categories, with a target that they explain. */
function mixedData(rows: number, seed: number): { data: EncodedData; signal: Float64Array } {
  const random = new CounterRandom(deriveKey(seed, "mixed"));
  const draw = (make: () => number) => Float64Array.from({ length: rows }, make);
  const a = draw(() => random.nextGaussian() * 1e3 + 5e3);
  const gaps = draw(() =>
    random.nextFloat() < 0.1 ? Number.NaN : Math.exp(random.nextGaussian()),
  );
  const month = draw(() => 1 + random.nextInteger(12));
  const few = draw(() => random.nextInteger(4) - 1);
  const many = draw(() => random.nextInteger(80));
  const constant = draw(() => 7);
  const data = encodeColumns([
    { name: "a", cells: a },
    { name: "gaps", cells: gaps },
    { name: "month", cells: month },
    {
      name: "few",
      cells: few.map((code) => (code < 0 ? Number.NaN : code)),
      categories: ["x", "y", "z"],
    },
    { name: "many", cells: many, categories: Array.from({ length: 80 }, (_, k) => `k${k}`) },
    { name: "constant", cells: constant },
  ]);
  const signal = draw(() => 0.3 * random.nextGaussian());
  for (let i = 0; i < rows; i++) {
    signal[i] += (a[i] - 5e3) / 1e3 + (Number.isNaN(gaps[i]) ? 1 : 0.5 * gaps[i]);
    signal[i] += Math.sin(month[i]) + few[i] + (many[i] % 7) / 3 - 3;
  }
  return { data, signal };
}

function targetOf(task: Task, signal: Float64Array): Float64Array {
  if (task.kind === "regression") return signal.map((value) => 1000 + 50 * value);
  if (task.kind === "binclass") return signal.map((value) => (value > 0 ? 1 : 0));
  return signal.map((value) => (value > 1 ? 2 : value > -1 ? 1 : 0));
}

const each = TASKS.flatMap((task) =>
  NUMERIC_TRANSFORMS.flatMap((transform) =>
    ["l2", "elastic_net"].map((regularization) => ({
      name: `${task.kind}, ${transform}, ${regularization}`,
      task,
      changes: { numeric_transform: transform, regularization, l1_ratio: 0.5, penalty: 0.01 },
    })),
  ),
);

describe.each(each)("linear: $name", ({ task, changes }) => {
  const { data, signal } = mixedData(300, 1);
  const context = contextOf(task, data, targetOf(task, signal), {
    trainRows: allRows(300).filter((row) => row % 4 !== 0),
  });
  const model = linear.fit(context, parametersFor(context, changes));
  const predictions = model.predict(data, null);

  it("learns the signal", () => {
    const outputs = outputCount(task);
    const target = context.target;
    let right = 0;
    let square = 0;
    let plain = 0;
    for (let i = 0; i < 300; i += 4) {
      if (task.kind === "regression") {
        square += (predictions[i] - target[i]) ** 2;
        plain += (1000 - target[i]) ** 2;
      } else if (task.kind === "binclass") {
        right += Number(predictions[i] > 0.5) === target[i] ? 1 : 0;
      } else {
        const row = [...predictions.subarray(i * outputs, (i + 1) * outputs)];
        right += row.indexOf(Math.max(...row)) === target[i] ? 1 : 0;
        expect(row.reduce((sum, p) => sum + p, 0)).toBeCloseTo(1, 12);
      }
    }
    if (task.kind === "regression") expect(square / plain).toBeLessThan(0.25);
    else expect(right / 75).toBeGreaterThan(task.kind === "binclass" ? 0.8 : 0.65);
  });

  it("gives rows together the bits of each by itself", () => {
    const outputs = outputCount(task);
    const { data: odd } = mixedData(1100, 2);
    const arena = Arena.attach(odd.arena);
    const random = new CounterRandom(deriveKey(3, "odd"));
    const cells = arena.f64(odd.values ?? 0, odd.rows * odd.features.length);
    const strange = [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, -0, 1e308, 7];
    for (let i = 0; i < cells.length; i++) {
      if (random.nextFloat() < 0.05) cells[i] = strange[random.nextInteger(strange.length)];
    }
    const alone = Array.from({ length: odd.rows }, (_, row) => [
      ...model.predict(odd, Uint32Array.of(row)),
    ]);
    for (const count of [1, 2, 7, 16, 17, 64, 511, 513, 1000, null]) {
      const rows =
        count === null
          ? null
          : Uint32Array.from({ length: count }, () => random.nextInteger(odd.rows));
      const together = model.predict(odd, rows);
      const order = rows ?? allRows(odd.rows);
      expect(together.length).toBe(order.length * outputs);
      const same = together.every((value, at) =>
        Object.is(value, alone[order[Math.floor(at / outputs)]][at % outputs]),
      );
      expect(same, `${count} rows`).toBe(true);
    }
    expect(alone.flat().every(Number.isFinite)).toBe(true);
    const { contributions, margins } = model.explain(odd, null);
    expect(contributions.every(Number.isFinite) && margins.every(Number.isFinite)).toBe(true);
  });

  it("explains predictions by contributions that add up to them", () => {
    const rows = Uint32Array.of(0, 3, 17, 255);
    const { space, baseValues, contributions, margins } = model.explain(data, rows);
    const outputs = outputCount(task);
    const features = data.features.length;
    const some = model.predict(data, rows);
    rows.forEach((row, i) => {
      const own = margins.subarray(i * outputs, (i + 1) * outputs);
      const most = Math.max(...own);
      const sum = own.reduce((total, margin) => total + Math.exp(margin - most), 0);
      for (let k = 0; k < outputs; k++) {
        let total = baseValues[k];
        for (let f = 0; f < features; f++) {
          total += contributions[(i * features + f) * outputs + k];
        }
        const at = i * outputs + k;
        expect(Math.abs(total - margins[at])).toBeLessThanOrEqual(1e-9);
        const implied =
          space === "identity"
            ? margins[at]
            : space === "logit"
              ? 1 / (1 + Math.exp(-margins[at]))
              : Math.exp(margins[at] - most) / sum;
        expect(Math.abs(implied - some[at])).toBeLessThanOrEqual(1e-12 * Math.max(1, implied));
        expect(some[at]).toBe(predictions[row * outputs + k]);
      }
    });
  });

  it("has contributions with mean 0 over the training rows, of numbers and one-hot columns", () => {
    const { contributions } = model.explain(data, context.trainRows);
    const outputs = outputCount(task);
    const features = data.features.length;
    for (const f of [0, 1, 2, 3, 5]) {
      for (let k = 0; k < outputs; k++) {
        let sum = 0;
        for (let i = 0; i < context.trainRows.length; i++) {
          sum += contributions[(i * features + f) * outputs + k];
        }
        expect(Math.abs(sum / context.trainRows.length)).toBeLessThan(1e-9);
      }
    }
  });

  it("shares its importance out, none to a constant", () => {
    const importance = model.importance();
    expect(importance.reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 12);
    expect(Math.min(...importance)).toBe(0);
    expect(importance[5]).toBe(0);
    expect(importance[0]).toBeGreaterThan(0.05);
  });

  it("is the same after saving and loading, and when fitted again", () => {
    const saved = model.save();
    const loaded = linear.load(
      { header: JSON.parse(JSON.stringify(saved.header)), tensors: saved.tensors },
      { task, features: data.features, bins: null },
    );
    expect(loaded.predict(data, null)).toEqual(predictions);
    expect(loaded.explain(data, null)).toEqual(model.explain(data, null));
    expect(loaded.importance()).toEqual(model.importance());
    expect(JSON.stringify(loaded.save())).toBe(JSON.stringify(saved));
    const again = linear.fit(context, parametersFor(context, changes));
    expect(again.predict(data, null)).toEqual(predictions);
  });
});

const fitted = z.object({ target: z.array(z.number()), predictions: z.array(z.number()) });
const figuresSchema = z.object({
  penalty: z.number(),
  trainRows: z.int(),
  a: z.array(z.number()),
  b: z.array(z.number().nullable()),
  c: z.array(z.number()),
  regression: fitted,
  binclass: fitted,
  multiclass: fitted,
});

describe("scikit-learn pipelines", () => {
  const text = readFileSync(new URL("fixtures/pipeline_figures.json", import.meta.url), "utf8");
  const figures = figuresSchema.parse(JSON.parse(text));
  const data = encodeColumns([
    { name: "a", cells: figures.a },
    { name: "b", cells: figures.b.map((value) => value ?? Number.NaN) },
    { name: "c", cells: figures.c, categories: ["p", "q", "r", "s"] },
  ]);

  it.each(TASKS)("agree on $kind", (task) => {
    const { target, predictions } = figures[task.kind];
    const context = contextOf(task, data, target, { trainRows: allRows(figures.trainRows) });
    const model = linear.fit(
      context,
      parametersFor(context, {
        penalty: figures.penalty,
        numeric_transform: "none",
        one_hot_small_integers: false,
      }),
    );
    model.predict(data, null).forEach((value, i) => {
      expect(Math.abs(value - predictions[i])).toBeLessThan(1e-6 * Math.max(1, Math.abs(value)));
    });
  });
});

describe("hard data", () => {
  const [regression, binclass, multiclass] = TASKS;
  const random = new CounterRandom(deriveKey(5, "hard"));
  const gaussian = (rows: number) =>
    Float64Array.from({ length: rows }, () => random.nextGaussian());

  it("treats weights as repeated rows, and rows of weight 0 as absent", () => {
    for (const task of TASKS) {
      const { data, signal } = mixedData(120, 2);
      const target = targetOf(task, signal);
      const weights = Float64Array.from({ length: 120 }, (_, i) => i % 3);
      const changes = { numeric_transform: "none", one_hot_max_categories: 100 };
      const weighted = contextOf(task, data, target, { weights });
      const repeated = contextOf(task, data, target, {
        trainRows: Uint32Array.from(
          allRows(120).reduce<number[]>((rows, row) => {
            for (let k = 0; k < weights[row]; k++) rows.push(row);
            return rows;
          }, []),
        ),
      });
      const one = linear.fit(weighted, parametersFor(weighted, changes)).predict(data, null);
      const parameters = parametersFor(weighted, changes);
      const two = linear.fit(repeated, parameters).predict(data, null);
      one.forEach((value, i) => {
        expect(Math.abs(value - two[i])).toBeLessThan(1e-5 * Math.max(1, Math.abs(value)));
      });
    }
  });

  it("does not read what stands in rows of weight 0, however large", () => {
    const x = gaussian(60);
    const noise = gaussian(60);
    const weights = new Float64Array(60).fill(1).fill(0, 0, 3);
    for (const task of TASKS) {
      const target = targetOf(
        task,
        x.map((value, i) => value + noise[i]),
      );
      const fit = (others: number) => {
        const cells = x.slice().fill(others, 0, 3);
        const data = encodeColumns([{ name: "x", cells }]);
        const context = contextOf(task, data, target, { weights });
        const model = linear.fit(context, parametersFor(context, { numeric_transform: "none" }));
        return model.predict(data, allRows(60).subarray(3));
      };
      expect(fit(1e300)).toEqual(fit(0));
    }
  });

  it("is unmoved by the scale of a column or a target", () => {
    const x = gaussian(80);
    const z = gaussian(80);
    const y = x.map((value, i) => value - 2 * z[i]);
    const fit = (factor: number, shift: number, size: number) => {
      const data = encodeColumns([
        { name: "x", cells: x.map((value) => value * factor + shift) },
        { name: "z", cells: z },
      ]);
      const context = contextOf(
        regression,
        data,
        y.map((value) => value * size),
      );
      return linear.fit(context, parametersFor(context)).predict(data, null);
    };
    const plain = fit(1, 0, 1);
    for (const [factor, shift, size] of [
      [1e12, 0, 1],
      [1e-12, 0, 1e12],
      [1, 1e6, 1e-9],
      [1e200, 0, 1],
    ]) {
      fit(factor, shift, size).forEach((value, i) => {
        expect(Math.abs(value / size - plain[i])).toBeLessThan(1e-6);
      });
    }
  });

  it("fits more columns than rows, equal columns, constants and nothing at all", () => {
    const x = gaussian(30);
    const wide = Array.from({ length: 40 }, (_, j) => ({ name: `x${j}`, cells: gaussian(30) }));
    const cases = [
      wide,
      [0, 1, 2].map((j) => ({ name: `x${j}`, cells: x })),
      [{ name: "c", cells: new Float64Array(30).fill(3) }],
      [{ name: "m", cells: new Float64Array(30).fill(Number.NaN) }],
      [{ name: "i", cells: x.map((value, i) => (i === 0 ? Number.POSITIVE_INFINITY : value)) }],
      [{ name: "h", cells: x.map((value, i) => (i % 2 ? 1e308 : -1e308) * Math.abs(value / 9)) }],
    ];
    for (const columns of cases) {
      const data = encodeColumns(columns);
      for (const task of TASKS) {
        const context = contextOf(task, data, targetOf(task, x));
        for (const transform of NUMERIC_TRANSFORMS) {
          for (const regularization of ["l2", "elastic_net"]) {
            const changes = { numeric_transform: transform, regularization, penalty: 1e-3 };
            const model = linear.fit(context, parametersFor(context, changes));
            expect(model.predict(data, null).every(Number.isFinite)).toBe(true);
          }
        }
      }
    }
  });

  it("predicts a constant target, and a fold of one class", () => {
    const data = encodeColumns([{ name: "x", cells: gaussian(20) }]);
    const constant = contextOf(regression, data, new Float64Array(20).fill(42));
    const value = linear.fit(constant, parametersFor(constant)).predict(data, null);
    for (const prediction of value) expect(prediction).toBeCloseTo(42, 9);
    for (const task of [binclass, multiclass]) {
      const single = contextOf(task, data, new Float64Array(20).fill(1));
      const model = linear.fit(single, parametersFor(single));
      const outputs = outputCount(task);
      for (let i = 0; i < 20; i++) {
        expect(model.predict(data, null)[outputs === 1 ? i : i * outputs + 1]).toBeGreaterThan(
          0.99,
        );
      }
    }
  });

  it("meets categories, gaps and levels that it was not fitted on", () => {
    const cells = Float64Array.from({ length: 60 }, (_, i) => i % 3);
    const levels = Float64Array.from({ length: 60 }, (_, i) => i % 5);
    const x = gaussian(60);
    // The last rows hold what no training row does.
    cells.set([Number.NaN, 3], 58);
    levels.set([99, Number.NaN], 58);
    x.set([Number.NaN, Number.NEGATIVE_INFINITY], 58);
    const data = encodeColumns([
      { name: "c", cells, categories: ["a", "b", "c", "d"] },
      { name: "t", cells, categories: ["a", "b", "c", "d"] },
      { name: "l", cells: levels },
      { name: "x", cells: x },
    ]);
    const target = gaussian(60);
    for (const most of [2, 10]) {
      const context = contextOf(regression, data, target, { trainRows: allRows(58) });
      const parameters = parametersFor(context, { one_hot_max_categories: most });
      const predictions = linear.fit(context, parameters).predict(data, null);
      expect(predictions.every((value) => Math.abs(value) < 10)).toBe(true);
    }
  });

  it("does not let a training row see its own target through the encoding", () => {
    // Every row is a category of its own, so an encoding that leaks would predict perfectly.
    const rows = 200;
    const cells = Float64Array.from({ length: rows }, (_, i) => i);
    const categories = Array.from({ length: rows }, (_, k) => `k${k}`);
    const data = encodeColumns([{ name: "id", cells, categories }]);
    const target = gaussian(rows).map((value) => (value > 0 ? 1 : 0));
    const context = contextOf(binclass, data, target);
    const model = linear.fit(context, parametersFor(context, { target_smoothing: 0.01 }));
    const strength = model.explain(data, null).contributions.map(Math.abs);
    expect(strength.reduce((sum, value) => sum + value, 0) / rows).toBeLessThan(0.7);
  });

  it("keeps a monotone constraint under every transform, and refuses what it cannot keep", () => {
    const x = gaussian(150);
    const z = gaussian(150);
    const signal = x.map((value, i) => -value + 0.3 * z[i]);
    const grid = Float64Array.from({ length: 150 }, (_, i) => (i - 75) / 20);
    for (const task of [regression, binclass]) {
      for (const transform of NUMERIC_TRANSFORMS) {
        for (const sign of [1, -1] as const) {
          const data = encodeColumns([
            { name: "x", cells: x },
            { name: "z", cells: z },
          ]);
          const line = encodeColumns([
            { name: "x", cells: grid },
            { name: "z", cells: new Float64Array(150) },
          ]);
          const context = contextOf(task, data, targetOf(task, signal), { monotone: { x: sign } });
          const changes = { numeric_transform: transform };
          const model = linear.fit(context, parametersFor(context, changes));
          const { margins } = model.explain(line, null);
          for (let i = 1; i < 150; i++) {
            expect(sign * (margins[i] - margins[i - 1])).toBeGreaterThanOrEqual(0);
          }
          if (sign < 0) expect(margins[149]).toBeLessThan(margins[0]);
        }
      }
    }
    const { data, signal: mixed } = mixedData(100, 3);
    const categorical = contextOf(regression, data, mixed, { monotone: { few: 1 } });
    expect(() => linear.fit(categorical, parametersFor(categorical))).toThrow(/few/);
    const classes = contextOf(multiclass, data, targetOf(multiclass, mixed), {
      monotone: { a: 1 },
    });
    expect(() => linear.fit(classes, parametersFor(classes))).toThrow(DataError);
  });

  it("says what is wrong with a damaged model", () => {
    const { data, signal } = mixedData(60, 4);
    const context = contextOf(regression, data, signal);
    const { header, tensors } = linear.fit(context, parametersFor(context)).save();
    const where = { task: regression, features: data.features, bins: null };
    const { coefficients, ...rest } = tensors;
    expect(() => linear.load({ header, tensors: rest }, where)).toThrow(/coefficients/);
    expect(() =>
      linear.load({ header, tensors: { ...rest, coefficients: coefficients.slice(1) } }, where),
    ).toThrow(/coefficients/);
    expect(() => linear.load({ header: { format: 9 }, tensors }, where)).toThrow(/header/);
    expect(() => linear.load({ header, tensors }, { ...where, features: [] })).toThrow(/feature/);
  });
});

describe("parameters", () => {
  it("offers a space and defaults within what fit understands", () => {
    const { data } = mixedData(50, 1);
    for (const task of TASKS) {
      const shape = { rows: 50, task, features: data.features };
      const legal = linear.parameters();
      const space = linear.searchSpace(shape);
      const defaults = linear.defaults(shape);
      for (const [name, parameter] of Object.entries(space)) {
        const all = legal[name];
        expect(all.type).toBe(parameter.type);
        if (parameter.type !== "categorical" && all.type !== "categorical") {
          expect(parameter.low).toBeGreaterThanOrEqual(all.low);
          expect(parameter.high).toBeLessThanOrEqual(all.high);
        }
      }
      for (const name of Object.keys(defaults)) expect(legal).toHaveProperty([name]);
      expect(linear.suits(shape).use).toBe(true);
    }
  });

  it("is used for many features of few rows, and not where the design is large as well", () => {
    const { data } = mixedData(50, 1);
    const features = Array.from({ length: 3000 }, () => data.features[0]);
    const shape = { task: TASKS[0], features };
    expect(linear.suits({ ...shape, rows: 400 }).use).toBe(true);
    expect(linear.suits({ ...shape, rows: 40_000 })).toMatchObject({
      use: false,
      reason: expect.stringContaining("3,000 features of 40,000 rows"),
    });
  });
});

describe("beyond the training values", () => {
  it("answers what it does at their ends, of few rows and of many alike", () => {
    const random = new CounterRandom(deriveKey(4, "beyond"));
    const steps = 200;
    const beyond = [-50, -1, ...Array.from({ length: 30 }, (_, i) => steps + 3 * i)];
    const cells = Float64Array.from([...Array(steps).keys(), ...beyond]);
    // Nearly the same, as the day of the year is of days that elapsed.
    const alike = cells.map((value, i) => value + (i < steps ? random.nextFloat() : 0));
    const data = encodeColumns([
      { name: "a", cells },
      { name: "b", cells: alike },
    ]);
    const target = cells.map((value) => (value % 24) + random.nextGaussian());
    const trainRows = Uint32Array.from({ length: steps }, (_, i) => i);
    const context = contextOf(TASKS[0], data, target, { trainRows });
    const model = linear.fit(context, parametersFor(context, { spline_knots: 10 }));
    const rows = Uint32Array.from(beyond.keys(), (i) => steps + i);
    const found = model.predict(data, rows);
    expect([...found]).toEqual([...rows].map((row) => model.predict(data, Uint32Array.of(row))[0]));
    expect(new Set(found.slice(0, 2)).size).toBe(1);
    expect(new Set(found.slice(2)).size).toBe(1);
  });
});

describe("many numbers in many rows", () => {
  const task: Task = { kind: "regression", classes: [] };
  const numbers = (count: number): Feature[] =>
    Array.from({ length: count }, (_, j) => ({ kind: "numeric", name: `x${j}`, column: `x${j}` }));

  it("are taken as they are first, where their splines are dear, and as splines second", () => {
    const dear = { rows: 30_000, task, features: numbers(300) };
    const [first, second] = linear.portfolio(dear);
    expect(first).toEqual(linear.defaults(dear));
    expect(first).toMatchObject({ numeric_transform: "clip_far", regularization: "l2" });
    expect(second).toEqual({ ...first, numeric_transform: "spline", spline_knots: 5 });
    expect(usualColumns(dear)).toBe(300);
  });

  it("are splines first elsewhere, whose columns are counted beside those of categories", () => {
    const named = (name: string, categories: string[]): Feature => ({
      ...{ name, column: name, categories },
      kind: "categorical",
    });
    const few = named("few", ["a", "b", "c"]);
    const many = named(
      "many",
      Array.from({ length: 65 }, (_, k) => `k${k}`),
    );
    const shape = { rows: 30_000, task, features: [...numbers(30), few, many] };
    expect(linear.defaults(shape)).toMatchObject({ numeric_transform: "spline", spline_knots: 5 });
    expect(usualColumns(shape)).toBe(30 * 4 + 3 + 1);
  });
});

describe("a penalty that a fit chooses", () => {
  const rows = 200;
  const random = new CounterRandom(deriveKey(8, "parts"));
  const amounts = () =>
    Float64Array.from({ length: rows }, () => Math.exp(2 * random.nextGaussian()));
  const [turnover, other] = [amounts(), amounts()];
  const data = encodeColumns([
    { name: "turnover", cells: turnover },
    { name: "other", cells: other.map((value, i) => (i % 5 === 0 ? Number.NaN : value)) },
  ]);
  const total = turnover.map((value, i) => value + (i % 5 === 0 ? 0 : other[i]));
  const even = allRows(rows).filter((row) => row % 2 === 0);
  const odd = even.map((row) => row + 1);
  const shape = { rows: even.length, task: TASKS[0], features: data.features };
  const fitOf = (parameters: Record<string, ParameterValue>, target = total, monotone = {}) =>
    linear.fit(contextOf(TASKS[0], data, target, { trainRows: even, monotone }), parameters);
  const worstOf = (parameters: Record<string, ParameterValue>): number => {
    const found = fitOf(parameters).predict(data, odd);
    return Math.max(...odd.map((row, i) => Math.abs(found[i] - total[row])));
  };

  it("finds a total of its parts to the last digits, and is tried second", () => {
    const [defaults, plain, splines] = linear.portfolio(shape);
    expect(plain).toMatchObject({ regularization: "l2_gcv", numeric_transform: "none" });
    expect(splines).toMatchObject({ regularization: "l2_gcv", numeric_transform: "spline" });
    expect(worstOf(defaults)).toBeGreaterThan(1);
    expect(worstOf(plain)).toBeLessThan(1e-4);
    expect(fitOf(plain).facts["penalty"]).toBeLessThan(1e-6);
    const falling = fitOf(plain, total, { turnover: -1 }).predict(data, odd);
    const byTurnover = [...odd.keys()].sort((a, b) => turnover[odd[a]] - turnover[odd[b]]);
    const without = byTurnover.filter((i) => odd[i] % 5 === 0);
    for (const [k, i] of without.slice(1).entries()) {
      expect(falling[i]).toBeLessThanOrEqual(falling[without[k]]);
    }
  });

  it("is large where columns say nothing", () => {
    const noise = Float64Array.from({ length: rows }, () => random.nextGaussian());
    const [, plain] = linear.portfolio(shape);
    expect(fitOf(plain, noise).facts["penalty"]).toBeGreaterThan(0.1);
  });

  it("is of squared errors alone, and of as many columns as can be looked at", () => {
    const binclass = TASKS[1];
    expect(linear.portfolio({ ...shape, task: binclass })).not.toContainEqual(
      expect.objectContaining({ regularization: "l2_gcv" }),
    );
    const target = total.map((value) => (value > 2 ? 1 : 0));
    expect(() =>
      linear.fit(contextOf(binclass, data, target), { regularization: "l2_gcv" }),
    ).toThrow(/`regularization: "l2_gcv"`\) for squared errors alone; "l2" and "elastic_net"/);
    const wide = encodeColumns(
      Array.from({ length: 1504 }, (_, j) => ({
        name: `x${j}`,
        cells: turnover.map((v) => v * j),
      })),
    );
    const plain = { regularization: "l2_gcv", numeric_transform: "none" };
    expect(() => linear.fit(contextOf(TASKS[0], wide, total), plain)).toThrow(
      /of at most 1,500 columns, and these are 1,50/,
    );
  });
});

describe("wide data", () => {
  const rows = 120;
  const features = 300;
  const random = new CounterRandom(deriveKey(5, "wide"));
  const columns = Array.from({ length: features }, (_, j) => ({
    name: `x${j}`,
    cells: Float64Array.from({ length: 2 * rows }, () => random.nextGaussian()),
  }));
  const data = encodeColumns(columns);
  const [first, second] = columns;
  const signal = first.cells.map((value, row) => 2 * value - 2 * second.cells[row]);
  const trainRows = Uint32Array.from({ length: rows }, (_, row) => row);
  const validRows = trainRows.map((row) => rows + row);

  it.each(TASKS)("has few features found among many first, of $kind", (task) => {
    const target = signal.map((value) => {
      const noisy = value + random.nextGaussian();
      if (task.kind === "regression") return noisy;
      return task.kind === "binclass" ? Number(noisy > 0) : Number(noisy > 1) + Number(noisy > -1);
    });
    const context = contextOf(task, data, target, { trainRows });
    const shape = { rows, task, features: data.features };
    const outputs = outputCount(task);
    const lossOf = (changes: Record<string, ParameterValue>): number => {
      const model = linear.fit(context, { ...linear.defaults(shape), ...changes });
      const predicted = model.predict(data, validRows);
      let sum = 0;
      for (const [i, row] of validRows.entries()) {
        const y = target[row];
        if (task.kind === "regression") sum += (predicted[i] - y) ** 2;
        else {
          const p =
            outputs > 1 ? predicted[i * outputs + y] : y === 1 ? predicted[i] : 1 - predicted[i];
          sum -= Math.log(p);
        }
      }
      return sum / rows;
    };
    const ridge = { regularization: "l2", numeric_transform: "spline", penalty: 3 / rows };
    expect(lossOf({})).toBeLessThan(0.7 * lossOf(ridge));
    const tried = linear.portfolio(shape);
    const ofClasses = task.kind === "regression" ? [] : ["shrunken_lda"];
    const expected = ["elastic_net", ...ofClasses, "l2", "elastic_net"];
    expect(tried.slice(0, expected.length).map((each) => each["regularization"])).toEqual(expected);
    expect(tried.map((each) => each["numeric_transform"])).not.toContain("spline");
  });
});
