/** Fits whose work is shared by threads are, byte for byte, what one thread fits. */

import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { newDesk } from "../../compute/crew-desk.ts";
import { ComputePool } from "../../compute/pool.ts";
import { forEachConcurrently } from "../../trainer/concurrency.ts";
import { fitOf, randomFit } from "./testing/random-fit.ts";
import type { SharedFit, SharedFitOutcome } from "./testing/shared-fit.ts";

const pool = new ComputePool(new URL("./testing/shared-fit.ts", import.meta.url), 4);
afterAll(() => pool.close());

function run(fit: SharedFit): Promise<SharedFitOutcome> {
  const desk = newDesk();
  const { arena } = fit.context.data;
  const input = { ...fit, context: { ...fit.context, crew: desk } };
  return pool.run("fitBoth", input, { crew: { name: "help", arena, desk } });
}

describe("a shared fit", () => {
  it("is what one thread fits, whoever helps", async () => {
    await fc.assert(
      fc.asyncProperty(randomFit, async (given) => {
        const { alone, shared } = await run(fitOf(given));
        expect(shared).toBe(alone);
      }),
      { numRuns: 40, seed: 1 },
    );
  });

  it("is what one thread fits, while helpers go from one fit to another", async () => {
    const given = fc.sample(randomFit, { numRuns: 16, seed: 2 });
    const outcomes: SharedFitOutcome[] = [];
    await forEachConcurrently(3, given, async (each, i) => {
      outcomes[i] = await run(fitOf(each));
    });
    for (const { alone, shared } of outcomes) expect(shared).toBe(alone);
  });

  it("is helped", async () => {
    const [given] = fc.sample(randomFit, { numRuns: 1, seed: 3 });
    const large = { ...given, rows: 20_000, features: 12, unitCells: 200 as const };
    for (;;) {
      const { alone, shared, helped } = await run(fitOf(large));
      expect(shared).toBe(alone);
      if (helped > 0) return;
    }
  });
});
