/** The rooms of the estimator against SciPy's and Optuna's figures; `tpe.fixture.py` made them. */

import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { searchSpaceSchema } from "../parameter-schema.ts";
import { parameterValueSchema } from "../parameter-value.ts";
import type { Parameters } from "../space.ts";
import { coordinateOf, dimensionOf } from "./dimension.ts";
import { inCoordinateOrder } from "./kernel-table.ts";
import { cumulative, erfc, inverseCumulative } from "./normal.ts";
import { ageWeight, ParzenEstimator } from "./parzen-estimator.ts";
import { goodCount } from "./tpe-sampler.ts";
import { logMass, mass, quantile } from "./truncated-normal.ts";

const pairs = z.array(z.tuple([z.number(), z.number()]));
const points = z.array(z.record(z.string(), parameterValueSchema));
const fixture = z
  .object({
    normal: z.object({ erfc: pairs, cumulative: pairs, inverseCumulative: pairs }),
    truncated: z.array(
      z.object({ low: z.number(), high: z.number(), logMass: z.number(), quantiles: pairs }),
    ),
    weights: z.record(z.string(), z.array(z.number())),
    gamma: pairs,
    estimators: z.array(
      z.object({
        name: z.string(),
        space: searchSpaceSchema,
        observed: points,
        asked: points,
        weights: z.array(z.number()),
        deviations: z.record(z.string(), z.array(z.number())),
        logDensity: z.array(z.number()),
      }),
    ),
  })
  .parse(JSON.parse(readFileSync(new URL("./tpe.fixture.json", import.meta.url), "utf8")));

/** Figures are stored with 14 digits. */
function expectClose(actual: number, expected: number, relative = 1e-13): void {
  expect(Math.abs(actual - expected)).toBeLessThanOrEqual(relative * Math.abs(expected));
}

test.each(fixture.normal.erfc)("erfc(%d)", (x, expected) => expectClose(erfc(x), expected));

test.each(fixture.normal.cumulative)("cumulative(%d)", (x, expected) =>
  expectClose(cumulative(x), expected, 5e-13),
);

test.each(fixture.normal.inverseCumulative)("inverseCumulative(%d)", (p, expected) =>
  expectClose(inverseCumulative(p), expected),
);

describe.each(fixture.truncated)("normal cut to [$low, $high]", ({ low, high, ...expected }) => {
  test("mass", () => {
    expect(Math.abs(logMass(low, high) - expected.logMass)).toBeLessThan(1e-9);
    expect(Math.abs(Math.log(mass(low, high)) - expected.logMass)).toBeLessThan(1e-9);
  });

  test.each(expected.quantiles)("quantile(%d)", (at, x) => {
    expect(Math.abs(quantile(at, low, high) - x)).toBeLessThan(1e-8 * Math.max(1, Math.abs(x)));
  });
});

test("weights by age", () => {
  for (const weights of Object.values(fixture.weights)) {
    weights.forEach((weight, i) => {
      expectClose(ageWeight(i, weights.length), weight);
    });
  }
});

test.each(fixture.gamma)("of %d trials %d are good", (count, good) => {
  expect(goodCount(count)).toBe(good);
});

describe.each(fixture.estimators)("Parzen estimator: $name", (of) => {
  const names = Object.keys(of.space);
  const dimensions = inCoordinateOrder(
    names.map((name) => ({ ...dimensionOf(of.space[name]), name })),
  );
  const read = (at: Parameters) =>
    dimensions.map((dimension) => coordinateOf(dimension, at[dimension.name]));
  const estimator = new ParzenEstimator(dimensions);
  const rows = of.observed.map((_, row) => row);
  estimator.fit(
    Float64Array.from(dimensions.flatMap((_, d) => of.observed.map((at) => read(at)[d]))),
    rows.length,
    rows,
  );

  test("weights", () => {
    of.weights.forEach((weight, k) => {
      expectClose(estimator.kernels.weight[k], weight);
    });
  });

  test("bandwidths", () => {
    const { capacity, inverseDeviation, count } = estimator.kernels;
    for (const [d, { name, kind }] of dimensions.entries()) {
      if (kind === "categorical") continue;
      expect(of.deviations[name]).toHaveLength(count);
      of.deviations[name].forEach((deviation, k) => {
        expectClose(1 / inverseDeviation[d * capacity + k], deviation, 1e-9);
      });
    }
  });

  test("densities", () => {
    const asked = Float64Array.from(of.asked.flatMap(read));
    estimator.logDensity(asked).forEach((logDensity, i) => {
      expect(Math.abs(logDensity - of.logDensity[i])).toBeLessThan(1e-9);
    });
  });
});
