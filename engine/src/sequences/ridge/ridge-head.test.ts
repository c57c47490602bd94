import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CounterRandom, deriveKey } from "../../compute/random.ts";
import type { FeatureMatrix } from "../feature-matrix.ts";
import { FeatureScaler } from "./feature-scaler.ts";
import { classTargets, fitRidge, hasOthersOfClass } from "./fit-ridge.ts";
import { RidgeHead } from "./ridge-head.ts";
import { type ScaledFeatures, ScaledRows } from "./scaled-rows.ts";

describe("the ridge head", () => {
  it("knows what a fit without each row predicts", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 2, max: 30 }),
        fc.integer({ min: 1, max: 40 }),
        fc.integer({ min: 1, max: 5 }),
        fc.boolean(),
        fc.constantFrom("standard" as const, "sparse" as const),
        fc.constantFrom(0.1, 1, 30),
        fc.integer({ min: 0, max: 1e6 }),
        (count, columns, outputs, weighted, scaler, lambda, seed) => {
          const { matrix, targets, weights } = made(count, columns, outputs, seed);
          const rows = Uint32Array.from({ length: count }, (_, i) => i);
          const fit = fitRidge({
            blocks: [{ matrix, scaler }],
            rows,
            targets,
            outputs,
            weights: weighted ? weights : null,
            lambdas: [lambda],
          });
          const blocks = [{ matrix, scaler: FeatureScaler.fit(scaler, matrix, rows) }];
          const w = weighted ? weights : new Float64Array(count).fill(1);
          let loss = 0;
          for (let i = 0; i < count; i++) {
            const others = rows.filter((row) => row !== i);
            const line = slowRidge(blocks, others, i, targets, outputs, w, lambda);
            for (let o = 0; o < outputs; o++) {
              expect(fit.leftOut[i * outputs + o]).toBeCloseTo(line[o], 2);
              loss += w[i] * (targets[i * outputs + o] - line[o]) ** 2;
            }
          }
          const total = w.reduce((sum, weight) => sum + weight, 0);
          expect(fit.loss / (loss / total / outputs)).toBeCloseTo(1, 2);
          const all = fit.head.predict([matrix], null);
          for (let i = 0; i < count; i++) {
            const line = slowRidge(blocks, rows, i, targets, outputs, w, lambda);
            for (let o = 0; o < outputs; o++) expect(all[i * outputs + o]).toBeCloseTo(line[o], 3);
          }
        },
      ),
      { numRuns: 60 },
    );
  });

  it.each([
    [810, 620],
    [810, 820],
  ])("chooses by a sample and then downhill where that is quicker (%i × %i)", (count, columns) => {
    const { matrix, targets } = made(count, columns, 1, 4);
    const rows = Uint32Array.from({ length: count }, (_, i) => i);
    const request = {
      blocks: [{ matrix, scaler: "standard" as const }],
      rows,
      targets,
      outputs: 1,
    };
    const chosen = fitRidge(request);
    for (const factor of [10 ** 0.5, 10 ** -0.5]) {
      const other = fitRidge({ ...request, lambdas: [chosen.lambda * factor] });
      expect(chosen.loss).toBeLessThanOrEqual(other.loss);
    }
    // Honest: errors on rows of its own making are as large as it says.
    const fresh = made(400, columns, 1, 4, 5);
    const said = chosen.head.predict([fresh.matrix], null);
    const error = said.reduce((sum, value, i) => sum + (value - fresh.targets[i]) ** 2, 0) / 400;
    expect(error / chosen.loss).toBeGreaterThan(0.7);
    expect(error / chosen.loss).toBeLessThan(1.3);
  });

  it("goes by the rows alone that tell anything when they are left out", () => {
    const classOf = Float64Array.from({ length: 16 }, (_, i) => (i < 12 ? i % 3 : i - 9));
    const { matrix } = made(16, 30, 7, 3);
    const rows = Uint32Array.from({ length: 16 }, (_, i) => i);
    const blocks = [{ matrix, scaler: "standard" as const }];
    const request = { blocks, rows, targets: classTargets(classOf, 7), outputs: 7 };
    const tells = hasOthersOfClass(classOf, null);
    expect(tells).toEqual([...rows].map((row) => row < 12));
    expect(hasOthersOfClass(Float64Array.of(0, 0, 1), Float64Array.of(1, 0, 1))).toEqual([
      false,
      false,
      false,
    ]);
    const fit = fitRidge({ ...request, tells, lambdas: [10] });
    const whole = fitRidge({ ...request, lambdas: [10] });
    expect(fit.leftOut).toEqual(whole.leftOut);
    let loss = 0;
    for (let i = 0; i < 12 * 7; i++) loss += (request.targets[i] - fit.leftOut[i]) ** 2 / (12 * 7);
    expect(fit.loss).toBeCloseTo(loss, 9);
    expect(whole.loss).toBeGreaterThan(fit.loss);
    expect(fitRidge({ ...request, tells: tells.map(() => false) }).lambda).toBe(1);
  });

  it("leaves rows without weight out, and predicts them as it predicts others", () => {
    const { matrix, targets } = made(20, 8, 2, 1);
    const rows = Uint32Array.from({ length: 20 }, (_, i) => i);
    const weights = Float64Array.from(rows, (i) => (i < 15 ? 1 : 0));
    const blocks = [{ matrix, scaler: "standard" as const }];
    const whole = fitRidge({ blocks, rows, targets, outputs: 2, weights });
    const part = fitRidge({
      blocks,
      rows: rows.slice(0, 15),
      targets: targets.slice(0, 30),
      outputs: 2,
    });
    expect(whole.head.coefficients).toEqual(part.head.coefficients);
    expect(whole.leftOut.slice(30)).toEqual(part.head.predict([matrix], rows.slice(15)));
  });

  it("is the same after loading, and for one row as for all", () => {
    const { matrix, targets } = made(30, 12, 3, 2);
    const rows = Uint32Array.from({ length: 30 }, (_, i) => i);
    const blocks = [
      { matrix, scaler: "standard" as const },
      { matrix, scaler: "sparse" as const },
    ];
    const { head } = fitRidge({ blocks, rows, targets, outputs: 3 });
    const saved = head.save();
    const header = JSON.parse(JSON.stringify(saved.header));
    const loaded = RidgeHead.load({ ...saved, header }, [12, 12]);
    const all = head.predict([matrix, matrix], null);
    expect(loaded.predict([matrix, matrix], Uint32Array.of(7))).toEqual(all.slice(21, 24));
    expect(() => loaded.predict([matrix], null)).toThrow("fitted on 24 features, not 12");
    expect(() => RidgeHead.load(saved, [12, 11])).toThrow("12 numbers, not 11");
    expect(() => RidgeHead.load(saved, [24])).toThrow("damaged");
  });

  it("predicts the mean where features say nothing or there is one row", () => {
    const matrix = { rows: 3, columns: 2, values: new Float32Array(6).fill(4) };
    const blocks = [{ matrix, scaler: "standard" as const }];
    const targets = Float64Array.of(1, 2, 6);
    const { head, leftOut } = fitRidge({
      blocks,
      rows: Uint32Array.of(0, 1, 2),
      targets,
      outputs: 1,
    });
    expect([...head.predict([matrix], null)]).toEqual([3, 3, 3]);
    expect(leftOut[0]).toBeCloseTo(4, 6);
    const one = fitRidge({
      blocks,
      rows: Uint32Array.of(1),
      targets: Float64Array.of(5),
      outputs: 1,
    });
    expect([...one.head.predict([matrix], null)]).toEqual([5, 5, 5]);
    expect([...one.leftOut].every(Number.isFinite)).toBe(true);
  });

  it("makes classes -1 and +1", () => {
    expect([...classTargets([0, 1, 1], 1)]).toEqual([-1, 1, 1]);
    expect([...classTargets([0, 1], 2)]).toEqual([1, -1, -1, 1]);
    expect([...classTargets([2, 0], 3)]).toEqual([-1, -1, 1, 1, -1, -1]);
  });
});

