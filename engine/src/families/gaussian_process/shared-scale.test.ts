/** One length scale of all features, against as many that are equal. */

import fc from "fast-check";
import { expect, test } from "vitest";
import { kernelsOf } from "../../compute/kernels.ts";
import { CounterRandom, deriveKey } from "../../compute/random.ts";
import { encodeColumns } from "../linear/testing/data.ts";
import { SMOOTHNESS } from "./covariance.ts";
import { evidenceOf, type LabelledPoints, sharedDistances } from "./evidence.ts";

const { exp } = kernelsOf(encodeColumns([{ name: "x", cells: [0] }]).arena);

test("a shared scale has the evidence of equal ones, and the sum of their gradients, however its distances are found", () => {
  fc.assert(
    fc.property(
      fc.nat(),
      fc.constantFrom(...SMOOTHNESS),
      fc.integer({ min: 1, max: 9 }),
      (seed, smoothness, dimensions) => {
        const random = new CounterRandom(deriveKey(seed, "shared"));
        const rows = 10;
        const labelled: LabelledPoints = {
          points: {
            rows,
            numbers: Float32Array.from({ length: dimensions * rows }, () => random.nextGaussian()),
            codes: Int32Array.from({ length: rows }, () => random.nextInteger(3)),
          },
          labels: Float64Array.from({ length: rows }, () => random.nextGaussian()),
          noiseFactors: null,
        };
        const [relevance, amplitude, noise] = [-1, -0.3, -1.5].map((x) => x + random.nextFloat());
        const shared = Float64Array.of(relevance, amplitude, noise);
        const each = Float64Array.of(
          ...new Array<number>(dimensions + 1).fill(relevance),
          amplitude,
          noise,
        );
        const evidence = (
          parameters: Float64Array,
          isShared: boolean,
          apart: Float64Array | null,
        ) => {
          const gradient = new Float64Array(parameters.length);
          const learning = { smoothness, shared: isShared, exp };
          return { ...evidenceOf(labelled, parameters, learning, gradient, apart), gradient };
        };
        const apart = evidence(each, false, null);
        const once = evidence(shared, true, sharedDistances(labelled.points));
        expect(once).toEqual(evidence(shared, true, null));
        expect(once.logLikelihood).toBeCloseTo(apart.logLikelihood ?? Number.NaN, 8);
        expect(once.leftOutError).toBeCloseTo(apart.leftOutError ?? Number.NaN, 8);
        const own = apart.gradient.subarray(0, dimensions + 1).reduce((sum, one) => sum + one, 0);
        const sums = [own, ...apart.gradient.subarray(dimensions + 1)];
        for (const [p, slope] of sums.entries()) expect(once.gradient[p]).toBeCloseTo(slope, 7);
      },
    ),
    { numRuns: 40 },
  );
});
