/** Tables whose binning threads share have, byte for byte, the bins that one thread gives them. */

import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { Arena } from "../../compute/arena.ts";
import { newDesk } from "../../compute/crew-desk.ts";
import { ComputePool } from "../../compute/pool.ts";
import type { SharedEncoding, SharedEncodingOutcome } from "./testing/shared-encoding.ts";

const pool = new ComputePool(new URL("./testing/shared-encoding.ts", import.meta.url), 3);
afterAll(() => pool.close());

function run(given: SharedEncoding, helper = "helpBinning"): Promise<SharedEncodingOutcome> {
  const crew = { arena: Arena.create().handle(), desk: newDesk() };
  return pool.run("encodeBoth", { ...given, ...crew }, { crew: { name: helper, ...crew } });
}

const randomTable: fc.Arbitrary<SharedEncoding> = fc.record({
  seed: fc.nat(),
  rows: fc.oneof(fc.integer({ min: 20, max: 60 }), fc.integer({ min: 1000, max: 15_000 })),
  columns: fc.integer({ min: 1, max: 12 }),
  categories: fc.constantFrom(0, 5, 400),
  fitted: fc.constantFrom(0.3, 1),
  sampleSize: fc.constantFrom(700, 200_000),
  maxBins: fc.constantFrom(4, 255),
  given: fc.boolean(),
  values: fc.boolean(),
  byRow: fc.boolean(),
});

describe("shared binning", () => {
  it("is what one thread does, whoever helps", async () => {
    await fc.assert(
      fc.asyncProperty(randomTable, async (given) => {
        const { alone, shared } = await run(given);
        expect(shared).toBe(alone);
      }),
      { numRuns: 20, seed: 1 },
    );
  });

  const large = {
    ...fc.sample(randomTable, { numRuns: 1, seed: 2 })[0],
    rows: 15_000,
    columns: 16,
    categories: 5,
  };

  it("is helped", async () => {
    for (;;) {
      const { alone, shared, helped } = await run(large);
      expect(shared).toBe(alone);
      if (helped > 0) return;
    }
  });

  it("fails where a helper ends with a column in its hands, and gives back what it held", async () => {
    await expect(run({ ...large, repeats: true }, "harm")).rejects.toThrow(/thread that helped/);
    const { alone, shared } = await run(large);
    expect(shared).toBe(alone);
  });
});
