import { describe, expect, test } from "vitest";
import { type LabelledAnswer, scoreAnswers } from "./score-answers.ts";

const noise = (i: number): number => ((i * 7919) % 101) / 101;
const numbers = Array.from({ length: 60 }, (_, i) => i);
const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

describe("answers that were given before", () => {
  test("of two classes score by their probabilities, and by the labels that were said", () => {
    const task = { kind: "binclass" as const, classes: ["no", "yes"] };
    // Said by a threshold of 0.7, which probabilities alone do not tell.
    const answers = numbers.map((i): LabelledAnswer & { target: number } => {
      const yes = noise(i);
      return {
        target: noise(i + 7) < 0.5 ? 1 : 0,
        label: yes >= 0.7 ? "yes" : "no",
        probabilities: { no: 1 - yes, yes },
        set: yes >= 0.4 && yes < 0.9 ? ["no", "yes"] : [yes >= 0.9 ? "yes" : "no"],
      };
    });
    const { scores, metrics, coverage, rows } = scoreAnswers({
      task,
      metrics: ["brier", "accuracy"],
      answers,
    });
    expect(rows).toBe(60);
    expect(metrics[0]).toEqual({ name: "brier", direction: "minimize" });
    expect(scores["accuracy"]).toBeCloseTo(
      mean(answers.map(({ label, target }) => Number(task.classes[target] === label))),
      12,
    );
    expect(scores["brier"]).toBeCloseTo(
      mean(
        answers.map(({ probabilities, target }) => ((probabilities?.["yes"] ?? 0) - target) ** 2),
      ),
      12,
    );
    expect(coverage?.meanSize).toBeCloseTo(mean(answers.map(({ set }) => set?.length ?? 0)), 12);
    expect(coverage?.measured).toBeCloseTo(
      mean(answers.map(({ set, target }) => Number(set?.includes(task.classes[target] ?? "")))),
      12,
    );
  });

  test("of several classes, values and quantiles score as plain sums do", () => {
    const classes = ["a", "b", "c"];
    const three = numbers.map((i) => ({
      target: i % 3,
      label: classes[i % 2],
      probabilities: Object.fromEntries(
        classes.map((name, k) => [name, [0.5, 0.3, 0.2][(k + i) % 3]]),
      ),
    }));
    const multi = scoreAnswers({ task: { kind: "multiclass", classes }, answers: three });
    expect(multi.scores["log_loss"]).toBeCloseTo(
      mean(
        three.map(
          ({ probabilities, target }) => -Math.log(probabilities[classes[target] ?? ""] ?? 0),
        ),
      ),
      12,
    );
    const values = numbers.map((i) => ({
      target: i,
      value: i + noise(i),
      interval: [i, i + 1] as const,
    }));
    const regression = { kind: "regression" as const, classes: [] };
    const value = scoreAnswers({ task: regression, metrics: ["MAE"], answers: values });
    expect(value.scores["mae"]).toBeCloseTo(mean(numbers.map(noise)), 12);
    expect(value.coverage).toEqual({ measured: 1, meanSize: 1 });
    const [low, high] = value.intervals["mae"] ?? [0, 0];
    expect(low).toBeLessThan(value.scores["mae"] ?? 0);
    expect(high).toBeGreaterThan(value.scores["mae"] ?? 0);
    const quantiles = { kind: "quantile_regression" as const, classes: [], quantiles: [0.1, 0.9] };
    const levels = numbers.map((i) => ({
      target: i,
      value: i,
      quantiles: { 0.1: i - 1, 0.9: i + 1 },
    }));
    // At each level a distance of 1, weighted by 0.1.
    expect(
      scoreAnswers({ task: quantiles, metrics: ["pinball"], answers: levels }).scores["pinball"],
    ).toBeCloseTo(0.1, 12);
  });

  test("of another task are refused", () => {
    const task = { kind: "regression" as const, classes: [] };
    expect(() => scoreAnswers({ task, answers: [{ target: 1, label: "a" }] })).toThrow(
      "answer 0 is none of a regression task",
    );
    expect(() =>
      scoreAnswers({ task, metrics: ["roc_auc"], answers: [{ target: 1, value: 1 }] }),
    ).toThrow(/does not fit/);
  });
});
