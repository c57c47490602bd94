import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { TrialState } from "../log/state.ts";
import fixture from "./pruning.fixture.json" with { type: "json" };
import { canBePruned, judge, type PruningContext, standingOf } from "./pruning.ts";

const FOLDS = 5;

/** Scores by fold; a lower rmse is better, a higher r2. */
function trial(
  number: number,
  row: number,
  step: number,
  state: TrialState["state"],
  rmse: readonly number[],
  r2: readonly (number | null)[] = rmse.map((each) => 1 - each),
): TrialState {
  const mean = (values: readonly (number | null)[]) =>
    values.reduce<number>((sum, each) => sum + (each ?? 0), 0) / values.length;
  return {
    number,
    row,
    step,
    state,
    family: `family ${row}`,
    parameters: {},
    folds: Array.from({ length: FOLDS }, (_, fold) =>
      fold < rmse.length
        ? {
            state: "finished",
            scores: { rmse: rmse[fold], r2: r2[fold] },
            facts: {},
            seconds: 1,
            predictSeconds: 0,
            scoreSeconds: 0,
            bytes: 0,
            modelBytes: 0,
            cut: null,
          }
        : undefined,
    ),
    scores: state === "finished" ? { rmse: mean(rmse), r2: mean(r2) } : null,
    repeats: null,
    raisedFrom: null,
    expected: null,
    reason: null,
    started: "",
    ended: null,
  };
}

/** Folds differ in how hard they are by far more than trials differ. */
const hardness = [0.1, 0.5, 0.3, 0.2, 0.4];
const jitter = [0.001, -0.002, 0.002, -0.001, 0];
const around = (level: number, folds = FOLDS, sign = 1) =>
  hardness.slice(0, folds).map((hard, k) => hard + level + sign * jitter[k]);

const incumbents = [
  trial(0, 0, 0, "finished", around(0.1)),
  trial(1, 0, 0, "finished", around(0.11, FOLDS, -1)),
  trial(2, 0, 0, "finished", around(0.13)),
  trial(3, 1, 0, "finished", around(0.3)),
  trial(4, 1, 0, "finished", around(0.31, FOLDS, -1)),
  trial(5, 1, 0, "finished", around(0.34)),
];

function context(
  judged: TrialState,
  more: readonly TrialState[] = [],
  objectives = ["rmse"],
): PruningContext {
  return { plan: { folds: FOLDS }, objectives, trials: [...incumbents, judged, ...more] };
}

describe("standingOf", () => {
  it("is the predictive distribution that SciPy gives", () => {
    for (const { differences, prior, folds, chance } of fixture.standings) {
      expect(standingOf(differences, prior, folds).chance).toBeCloseTo(chance, 12);
    }
  });

  it("is certain where nothing ever spreads", () => {
    expect(standingOf([0.1, 0.1], 0, 5).chance).toBe(0);
    expect(standingOf([-0.1], 0, 5).chance).toBe(1);
    expect(standingOf([0], 0, 5).chance).toBe(1);
  });
});

