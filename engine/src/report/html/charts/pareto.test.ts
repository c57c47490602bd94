import { expect, it } from "vitest";
import { type ParetoPoint, paretoSpec } from "./pareto.ts";

const axes = { x: "rmse", y: "mae" };
const trial = (x: number, y: number): ParetoPoint => ({ x, y, kind: "trial" });
const drawn = (points: readonly ParetoPoint[]) => {
  const { spec, legend } = paretoSpec(points, axes);
  return {
    values: (spec as { data: { values: ParetoPoint[] } }).data.values,
    legend: legend?.map(({ name }) => name),
  };
};

it("leaves out trials that are far from the models", () => {
  const models: ParetoPoint[] = [
    { x: 1, y: 2, kind: "model" },
    { x: 2, y: 1, kind: "model" },
  ];
  const { values, legend } = drawn([...models, trial(1.5, 2.5), trial(9, 9)]);
  expect(values).toEqual([...models, trial(1.5, 2.5)]);
  expect(legend).toEqual(["trial", "model"]);
});

it("shows the nearer half of the trials where there is one model, and that it is looked at", () => {
  const shown: ParetoPoint = { x: 0.003, y: 0.002, kind: "shown" };
  const trials = [0.01, 0.02, 0.03, 0.4, 0.5].map((loss) => trial(loss, loss));
  const { values, legend } = drawn([...trials, shown]);
  expect(values).toEqual([...trials.slice(0, 3), shown]);
  expect(legend).toEqual(["trial", "this model"]);
});
