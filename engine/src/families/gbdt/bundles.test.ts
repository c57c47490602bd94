/** Fits whose features share columns are, byte for byte, what fits without bundles are; so are those of several threads. */

import fc from "fast-check";
import { afterAll, expect, it } from "vitest";
import { newDesk } from "../../compute/crew-desk.ts";
import { ComputePool } from "../../compute/pool.ts";
import { CounterRandom, deriveKey } from "../../compute/random.ts";
import { withBundles } from "../../data/encode.ts";
import type { BinColumn } from "../../trees/testing/random-bins.ts";
import { boost } from "./booster.ts";
import { fitOf, randomFit } from "./testing/random-fit.ts";
import {
  parametersOf,
  type SharedFit,
  type SharedFitOutcome,
  textOf,
} from "./testing/shared-fit.ts";

const pool = new ComputePool(new URL("./testing/shared-fit.ts", import.meta.url), 3);
afterAll(() => pool.close());

/** Of each group of neighbours a row has one away from its usual bin at most; some columns stay as they were. */
function exclusive(seed: number): (columns: readonly BinColumn[]) => readonly BinColumn[] {
  return (columns) => {
    const random = new CounterRandom(deriveKey(seed, "exclusive"));
    const changed: BinColumn[] = [];
    while (changed.length < columns.length) {
      const size = random.nextInteger(8);
      const group = columns.slice(changed.length, changed.length + Math.max(1, size));
      const usual = group.map(({ valueBins }) => random.nextInteger(valueBins + 1));
      const chosen = Uint8Array.from(group[0].bins, () => random.nextInteger(group.length + 1));
      for (const [i, column] of group.entries()) {
        if (size === 0) changed.push(column);
        else {
          const bins = Array.from(column.bins, (bin, row) => (chosen[row] === i ? bin : usual[i]));
          changed.push({ ...column, bins });
        }
      }
    }
    return changed;
  };
}

const random = fc.tuple(randomFit, fc.integer({ min: 16, max: 60 }));

function bundledFit([given, features]: typeof random extends fc.Arbitrary<infer V> ? V : never) {
  const fit = fitOf({ ...given, features }, exclusive(given.seed));
  const data = withBundles(fit.context.data);
  return { fit, bundled: { ...fit, context: { ...fit.context, data } } };
}

const textOfFit = (fit: SharedFit): string => textOf(boost(fit.context, parametersOf(fit)));

it("are what they are without", () => {
  let bundles = 0;
  fc.assert(
    fc.property(random, (given) => {
      const { fit, bundled } = bundledFit(given);
      if (bundled.context.data.binned?.bundled) bundles++;
      expect(textOfFit(bundled)).toBe(textOfFit(fit));
    }),
    { numRuns: 30, seed: 1 },
  );
  expect(bundles).toBeGreaterThan(10);
});

it("are the same of several threads", async () => {
  await fc.assert(
    fc.asyncProperty(random, async (given) => {
      const { fit, bundled } = bundledFit(given);
      const desk = newDesk();
      const { arena } = bundled.context.data;
      const input = { ...bundled, context: { ...bundled.context, crew: desk } };
      const crew = { name: "help", arena, desk };
      const outcome = await pool.run<SharedFit, SharedFitOutcome>("fitBoth", input, { crew });
      expect(outcome.shared).toBe(outcome.alone);
      expect(outcome.alone).toBe(textOfFit(fit));
    }),
    { numRuns: 8, seed: 2 },
  );
});
