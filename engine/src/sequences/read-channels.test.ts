import { describe, expect, it } from "vitest";
import { deriveKey } from "../compute/random.ts";
import type { SequenceTransform } from "./feature-matrix.ts";
import { fitHydra } from "./hydra/fit-hydra.ts";
import { readChannels } from "./read-channels.ts";
import { MiniRocket } from "./rocket/minirocket.ts";
import { MultiRocket } from "./rocket/multirocket.ts";
import type { SequenceSet } from "./sequence-set.ts";
import { madeSequences } from "./testing/made-sequences.ts";

const CHANNELS = 2000;
const key = deriveKey(1, "wide");

/** The same set, which counts how often each channel is looked at. */
function counted(set: SequenceSet): { set: SequenceSet; looks: Uint32Array } {
  const looks = new Uint32Array(set.channels);
  const values = new Proxy([...set.values], {
    get(target, name, receiver) {
      if (typeof name === "string" && /^\d+$/.test(name)) looks[Number(name)]++;
      return Reflect.get(target, name, receiver);
    },
  });
  return { set: { ...set, values }, looks };
}

describe("channels that are read", () => {
  it("are those that were drawn, by their places, or all where that would be one of several", () => {
    const read = readChannels(Int32Array.of(5, 2, 5, 7), 9);
    expect([...read.channels]).toEqual([2, 5, 7]);
    expect([...read.members]).toEqual([1, 0, 1, 2]);
    expect([...readChannels(Int32Array.of(1, 1), 3).channels]).toEqual([0, 1, 2]);
    expect([...readChannels(Int32Array.of(1, 1), 3).members]).toEqual([1, 1]);
    expect([...readChannels(new Int32Array(0), 1).channels]).toEqual([0]);
  });

  it.each<[string, (set: SequenceSet) => SequenceTransform]>([
    ["MiniRocket", (set) => MiniRocket.fit(set, null, key, { features: 84 })],
    ["MultiRocket", (set) => MultiRocket.fit(set, null, key, { kernels: 84 })],
    ["Hydra", (set) => fitHydra(set, null, key, { groups: 4 })],
  ])("alone are treated, and make the features: %s", (_, fit) => {
    const given = madeSequences([20, 24], CHANNELS, 7);
    const whileFitted = counted(given);
    const { reads = new Set<number>(), ...transform } = bound(fit(whileFitted.set));
    expect(reads.size).toBeGreaterThan(8);
    expect(reads.size).toBeLessThan(CHANNELS);
    const unread = Uint32Array.from({ length: CHANNELS }, (_, c) => c).filter((c) => !reads.has(c));
    // Once to check the set, and once for the channel's mean.
    for (const channel of unread) expect(whileFitted.looks[channel]).toBeLessThanOrEqual(2);
    const values = given.values.map((own, c) => (reads.has(c) ? own : own.map(() => Number.NaN)));
    const { set, looks } = counted({ ...given, values });
    expect(transform.of(set)).toEqual(transform.of(given));
    for (const channel of unread) expect(looks[channel]).toBeLessThanOrEqual(1);
  });
});

const bound = (transform: SequenceTransform) => ({
  reads: transform.reads,
  of: (set: SequenceSet) => transform.transform(set, null),
});
