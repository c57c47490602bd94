/** Forests whose trees are grown by several threads are, byte for byte, what one thread grows. */

import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { newDesk } from "../../compute/crew-desk.ts";
import { ComputePool } from "../../compute/pool.ts";
import { forEachConcurrently } from "../../trainer/outcome/concurrency.ts";
import type { ForestSettings, Sharing } from "./fit-forest.ts";
import { randomForestInput } from "./testing/rows.ts";
import type { SharedForest, SharedForestOutcome } from "./testing/shared-forest.ts";

const pool = new ComputePool(new URL("./testing/shared-forest.ts", import.meta.url), 4);
afterAll(() => pool.close());

const randomForest = fc.record({
  seed: fc.nat(),
  rows: fc.integer({ min: 1, max: 600 }),
  columns: fc.integer({ min: 1, max: 6 }),
  classes: fc.constantFrom(0, 2, 3),
  weighted: fc.boolean(),
  soft: fc.boolean(),
  bins: fc.constantFrom(3, 60),
  settings: fc.record({
    trees: fc.constantFrom(1, 2, 7, 20),
    featureFraction: fc.constantFrom(0.4, 1),
    minLeaf: fc.constantFrom(1, 5),
    maxLeaves: fc.constantFrom(4, 1000),
    maxDepth: fc.constantFrom(0, 4),
    randomCuts: fc.boolean(),
    criterion: fc.constantFrom("gini" as const, "entropy" as const),
    bootstrap: fc.boolean(),
    sampleFraction: fc.constantFrom(1, 0.6),
    shrinkage: fc.constantFrom(0, 2),
  }),
  lookCells: fc.constantFrom(1, 3000, 2 ** 17),
});
type RandomForest = typeof randomForest extends fc.Arbitrary<infer Value> ? Value : never;

function forestOf({ settings, lookCells, ...shape }: RandomForest): SharedForest {
  return {
    input: randomForestInput(shape),
    settings,
    sharing: { cells: 0, lookCells },
  };
}

function run(forest: SharedForest, helper = "help"): Promise<SharedForestOutcome> {
  const desk = newDesk();
  const { arena } = forest.input.data;
  const input = { ...forest, input: { ...forest.input, crew: desk } };
  return pool.run("growBoth", input, { crew: { name: helper, arena, desk } });
}

const LARGE: { readonly settings: ForestSettings; readonly sharing: Sharing } = {
  settings: {
    ...{ trees: 300, featureFraction: 1, minLeaf: 1, maxLeaves: 10_000, maxDepth: 0 },
    ...{ randomCuts: false, bootstrap: true, sampleFraction: 1, shrinkage: 0 },
  },
  sharing: { cells: 0, lookCells: 3000 },
};

function largeForest(): SharedForest {
  const [given] = fc.sample(randomForest, { numRuns: 1, seed: 3 });
  return { ...forestOf({ ...given, rows: 600, columns: 5, classes: 0, soft: false }), ...LARGE };
}

describe("a shared forest", () => {
  it("is what one thread grows, whoever helps", async () => {
    await fc.assert(
      fc.asyncProperty(randomForest, async (given) => {
        const { alone, shared } = await run(forestOf(given));
        expect(shared).toBe(alone);
      }),
      { numRuns: 40, seed: 1 },
    );
  });

  it("is what one thread grows, while helpers go from one forest to another", async () => {
    const given = fc.sample(randomForest, { numRuns: 24, seed: 2 });
    const outcomes: SharedForestOutcome[] = [];
    await forEachConcurrently(3, given, async (each, i) => {
      outcomes[i] = await run(forestOf(each));
    });
    for (const { alone, shared } of outcomes) expect(shared).toBe(alone);
  });

  it("is helped", async () => {
    for (;;) {
      const { alone, shared, helped } = await run(largeForest());
      expect(shared).toBe(alone);
      if (helped > 0) return;
    }
  });

  it("fails where a helper ends with a tree in its hands", async () => {
    const forest = largeForest();
    const settings = { ...forest.settings, trees: 100_000 };
    await expect(run({ ...forest, settings }, "harm")).rejects.toThrow(/thread that helped/);
  });
});
