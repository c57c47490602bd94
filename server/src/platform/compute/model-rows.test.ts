import { type PredictOutput, predictionsOf } from "@distillery/engine";
import { expect, test } from "vitest";
import { UnprocessableError } from "../input/problem.ts";
import { predictionsSchema, readRows } from "./model-rows.ts";

const regression: PredictOutput = {
  values: Float64Array.of(3, 5),
  outputs: 1,
  task: { kind: "regression", classes: [] },
  labels: null,
  intervals: {
    level: 0.9,
    bounds: { lower: Float64Array.of(2, 4.5), upper: Float64Array.of(4, 5.5) },
  },
  sets: null,
  keys: null,
  warnings: [],
};

const multiclass: PredictOutput = {
  values: Float64Array.of(0.7, 0.2, 0.1, 0.1, 0.45, 0.45),
  outputs: 3,
  task: { kind: "multiclass", classes: ["a", "b", "c"] },
  labels: Uint32Array.of(0, 2),
  intervals: null,
  sets: { level: 0.9, members: Uint8Array.of(1, 0, 0, 0, 1, 1), unlimited: false },
  keys: null,
  warnings: [],
};

function shown(output: PredictOutput) {
  const model_id = "9f0c1e2a-6b5d-4c3e-8f7a-1b2c3d4e5f60";
  const { predictions } = predictionsOf(output);
  expect(predictionsSchema.parse({ model_id, predictions, warnings: [] }).predictions).toEqual(
    predictions,
  );
  return predictions;
}

test("values have intervals", () => {
  expect(shown(regression)).toEqual([
    { value: 3, interval: [2, 4] },
    { value: 5, interval: [4.5, 5.5] },
  ]);
});

test("an interval that the rows are too few for is null; a model of before has none", () => {
  const tooFew = { ...regression, intervals: { level: 0.99, bounds: null } };
  expect(shown(tooFew)[0]).toEqual({ value: 3, interval: null });
  expect(shown({ ...regression, intervals: null })[0]).toEqual({ value: 3 });
});

test("labels have probabilities and sets", () => {
  expect(shown(multiclass)).toEqual([
    { label: "a", probabilities: { a: 0.7, b: 0.2, c: 0.1 }, set: ["a"] },
    { label: "c", probabilities: { a: 0.1, b: 0.45, c: 0.45 }, set: ["b", "c"] },
  ]);
  expect(shown({ ...multiclass, sets: null })[0]).not.toHaveProperty("set");
});

test("the label of two classes is the one that the model's threshold says", () => {
  const binary: PredictOutput = {
    ...multiclass,
    values: Float64Array.of(0.3),
    outputs: 1,
    task: { kind: "binclass", classes: ["no", "yes"] },
    labels: Uint32Array.of(1),
    sets: { level: 0.9, members: Uint8Array.of(1, 1), unlimited: false },
  };
  expect(shown(binary)).toEqual([
    { label: "yes", probabilities: { no: 0.7, yes: 0.3 }, set: ["no", "yes"] },
  ]);
});

test.each([
  ['{"instances":[{"x":1},{"x":2,"y":1e400}]}', ["body", "instances", 1, "y"]],
  ['{"columns":["x","y"],"data":[[1,-1e400]]}', ["body", "data", 0, 1]],
  ['{"history":[{"x":1e309}]}', ["body", "history", 0, "x"]],
])("a number that no double holds is refused where it stands: %s", (text, loc) => {
  const fault = { loc, type: "finite_number", msg: expect.stringContaining("finite number") };
  try {
    readRows(JSON.parse(text), "predict", null);
    expect.unreachable();
  } catch (error) {
    if (!(error instanceof UnprocessableError)) throw error;
    expect(error.detail).toEqual([fault]);
  }
});
