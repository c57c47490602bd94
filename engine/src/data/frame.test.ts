import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { areUnequal, type SequenceFrame, takeSequences, takeSteps } from "./frame.ts";

/** Of the steps of each sequence, all channels alike but for their sign. */
function frameOf(sequences: readonly (readonly number[])[], channels = 1): SequenceFrame {
  const offsets = Uint32Array.from({ length: sequences.length + 1 }, (_, i) =>
    sequences.slice(0, i).reduce((sum, steps) => sum + steps.length, 0),
  );
  const steps = sequences.flat();
  return {
    kind: "sequences",
    count: sequences.length,
    channels,
    columns: Array.from({ length: channels }, (_, channel) => `c${channel}`),
    offsets,
    values: Array.from({ length: channels }, (_, channel) =>
      Float64Array.from(steps, (x) => (channel === 0 ? x : -x)),
    ),
  };
}

const stepsOf = ({ offsets, values }: SequenceFrame, channel: number): number[][] =>
  Array.from(offsets.subarray(1), (end, i) => [...values[channel].subarray(offsets[i], end)]);

describe("sequences taken by their rows", () => {
  it("are those of the rows, in their order and as often, whatever their lengths", () => {
    const sequence = fc.array(fc.oneof(fc.double({ noNaN: true }), fc.constant(Number.NaN)), {
      maxLength: 5,
    });
    const given = fc
      .array(sequence, { minLength: 1, maxLength: 6 })
      .chain((sequences) =>
        fc.tuple(
          fc.constant(sequences),
          fc.array(fc.nat(sequences.length - 1), { maxLength: 8 }),
          fc.integer({ min: 1, max: 3 }),
        ),
      );
    fc.assert(
      fc.property(given, ([sequences, rows, channels]) => {
        const frame = frameOf(sequences, channels);
        const taken = takeSequences(frame, Uint32Array.from(rows));
        expect(taken).toMatchObject({ count: rows.length, channels, columns: frame.columns });
        expect(taken.offsets.length).toBe(rows.length + 1);
        for (let channel = 0; channel < channels; channel++) {
          const whole = stepsOf(frame, channel);
          expect(stepsOf(taken, channel)).toEqual(rows.map((row) => whole[row]));
        }
      }),
    );
  });

  it("lie in buffers of their own, which threads may share", () => {
    const frame = frameOf([[1, 2], [3]], 2);
    const taken = takeSequences(frame, Uint32Array.of(1, 0));
    for (const array of [taken.offsets, ...taken.values]) {
      expect(array.buffer).toBeInstanceOf(SharedArrayBuffer);
    }
    taken.values[0].fill(9);
    expect([...frame.values[0]]).toEqual([1, 2, 3]);
    expect([...taken.values[1]]).toEqual([-3, -1, -2]);
  });
});

it("takes steps up to one of each sequence", () => {
  const frame = frameOf([[1, 2, 3], [4], [5, 6]], 2);
  const taken = takeSteps(frame, Uint32Array.of(2, 4, 6));
  expect(stepsOf(taken, 0)).toEqual([[1, 2], [4], [5, 6]]);
  expect(stepsOf(taken, 1)).toEqual([[-1, -2], [-4], [-5, -6]]);
});

it("calls lengths unequal where they differ by more than a little, and not of a few alone", () => {
  const of = (lengths: readonly number[]): SequenceFrame =>
    frameOf(lengths.map((length) => Array.from({ length }, () => 0)));
  const hundred = Array.from({ length: 100 }, () => 100);
  expect(areUnequal(of(hundred))).toBe(false);
  expect(areUnequal(of([...hundred, 10, 500]))).toBe(false);
  expect(areUnequal(of(hundred.map((length, i) => length + (i % 8))))).toBe(false);
  expect(areUnequal(of(hundred.map((length, i) => length + (i % 30))))).toBe(true);
});
