import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { CounterRandom, deriveKey } from "../compute/random.ts";
import { difficultyAt, fitDifficulty } from "./difficulty.ts";
import { intervalPartSchema } from "./document.ts";
import { fitIntervals, intervalsOf, widthFactor } from "./intervals.ts";
import { type OutOfFold, partsOf } from "./out-of-fold.ts";

/** Predictions from 0 to 10 whose errors grow with them, and skewed where asked. */
function noisyRows(rows: number, seed: number, skewed = false, folds = 5): OutOfFold {
  const random = new CounterRandom(deriveKey(seed, "conformal"));
  const predictions = Float64Array.from({ length: rows }, () => 10 * random.nextFloat());
  const target = predictions.map((each) => {
    const noise = skewed ? -Math.log(1 - random.nextFloat()) - 1 : random.nextGaussian();
    return each + (0.2 + each) * noise;
  });
  return {
    target,
    predictions,
    outputs: 1,
    weights: null,
    parts: partsOf(new Array(folds).fill(rows / folds)),
  };
}

function coverageOf(rows: OutOfFold, part: ReturnType<typeof fitIntervals>["part"], level = 0.9) {
  const { bounds } = intervalsOf(part, rows.predictions, null, level);
  if (!bounds) throw new Error("No intervals.");
  const inside = rows.target.filter(
    (value, row) => value >= bounds.lower[row] && value <= bounds.upper[row],
  );
  return inside.length / rows.target.length;
}

