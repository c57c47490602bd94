import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { CounterRandom, deriveKey } from "../compute/random.ts";
import { setPartSchema } from "./document.ts";
import { type OutOfFold, partsOf } from "./out-of-fold.ts";
import { fitSets, setsOf } from "./sets.ts";

const fixture = z
  .object({
    binary: z.object({
      probabilities: z.array(z.number()),
      target: z.array(z.number()),
      asked: z.array(z.number()),
      levels: z.array(z.number()),
      sets: z.array(z.array(z.tuple([z.number(), z.number()]))),
    }),
  })
  .parse(
    JSON.parse(readFileSync(new URL("./fixtures/mapie-quantiles.json", import.meta.url), "utf8")),
  );

const LETTERS = ["a", "b", "c", "d"];

/** Labels drawn by the probabilities themselves; the first class is common, the last one rare. */
function drawnRows(rows: number, seed: number, classes = LETTERS): OutOfFold {
  const random = new CounterRandom(deriveKey(seed, "conformal"));
  const predictions = new Float64Array(rows * classes.length);
  const target = new Float64Array(rows);
  for (let row = 0; row < rows; row++) {
    const margins = classes.map((_, k) => 1.5 * random.nextGaussian() - 0.5 * k);
    const sum = margins.reduce((total, each) => total + Math.exp(each), 0);
    let left = random.nextFloat();
    target[row] = classes.length - 1;
    for (const [k, margin] of margins.entries()) {
      const probability = Math.exp(margin) / sum;
      predictions[row * classes.length + k] = probability;
      if (left >= 0 && left < probability) target[row] = k;
      left -= probability;
    }
  }
  return {
    target,
    predictions,
    outputs: classes.length,
    weights: null,
    parts: partsOf([rows / 2, rows / 2]),
  };
}

const common = { classes: LETTERS, threshold: 0.5, coverage: 0.9, byClass: false };

function held(rows: OutOfFold, members: Uint8Array, k?: number): number {
  const asked = [...rows.target.keys()].filter((row) => k === undefined || rows.target[row] === k);
  return asked.filter((row) => members[row * 4 + rows.target[row]] === 1).length / asked.length;
}

