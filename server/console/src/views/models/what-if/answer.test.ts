import { expect, it } from "vitest";
import { baseTold, pathOf, saidOf, scaleOf, stairsOf } from "./answer.ts";

it("reads values, quantiles and classes alike", () => {
  expect(saidOf({ value: 3, interval: [1, 5] })).toMatchObject({ value: 3, interval: [1, 5] });
  expect(saidOf({ quantiles: { "0.9": 9, "0.1": 1, "0.5": 4 } } as never)).toMatchObject({
    value: 4,
    quantiles: [
      ["0.1", 1],
      ["0.5", 4],
      ["0.9", 9],
    ],
  });
  expect(
    saidOf({ label: "b", probabilities: { a: 0.2, b: 0.8 }, set: ["b"] } as never),
  ).toMatchObject({ value: null, label: "b", set: ["b"] });
});

it("leads from the base to the prediction, whatever is folded into the last stair", () => {
  const path = {
    base: 10,
    prediction: 7,
    contributions: [
      ["a", 1],
      ["b", -5],
      ["c", 0.5],
      ["d", 0.5],
    ],
  } as const;
  const stairs = stairsOf(path, 3);
  expect(stairs).toEqual([
    { column: "b", columns: 1, from: 10, to: 5 },
    { column: "a", columns: 1, from: 5, to: 6 },
    { column: null, columns: 2, from: 6, to: 7 },
  ]);
  expect(stairsOf(path, 4).at(-1)).toMatchObject({ column: "d", to: 7 });
});

it("says where reasons begin, which of networks is at a row of means", () => {
  expect(baseTold(["gbdt", "linear"])).toBe("Without looking at the row");
  expect(baseTold(["mlp", "gaussian_process"])).toBe("At a row with the mean of each input");
  expect(baseTold(["gbdt", "mlp"])).toMatch(/^Before looking at the row, partly at/);
});

it("explains the class that is asked for", () => {
  const one = (base_value: number) => ({ base_value, prediction: 1, contributions: { x: 1 } });
  const answer = {
    model_id: "",
    space: "probability" as const,
    explanations: [{ classes: { a: one(0.1), b: one(0.2) } }],
    warnings: [],
  };
  expect(pathOf(answer, "b")).toMatchObject({ base: 0.2, contributions: [["x", 1]] });
  expect(pathOf({ ...answer, explanations: [one(3)] }, null)).toMatchObject({ base: 3 });
  expect(pathOf({ ...answer, explanations: [] }, null)).toBeNull();
});

it("calls reasons of one of many classes margins, in which 0 is not as likely as not", () => {
  expect(scaleOf("logit")).toMatchObject({
    name: "log-odds",
    hint: expect.stringMatching(/: 0 is/),
  });
  expect(scaleOf("probability")).toEqual({ name: "probability", hint: "." });
  const { name, hint } = scaleOf("log_softmax");
  expect(name).toBe("margin");
  expect(hint).not.toMatch(/likely as not|odds/);
});
