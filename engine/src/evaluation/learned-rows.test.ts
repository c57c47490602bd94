import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CounterRandom, deriveKey } from "../compute/random.ts";
import { equalRows, RowHashes } from "../data/row-hashes.ts";
import { type RowSketch, SKETCH_HASHES, sketchRows } from "../model/row-sketch.ts";
import { findLearned, learnedWarnings, tailBound } from "./learned-rows.ts";

function hashesOf(values: Float64Array): RowHashes {
  const hashes = new RowHashes(null, values.length);
  hashes.add({ kind: "numeric", name: "a", values });
  return hashes;
}

function sketchOf(values: Float64Array): RowSketch {
  const hashes = hashesOf(values);
  return sketchRows(hashes, equalRows(hashes), []);
}

const random = new CounterRandom(deriveKey(1, "learned rows test"));
const whole = (below: number) => (): number => Math.floor(below * random.nextFloat());
const DISTRIBUTIONS: [string, () => number][] = [
  ["all of different rows", () => random.nextFloat()],
  ["of many values", whole(100_000)],
  ["of some values", whole(2000)],
  ["of few values", whole(12)],
  ["with a long tail", () => Math.floor(20_000 ** random.nextFloat())],
  ["half of one row", () => (random.nextFloat() < 0.5 ? -1 : random.nextFloat())],
];

describe("rows that were learned", () => {
  it("are those of the sample that were learned indeed", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 4000 }),
        fc.integer({ min: 1, max: 4000 }),
        fc.integer({ min: 0, max: 4000 }),
        (count, asked, from) => {
          const learned = Float64Array.from({ length: count }, (_, i) => i);
          const values = Float64Array.from({ length: asked }, (_, i) => from + i);
          const hashes = hashesOf(values);
          const all = Array.from(hashesOf(learned).high).sort((a, b) => a - b);
          // Upper words alone, which no two of these share.
          const bound = count > SKETCH_HASHES ? all[SKETCH_HASHES - 1] : 2 ** 32;
          const places = [...values.keys()].filter((row) => hashes.high[row] < bound);
          expect(findLearned(sketchOf(learned), hashes)).toMatchObject({
            sampled: places.length,
            learned: places.filter((row) => values[row] < count).length,
            isAll: count <= SKETCH_HASHES,
          });
        },
      ),
      { numRuns: 40 },
    );
  });

  it.each(DISTRIBUTIONS)("are not told of new rows, %s", (_, draw) => {
    for (const count of [100, 900, 6000]) {
      for (const asked of [30, 500, 3000]) {
        const sketch = sketchOf(Float64Array.from({ length: count }, draw));
        const fresh = hashesOf(Float64Array.from({ length: asked }, draw));
        expect(findLearned(sketch, fresh).isMore).toBe(false);
      }
    }
  });

  it("are not told where a common row is commoner", () => {
    const draw = (): number => (random.nextFloat() < 0.1 ? -1 : random.nextFloat());
    const sketch = sketchOf(Float64Array.from({ length: 3000 }, draw));
    const asked = Float64Array.from({ length: 600 }, (_, i) => (i % 3 ? -1 : random.nextFloat()));
    expect(findLearned(sketch, hashesOf(asked)).isMore).toBe(false);
  });

  it.each([
    [500, 200, 1],
    [500, 400, 0.2],
    [50_000, 5000, 1],
    [50_000, 5000, 0.1],
  ])("are told, of %i rows by %i of which a share of %f was learned", (count, asked, share) => {
    const learned = Float64Array.from({ length: count }, () => random.nextFloat());
    const values = Float64Array.from({ length: asked }, (_, i) =>
      i < share * asked ? learned[(i * 7919) % count] : random.nextFloat(),
    );
    const found = findLearned(sketchOf(learned), hashesOf(values));
    expect(found.isMore).toBe(true);
    const error = Math.sqrt((share * (1 - share)) / found.sampled);
    expect(Math.abs(found.learned / found.sampled - share)).toBeLessThanOrEqual(4 * error);
    const [warning] = learnedWarnings(found, asked, "m@2");
    const about = count > SKETCH_HASHES ? /^About \d+ % of the rows \(between/ : /^\d+ of the \d+/;
    expect(warning).toMatch(about);
    expect(warning).toContain('the model "m@2" learned from');
  });

  it("are no news where they are hardly any", () => {
    const learned = Float64Array.from({ length: 20_000 }, (_, i) => i);
    const values = Float64Array.from({ length: 200_000 }, (_, i) => 18_000 + i);
    const found = findLearned(sketchOf(learned), hashesOf(values));
    expect(found.learned).toBeGreaterThan(50);
    expect(found.isMore).toBe(false);
    expect(learnedWarnings(found, 200_000, null)).toEqual([]);
  });
});

it("bounds the tails of binomial distributions from above", () => {
  for (const trials of [1, 7, 60]) {
    for (const chance of [0.01, 0.3, 0.9]) {
      let term = (1 - chance) ** trials;
      let tail = 1;
      for (let successes = 0; successes <= trials; successes++) {
        const bound = tailBound(successes, trials, chance);
        expect(bound).toBeGreaterThanOrEqual(tail - 1e-12);
        expect(bound).toBeLessThanOrEqual(1);
        tail -= term;
        term *= ((trials - successes) / (successes + 1)) * (chance / (1 - chance));
      }
    }
  }
});