describe("prediction sets", () => {
  test("hold by the labels that a threshold tuned without the row gives it", () => {
    const predictions = Float64Array.from({ length: 200 }, (_, row) => (row % 100) / 100);
    const target = predictions.map((p) => (p >= 0.5 ? 1 : 0));
    const rows = { target, predictions, outputs: 1, weights: null, parts: partsOf([100, 100]) };
    const options = { classes: ["no", "yes"], threshold: 0.5, coverage: 0.9, byClass: false };
    expect(fitSets(rows, options).card.measured).toBe(1);
    // The threshold of all rows is right in every one; those tuned without them are often wrong.
    const labels = predictions.map((p) => (p >= 0.8 ? 1 : 0));
    const { part, card } = fitSets({ ...rows, labels }, options);
    expect(part.levels.find(({ level }) => level === 0.9)?.from[0]).not.toBeNull();
    expect(card.measured).toBeLessThan(1);
    expect(card.meanSize).toBeGreaterThan(1);
  });

  test("hold the true class as often as asked, from 150 rows on", () => {
    for (const rows of [150, 1000]) {
      for (const coverage of [0.8, 0.9, 0.95]) {
        let sum = 0;
        for (let seed = 0; seed < 30; seed++) {
          const { part } = fitSets(drawnRows(rows, seed), { ...common, coverage });
          const fresh = drawnRows(600, 1000 + seed);
          sum += held(fresh, setsOf(part, fresh.predictions, 4, common).members) / 30;
        }
        expect(Math.abs(sum - coverage)).toBeLessThan(0.015);
      }
    }
  });

  test("hold every class as often as asked, by class", () => {
    const fresh = drawnRows(8000, 2);
    const of = (byClass: boolean) => {
      const { part } = fitSets(drawnRows(8000, 1), { ...common, byClass });
      return setsOf(part, fresh.predictions, 4, common).members;
    };
    for (let k = 0; k < 4; k++) expect(Math.abs(held(fresh, of(true), k) - 0.9)).toBeLessThan(0.03);
    expect(held(fresh, of(false), 3)).toBeLessThan(0.87);
  });

  test("are those of MAPIE's least ambiguous classifier, with the label where that one's are empty", () => {
    const { probabilities, target, asked, levels, sets } = fixture.binary;
    const rows: OutOfFold = {
      target: Float64Array.from(target),
      predictions: Float64Array.from(probabilities),
      outputs: 1,
      weights: null,
      parts: partsOf([150, 150]),
    };
    const binary = { ...common, classes: ["no", "yes"] };
    for (const [i, coverage] of levels.entries()) {
      const { part } = fitSets(rows, { ...binary, coverage });
      const { members } = setsOf(part, Float64Array.from(asked), 1, binary);
      for (const [row, theirs] of sets[i].entries()) {
        const label = asked[row] >= 0.5 ? [0, 1] : [1, 0];
        expect([...members.subarray(2 * row, 2 * row + 2)]).toEqual(
          theirs[0] + theirs[1] === 0 ? label : theirs,
        );
      }
    }
  });

  test("are by the words of the definition", () => {
    const row = fc.record({
      masses: fc.tuple(fc.nat(9), fc.nat(9), fc.integer({ min: 1, max: 9 })),
      truth: fc.nat(2),
      weight: fc.nat(2),
    });
    fc.assert(
      fc.property(
        fc
          .array(row, { minLength: 2, maxLength: 50 })
          .filter((all) => all.some((r) => r.weight > 0)),
        fc.constantFrom(0.6, 0.8, 0.9),
        (all, coverage) => {
          const p = all.map(({ masses }) => {
            const sum = masses[0] + masses[1] + masses[2];
            return masses.map((mass) => mass / sum);
          });
          const label = p.map((each) => each.lastIndexOf(Math.max(...each)));
          const weights = all.map(({ weight }) => weight);
          const total = weights.reduce((sum, each) => sum + each, 0);
          const size = total ** 2 / weights.reduce((sum, each) => sum + each ** 2, 0);
          const holding = (least: number) =>
            all.reduce(
              (sum, { truth, weight }, i) =>
                sum + (truth === label[i] || p[i][truth] >= least ? weight : 0),
              0,
            );
          const needed = coverage * (1 + 1 / size) * total - 1e-9 * total;
          const tried = [
            2,
            ...all.flatMap(({ truth, weight }, i) => (weight > 0 ? [p[i][truth]] : [])),
          ];
          const least = Math.max(0, ...tried.filter((each) => holding(each) >= needed));

          const rows: OutOfFold = {
            target: Float64Array.from(all, ({ truth }) => truth),
            predictions: Float64Array.from(p.flat()),
            outputs: 3,
            weights: Float64Array.from(weights),
            parts: partsOf([all.length]),
          };
          const three = { ...common, classes: ["x", "y", "z"], coverage };
          const { members } = setsOf(fitSets(rows, three).part, rows.predictions, 3, three);
          const expected = p.flatMap((each, i) =>
            each.map((mass, k) => (k === label[i] || mass >= least ? 1 : 0)),
          );
          expect([...members]).toEqual(expected);
        },
      ),
    );
  });

  test("are never empty, grow with the level, and hold the label of any threshold", () => {
    const { part } = fitSets(
      { ...drawnRows(600, 4, ["no", "yes"]), ...binaryOf(drawnRows(600, 4, ["no", "yes"])) },
      { ...common, classes: ["no", "yes"], threshold: 0.3 },
    );
    const labelling = { classes: ["no", "yes"], threshold: 0.3 };
    fc.assert(
      fc.property(
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.integer({ min: 50, max: 98 }),
        (p, percent) => {
          const asked = Float64Array.of(p);
          const less = setsOf(part, asked, 1, labelling, percent / 100).members;
          const more = setsOf(part, asked, 1, labelling, (percent + 1) / 100).members;
          expect(less[p >= 0.3 ? 1 : 0]).toBe(1);
          for (const k of [0, 1]) expect(more[k]).toBeGreaterThanOrEqual(less[k]);
        },
      ),
    );
  });

  test("are labels alone where labels are right more often than asked", () => {
    const rows = drawnRows(400, 5);
    const right = { ...rows, target: rows.target.map((_, row) => bestOf(rows, row)) };
    const { part, card } = fitSets(right, common);
    expect(part.levels.find(({ level }) => level === 0.9)?.from).toEqual([null]);
    expect(card).toMatchObject({ measured: 1, meanSize: 1 });
  });

  test("hold all classes where the rows are too few for the level", () => {
    const rows = drawnRows(8, 6);
    const wrong = { ...rows, target: rows.target.map((_, row) => (bestOf(rows, row) + 1) % 4) };
    const { part } = fitSets(wrong, common);
    const { members, unlimited } = setsOf(part, Float64Array.of(0.97, 0.01, 0.01, 0.01), 4, common);
    expect([...members]).toEqual([1, 1, 1, 1]);
    expect(unlimited).toBe(true);
  });

  test("measure coverage and size out of fold, and survive the journey through JSON", () => {
    const { part, card } = fitSets(drawnRows(4000, 7), { ...common, byClass: true });
    expect(Math.abs((card.measured ?? 0) - 0.9)).toBeLessThan(0.015);
    expect(card.meanSize).toBeGreaterThan(1);
    expect(Object.keys(card.byClass ?? {})).toEqual(LETTERS);
    expect(setPartSchema.parse(JSON.parse(JSON.stringify(part)))).toEqual(part);
  });
});

function bestOf({ predictions }: OutOfFold, row: number): number {
  const four = [...predictions.subarray(4 * row, 4 * row + 4)];
  return four.lastIndexOf(Math.max(...four));
}

/** Two classes as one probability. */
function binaryOf({ predictions }: OutOfFold): Pick<OutOfFold, "predictions" | "outputs"> {
  return { predictions: predictions.filter((_, i) => i % 2 === 1), outputs: 1 };
}
