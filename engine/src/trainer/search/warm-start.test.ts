import { describe, expect, it } from "vitest";
import type { Observation } from "../../search/sampler.ts";
import type { SearchSpace } from "../../search/space.ts";
import type { PriorRun } from "../config/config.ts";
import { FIRST_PRIORS, firstOfPriors, MOST_PRIORS, withPriors } from "./warm-start.ts";

const space: SearchSpace = {
  x: { type: "float", low: 0, high: 100 },
  kind: { type: "categorical", choices: ["a", "b"] },
  depth: { type: "int", low: 1, high: 9, when: { parameter: "kind", values: ["b"] } },
};
const row = { family: "gbdt", space };
const rmse = ["rmse"];

const run = (comparable: boolean, scores: readonly number[], family = "gbdt"): PriorRun => ({
  source: "job",
  comparable,
  trials: scores.map((score, x) => ({
    family,
    parameters: { x, kind: "a", fixed: 3 },
    scores: { rmse: score },
  })),
});
const own: Observation[] = [
  { parameters: { x: 50, kind: "a" }, losses: [7] },
  { parameters: { x: 51, kind: "a" }, losses: null },
  { parameters: { x: 52, kind: "a" }, losses: [3] },
];

describe("history with priors", () => {
  it("is the run's own where there are none, or none of the family", () => {
    expect(withPriors(own, [], row, rmse)).toBe(own);
    expect(withPriors(own, [run(true, [1, 2], "linear")], row, rmse)).toBe(own);
  });

  it("takes losses on the same data as they are, without parameters that are not searched", () => {
    const history = withPriors(own, [run(true, [4, 2])], row, rmse);
    expect(history).toEqual([
      { parameters: { x: 0, kind: "a" }, losses: [4] },
      { parameters: { x: 1, kind: "a" }, losses: [2] },
      ...own,
    ]);
  });

  it("takes ranks of other data, ties sharing theirs, and puts its own beside them", () => {
    const history = withPriors(own, [run(false, [400, 100, 100, 900])], row, rmse);
    expect(history.map(({ losses }) => losses)).toEqual([
      [2.5 / 4],
      [1 / 4],
      [1 / 4],
      [3.5 / 4],
      null,
      [1.5 / 2],
      [0.5 / 2],
    ]);
  });

  it("turns scores that are to be high into losses", () => {
    const priors = [
      {
        source: "job",
        comparable: true,
        trials: [{ family: "gbdt", parameters: { x: 1, kind: "a" }, scores: { roc_auc: 0.75 } }],
      },
    ];
    expect(withPriors([], priors, row, ["roc_auc"])[0]?.losses?.[0]).toBeLessThan(0.5);
  });

  it("counts by order alone where the metric was not scored", () => {
    const [first, second] = withPriors([], [run(true, [5, 9])], row, ["mae"]);
    expect([first?.losses, second?.losses]).toEqual([[0.25], [0.75]]);
  });

  it("leaves out what the space does not hold, or a score that is undefined", () => {
    const parameters = [
      { x: 101, kind: "a" },
      { x: 1, kind: "c" },
      { kind: "a" },
      { x: 1, kind: "b" },
      { x: 1, kind: "b", depth: 3 },
    ];
    const trials = parameters.map((one) => ({
      family: "gbdt",
      parameters: one,
      scores: { rmse: 1 },
    }));
    const undefinedScore = {
      family: "gbdt",
      parameters: { x: 1, kind: "a" },
      scores: { rmse: null },
    };
    const priors = [{ source: "job", comparable: true, trials: [...trials, undefinedScore] }];
    expect(withPriors([], priors, row, rmse)).toEqual([
      { parameters: { x: 1, kind: "b", depth: 3 }, losses: [1] },
    ]);
  });

  it("is bounded, keeps the best and the spread, and gives way to the run's own trials", () => {
    const many = run(
      false,
      Array.from({ length: 90 }, (_, i) => i),
    );
    const some = Array.from({ length: 20 }, (_, i) => ({ parameters: { x: i }, losses: [i] }));
    expect(withPriors([], [many], row, rmse).length).toBe(MOST_PRIORS);
    const history = withPriors(some, [many], row, rmse);
    expect(history.length).toBe(MOST_PRIORS);
    expect(history[0]?.parameters).toEqual({ x: 0, kind: "a" });
    const full = Array.from({ length: 60 }, (_, i) => ({ parameters: { x: i }, losses: [i] }));
    expect(withPriors(full, [many], row, rmse).length).toBe(60);
    expect(withPriors(full, [{ ...many, comparable: true }], row, rmse).length).toBe(
      60 + MOST_PRIORS,
    );
  });
});

describe("first trials of priors", () => {
  it("are the best, each once, runs on the same data first", () => {
    const priors = [run(false, [9, 8, 1]), run(true, [1, 2])];
    expect(firstOfPriors(priors, row, rmse)).toEqual([
      { x: 0, kind: "a" },
      { x: 2, kind: "a" },
      { x: 1, kind: "a" },
    ]);
    expect(firstOfPriors([run(true, [5, 4, 3, 2, 1])], row, rmse).length).toBe(FIRST_PRIORS);
    expect(firstOfPriors([], row, rmse)).toEqual([]);
  });
});
