import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isHeldOut, splitSample } from "./held-out.ts";
import type { SampleDocument } from "./inducer.ts";

const content = { text: "", lines: [], pages: 1 };

function sample(hashes: readonly string[]): SampleDocument[] {
  return hashes.map((hash, index) => ({ id: `document-${index}`, name: "a.txt", hash, content }));
}

describe("holding back", () => {
  it("keeps 3 of each 10 documents from the inducer, and none of fewer than 4", () => {
    expect(Array.from({ length: 10 }, (_, i) => i).filter(isHeldOut)).toEqual([3, 6, 9]);
    for (let size = 4; size < 200; size++) {
      const { held, proposing } = splitSample(sample(hashesOf(size)));
      expect(held).toHaveLength(Math.floor((3 * size) / 10));
      expect(held.length + proposing.length).toBe(size);
      expect(held.some((document) => proposing.includes(document))).toBe(false);
    }
    const small = splitSample(sample(["b", "a", "c"]));
    expect(small.isSplit).toBe(false);
    expect(small.held).toEqual(small.proposing);
  });

  it("begins where an inducer wants it to", () => {
    expect(splitSample(sample(hashesOf(19)), 20).isSplit).toBe(false);
    expect(splitSample(sample(hashesOf(20)), 20).held).toHaveLength(6);
  });

  it("takes each content once", () => {
    const split = splitSample(sample(["a", "b", "a", "a"]));
    expect(split.documents).toHaveLength(2);
    expect(split.duplicates).toBe(2);
  });

  it("goes by the bytes alone: not by order or ids", () => {
    const hashes = hashesOf(23);
    const order = fc.shuffledSubarray(hashes, { minLength: hashes.length });
    fc.assert(
      fc.property(order, (shuffled) => {
        const there = splitSample(sample(hashes)).held.map(({ hash }) => hash);
        expect(splitSample(sample(shuffled)).held.map(({ hash }) => hash)).toEqual(there);
      }),
      { numRuns: 30 },
    );
  });
});

function hashesOf(size: number): string[] {
  return Array.from({ length: size }, (_, index) => ((index * 7919) % 100_003).toString(16));
}
