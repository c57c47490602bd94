import { expect, it } from "vitest";
import { shapeStepsSpec } from "./shape-steps.ts";

const scaleOf = (ends: readonly number[]): unknown => {
  const steps = [...ends, null].map((to) => ({ to, weight: 1, values: [0], deviations: [0] }));
  const { spec } = shapeStepsSpec({ steps, missing: null, feature: "x" }, { of: [], y: "y" });
  return JSON.stringify(spec).match(/"type":"(log|linear)"/)?.[1];
};
const ends = (end: (part: number) => number): number[] =>
  Array.from({ length: 99 }, (_, i) => end((i + 1) / 100));

it("draws by logarithms what is crowded low alone, however near to 0 even values begin", () => {
  expect(scaleOf(ends((part) => 10 ** (6 * part)))).toBe("log");
  expect(scaleOf(ends((part) => -Math.log(1 - part)))).toBe("log");
  expect(scaleOf([0.0001, ...ends((part) => part)])).toBe("linear");
  expect(scaleOf(ends((part) => part - 0.5))).toBe("linear");
});
