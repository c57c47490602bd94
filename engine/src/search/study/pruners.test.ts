import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type SearchSpace, SearchSpaceError } from "../space.ts";
import fixture from "./pruners.fixture.json" with { type: "json" };
import { type PrunerOptions, prunerOf } from "./pruners.ts";
import { type Direction, Study } from "./study.ts";

const SPACE: SearchSpace = { rate: { type: "float", low: 0, high: 1 } };
const KINDS: readonly PrunerOptions["kind"][] = ["median", "successive_halving"];

interface PeerStudy {
  readonly pruner: PrunerOptions;
  readonly direction: Direction;
  readonly trials: readonly {
    readonly reports: readonly (readonly [step: number, value: number])[];
    readonly pruned: number | null;
  }[];
}

describe("pruners", () => {
  // Read as JSON, whose unions and tuples are wider than what was written.
  const studies: readonly PeerStudy[] = JSON.parse(JSON.stringify(fixture.studies));
  it.each(studies)("decides as Optuna does: $pruner, $direction", (peer) => {
    const { pruner, direction, trials } = peer;
    const study = new Study({ space: SPACE, directions: [direction], pruner, sampler: "random" });
    for (const { reports, pruned } of trials) {
      const { number } = study.ask();
      for (const [step, value] of reports)
        expect(study.report(number, step, value)).toBe(step === pruned);
      if (pruned === null) study.tell(number, reports.at(-1)?.[1] ?? 0);
      expect(study.trials[number].prunedAt ?? null).toBe(pruned);
    }
  });

  it("never gives up the best curve, and is the same after it was kept", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...KINDS),
        fc.array(fc.array(fc.integer({ min: -50, max: 50 }), { minLength: 4, maxLength: 4 }), {
          minLength: 2,
          maxLength: 30,
        }),
        (kind, curves) => {
          const study = new Study({ space: SPACE, pruner: kind, sampler: "random" });
          const least = [0, 1, 2, 3].map((step) => Math.min(...curves.map((curve) => curve[step])));
          let restored = Study.restore(JSON.parse(JSON.stringify(study)));
          for (const curve of [...curves, least]) {
            const { number } = study.ask();
            expect(restored.ask().number).toBe(number);
            let isOver = false;
            for (const [step, value] of curve.entries()) {
              if (isOver) break;
              isOver = study.report(number, step + 1, value);
              expect(restored.report(number, step + 1, value)).toBe(isOver);
              restored = Study.restore(JSON.parse(JSON.stringify(study)));
            }
            if (!isOver) {
              study.tell(number, curve[3]);
              restored.tell(number, curve[3]);
            }
          }
          expect(study.trials.at(-1)?.prunedAt).toBeUndefined();
          expect(restored.trials).toEqual(study.trials);
        },
      ),
      { numRuns: 60 },
    );
  });

  it("says what is wrong with one that cannot be", () => {
    expect(() => prunerOf({ kind: "median", startupTrials: -1 })).toThrow(
      "The pruner's startupTrials must be a whole number from 0 on, not -1.",
    );
    expect(() => prunerOf({ kind: "successive_halving", reductionFactor: 1.5 })).toThrow(
      /reductionFactor must be a whole number from 2 on/,
    );
    const unknown: PrunerOptions = JSON.parse('{"kind":"hyperband"}');
    expect(() => new Study({ space: SPACE, pruner: unknown })).toThrow(SearchSpaceError);
    expect(
      () => new Study({ space: SPACE, pruner: "median", directions: ["minimize", "maximize"] }),
    ).toThrow("this study has 2 directions");
  });
});

describe("reports", () => {
  it("rise, are of trials that run, and give up what is no number", () => {
    const study = new Study({ space: SPACE });
    const { number } = study.ask();
    expect(study.report(number, 0, 3)).toBe(false);
    expect(() => study.report(number, 0, 3)).toThrow(
      "Trial 0 reported step 0; steps are rising numbers from 0 on, and its last one was 0.",
    );
    expect(() => study.report(number, Number.NaN, 3)).toThrow(RangeError);
    expect(() => study.report(7, 1, 3)).toThrow("There is no trial 7");
    expect(study.report(number, 2, Number.NaN)).toBe(true);
    expect(study.trials[0]).toMatchObject({
      values: null,
      prunedAt: 2,
      reports: [{ step: 0, value: 3 }],
    });
    expect(() => study.report(number, 3, 1)).toThrow("Trial 0 was pruned at step 2.");
    expect(() => study.tell(number, 1)).toThrow("Trial 0 was pruned at step 2.");
    expect(study.best).toBeNull();
    const several = new Study({ space: SPACE, directions: ["minimize", "minimize"] });
    expect(() => several.report(several.ask().number, 1, 1)).toThrow("2 directions");
  });

  it("save a search most of its steps and lead it to the same place", async () => {
    const stepsOf = async (pruner?: PrunerOptions["kind"]): Promise<[number, number]> => {
      let steps = 0;
      const heard: number[] = [];
      const study = new Study({ space: SPACE, seed: 4, ...(pruner ? { pruner } : {}) });
      const best = await study.optimize(
        ({ rate }, trial) => {
          const end = (Number(rate) - 0.3) ** 2;
          for (let step = 1; step <= 64; step++) {
            steps++;
            if (trial.report(step, end + 1 / step)) break;
          }
          return end + 1 / 64;
        },
        { trials: 60, onTrial: ({ number }) => heard.push(number) },
      );
      expect(heard).toEqual([...heard.keys()]);
      expect(heard).toHaveLength(60);
      return [steps, Math.abs(Number(best?.parameters["rate"]) - 0.3)];
    };
    const [whole] = await stepsOf();
    expect(whole).toBe(60 * 64);
    for (const kind of KINDS) {
      const [steps, distance] = await stepsOf(kind);
      expect(steps).toBeLessThan(0.6 * whole);
      expect(distance).toBeLessThan(0.02);
    }
  });
});
