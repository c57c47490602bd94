import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Arena } from "../../compute/arena.ts";
import { kernelsOf } from "../../compute/kernels.ts";
import { CounterRandom, deriveKey } from "../../compute/random.ts";
import { withScratch } from "../../compute/scratch.ts";
import { awkwardSequences, madeSequences, setOf } from "../testing/made-sequences.ts";
import { DtwNeighbours, fitDtwNeighbours } from "./dtw-neighbours.ts";
import { windowOf } from "./dtw-search.ts";

const arena = Arena.create();
const kernels = kernelsOf(arena.handle());

describe("dynamic time warping", () => {
  it("is the least sum along a path, and its bounds are below it", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 25 }),
        fc.integer({ min: 1, max: 25 }),
        fc.integer({ min: 1, max: 3 }),
        fc.integer({ min: 0, max: 25 }),
        fc.integer({ min: 0, max: 1000 }),
        (aSteps, bSteps, channels, some, seed) => {
          const random = new CounterRandom(deriveKey(seed, "dtw"));
          const draw = (steps: number) =>
            Float64Array.from({ length: steps * channels }, () =>
              Math.round(4 * random.nextGaussian()),
            );
          const [a, b] = [draw(aSteps), draw(bSteps)];
          const window = Math.max(some, Math.abs(aSteps - bSteps));
          const expected = slowDistance(a, b, channels, window);
          withScratch(arena, (scratch) => {
            const [x, y, row] = [scratch.f64(a), scratch.f64(b), scratch.allocate(8 * bSteps)];
            const distance = (cutoff: number) =>
              kernels.dtwDistance(x, aSteps, y, bSteps, channels, window, cutoff, row);
            // Sums of whole numbers are exact.
            expect(distance(Infinity)).toBe(expected);
            expect(distance(expected)).toBe(expected);
            expect([expected, Infinity]).toContain(distance(expected - 1));
            const [lower, upper] = [scratch.allocate(8 * a.length), scratch.allocate(8 * a.length)];
            kernels.dtwEnvelope(x, aSteps, channels, window, lower, upper);
            const [lows, highs] = [arena.f64(lower, a.length), arena.f64(upper, a.length)];
            for (let i = 0; i < aSteps; i++) {
              for (let c = 0; c < channels; c++) {
                const near = Array.from(a).filter(
                  (_, at) =>
                    at % channels === c && Math.abs(Math.floor(at / channels) - i) <= window,
                );
                expect(lows[i * channels + c]).toBe(Math.min(...near));
                expect(highs[i * channels + c]).toBe(Math.max(...near));
              }
            }
            for (const enveloped of aSteps === bSteps ? [0, 1] : [0]) {
              const bound = kernels.dtwBound(
                x,
                aSteps,
                y,
                bSteps,
                channels,
                enveloped,
                lower,
                upper,
              );
              expect(bound).toBeLessThanOrEqual(expected);
            }
          });
        },
      ),
      { numRuns: 200 },
    );
  });

  it("finds the neighbours and the window that looking at all of them finds", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 2 }),
        fc.boolean(),
        fc.constantFrom(0, 2),
        fc.integer({ min: 0, max: 1000 }),
        (channels, equal, classes, seed) => {
          const lengths = Array.from({ length: 14 }, (_, i) => (equal ? 20 : 8 + ((5 * i) % 23)));
          const set = madeSequences(lengths, channels, seed);
          const values = Float64Array.from(lengths, (_, i) => (classes ? i % 2 : (i % 5) + i / 7));
          const windows = [0, 0.1, 0.3];
          const neighbours = [1, 3];
          const fitted = fitDtwNeighbours(
            set,
            null,
            { values, classes },
            { windows, neighbours, scaling: "none" },
          );
          const series = lengths.map((_, i) => stepped(set, i));
          const left = (share: number, k: number, i: number): Float64Array => {
            const order = series
              .map((other, j) => ({
                j,
                distance: slowDistance(
                  series[i],
                  other,
                  channels,
                  windowOf(share, lengths[i], lengths[j]),
                ),
              }))
              .filter(({ j }) => j !== i)
              .sort((a, b) => a.distance - b.distance || a.j - b.j)
              .slice(0, k);
            const said = new Float64Array(Math.max(1, classes));
            for (const { j } of order) {
              if (classes === 0) said[0] += values[j] / k;
              else said[values[j]] += 1 / k;
            }
            return said;
          };
          const losses = windows.flatMap((share) =>
            neighbours.map((k) => {
              const loss = lengths.reduce((sum, _, i) => {
                const said = left(share, k, i);
                if (classes === 0) return sum + (said[0] - values[i]) ** 2;
                // Odd numbers of neighbours of two classes: no ties.
                return sum + Number(said[values[i]] < 0.5);
              }, 0);
              return { share, k, loss };
            }),
          );
          const least = Math.min(...losses.map(({ loss }) => loss));
          const best = losses.find(({ loss }) => loss <= least + 1e-9);
          expect(fitted).toMatchObject({ window: best?.share, neighbours: best?.k });
          const out = fitted.leftOut();
          for (const i of lengths.keys()) {
            const expected = left(fitted.window, fitted.neighbours, i);
            for (const [o, value] of expected.entries()) {
              expect(out[i * expected.length + o]).toBeCloseTo(value, 10);
            }
          }
        },
      ),
      { numRuns: 25 },
    );
  });

  it("is the same after loading, and for one sequence as for all", () => {
    const set = madeSequences([20, 30, 25, 40, 22, 31], 2, 3);
    const target = { values: Float64Array.of(0, 1, 2, 0, 1, 2), classes: 3 };
    const fitted = fitDtwNeighbours(set, Uint32Array.of(0, 1, 2, 3, 4, 5), target);
    const saved = fitted.save();
    const loaded = DtwNeighbours.load({
      ...saved,
      header: JSON.parse(JSON.stringify(saved.header)),
    });
    const asked = madeSequences([12, 50, 28], 2, 8);
    const all = fitted.predict(asked, null);
    expect(loaded.predict(asked, Uint32Array.of(2))).toEqual(all.slice(6, 9));
    // Its own nearest is itself.
    expect([...fitted.predict(set, Uint32Array.of(2))]).toEqual([0, 0, 1]);
    expect(() => fitted.predict(madeSequences([9], 1, 1), null)).toThrow("have 1 channels");
  });

  it("tells apart what only warping brings together, with and without z-normalising", () => {
    const bump = (at: number, size: number, lift: number) =>
      Float64Array.from({ length: 60 }, (_, t) => lift + size * Math.exp(-((t - at) ** 2) / 8));
    const places = [12, 18, 24, 30, 36, 42];
    const set = setOf(places.flatMap((at, i) => [[bump(at, 1, 5 * i)], [bump(at, -1, 5 * i)]]));
    const values = Float64Array.from({ length: 12 }, (_, i) => i % 2);
    const fitted = fitDtwNeighbours(set, null, { values, classes: 2 }, { scaling: "sequence" });
    expect(fitted.window).toBeGreaterThan(0);
    const asked = setOf([[bump(27, 1, 100)], [bump(33, -1, 200)]]);
    expect([...fitted.predict(asked, null)]).toEqual([1, 0, 0, 1]);
  });

  it("takes sequences of one step, constant ones, missing channels and long ones", () => {
    const set = awkwardSequences(2000);
    const values = Float64Array.from({ length: set.count }, (_, i) => i);
    const fitted = fitDtwNeighbours(set, null, { values, classes: 0 }, { windows: [0, 0.1] });
    expect(fitted.leftOut().every(Number.isFinite)).toBe(true);
    const one = fitDtwNeighbours(set, Uint32Array.of(0), {
      values: Float64Array.of(4),
      classes: 0,
    });
    expect([...one.predict(set, null)]).toEqual(Array(set.count).fill(4));
    expect([...one.leftOut()]).toEqual([0]);
  });
});

function stepped(set: ReturnType<typeof madeSequences>, i: number): Float64Array {
  const [start, end] = [set.offsets[i], set.offsets[i + 1]];
  return Float64Array.from({ length: (end - start) * set.channels }, (_, at) => {
    return set.values[at % set.channels][start + Math.floor(at / set.channels)];
  });
}

/** By the whole matrix. */
function slowDistance(a: Float64Array, b: Float64Array, channels: number, window: number): number {
  const [n, m] = [a.length / channels, b.length / channels];
  const best = Array.from({ length: n + 1 }, () => Array<number>(m + 1).fill(Infinity));
  best[0][0] = 0;
  for (let i = 1; i <= n; i++) {
    for (let j = 1; j <= m; j++) {
      if (Math.abs(i - j) > window) continue;
      let cost = 0;
      for (let c = 0; c < channels; c++) {
        cost += (a[(i - 1) * channels + c] - b[(j - 1) * channels + c]) ** 2;
      }
      best[i][j] = cost + Math.min(best[i - 1][j], best[i][j - 1], best[i - 1][j - 1]);
    }
  }
  return best[n][m];
}
