/** Shapley values over segments against their definition, and sampling against what it samples. */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { SequenceFrame } from "../data/frame.ts";
import { explainSegments, leastAsked, MOST_PLAYERS } from "./segment-explanation.ts";

function frameOf(steps: number, columns: readonly string[], seed = 1): SequenceFrame {
  return {
    kind: "sequences",
    count: 1,
    channels: columns.length,
    columns,
    offsets: Uint32Array.of(0, steps),
    values: columns.map((_, c) =>
      Float64Array.from({ length: steps }, (_each, t) => 1 + ((seed * 31 + c * 17 + t * 7) % 10)),
    ),
  };
}

/** A weighted sum over the steps that are there, and its third power. */
function outputsOf(frame: SequenceFrame): Float64Array {
  const out = new Float64Array(2 * frame.count);
  for (let i = 0; i < frame.count; i++) {
    for (const [c, values] of frame.values.entries()) {
      for (let at = frame.offsets[i]; at < frame.offsets[i + 1]; at++) {
        if (Number.isNaN(values[at])) continue;
        out[2 * i] += (c + 1) * (at - frame.offsets[i] + 1) * values[at];
      }
    }
    out[2 * i + 1] = (out[2 * i] / 1000) ** 3;
  }
  return out;
}

function permutations(items: readonly number[]): number[][] {
  if (items.length <= 1) return [[...items]];
  return items.flatMap((first) =>
    permutations(items.filter((item) => item !== first)).map((rest) => [first, ...rest]),
  );
}

const total = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0);

describe("segments of a sequence", () => {
  it("add up to the prediction, exactly or sampled, and tile each column's time", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 23 }),
        fc.integer({ min: 1, max: 9 }),
        fc.array(fc.constantFrom("a", "b", "<c>"), { minLength: 1, maxLength: 4 }),
        (steps, segments, columns) => {
          const frame = frameOf(steps, columns);
          const found = explainSegments({ frame, segments, predict: outputsOf });
          expect(found.predictions).toEqual([...outputsOf(frame)]);
          for (const k of [0, 1]) {
            const sum = total(found.segments.map(({ contributions }) => contributions[k]));
            expect(found.baseValues[k] + sum).toBeCloseTo(found.predictions[k], 8);
          }
          const names = [...new Set(columns)];
          expect(found.exact).toBe(names.length * Math.min(steps, segments) <= 8);
          for (const name of names) {
            const own = found.segments.filter(({ column }) => column === name);
            expect(own).toHaveLength(Math.min(steps, segments));
            expect(own.map(({ start }) => start)).toEqual([
              0,
              ...own.slice(0, -1).map(({ end }) => end),
            ]);
            expect(own.at(-1)?.end).toBe(steps);
          }
        },
      ),
      { numRuns: 60 },
    );
  });

  it("have the mean over all orders of what each changes, where all coalitions are asked", () => {
    const frame = frameOf(9, ["a", "b"], 4);
    const { segments, exact } = explainSegments({ frame, segments: 2, predict: outputsOf });
    expect(exact).toBe(true);
    const orders = permutations([0, 1, 2, 3]);
    const sums = segments.map(() => 0);
    for (const order of orders) {
      const values = frame.values.map((channel) =>
        new Float64Array(channel.length).fill(Number.NaN),
      );
      let before = outputsOf({ ...frame, values })[1];
      for (const player of order) {
        const { column, start, end } = segments[player];
        const c = frame.columns.indexOf(column);
        values[c].set(frame.values[c].subarray(start, end), start);
        const after = outputsOf({ ...frame, values })[1];
        sums[player] += (after - before) / orders.length;
        before = after;
      }
    }
    for (const [player, { contributions, errors }] of segments.entries()) {
      expect(contributions[1]).toBeCloseTo(sums[player], 10);
      expect(errors).toEqual([0, 0]);
    }
  });

  it("are sampled within their errors, and exactly where nothing works together", () => {
    const frame = frameOf(40, ["a", "b", "c"], 2);
    const { segments, exact } = explainSegments({ frame, segments: 5, predict: outputsOf });
    expect(exact).toBe(false);
    const weights = segments.map(({ column, start, end }) => {
      const c = frame.columns.indexOf(column);
      const steps = Array.from({ length: end - start }, (_, i) => start + i);
      return total(steps.map((t) => (c + 1) * (t + 1) * frame.values[c][t]));
    });
    const all = total(weights);
    const squares = total(weights.map((weight) => weight * weight));
    for (const [p, { contributions, errors }] of segments.entries()) {
      const own = weights[p];
      expect(contributions[0]).toBeCloseTo(own, 8);
      expect(errors[0]).toBeLessThan(1e-6);
      // Of those ahead of one in a random order, each is one in half of the orders, a pair in a third.
      const others = squares - own * own;
      const ahead = (all - own) / 2;
      const aheadSquared = others / 2 + ((all - own) ** 2 - others) / 3;
      const exactly = (3 * own * aheadSquared + 3 * own * own * ahead + own ** 3) / 1e9;
      expect(errors[1]).toBeGreaterThan(0);
      expect(Math.abs(contributions[1] - exactly)).toBeLessThan(4 * errors[1]);
    }
    expect(explainSegments({ frame, segments: 5, predict: outputsOf }).segments).toEqual(segments);
  });

  it("move columns of several channels together, and ask as few as they say", () => {
    let asked = 0;
    const found = explainSegments({
      frame: frameOf(12, ["kind", "kind", "x"]),
      segments: 8,
      asked: 1,
      predict: (masked) => {
        asked += masked.count;
        const [one, two] = masked.values;
        expect(Array.from(one, Number.isNaN)).toEqual(Array.from(two, Number.isNaN));
        return outputsOf(masked);
      },
    });
    expect(found.segments).toHaveLength(16);
    expect(asked).toBeLessThanOrEqual(leastAsked(16));
  });

  it("are refused where they are too many", () => {
    const frame = frameOf(
      70,
      Array.from({ length: 5 }, (_, c) => `c${c}`),
    );
    expect(() => explainSegments({ frame, segments: 64, predict: outputsOf })).toThrow(
      `5 channels in 64 segments are 320; at most ${MOST_PLAYERS}`,
    );
  });
});
