import { expect, it } from "vitest";
import { applyTransform, fitTransform } from "./numeric-transform.ts";

const even = Float64Array.from({ length: 201 }, (_, i) => (i - 100) / 100);

it("clips at the outer percentiles, and far ones one span of the inner ones beyond them", () => {
  expect(
    fitTransform(
      "clip",
      () => even,
      5,
      () => [-1, 1],
    ),
  ).toEqual({ kind: "clip", low: -0.98, high: 0.98 });
  const far = fitTransform(
    "clip_far",
    () => even,
    5,
    () => [-1, 1],
  );
  if (far.kind !== "clip") throw new Error(`It is of kind ${far.kind}.`);
  expect(far.low).toBeCloseTo(-0.95 - 1.9, 10);
  expect(far.high).toBeCloseTo(0.95 + 1.9, 10);
});

it.each(["clip", "clip_far"] as const)(
  "%s leaves numbers alone that are nearly always the same",
  (name) => {
    const rare = Float64Array.from({ length: 1000 }, (_, i) => (i < 995 ? 0 : i));
    expect(
      fitTransform(
        name,
        () => rare,
        5,
        () => [0, 1],
      ),
    ).toEqual({ kind: "identity" });
  },
);

it("a spline is level beyond the training values, and rises up to them", () => {
  const spline = fitTransform(
    "spline",
    () => even,
    5,
    () => [-1.5, 1.2],
  );
  const at = (value: number): number[] => {
    const out = new Float64Array(4);
    applyTransform(spline, value, out, 0, 1);
    return [...out];
  };
  expect(at(2)).toEqual(at(1.2));
  expect(at(-1e9)).toEqual(at(-1.5));
  expect(at(1.2)[0]).toBeGreaterThan(at(1.1)[0]);
  expect(at(-1.5)[0]).toBeLessThan(at(-1.4)[0]);
});
