import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type SearchSpace, SearchSpaceError } from "../space.ts";
import { Study, type StudyRecord } from "./study.ts";

const SPACE: SearchSpace = {
  rate: { type: "float", low: 1e-4, high: 1, log: true },
  depth: { type: "int", low: 1, high: 8 },
  kind: { type: "categorical", choices: ["a", "b"] },
};

const loss = (parameters: Readonly<Record<string, unknown>>): number =>
  (Math.log10(Number(parameters["rate"])) + 2) ** 2 +
  (Number(parameters["depth"]) - 3) ** 2 / 10 +
  (parameters["kind"] === "a" ? 0 : 1);

describe("study", () => {
  it("asks for the given points first, then searches towards the optimum", async () => {
    const first = [{ rate: 0.5, depth: 8, kind: "b" }];
    const study = new Study({ space: SPACE, first, seed: 3 });
    const best = await study.optimize((parameters) => loss(parameters), { trials: 60 });
    expect(study.trials[0].parameters).toEqual(first[0]);
    expect(best?.values?.[0]).toBeLessThan(0.05);
    const random = new Study({ space: SPACE, sampler: "random", seed: 3 });
    const drawn = await random.optimize((parameters) => loss(parameters), { trials: 60 });
    expect(best?.values?.[0]).toBeLessThan(drawn?.values?.[0] ?? 0);
  });

  it("goes on after it was kept as it would have gone on", () => {
    fc.assert(
      fc.property(fc.integer(), fc.integer({ min: 0, max: 25 }), (seed, kept) => {
        const study = new Study({ space: SPACE, seed });
        for (let i = 0; i < kept; i++) {
          const trial = study.ask();
          if (i % 5 !== 4) study.tell(trial.number, i % 7 === 6 ? null : loss(trial.parameters));
        }
        const record: StudyRecord = JSON.parse(JSON.stringify(study));
        const restored = Study.restore(record);
        expect(restored.ask()).toEqual(study.ask());
        expect(restored.best).toEqual(study.best);
      }),
      { numRuns: 30 },
    );
  });

  it("maximizes, and leads with the front of several values", () => {
    const study = new Study({ space: SPACE, directions: ["maximize", "minimize"] });
    const values = [
      [1, 1],
      [3, 2],
      [2, 3],
      [3, 2],
    ];
    for (const each of values) study.tell(study.ask().number, each);
    expect(study.front.map(({ number }) => number)).toEqual([0, 1, 3]);
    expect(study.best?.number).toBe(1);
  });

  it("tries no point of a small space twice, also of those that run", async () => {
    const space: SearchSpace = { kind: { type: "categorical", choices: [1, 2, 3, 4, 5, 6] } };
    const study = new Study({ space });
    await study.optimize(async ({ kind }) => Number(kind), { trials: 6, concurrency: 3 });
    expect(new Set(study.trials.map(({ parameters }) => parameters["kind"])).size).toBe(6);
    expect(study.best?.parameters).toEqual({ kind: 1 });
  });

  it("waits for what runs when one fails, and counts it as failed", async () => {
    const study = new Study({ space: SPACE });
    let ended = 0;
    const run = study.optimize(
      async (_, { number }) => {
        await Promise.resolve();
        if (number === 1) throw new Error("no memory");
        ended++;
        return number;
      },
      { trials: 50, concurrency: 4 },
    );
    await expect(run).rejects.toThrow("no memory");
    expect(study.trials[1].values).toBeNull();
    expect(study.trials.filter(({ values }) => values === undefined)).toEqual([]);
    expect(ended).toBe(study.trials.length - 1);
  });

  it("asks for no more once it is aborted", async () => {
    const stop = new AbortController();
    const study = new Study({ space: SPACE });
    const { signal } = stop;
    const evaluate = (_: unknown, { number }: { readonly number: number }): number => {
      if (number === 4) stop.abort();
      return number;
    };
    await study.optimize(evaluate, { trials: 50, signal });
    expect(study.trials.length).toBe(5);
  });

  it("says what is wrong", () => {
    const study = new Study({ space: SPACE });
    study.ask();
    expect(() => study.tell(1, 0)).toThrow("There is no trial 1: 1 have been asked for");
    expect(() => study.tell(0, Number.NaN)).toThrow("tell null of a trial that failed");
    expect(() => study.tell(0, [1, 2])).toThrow("Trial 0 has 2 values for 1 directions.");
    study.tell(0, 1);
    expect(() => study.tell(0, 1)).toThrow("told of already");
    expect(() => new Study({ space: SPACE, sampler: "grid" })).toThrow("random, tpe");
    expect(() => new Study({ space: SPACE, first: [{ depth: 9 }] })).toThrow(SearchSpaceError);
    expect(() => new Study({ space: SPACE, seed: 0.5 })).toThrow("safe integer");
  });
});
