import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { TrialState } from "../log/state.ts";
import { type FoldOutcome, type FoldWork, runFolds } from "./fold-schedule.ts";

function trial(number: number, done = 0, folds = 4): TrialState {
  return {
    number,
    row: 0,
    family: "",
    parameters: {},
    step: 1,
    state: "running",
    folds: Array.from({ length: folds }, (_, fold) =>
      fold < done
        ? {
            state: "finished",
            scores: {},
            facts: {},
            seconds: 0,
            predictSeconds: 0,
            scoreSeconds: 0,
            bytes: 0,
            modelBytes: 0,
            cut: null,
          }
        : undefined,
    ),
    scores: null,
    repeats: null,
    raisedFrom: null,
    expected: null,
    reason: null,
    started: "",
    ended: null,
  };
}

interface Script {
  readonly trials: number;
  readonly threads: number;
  readonly judged: (trial: number) => boolean;
  /** Folds after which a judged trial ends. */
  readonly endsAfter: (trial: number) => number;
  /** A fold that fails, if any. */
  readonly failing?: (trial: number, fold: number) => boolean;
  /** The place in the queue of those running that ends next. */
  readonly pick: () => number;
  readonly over?: (committed: number) => boolean;
}

interface Played {
  /** By trial: folds in the order in which they were committed. */
  readonly committed: Map<number, number[]>;
  readonly begun: string[];
  readonly mostAtOnce: number;
}

/** Plays a step with fits that end in an order of our own. */
async function play(script: Script): Promise<Played> {
  const committed = new Map<number, number[]>();
  const begun: string[] = [];
  const waiting: { readonly end: () => void }[] = [];
  let count = 0;
  let mostAtOnce = 0;
  const work: FoldWork<number> = {
    trials: Array.from({ length: script.trials }, (_, number) => trial(number)),
    folds: 4,
    threads: script.threads,
    isJudged: ({ number }) => script.judged(number),
    admits: () => true,
    fits: () => true,
    isOver: () => script.over?.(count) ?? false,
    run: ({ number }, fold) =>
      new Promise<FoldOutcome<number>>((resolve) => {
        begun.push(`${number}/${fold}`);
        const outcome: FoldOutcome<number> = script.failing?.(number, fold)
          ? { state: "failed", reason: "diverged" }
          : { state: "finished", output: fold };
        waiting.push({ end: () => resolve(outcome) });
        mostAtOnce = Math.max(mostAtOnce, waiting.length);
      }),
    commit: async ({ number }, fold) => {
      count++;
      committed.set(number, [...(committed.get(number) ?? []), fold]);
    },
    ends: async ({ number }) => (committed.get(number)?.length ?? 0) >= script.endsAfter(number),
  };
  let settled = false;
  const step = runFolds(work).finally(() => {
    settled = true;
  });
  while (!settled) {
    await new Promise((resolve) => setImmediate(resolve));
    if (waiting.length > 0) waiting.splice(script.pick() % waiting.length, 1)[0].end();
  }
  await step;
  for (const { end } of waiting) end();
  await new Promise((resolve) => setImmediate(resolve));
  return { committed, begun, mostAtOnce };
}

const first = () => 0;