function made(count: number, columns: number, outputs: number, seed: number, rowSeed = seed) {
  const truth = new CounterRandom(deriveKey(seed, "coefficients"));
  const coefficients = Float64Array.from({ length: columns * outputs }, () => truth.nextGaussian());
  const random = new CounterRandom(deriveKey(rowSeed, "rows"));
  const values = Float32Array.from({ length: count * columns }, () => {
    return random.nextFloat() < 0.2 ? 0 : Math.abs(random.nextGaussian());
  });
  const targets = Float64Array.from({ length: count * outputs }, (_, at) => {
    const [i, o] = [Math.floor(at / outputs), at % outputs];
    let sum = 3 + Math.sqrt(columns) * random.nextGaussian();
    for (let c = 0; c < columns; c++) {
      sum += values[i * columns + c] * coefficients[c * outputs + o];
    }
    return sum;
  });
  const weights = Float64Array.from({ length: count }, () => 0.2 + random.nextFloat());
  const matrix: FeatureMatrix = { rows: count, columns, values };
  return { matrix, targets, weights };
}

/** A fit on these rows by normal equations and Gaussian elimination; the prediction of one row. */
function slowRidge(
  blocks: readonly ScaledFeatures[],
  rows: Uint32Array,
  row: number,
  targets: Float64Array,
  outputs: number,
  weights: Float64Array,
  lambda: number,
): number[] {
  const data = new ScaledRows(
    blocks,
    rows,
    Float64Array.from(rows, (i) => weights[i]),
  );
  const n = data.columns;
  const x = Array.from(rows, (_, i) => {
    const line = new Float64Array(n);
    data.read(i, line);
    return line;
  });
  const asked = new Float64Array(n);
  const one = new ScaledRows(blocks, Uint32Array.of(row), null);
  for (let c = 0; c < n; c++) asked[c] = one.means[c] - data.means[c];
  const total = data.roots.reduce((sum, root) => sum + root * root, 0);
  return Array.from({ length: outputs }, (_, o) => {
    const y = Array.from(rows, (i) => targets[i * outputs + o]);
    const mean = y.reduce((sum, value, i) => sum + (value * data.roots[i] ** 2) / total, 0);
    const system = Array.from({ length: n }, (_, i) =>
      Float64Array.from({ length: n + 1 }, (_, j) =>
        j < n
          ? x.reduce((sum, line) => sum + line[i] * line[j], i === j ? lambda : 0)
          : x.reduce((sum, line, r) => sum + line[i] * (y[r] - mean) * data.roots[r], 0),
      ),
    );
    for (let k = 0; k < n; k++) {
      for (let i = 0; i < n; i++) {
        if (i === k) continue;
        const factor = system[i][k] / system[k][k];
        for (let j = k; j <= n; j++) system[i][j] -= factor * system[k][j];
      }
    }
    return system.reduce((sum, line, k) => sum + (asked[k] * line[n]) / line[k], mean);
  });
}
