import { expect, it } from "vitest";
import { fitTransform } from "./numeric-transform.ts";

const even = Float64Array.from({ length: 201 }, (_, i) => (i - 100) / 100);

it("clips at the outer percentiles, and far ones one span of the inner ones beyond them", () => {
  expect(fitTransform("clip", () => even, 5)).toEqual({ kind: "clip", low: -0.98, high: 0.98 });
  const far = fitTransform("clip_far", () => even, 5);
  if (far.kind !== "clip") throw new Error(`It is of kind ${far.kind}.`);
  expect(far.low).toBeCloseTo(-0.95 - 1.9, 10);
  expect(far.high).toBeCloseTo(0.95 + 1.9, 10);
});

it.each(["clip", "clip_far"] as const)(
  "%s leaves numbers alone that are nearly always the same",
  (name) => {
    const rare = Float64Array.from({ length: 1000 }, (_, i) => (i < 995 ? 0 : i));
    expect(fitTransform(name, () => rare, 5)).toEqual({ kind: "identity" });
  },
);
