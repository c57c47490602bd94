import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { deriveKey } from "../../compute/random.ts";
import { madeSequences } from "../testing/made-sequences.ts";
import { parametersIn, rocketFigures, sequencesIn } from "../testing/rocket-figures.ts";
import { slowRocket } from "../testing/slow-rocket.ts";
import { itKeepsTheLaws, rowOf } from "../testing/transform-laws.ts";
import { fitDilations } from "./kernel-set.ts";
import { MiniRocket } from "./minirocket.ts";
import { loadRocket } from "./rocket-kernels.ts";

const figures = rocketFigures();

const key = deriveKey(5, "minirocket");

describe("MiniRocket", () => {
  itKeepsTheLaws({
    fit: (set, rows) => MiniRocket.fit(set, rows, key, { features: 336 }),
    load: MiniRocket.load,
  });

  it("has aeon's dilations at every length", () => {
    for (const [length, [dilations, perDilation]] of Object.entries(figures.dilations)) {
      const ours = fitDilations(Number(length), 10_000, 32);
      expect([...ours.dilations]).toEqual(dilations);
      expect([...ours.perDilation]).toEqual(perDilation);
    }
  });

  it("fits aeon's biases where no draw decides", () => {
    const { length, train, mini } = figures.sets[0];
    const set = sequencesIn(train, 1, length);
    const fitted = MiniRocket.fit(set, null, key, { features: 420, scaling: "none" });
    const { biases } = fitted.save().tensors;
    expect(biases).toHaveLength(420);
    for (const [i, bias] of mini.parameters.biases.entries())
      expect(biases[i]).toBeCloseTo(bias, 4);
  });

  it.each([0, 1])("gives aeon's features (set %i)", (index) => {
    const { channels, length, test, mini } = figures.sets[index];
    const fitted = MiniRocket.load({
      header: {
        transform: "minirocket",
        version: 1,
        treatment: { scaling: "none" },
        alternate: true,
      },
      tensors: parametersIn({ "": mini.parameters }, channels),
    });
    const set = sequencesIn(test, channels, length);
    const features = fitted.transform(set, null);
    for (const [row, expected] of mini.features.entries()) {
      // An output that rounds to the bias itself may count in one and not in the other.
      const away = rowOf(features, row).filter((value, i) => Math.abs(value - expected[i]) > 1e-5);
      expect(away.length).toBeLessThanOrEqual(2);
    }
  });

  it("gives what the definition gives", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 4 }),
        fc.array(fc.integer({ min: 1, max: 70 }), { minLength: 2, maxLength: 4 }),
        fc.boolean(),
        fc.integer({ min: 0, max: 1000 }),
        (channels, lengths, equal, seed) => {
          const set = madeSequences(equal ? lengths.map(() => 40) : lengths, channels, seed);
          const fitted = MiniRocket.fit(set, null, key, { features: 420, scaling: "none" });
          const features = fitted.transform(set, null);
          const saved = fitted.save();
          const parameters = loadRocket(saved, "", channels);
          const alternate = new Set(lengths).size === 1 || equal;
          for (let row = 0; row < set.count; row++) {
            const series = set.values.map((values) =>
              values.slice(set.offsets[row], set.offsets[row + 1]),
            );
            const { shares } = slowRocket(series, parameters, alternate);
            const steps = series[0].length;
            const away = rowOf(features, row).filter(
              (value, i) => Math.abs(value - shares[i]) > 1e-6,
            );
            // Biases are outputs of these sequences: ties of f32 may fall either way.
            expect(away.length).toBeLessThanOrEqual(Math.max(5, 420 / steps));
          }
        },
      ),
      { numRuns: 25 },
    );
  });

  it("does not see the scale of a channel", () => {
    const plain = madeSequences(Array(6).fill(50), 2, 9);
    const scaled = {
      ...plain,
      values: plain.values.map((v, c) => v.map((x) => x * 1000 ** c + c)),
    };
    const [one, other] = [plain, scaled].map((set) =>
      MiniRocket.fit(set, null, key, { features: 420 }).transform(set, null),
    );
    const away = one.values.filter((value, i) => Math.abs(value - other.values[i]) > 1e-6);
    expect(away.length).toBeLessThan(0.02 * one.values.length);
  });
});