describe("runFolds", () => {
  it("commits the same folds in the same order, on any number of threads and in any order of ends", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ judged: fc.boolean(), ends: fc.integer({ min: 1, max: 5 }) }), {
          minLength: 1,
          maxLength: 6,
        }),
        fc.integer({ min: 1, max: 5 }),
        fc.array(fc.nat(20), { minLength: 1, maxLength: 30 }),
        async (trials, threads, picks) => {
          let next = 0;
          const { committed } = await play({
            trials: trials.length,
            threads,
            judged: (number) => trials[number].judged,
            endsAfter: (number) => trials[number].ends,
            pick: () => picks[next++ % picks.length],
          });
          for (const [number, { judged, ends }] of trials.entries()) {
            const folds = committed.get(number) ?? [];
            const expected = judged ? Math.min(4, ends) : 4;
            expect(judged ? folds : [...folds].sort()).toEqual(
              Array.from({ length: expected }, (_, fold) => fold),
            );
          }
        },
      ),
      { numRuns: 60 },
    );
  });

  it("guesses only when threads are idle, and throws away what a verdict made needless", async () => {
    const one = { judged: () => true, endsAfter: () => 1, pick: first };
    const busy = await play({ trials: 6, threads: 2, ...one });
    // Every trial has work of its own until the last ones.
    expect(busy.begun.slice(0, 6)).toEqual(["0/0", "1/0", "2/0", "3/0", "4/0", "5/0"]);
    const idle = await play({ trials: 1, threads: 3, ...one });
    expect(idle.begun).toEqual(["0/0", "0/1", "0/2"]);
    expect(idle.committed.get(0)).toEqual([0]);
  });

  it("keeps one fit more than there are threads", async () => {
    const { mostAtOnce } = await play({
      trials: 5,
      threads: 2,
      judged: () => false,
      endsAfter: () => 4,
      pick: first,
    });
    expect(mostAtOnce).toBe(3);
  });

  it("ends a judged trial at its first failed fold", async () => {
    const { committed } = await play({
      trials: 1,
      threads: 1,
      judged: () => true,
      endsAfter: () => 9,
      failing: (_, fold) => fold === 1,
      pick: first,
    });
    expect(committed.get(0)).toEqual([0, 1]);
  });

  it("begins no fold of a trial without verdicts once one has failed, and knows the first that fails on any number of threads", async () => {
    const alone = await play({
      trials: 1,
      threads: 1,
      judged: () => false,
      endsAfter: () => 9,
      failing: (_, fold) => fold === 1,
      pick: first,
    });
    expect(alone.begun).toEqual(["0/0", "0/1", "0/2"]);
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.boolean(), { minLength: 4, maxLength: 4 }),
        fc.integer({ min: 1, max: 5 }),
        fc.array(fc.nat(20), { minLength: 1, maxLength: 30 }),
        async (fails, threads, picks) => {
          let next = 0;
          const { committed, begun } = await play({
            trials: 1,
            threads,
            judged: () => false,
            endsAfter: () => 9,
            failing: (_, fold) => fails[fold],
            pick: () => picks[next++ % picks.length],
          });
          const folds = committed.get(0) ?? [];
          expect(folds).toHaveLength(begun.length);
          const firstFailed = fails.indexOf(true);
          const least = firstFailed < 0 ? 3 : firstFailed;
          for (let fold = 0; fold <= least; fold++) expect(folds).toContain(fold);
        },
      ),
      { numRuns: 60 },
    );
  });

  it("begins nothing once it is over, and commits what runs", async () => {
    const { begun, committed } = await play({
      trials: 3,
      threads: 1,
      judged: () => false,
      endsAfter: () => 4,
      pick: first,
      over: (count) => count >= 2,
    });
    expect(begun.length).toBeLessThanOrEqual(3);
    expect([...committed.values()].flat().length).toBe(begun.length);
  });

  it("goes on where a log ends, and leaves out what is not admitted", async () => {
    const ran: string[] = [];
    await runFolds<null>({
      trials: [trial(0, 2), trial(1), { ...trial(2, 1), state: "pruned" }],
      folds: 4,
      threads: 2,
      isJudged: () => true,
      admits: ({ number }) => number !== 1,
      fits: () => true,
      isOver: () => false,
      run: async ({ number }, fold) => {
        ran.push(`${number}/${fold}`);
        return { state: "finished", output: null };
      },
      commit: async () => undefined,
      ends: async () => false,
    });
    expect(ran).toEqual(["0/2", "0/3"]);
  });

  it("runs no more at once than fits, but always something", async () => {
    let running = 0;
    let most = 0;
    await runFolds<null>({
      trials: [trial(0), trial(1), trial(2)],
      folds: 4,
      threads: 4,
      isJudged: () => false,
      admits: () => true,
      fits: (_, others) => others.length < 2,
      isOver: () => false,
      run: async () => {
        most = Math.max(most, ++running);
        await new Promise((resolve) => setImmediate(resolve));
        running--;
        return { state: "finished", output: null };
      },
      commit: async () => undefined,
      ends: async () => false,
    });
    expect(most).toBe(2);
  });

  it("waits for what runs before it fails, and begins no more", async () => {
    const ends: string[] = [];
    const failing = runFolds<null>({
      trials: [trial(0), trial(1)],
      folds: 4,
      threads: 1,
      isJudged: () => false,
      admits: () => true,
      fits: () => true,
      isOver: () => false,
      run: async (_, fold) => {
        await new Promise((resolve) => setTimeout(resolve, 5 * fold));
        ends.push(String(fold));
        return { state: "finished", output: null };
      },
      commit: async (_, fold) => {
        if (fold === 0) throw new Error("the disk is full");
      },
      ends: async () => false,
    });
    await expect(failing).rejects.toThrow("the disk is full");
    expect(ends).toEqual(["0", "1"]);
  });

  describe("of a trial one of whose folds is stopped", () => {
    /** Two folds side by side: what each comes to, and what committing the second one comes to. */
    function stopping(
      outcomes: readonly Promise<FoldOutcome<null>>[],
      committed = Promise.resolve(),
    ) {
      const commits: number[] = [];
      const done = runFolds<null>({
        trials: [trial(0, 0, 2)],
        folds: 2,
        threads: 2,
        isJudged: () => false,
        admits: () => true,
        fits: () => true,
        isOver: () => false,
        run: (_, fold) => outcomes[fold],
        commit: (_, fold) => {
          commits.push(fold);
          return committed;
        },
        ends: async () => false,
      });
      return { commits, done };
    }
    const stopped = Promise.resolve<FoldOutcome<null>>({ state: "stopped" });

    it.each([
      { state: "finished", output: null } as const,
      { state: "failed", reason: "diverged" } as const,
    ])("waits for no other, and commits none that comes later: $state", async (outcome) => {
      const late = Promise.withResolvers<FoldOutcome<null>>();
      const { commits, done } = stopping([stopped, late.promise]);
      await done;
      late.resolve(outcome);
      await new Promise((resolve) => setImmediate(resolve));
      expect(commits).toEqual([]);
    });

    it("waits for what is being committed, and fails with it", async () => {
      const first = Promise.withResolvers<FoldOutcome<null>>();
      const disk = Promise.withResolvers<void>();
      const finished = Promise.resolve<FoldOutcome<null>>({ state: "finished", output: null });
      const { commits, done } = stopping([first.promise, finished], disk.promise);
      await new Promise((resolve) => setImmediate(resolve));
      first.resolve({ state: "stopped" });
      await new Promise((resolve) => setImmediate(resolve));
      expect(commits).toEqual([1]);
      disk.reject(new Error("the disk is full"));
      await expect(done).rejects.toThrow("the disk is full");
    });
  });
});