describe("intervals", () => {
  test("hold new rows as often as asked at any level, from 150 rows on", () => {
    for (const rows of [150, 1000]) {
      for (const level of [0.6, 0.9, 0.95]) {
        let sum = 0;
        for (let seed = 0; seed < 40; seed++) {
          const known = noisyRows(rows, seed, seed % 2 === 0, seed % 3 === 0 ? 2 : 5);
          const { part } = fitIntervals(known, level, false);
          sum += coverageOf(noisyRows(500, 1000 + seed, seed % 2 === 0), part, level) / 40;
        }
        const deviation = Math.sqrt((level * (1 - level)) / rows / 40);
        expect(Math.abs(sum - level)).toBeLessThan(0.01 + 2 * deviation);
      }
    }
  });

  test("are wide where the data is noisy and narrow where it is not, and hold in both", () => {
    const { part } = fitIntervals(noisyRows(4000, 1), 0.9, false);
    const ends = intervalsOf(part, Float64Array.of(0.5, 9.5), null).bounds;
    if (!ends) throw new Error("No intervals.");
    const [easy, hard] = ends.upper.map((upper, row) => upper - ends.lower[row]);
    expect(hard / easy).toBeGreaterThan(5);
    const fresh = noisyRows(6000, 2);
    for (const [from, to] of [
      [1, 4],
      [4, 7],
      [7, 10],
    ]) {
      const rows = Uint32Array.from(fresh.predictions.keys()).filter(
        (row) => fresh.predictions[row] >= from && fresh.predictions[row] < to,
      );
      const some: OutOfFold = {
        ...fresh,
        predictions: Float64Array.from(rows, (row) => fresh.predictions[row]),
        target: Float64Array.from(rows, (row) => fresh.target[row]),
      };
      expect(Math.abs(coverageOf(some, part) - 0.9)).toBeLessThan(0.03);
    }
  });

  test("follow the skew of the residuals", () => {
    const { part } = fitIntervals(noisyRows(4000, 3, true), 0.9, false);
    const ends = intervalsOf(part, Float64Array.of(5), null).bounds;
    expect(ends && (ends.upper[0] - 5) / (5 - ends.lower[0])).toBeGreaterThan(1.5);
  });

  test("measure their coverage on parts that they were not fitted on", () => {
    for (const folds of [1, 2, 5]) {
      const { card } = fitIntervals(noisyRows(2000, 5, false, folds), 0.9, false);
      expect(Math.abs((card.measured ?? 0) - 0.9)).toBeLessThan(0.015);
      expect(card.meanWidth).toBeGreaterThan(0);
    }
  });

  test("survive the journey through JSON", () => {
    const { part } = fitIntervals(noisyRows(300, 6), 0.9, true);
    expect(intervalPartSchema.parse(JSON.parse(JSON.stringify(part)))).toEqual(part);
  });

  test("hold the prediction, rise with the level, and end at 0 where no target was negative", () => {
    const rows = noisyRows(400, 7);
    const positive = { ...rows, target: rows.target.map((value) => Math.max(0, value)) };
    const { part } = fitIntervals(positive, 0.9, false);
    fc.assert(
      fc.property(
        fc.double({ min: -5, max: 15, noNaN: true }),
        fc.integer({ min: 50, max: 98 }),
        (prediction, percent) => {
          const [one, next] = [percent, percent + 1].map(
            (each) => intervalsOf(part, Float64Array.of(prediction), null, each / 100).bounds,
          );
          if (!one || !next) throw new Error("400 rows are enough for 99 %.");
          expect(one.lower[0]).toBeLessThanOrEqual(prediction);
          expect(one.upper[0]).toBeGreaterThanOrEqual(prediction);
          expect(one.lower[0]).toBeGreaterThanOrEqual(Math.min(0, prediction));
          expect(next.upper[0] - next.lower[0]).toBeGreaterThanOrEqual(
            one.upper[0] - one.lower[0] - 1e-9 * Math.abs(prediction),
          );
        },
      ),
    );
  });

  test("are absent where the rows are too few for the level, and there for a lower one", () => {
    const rows: OutOfFold = {
      target: Float64Array.of(1, 2, 3, 4, 5, 7),
      predictions: Float64Array.of(1, 2, 3, 4, 5, 6),
      outputs: 1,
      weights: null,
      parts: partsOf([3, 3]),
    };
    const { part, card } = fitIntervals(rows, 0.9, false);
    expect(intervalsOf(part, Float64Array.of(3), null).bounds).toBeNull();
    expect(intervalsOf(part, Float64Array.of(3), null, 0.8).bounds).toEqual({
      lower: Float64Array.of(2),
      upper: Float64Array.of(4),
    });
    expect(card).toMatchObject({ measured: null, meanWidth: null });
  });

  test("are points for a target that never errs", () => {
    const rows: OutOfFold = {
      target: new Float64Array(100).fill(7),
      predictions: new Float64Array(100).fill(7),
      outputs: 1,
      weights: null,
      parts: partsOf([50, 50]),
    };
    const { part, card } = fitIntervals(rows, 0.9, true);
    expect(intervalsOf(part, Float64Array.of(7), Float64Array.of(0)).bounds).toEqual({
      lower: Float64Array.of(7),
      upper: Float64Array.of(7),
    });
    expect(card).toMatchObject({ measured: 1, meanWidth: 0 });
  });

  test("pass over rows of weight 0, and count a row of weight 2 as two", () => {
    const rows = noisyRows(400, 8);
    const doubled = Uint32Array.from({ length: 800 }, (_, i) => i >> 1);
    const weighted = fitIntervals({ ...rows, weights: new Float64Array(400).fill(2) }, 0.9, false);
    const plain = fitIntervals(rows, 0.9, false);
    expect(weighted.part.levels).toEqual(plain.part.levels);
    const zeros = {
      target: Float64Array.from(doubled, (row, i) => (i % 2 ? 1e6 : rows.target[row])),
      predictions: Float64Array.from(doubled, (row) => rows.predictions[row]),
      outputs: 1,
      weights: Float64Array.from(doubled, (_, i) => 1 - (i % 2)),
      parts: Uint32Array.from(doubled, (row) => rows.parts[row]),
    };
    expect(fitIntervals(zeros, 0.9, false)).toEqual({
      part: { ...plain.part, meanSquare: expect.closeTo(plain.part.meanSquare, 9) },
      card: {
        ...plain.card,
        measured: expect.closeTo(plain.card.measured ?? Number.NaN, 9),
        meanWidth: expect.closeTo(plain.card.meanWidth ?? Number.NaN, 9),
      },
    });
    const none = fitIntervals({ ...rows, weights: new Float64Array(400) }, 0.9, false);
    expect(intervalsOf(none.part, rows.predictions, null).bounds).toBeNull();
  });

  test("refuse a level that cannot be served", () => {
    const { part } = fitIntervals(noisyRows(400, 9), 0.9, false);
    expect(() => intervalsOf(part, Float64Array.of(1), null, 0.995)).toThrow(RangeError);
    expect(() => intervalsOf(part, Float64Array.of(1), null, 0.2)).toThrow(RangeError);
    expect(intervalsOf(part, Float64Array.of(1), null, 0.905).level).toBe(0.91);
  });
});

