import { expect, it } from "vitest";
import type { SequenceFrame } from "../../data/frame.ts";
import { explainChannels } from "./channel-explanation.ts";

it("asks of many channels for those that are read alone, which share what there is to say", () => {
  const channels = 100;
  const frame: SequenceFrame = {
    ...{ kind: "sequences", count: 2, channels },
    columns: Array.from({ length: channels }, (_, c) => `c${c}`),
    offsets: Uint32Array.of(0, 1, 2),
    values: Array.from({ length: channels }, (_, c) => Float64Array.of(c, -c)),
  };
  const read = new Set([3, 40, 99]);
  let asked = 0;
  const margins = ({ values }: SequenceFrame): Float64Array => {
    asked++;
    return Float64Array.from({ length: 2 }, (_, i) =>
      [...read].reduce((sum, c) => sum + (values[c][i] || 0), 7),
    );
  };
  const request = {
    task: { kind: "sequence_regression" as const, classes: [] },
    frame,
    rows: null,
  };
  const explain = (isRead?: (channel: number) => boolean) =>
    explainChannels({ ...request, features: 1, channels, margins, ...(isRead && { isRead }) });
  const all = explain();
  expect(asked).toBeGreaterThan(channels);
  asked = 0;
  expect(explain((channel) => read.has(channel))).toEqual(all);
  // The whole, nothing twice, and each of the three.
  expect(asked).toBeLessThanOrEqual(3 + read.size);
  expect([...all.contributions.subarray(1 + 40, 1 + 41)]).toEqual([40]);
});
