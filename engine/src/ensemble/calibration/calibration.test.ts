import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { CounterRandom, deriveKey } from "../../compute/random.ts";
import { metricByName } from "../../tasks/fitting-metrics.ts";
import { crossFits, pickPredictions, pickRows } from "../labelled-rows.ts";
import { calibrate, curveAt } from "./calibration.ts";
import { fitCalibration } from "./fit-calibration.ts";
import { fitIsotonic, isotonicLevels } from "./isotonic.ts";
import { fitTemperature } from "./temperature.ts";

const array = z.array(z.number()).transform((values) => Float64Array.from(values));
const curve = z.object({ at: array, value: array });
const fixture = z
  .object({
    binary: z.object({
      p: array,
      y: array,
      w: array,
      temperature: array,
      temperature_weighted: array,
      sigmoid: array,
      isotonic: curve,
      isotonic_weighted: curve,
    }),
    classes: z.object({
      p: array,
      y: array,
      w: array,
      scale: z.number(),
      scale_weighted: z.number(),
    }),
  })
  .parse(
    JSON.parse(readFileSync(new URL("../fixtures/calibration.json", import.meta.url), "utf8")),
  );

describe("fitTemperature", () => {
  const { p, y, w, temperature, temperature_weighted } = fixture.binary;

  it.each([
    ["equal weights", null, temperature],
    ["weights", w, temperature_weighted],
  ])("finds SciPy's minimum for two classes: %s", (_, weights, [scale, bias]) => {
    const fitted = fitTemperature(p, { target: y, weights, outputs: 1 });
    expect(fitted.scale).toBeCloseTo(scale, 5);
    expect(fitted.bias).toBeCloseTo(bias, 5);
  });

  it("is scikit-learn's sigmoid calibration for two classes", () => {
    const fitted = fitTemperature(p, { target: y, weights: null, outputs: 1 });
    expect(fitted.scale).toBeCloseTo(fixture.binary.sigmoid[0], 3);
    expect(fitted.bias).toBeCloseTo(fixture.binary.sigmoid[1], 3);
  });

  it.each([
    ["two", 1, [0.1, 0.2, 0.1, 0.9, 0.8, 0.9], [0, 0, 0, 1, 1, 1]],
    ["three", 3, [0.8, 0.1, 0.1, 0.1, 0.8, 0.1, 0.1, 0.1, 0.8], [0, 1, 2]],
  ])(
    "claims no more of rows that are all right than they can vouch for: %s",
    (_, outputs, p, y) => {
      const repeats = 10;
      const said = Float64Array.from({ length: p.length * repeats }, (_, i) => p[i % p.length]);
      const target = Float64Array.from({ length: y.length * repeats }, (_, i) => y[i % y.length]);
      const fitted = fitTemperature(said, { target, weights: null, outputs });
      const loss = metricByName("log_loss").score({
        target,
        predictions: calibrate(fitted, said, outputs),
        outputs,
        weights: null,
      });
      // One error more in so many rows would have been no surprise.
      expect(loss).toBeGreaterThan(0.5 / target.length);
    },
  );

  it.each([
    ["equal weights", null, fixture.classes.scale],
    ["weights", fixture.classes.w, fixture.classes.scale_weighted],
  ])("finds SciPy's minimum for more: %s", (_, weights, scale) => {
    const rows = { target: fixture.classes.y, weights, outputs: 3 };
    const fitted = fitTemperature(fixture.classes.p, rows);
    expect(fitted.scale).toBeCloseTo(scale, 5);
    expect(fitted.bias).toBe(0);
  });

  it("stays bounded where the classes are separate or scores say nothing", () => {
    const rows = { target: Float64Array.of(0, 0, 1, 1), weights: null, outputs: 1 };
    const separate = fitTemperature(Float64Array.of(0.1, 0.2, 0.8, 0.9), rows);
    expect(separate.scale).toBeLessThanOrEqual(20);
    const level = fitTemperature(new Float64Array(4).fill(0.5), rows);
    expect(Number.isFinite(level.scale + level.bias)).toBe(true);
  });
});

