/** What sections say beside their figures. */

import { describe, expect, it } from "vitest";
import { predictionSections } from "../../build/outcome.ts";
import { inOrder } from "./data.ts";
import { besideTheBest } from "./models.ts";
import { outcomeCards } from "./outcome.ts";
import { trialCount } from "./overview.ts";

describe("trials of a run", () => {
  it("are those that ended in any way, where a search without a number of them dropped some at its end", () => {
    expect(trialCount({ planned: 5, finished: 4, refused: 1, dropped: 2 })).toBe(7);
    expect(trialCount({ planned: 60, finished: 22, pruned: 37, failed: 1 })).toBe(60);
    expect(trialCount({ planned: 60, finished: 22 })).toBe(60);
  });
});

describe("the best trial beside the model", () => {
  const run = {
    task: "binclass",
    folds: 5,
    metrics: [{ name: "log_loss", direction: "minimize" }],
  } as const;
  const blend = {
    kind: "ensemble",
    scores: { log_loss: 0.4469 },
    meanFoldScores: { log_loss: 0.4468 },
  } as const;
  const trials = [
    { number: 3, scores: { log_loss: 0.48 } },
    { number: 7, scores: { log_loss: 0.4459 } },
  ];
  const said = { run, models: [blend], leaderboard: [7, 3], trials };

  it("is explained where it seems better: it was ranked by the folds that scored it", () => {
    expect(besideTheBest(said)).toContain(
      "The model scores 0.4468, worse than its best trial seems",
    );
  });

  it("is not where the model is ahead, is that trial, or has one holdout", () => {
    const ahead = { ...blend, meanFoldScores: { log_loss: 0.44 } };
    expect(besideTheBest({ ...said, models: [ahead] })).toBe("");
    expect(besideTheBest({ ...said, models: [{ ...blend, kind: "winner" }] })).toBe("");
    expect(besideTheBest({ ...said, run: { ...run, folds: 1 } })).toBe("");
    expect(besideTheBest({ ...said, trials: [], leaderboard: [] })).toBe("");
  });

  it("is left to the notes of forecasts, which say it with more figures", () => {
    expect(besideTheBest({ ...said, run: { ...run, task: "forecasting" } })).toBe("");
  });

  it("is worse with a lower score where scores are to be high", () => {
    const metrics = [{ name: "accuracy", direction: "maximize" }] as const;
    const scored = {
      ...said,
      run: { ...run, metrics },
      trials: [{ number: 7, scores: { accuracy: 0.8 } }],
    };
    const model = { kind: "ensemble", scores: { accuracy: 0.79 } } as const;
    expect(besideTheBest({ ...scored, models: [model] })).toContain("0.7900");
    expect(besideTheBest({ ...scored, models: [{ ...model, scores: { accuracy: 0.81 } }] })).toBe(
      "",
    );
  });
});

it("columns stand in the order of their importance, by the fits where nothing was shuffled", () => {
  const columns = ["a", "b", "c", "y"].map(
    (name) =>
      ({
        name,
        kind: "numeric",
        role: name === "y" ? "label" : "feature",
        missing: 0,
        distinct: 9,
        distinctIsEstimate: false,
      }) as const,
  );
  const named = (...names: string[]) => names.map((column) => ({ column }));
  const order = (gain: string[], permutation: string[]): string[] =>
    inOrder({
      data: { columns },
      importance: { gain: named(...gain), permutation: named(...permutation) },
    }).map(({ name }) => name);
  expect(order(["c", "b", "a"], [])).toEqual(["y", "c", "b", "a"]);
  expect(order(["c", "b", "a"], ["b"])).toEqual(["y", "b", "c", "a"]);
  expect(order([], [])).toEqual(["y", "a", "b", "c"]);
});

it("a threshold is said to be of the class that it is of", async () => {
  const outcome = predictionSections({
    task: { kind: "binclass", classes: ["no", "yes"] },
    predictions: Float64Array.of(0.1, 0.4, 0.6, 0.9, 0.3, 0.8),
    target: Float64Array.of(0, 0, 1, 1, 1, 0),
    weights: null,
    threshold: 0.5,
  });
  const cards = await outcomeCards({ ...outcome, run: { task: "binclass", label: "late" } });
  expect(cards.map(({ text }) => text).join("")).toContain(
    "The class yes is predicted from a probability of 0.5 upwards.",
  );
});
