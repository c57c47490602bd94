import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { WHOLE, withoutShare, withShare } from "./split.ts";

const splits = fc
  .array(fc.nat(1_000), { minLength: 1, maxLength: 8 })
  .filter((parts) => parts.some((part) => part > 0))
  .map((parts) => {
    const sum = parts.reduce((total, part) => total + part, 0);
    const shares = parts.map((part) => Math.floor((part * WHOLE) / sum));
    shares[0]! += WHOLE - shares.reduce((total, share) => total + share, 0);
    return shares;
  });
const sumOf = (shares: readonly number[]) => shares.reduce((total, share) => total + share, 0);

describe("withShare", () => {
  it("sums to the whole, sets what it was told, and leaves no share below nothing", () => {
    fc.assert(
      fc.property(
        splits,
        fc.nat(),
        fc.integer({ min: -500, max: WHOLE + 500 }),
        (shares, at, value) => {
          const index = at % shares.length;
          const next = withShare(shares, index, value);
          expect(sumOf(next)).toBe(WHOLE);
          expect(Math.min(...next)).toBeGreaterThanOrEqual(0);
          if (shares.length > 1) expect(next[index]).toBe(Math.min(WHOLE, Math.max(0, value)));
        },
      ),
    );
  });

  it("keeps the others' proportions", () => {
    expect(withShare([5_000, 3_000, 2_000], 0, 0)).toEqual([0, 6_000, 4_000]);
    expect(withShare([WHOLE, 0, 0], 0, 7_001)).toEqual([7_001, 1_500, 1_499]);
  });

  it("leaves all to a model that is alone", () => {
    expect(withShare([WHOLE], 0, 100)).toEqual([WHOLE]);
  });
});

describe("withoutShare", () => {
  it("gives a removed model's traffic to the others", () => {
    expect(withoutShare([2_000, 8_000], 1)).toEqual([WHOLE]);
    expect(withoutShare([5_000, 2_500, 2_500], 0)).toEqual([5_000, 5_000]);
  });
});