describe("isotonic curves", () => {
  const { p, y, w, isotonic, isotonic_weighted } = fixture.binary;

  it.each([
    ["equal weights", null, isotonic],
    ["weights", w, isotonic_weighted],
  ])("equal scikit-learn's between the bounds: %s", (_, weights, { at, value }) => {
    const [fitted] = fitIsotonic(p, { target: y, weights, outputs: 1 }).curves;
    const [least, most] = [fitted.y[0], fitted.y[fitted.y.length - 1]];
    expect(least).toBeGreaterThan(0);
    expect(most).toBeLessThan(1);
    for (const [i, x] of at.entries()) {
      // Where rows agree theirs is 0 or 1; ours keeps away, and lines to such a level differ too.
      const bounded = Math.min(most, Math.max(least, value[i]));
      const isNear = value[i] > 0 && value[i] < 1;
      expect(Math.abs(curveAt(fitted, x) - bounded)).toBeLessThan(isNear ? 0.03 : 1e-12);
    }
  });

  it("are the nearest rising function of all, whatever the order and weights", () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ x: fc.nat(5), y: fc.nat(1), w: fc.nat(3) }), {
          minLength: 1,
          maxLength: 7,
        }),
        (rows) => {
          fc.pre(rows.some((row) => row.w > 0));
          const pick = (key: "x" | "y" | "w") => Float64Array.from(rows, (row) => row[key]);
          const levels = isotonicLevels(pick("x"), pick("y"), pick("w"));
          for (const [i, level] of levels.entries()) {
            if (i > 0) {
              expect(level.value).toBeGreaterThan(levels[i - 1].value);
              expect(level.low).toBeGreaterThan(levels[i - 1].high);
            }
          }
          // The min–max formula of isotonic regression (Barlow et al. 1972), from nothing.
          for (const { x, w } of rows) {
            if (w === 0) continue;
            const level = levels.find(({ low, high }) => low <= x && x <= high);
            const xs = [...new Set(rows.filter((row) => row.w > 0).map((row) => row.x))];
            const mean = (low: number, high: number): number => {
              const inside = rows.filter((row) => row.x >= low && row.x <= high);
              const weight = inside.reduce((sum, row) => sum + row.w, 0);
              return inside.reduce((sum, row) => sum + row.w * row.y, 0) / weight;
            };
            const expected = Math.max(
              ...xs
                .filter((low) => low <= x)
                .map((low) =>
                  Math.min(...xs.filter((high) => high >= x).map((high) => mean(low, high))),
                ),
            );
            expect(level?.value).toBeCloseTo(expected, 12);
          }
        },
      ),
    );
  });

  it("have a bounded number of knots and rise", () => {
    const random = new CounterRandom(deriveKey(1, "ensemble"));
    const p = Float64Array.from({ length: 20_000 }, () => random.nextFloat());
    const y = p.map((value) => (random.nextFloat() < value ? 1 : 0));
    const [{ x, y: values }] = fitIsotonic(p, { target: y, weights: null, outputs: 1 }).curves;
    expect(x.length).toBeLessThanOrEqual(100);
    expect(x.every((at, i) => i === 0 || at > x[i - 1])).toBe(true);
    expect(values.every((at, i) => i === 0 || at >= values[i - 1])).toBe(true);
    for (const [i, at] of x.entries()) expect(Math.abs(values[i] - at)).toBeLessThan(0.05);
  });

  it("of several classes give probabilities that sum to 1", () => {
    const { p, y } = fixture.classes;
    const calibrated = calibrate(fitIsotonic(p, { target: y, weights: null, outputs: 3 }), p, 3);
    for (let at = 0; at < calibrated.length; at += 3) {
      expect(calibrated[at] + calibrated[at + 1] + calibrated[at + 2]).toBeCloseTo(1, 12);
    }
  });
});