describe("the widthFactor for a mean over folds", () => {
  test("brings the coverage of the mean back to the level", () => {
    const random = new CounterRandom(deriveKey(11, "conformal"));
    const folds = 5;
    const spread = 0.35;
    const row = () => {
      const truth = 10 * random.nextFloat();
      const models = Array.from({ length: folds }, () => truth + spread * random.nextGaussian());
      const mean = models.reduce((sum, each) => sum + each, 0) / folds;
      const ambiguity = models.reduce((sum, each) => sum + (each - mean) ** 2, 0) / folds;
      return { target: truth + random.nextGaussian(), one: models[0], mean, ambiguity };
    };
    const known = Array.from({ length: 8000 }, row);
    const { part } = fitIntervals(
      {
        target: Float64Array.from(known, ({ target }) => target),
        predictions: Float64Array.from(known, ({ one }) => one),
        outputs: 1,
        weights: null,
        parts: partsOf([4000, 4000]),
      },
      0.9,
      true,
    );
    const fresh = Array.from({ length: 20000 }, row);
    const means = Float64Array.from(fresh, ({ mean }) => mean);
    const hold = (ambiguity: Float64Array | null) => {
      const { bounds } = intervalsOf(part, means, ambiguity);
      return (
        fresh.filter(
          ({ target }, i) => bounds && target >= bounds.lower[i] && target <= bounds.upper[i],
        ).length / fresh.length
      );
    };
    expect(hold(null)).toBeGreaterThan(0.91);
    expect(
      Math.abs(hold(Float64Array.from(fresh, ({ ambiguity }) => ambiguity)) - 0.9),
    ).toBeLessThan(0.008);
  });

  test("is none for equal models, and bounded", () => {
    expect(widthFactor(0, 1)).toBe(1);
    expect(widthFactor(0, 0)).toBe(1);
    expect(widthFactor(0.1, 1)).toBeCloseTo(Math.sqrt(0.9), 12);
    expect(widthFactor(5, 0)).toBeCloseTo(Math.sqrt(0.85), 12);
  });
});

describe("difficulty", () => {
  test("is the mean absolute residual of a bin, drawn to the mean of all", () => {
    const predictions = Float64Array.from({ length: 80 }, (_, i) => i);
    const residuals = predictions.map((each) => (each < 40 ? 1 : -3));
    const curve = fitDifficulty(predictions, residuals, null);
    const shrunk = (own: number) => (40 * own + 5 * 2) / 45 / 2;
    expect(curve.at).toEqual([19.5, 59.5]);
    expect(curve.scale[0]).toBeCloseTo(shrunk(1), 12);
    expect(curve.scale[1]).toBeCloseTo(shrunk(3), 12);
    expect(difficultyAt(curve, -100)).toBe(curve.scale[0]);
    expect(difficultyAt(curve, 39.5)).toBeCloseTo(1, 12);
    expect(difficultyAt(curve, 100)).toBe(curve.scale[1]);
  });

  test("has strictly ascending knots and positive scales whatever the ties and weights", () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.tuple(
            fc.integer({ min: 0, max: 6 }),
            fc.integer({ min: -2, max: 2 }),
            fc.integer({ min: 0, max: 2 }),
          ),
          { minLength: 0, maxLength: 400 },
        ),
        (rows) => {
          const curve = fitDifficulty(
            Float64Array.from(rows, ([prediction]) => prediction / 7),
            Float64Array.from(rows, ([, residual]) => residual),
            Float64Array.from(rows, ([, , weight]) => weight),
          );
          expect(curve.at.length).toBe(curve.scale.length);
          expect(curve.at.length).toBeGreaterThan(0);
          for (const [i, knot] of curve.at.entries()) {
            if (i > 0) expect(knot).toBeGreaterThan(curve.at[i - 1]);
            expect(curve.scale[i]).toBeGreaterThan(0);
          }
        },
      ),
    );
  });
});
