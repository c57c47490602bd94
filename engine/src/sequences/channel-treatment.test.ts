import { describe, expect, it } from "vitest";
import { type ChannelScaling, ChannelTreatment } from "./channel-treatment.ts";
import { setOf } from "./testing/made-sequences.ts";

const NONE = Number.NaN;

describe("the treatment of channels", () => {
  const set = setOf([
    [
      [NONE, 2, NONE, NONE, 8, NONE],
      [NONE, NONE, NONE, NONE, NONE, NONE],
    ],
    [
      [2, 4],
      [10, 30],
    ],
    [[5], [Infinity]],
    [[1e300], [-1e300]],
  ]);
  const fit = (scaling: ChannelScaling, rows = [0, 1]) =>
    ChannelTreatment.fit(set, Uint32Array.from(rows), scaling);
  const written = (treatment: ChannelTreatment, sequence: number, channel: number) => {
    const out = new Float64Array(set.offsets[sequence + 1] - set.offsets[sequence]);
    treatment.write(set, sequence, channel, out);
    return [...out];
  };

  it("fills what is missing", () => {
    expect(written(fit("none"), 0, 0)).toEqual([2, 2, 4, 6, 8, 8]);
    // The mean of the channel over the training sequences.
    expect(written(fit("none"), 0, 1)).toEqual(Array(6).fill(20));
    expect(written(fit("none"), 2, 1)).toEqual([20]);
    expect(written(fit("none", [0]), 2, 1)).toEqual([0]);
  });

  it("scales by the training sequences or by the sequence itself", () => {
    // Observed: 2, 8, 2, 4.
    expect(written(fit("channel"), 1, 0)).toEqual([(2 - 4) / Math.sqrt(6), 0]);
    expect(written(fit("channel"), 0, 1)).toEqual(Array(6).fill(0));
    expect(written(fit("sequence"), 1, 1)).toEqual([-1, 1]);
    expect(written(fit("sequence"), 2, 0)).toEqual([0]);
  });

  it("bounds what is huge", () => {
    expect(written(fit("none"), 3, 0)).toEqual([1e30]);
    expect(written(fit("none"), 3, 1)).toEqual([-1e30]);
    expect(written(fit("channel", [1, 3]), 3, 0).every(Number.isFinite)).toBe(true);
  });

  it("is the same after loading", () => {
    const saved = fit("channel").save();
    const loaded = ChannelTreatment.load(saved.header, saved);
    expect(written(loaded, 1, 0)).toEqual(written(fit("channel"), 1, 0));
    expect(() => ChannelTreatment.load(saved.header, { header: {}, tensors: {} })).toThrow(
      '"channel_means" is missing',
    );
  });
});