describe("fitCalibration", () => {
  const logLoss = metricByName("log_loss");
  const truth = (rows: number, warp: (p: number) => number) => {
    const random = new CounterRandom(deriveKey(2, "ensemble"));
    const honest = Float64Array.from({ length: rows }, () => random.nextFloat());
    const target = honest.map((p) => (random.nextFloat() < p ? 1 : 0));
    return { target, said: honest.map(warp) };
  };

  it.each([
    ["nothing for honest probabilities", (p: number) => p, null],
    [
      "a temperature for exaggerated ones",
      (p: number) => p ** 3 / (p ** 3 + (1 - p) ** 3),
      "temperature",
    ],
    ["curves for bent ones", (p: number) => (p < 0.5 ? 0.2 * p : 0.6 + 0.4 * p ** 8), "isotonic"],
  ])("chooses %s", (_, warp, kind) => {
    const { target, said } = truth(4000, warp);
    const rows = { target, weights: null, outputs: 1 };
    const { calibration, crossFitted } = fitCalibration(said, rows, crossFits([1000, 1000, 2000]));
    if (kind === null) {
      // A temperature of about 1 does no harm.
      const scale = calibration?.kind === "temperature" ? calibration.scale : 1;
      expect(Math.abs(scale - 1)).toBeLessThan(0.1);
    } else expect(calibration?.kind).toBe(kind);
    const score = (predictions: Float64Array) => logLoss.score({ ...rows, predictions });
    // What a fold's others choose in vain costs that fold's rows a little.
    expect(score(crossFitted)).toBeLessThanOrEqual(score(said) + (kind === null ? 1e-3 : 0));
  });

  it("gives each row what was fitted without it", () => {
    const { target, said } = truth(600, (p) => p ** 3 / (p ** 3 + (1 - p) ** 3));
    const rows = { target, weights: null, outputs: 1 };
    const folds = crossFits([300, 300]);
    const { crossFitted } = fitCalibration(said, rows, folds);
    // A few other labels in the second fold (the same method is chosen) do not reach its own rows.
    const flipped = target.map((label, i) => (i >= 300 && i % 40 === 0 ? 1 - label : label));
    const changed = fitCalibration(said, { ...rows, target: flipped }, folds);
    expect(changed.crossFitted.subarray(300)).toEqual(crossFitted.subarray(300));
    expect(changed.crossFitted.subarray(0, 300)).not.toEqual(crossFitted.subarray(0, 300));
  });

  it("compares methods by some of very many rows, and gives all of them what was fitted without them", () => {
    const { target, said } = truth(700_000, (p) => (p < 0.5 ? 0.2 * p : 0.6 + 0.4 * p ** 8));
    const rows = { target, weights: null, outputs: 1 };
    const folds = crossFits([700_000]);
    const { calibration, crossFitted } = fitCalibration(said, rows, folds);
    expect(calibration?.kind).toBe("isotonic");
    for (const { fit, apply } of folds) {
      // The rows that curves are fitted to, spread over the others.
      const read = Uint32Array.from(
        { length: 10_000 },
        (_, i) => fit[Math.floor((i * fit.length) / 10_000)],
      );
      const curves = fitIsotonic(pickPredictions(said, 1, read), pickRows(rows, read));
      const own = calibrate(curves, pickPredictions(said, 1, apply), 1);
      expect(pickPredictions(crossFitted, 1, apply)).toEqual(own);
    }
  });

  it("leaves alone what too few rows of a class would have to prove", () => {
    const rows = {
      target: Float64Array.from({ length: 200 }, (_, i) => (i < 3 ? 1 : 0)),
      weights: null,
      outputs: 1,
    };
    const said = Float64Array.from({ length: 200 }, (_, i) => (i % 10) / 10);
    expect(fitCalibration(said, rows, crossFits([100, 100])).calibration).toBeNull();
  });

  it("fits curves to no fewer rows of a class than it asks for, of those that it reads", () => {
    /** So many rows, and of the second class among them, whose probabilities want a bent curve. */
    const bent = (count: number, positives: number) => {
      const target = Float64Array.from({ length: count }, (_, i) =>
        i % Math.floor(count / positives) === 0 ? 1 : 0,
      );
      const random = new CounterRandom(deriveKey(5, "calibration"));
      const said = target.map((y) => (y === 1 ? 0.2 : 0.21 * random.nextFloat()));
      return fitCalibration(
        said,
        { target, weights: null, outputs: 1 },
        crossFits([count / 2, count / 2]),
      );
    };
    expect(bent(8000, 100).calibration?.kind).toBe("isotonic");
    // Of 40,000 rows it reads a quarter, and 25 of these 100.
    expect(bent(40_000, 100).calibration?.kind).not.toBe("isotonic");
    expect(bent(40_000, 400).calibration?.kind).toBe("isotonic");
  });

  it("honours weights: rows of weight 0 are not there", () => {
    const { target, said } = truth(800, (p) => p ** 2);
    const weights = Float64Array.from(target, (_, i) => (i % 2 === 0 ? 1 : 0));
    const folds = crossFits([400, 400]);
    const all = fitCalibration(said, { target, weights, outputs: 1 }, folds);
    const other = target.map((label, i) => (i % 2 === 0 ? label : 1 - label));
    const same = fitCalibration(said, { target: other, weights, outputs: 1 }, folds);
    expect(same.calibration).toEqual(all.calibration);
  });
});

describe("crossFits", () => {
  it("gives every row once, never to what it was fitted on", () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 6 }),
        (sizes) => {
          const rows = sizes.reduce((sum, size) => sum + size, 0);
          // A row that is alone has no others: `ensemble/labelled-rows.test.ts`.
          fc.pre(rows > 1);
          const folds = crossFits(sizes);
          const applied = folds.flatMap(({ apply }) => [...apply]).sort((a, b) => a - b);
          expect(applied).toEqual(Array.from({ length: rows }, (_, i) => i));
          for (const { fit, apply } of folds) {
            expect(fit.length + apply.length).toBe(rows);
            expect([...fit].filter((i) => apply.includes(i))).toEqual([]);
          }
        },
      ),
    );
  });
});
