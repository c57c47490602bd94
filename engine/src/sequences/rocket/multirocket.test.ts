import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { deriveKey } from "../../compute/random.ts";
import { madeSequences } from "../testing/made-sequences.ts";
import { parametersIn, rocketFigures, sequencesIn } from "../testing/rocket-figures.ts";
import { slowRocket } from "../testing/slow-rocket.ts";
import { itKeepsTheLaws, rowOf } from "../testing/transform-laws.ts";
import { MultiRocket } from "./multirocket.ts";
import { loadRocket } from "./rocket-kernels.ts";

const key = deriveKey(5, "multirocket");

describe("MultiRocket", () => {
  itKeepsTheLaws({
    fit: (set, rows) => MultiRocket.fit(set, rows, key, { kernels: 168 }),
    load: MultiRocket.load,
  });

  // aeon takes differences for as long as the sequence, which moves four of the nine weights by a step
  // there: of those, only what the definition gives is compared, below.
  it.each([0, 1])("gives aeon's features of the values (set %i)", (index) => {
    const { channels, length, test, multi } = rocketFigures().sets[index];
    const fitted = MultiRocket.load({
      header: {
        transform: "multirocket",
        version: 1,
        treatment: { scaling: "none" },
        alternate: true,
      },
      tensors: parametersIn({ values_: multi.values, differences_: multi.differences }, channels),
    });
    const features = fitted.transform(sequencesIn(test, channels, length), null);
    for (const [row, expected] of multi.features.entries()) {
      expect(expected).toHaveLength(features.columns);
      const away = rowOf(features, row)
        .slice(0, features.columns / 2)
        .filter((value, i) => Math.abs(value - expected[i]) > 1e-4 * (1 + Math.abs(expected[i])));
      // An output that rounds to the bias itself may count in one and not in the other.
      expect(away.length).toBeLessThanOrEqual(4);
    }
  });

  it("gives what the definition gives", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 3 }),
        fc.array(fc.integer({ min: 2, max: 70 }), { minLength: 2, maxLength: 3 }),
        fc.integer({ min: 0, max: 1000 }),
        (channels, lengths, seed) => {
          const set = madeSequences(lengths, channels, seed);
          // Biases of some sequences, outputs of another: no ties.
          const fitted = MultiRocket.fit(set, Uint32Array.of(0), key, {
            kernels: 168,
            scaling: "none",
          });
          const features = rowOf(fitted.transform(set, Uint32Array.of(1)), 0);
          const series = set.values.map((v) => v.slice(set.offsets[1], set.offsets[2]));
          const differences = series.map((line) => line.slice(1).map((v, t) => v - line[t]));
          const saved = fitted.save();
          const expected = [
            slowRocket(series, loadRocket(saved, "values_", set.channels), true),
            slowRocket(differences, loadRocket(saved, "differences_", set.channels), true),
          ].flatMap(({ shares, stretches, means, places }) => [
            ...shares,
            ...stretches,
            ...means,
            ...places,
          ]);
          expect(expected).toHaveLength(features.length);
          const away = features.filter(
            (value, i) => Math.abs(value - expected[i]) > 1e-4 * (1 + Math.abs(expected[i])),
          );
          expect(away.length).toBeLessThanOrEqual(8);
        },
      ),
      { numRuns: 20 },
    );
  });
});
