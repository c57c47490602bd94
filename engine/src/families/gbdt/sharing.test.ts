/** Fits whose work is shared by threads are, byte for byte, what one thread fits. */

import { setTimeout as sleep } from "node:timers/promises";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { type CrewDesk, newDesk } from "../../compute/crew-desk.ts";
import { ComputePool } from "../../compute/pool.ts";
import type { Task } from "../../tasks/index.ts";
import { forEachConcurrently } from "../../trainer/outcome/concurrency.ts";
import { fitOf, type RandomFit, randomFit } from "./testing/random-fit.ts";
import type { SharedFit, SharedFitOutcome } from "./testing/shared-fit.ts";

const pool = new ComputePool(new URL("./testing/shared-fit.ts", import.meta.url), 4);
afterAll(() => pool.close());

function run(
  fit: SharedFit,
  helper = "help",
  options: { readonly desk?: CrewDesk; readonly signal?: AbortSignal } = {},
): Promise<SharedFitOutcome> {
  const { desk = newDesk(), ...others } = options;
  const { arena } = fit.context.data;
  const input = { ...fit, context: { ...fit.context, crew: desk } };
  return pool.run("fitBoth", input, { crew: { name: helper, arena, desk }, ...others });
}

/** Rows are marked, nodes are split ahead of their turn, and some of those splits are undone. */
function largeFit(rounds: number, changes: Partial<RandomFit> = {}): SharedFit {
  const [given] = fc.sample(randomFit, { numRuns: 1, seed: 3 });
  const fit = fitOf({
    ...given,
    ...changes,
    rows: 40_000,
    features: 6,
    weighted: true,
    unitCells: 200,
  });
  const growth = { growth: "leafwise", num_leaves: 60, max_depth: 0, extra_trees: false };
  return { ...fit, parameters: { ...fit.parameters, ...growth, n_estimators: rounds } };
}

/** More classes than threads, so that some trees are grown side by side and some are shared. */
const CLASSES: Task = { kind: "multiclass", classes: ["a", "b", "c", "d", "e", "f", "g"] };

/** Helpers that are at work: the desk's third word. */
function helpersInside(desk: CrewDesk): number {
  return Atomics.load(desk, 2);
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

  it("is what one thread fits, where trees of classes are grown side by side", async () => {
    await fc.assert(
      fc.asyncProperty(randomFit, async (given) => {
        const { alone, shared } = await run(fitOf({ ...given, task: CLASSES }));
        expect(shared).toBe(alone);
      }),
      { numRuns: 30, seed: 4 },
    );
  });

  it("fails where a helper ends with a tree in its hands", async () => {
    const fit = largeFit(100_000, { task: CLASSES, soft: false });
    const parameters = { ...fit.parameters, categorical_encoding: "native" };
    await expect(run({ ...fit, parameters }, "harmTree")).rejects.toThrow(/thread that helped/);
  });

  it("is helped", async () => {
    for (;;) {
      const { alone, shared, helped } = await run(largeFit(4));
      expect(shared).toBe(alone);
      if (helped > 0) return;
    }
  });

  it("fails where a helper ends with a split in its hands", async () => {
    await expect(run(largeFit(100_000), "harm")).rejects.toThrow(/thread that helped/);
  });

  it("ends with its helpers when it is aborted", async () => {
    const stop = new AbortController();
    const desk = newDesk();
    const ended = run(largeFit(100_000), "help", { desk, signal: stop.signal });
    const refused = expect(ended).rejects.toThrow(/abort/i);
    while (helpersInside(desk) < 2) await sleep(2);
    await pool.abort(stop);
    await refused;
    const { alone, shared } = await run(largeFit(1));
    expect(shared).toBe(alone);
  });
});