describe("judge", () => {
  it("stops what is behind its row and three of all, and says by how much", () => {
    const bad = trial(6, 0, 1, "running", around(0.2, 1));
    const verdict = judge(bad, context(bad));
    expect(verdict?.folds).toBe(1);
    expect(verdict?.reason).toMatch(
      /^After 1 of 5 folds it is behind 3 finished trials on the same folds, of its own family trial 0 \(rmse 0\.301, worse by 0\.1, chance to end ahead /,
    );
  });

  it("expects the incumbent's mean, moved by the difference on the same folds", () => {
    const bad = trial(6, 0, 1, "running", around(0.2, 1));
    // Fold 0 is the easiest: its own score would promise far too much.
    expect(judge(bad, context(bad))?.expected["rmse"]).toBeCloseTo(0.3 + 0.1 + 0.1, 10);
    expect(judge(bad, context(bad))?.expected["r2"]).toBeCloseTo(1 - 0.5, 10);
  });

  it("spares a good trial of a family that is not the best, and one among the best of all", () => {
    const good = trial(6, 1, 1, "running", around(0.29, 2));
    expect(judge(good, context(good))).toBeNull();
    const third = trial(6, 0, 1, "running", around(0.12, 2));
    expect(judge(third, context(third))).toBeNull();
  });

  it("is more patient where trials of the row spread more from fold to fold", () => {
    const wild = [0.2, -0.2, 0.15, -0.1, 0];
    const rough = incumbents.map((each) =>
      each.row === 0 && each.number > 0
        ? trial(
            each.number,
            0,
            0,
            "finished",
            around(0.1 * each.number).map((v, k) => v + wild[(k + each.number) % 5]),
          )
        : each,
    );
    const judged = trial(6, 0, 1, "running", around(0.17, 1));
    expect(judge(judged, context(judged))).not.toBeNull();
    expect(judge(judged, { ...context(judged), trials: [...rough, judged] })).toBeNull();
  });

  it("waits for three finished trials of the row, and never judges a single split", () => {
    const judged = trial(6, 0, 1, "running", around(9, 1));
    const few = { ...context(judged), trials: [...incumbents.slice(1), judged] };
    expect(canBePruned(judged, few)).toBe(false);
    expect(judge(judged, few)).toBeNull();
    expect(canBePruned(judged, { ...context(judged), plan: { folds: 1 } })).toBe(false);
  });

  it("wants every metric behind where several are optimised", () => {
    const objectives = ["rmse", "r2"];
    const slow = trial(6, 0, 1, "running", around(0.3, 2));
    expect(judge(slow, context(slow, [], objectives))).not.toBeNull();
    const balanced = trial(6, 0, 1, "running", around(0.3, 2), [0.99, 0.99]);
    expect(judge(balanced, context(balanced, [], objectives))).toBeNull();
    expect(judge(balanced, context(balanced))).not.toBeNull();
  });

  it("judges nothing by undefined scores", () => {
    const judged = trial(6, 0, 1, "running", around(0.9, 2), [null, null]);
    expect(judge(judged, context(judged, [], ["r2"]))).toBeNull();
    expect(judge(judged, context(judged, [], ["rmse"]))).not.toBeNull();
  });

  it("never stops a trial that is ahead of all on each of its folds", () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.array(fc.double({ min: 0.1, max: 5, noNaN: true }), { minLength: 5, maxLength: 5 }),
          {
            minLength: 3,
            maxLength: 8,
          },
        ),
        fc.integer({ min: 1, max: 4 }),
        (levels, folds) => {
          const finished = levels.map((each, i) => trial(i, i % 2, 0, "finished", each));
          const best = hardness.slice(0, folds).map((_, k) => Math.min(...levels.map((l) => l[k])));
          const judged = trial(finished.length, 0, 1, "running", best);
          const all = {
            plan: { folds: FOLDS },
            objectives: ["rmse"],
            trials: [...finished, judged],
          };
          expect(judge(judged, all)).toBeNull();
        },
      ),
    );
  });

  it("does not look at trials of its own step or later, nor at those that did not finish", () => {
    const level = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(
        level,
        fc.array(level, { maxLength: 4 }),
        fc.integer({ min: 1, max: 4 }),
        (own, others, folds) => {
          const judged = trial(6, 0, 1, "running", around(own, folds));
          const states = ["finished", "running", "pruned", "dropped"] as const;
          const more = others.map((each, i) =>
            states[i % 4] === "finished"
              ? trial(7 + i, 0, 1, "finished", around(each))
              : trial(7 + i, 0, i % 2, states[i % 4], around(each, 2)),
          );
          expect(judge(judged, context(judged, more))).toEqual(judge(judged, context(judged)));
        },
      ),
    );
  });
});
