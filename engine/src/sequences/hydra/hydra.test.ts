import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { deriveKey } from "../../compute/random.ts";
import { madeSequences } from "../testing/made-sequences.ts";
import { itKeepsTheLaws, rowOf } from "../testing/transform-laws.ts";
import { fitHydra } from "./fit-hydra.ts";
import { Hydra } from "./hydra.ts";

const key = deriveKey(5, "hydra");

describe("Hydra", () => {
  itKeepsTheLaws({
    fit: (set, rows) => fitHydra(set, rows, key, { groups: 4 }),
    load: Hydra.load,
  });

  it("draws kernels whose weights add up to nothing and whose sizes to one", () => {
    const { weights } = fitHydra(madeSequences([50], 1, 1), null, key).save().tensors;
    // Dilations 1, 2, 4; 64 groups of 8 kernels.
    expect(weights).toHaveLength(3 * 64 * 8 * 9);
    for (let at = 0; at < weights.length; at += 9) {
      const kernel = Array.from(weights.slice(at, at + 9));
      expect(kernel.reduce((sum, weight) => sum + weight, 0)).toBeCloseTo(0, 6);
      expect(kernel.reduce((sum, weight) => sum + Math.abs(weight), 0)).toBeCloseTo(1, 6);
    }
  });

  it("counts what the definition counts", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 5 }),
        fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 2, maxLength: 3 }),
        fc.boolean(),
        fc.integer({ min: 0, max: 1000 }),
        (channels, lengths, equal, seed) => {
          const set = madeSequences(equal ? lengths.map(() => 37) : lengths, channels, seed);
          const hydra = fitHydra(set, null, key, { groups: 4, scaling: "none" });
          const all = hydra.transform(set, null);
          const { header, tensors } = hydra.save();
          for (let row = 0; row < set.count; row++) {
            const series = set.values.map((v) => v.slice(set.offsets[row], set.offsets[row + 1]));
            const expected = slowHydra(series, header, tensors);
            const away = rowOf(all, row).filter(
              (value, i) => Math.abs(value - expected[i]) > 1e-3 * (1 + Math.abs(expected[i])),
            );
            // Two outputs that round alike may win in turns.
            expect(away.length).toBeLessThanOrEqual(4);
          }
        },
      ),
      { numRuns: 25 },
    );
  });

  it("refuses an odd number of groups", () => {
    expect(() => fitHydra(madeSequences([20], 1, 1), null, key, { groups: 3 })).toThrow(
      "an even number of groups, not 3",
    );
  });
});

/** As Dempster, Schmidt & Webb 2023 say it, one step after another in f64. */
function slowHydra(
  series: readonly Float64Array[],
  // biome-ignore lint/suspicious/noExplicitAny: the header as it was saved
  header: any,
  tensors: Readonly<Record<string, ArrayLike<number>>>,
): number[] {
  const features: number[] = [];
  const { groups, dilations, channelsOfGroup, steps } = header;
  for (const differences of [false, true]) {
    const lines = series.map((line) => {
      if (!differences) return line;
      return line.length === 1 ? [0] : line.slice(1).map((value, t) => value - line[t]);
    });
    for (let d = 0; d < dilations; d++) {
      const soft: number[] = [];
      const hard: number[] = [];
      for (let g = 0; g < groups; g++) {
        const group = (2 * d + Number(differences)) * groups + g;
        const members =
          series.length === 1
            ? [0]
            : Array.from(
                { length: channelsOfGroup },
                (_, m) => tensors["members"][group * channelsOfGroup + m],
              );
        const counts = { soft: Array(8).fill(0), hard: Array(8).fill(0) };
        for (let t = 0; t < lines[0].length; t++) {
          const outputs = Array.from({ length: 8 }, (_, kernel) => {
            let sum = 0;
            for (const channel of members) {
              for (let w = 0; w < 9; w++) {
                const value = lines[channel][t + (w - 4) * 2 ** d] ?? 0;
                sum += value * tensors["weights"][(group * 8 + kernel) * 9 + w];
              }
            }
            return sum;
          });
          const largest = Math.max(...outputs);
          counts.soft[outputs.indexOf(largest)] += largest;
          counts.hard[outputs.indexOf(Math.min(...outputs))]++;
        }
        const share = steps === null ? 1 : steps / lines[0].length;
        soft.push(...counts.soft.map((count) => count * share));
        hard.push(...counts.hard.map((count) => count * share));
      }
      features.push(...soft, ...hard);
    }
  }
  return features;
}
