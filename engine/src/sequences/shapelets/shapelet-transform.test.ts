import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Arena } from "../../compute/arena.ts";
import { deriveKey } from "../../compute/random.ts";
import { classTargets, fitRidge } from "../ridge/fit-ridge.ts";
import { madeSequences, setOf } from "../testing/made-sequences.ts";
import { itKeepsTheLaws, rowOf } from "../testing/transform-laws.ts";
import { fitShapelets, windowOf } from "./fit-shapelets.ts";
import { ShapeletTransform } from "./shapelet-transform.ts";

const key = deriveKey(5, "shapelets");

describe("ShapeletTransform", () => {
  itKeepsTheLaws({
    fit: (set, rows) => fitShapelets(set, rows, key, { shapelets: 40 }),
    load: ShapeletTransform.load,
  });

  it("measures what the definition measures", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 4 }),
        fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 2, maxLength: 4 }),
        fc.integer({ min: 0, max: 1000 }),
        (channels, lengths, seed) => {
          const set = madeSequences(lengths, channels, seed);
          const fitted = fitShapelets(set, null, key, { shapelets: 30, scaling: "none" });
          const all = fitted.transform(set, null);
          for (let row = 0; row < set.count; row++) {
            const series = set.values.map((v) => v.slice(set.offsets[row], set.offsets[row + 1]));
            const distances = slowDistances(series, fitted.save());
            const said = rowOf(all, row);
            for (const [s, { of, threshold }] of distances.entries()) {
              const [least, step, found] = said.subarray(3 * s, 3 * s + 3);
              const close = 1e-3 * (1 + threshold);
              expect(Math.abs(least - Math.min(...of))).toBeLessThan(close);
              // Of windows that round alike any may be the nearest, or below the threshold.
              expect(of[step]).toBeLessThan(least + close);
              const below = (most: number): number => of.filter((each) => each < most).length;
              expect(found).toBeGreaterThanOrEqual(below(threshold - close));
              expect(found).toBeLessThanOrEqual(below(threshold + close));
            }
          }
        },
      ),
      { numRuns: 25 },
    );
  });

  it("finds a shapelet again where it was drawn from, at a distance of nothing", () => {
    const set = madeSequences([60, 60, 60], 1, 2);
    const fitted = fitShapelets(set, Uint32Array.of(1), key, { shapelets: 50 });
    const { values } = fitted.transform(set, Uint32Array.of(1));
    for (let s = 0; s < values.length; s += 3) expect(values[s]).toBeCloseTo(0, 4);
  });

  it("tells shapes apart wherever they are", () => {
    const set = shapesAnywhere(80);
    const classes = Float64Array.from({ length: set.count }, (_, i) => i % 2);
    const rows = Uint32Array.from({ length: 50 }, (_, i) => i);
    const fitted = fitShapelets(set, rows, key, {
      shapelets: 300,
      classes: classes.slice(0, 50),
    });
    const { head } = fitRidge({
      blocks: [{ matrix: fitted.transform(set, rows), scaler: "standard" }],
      rows,
      targets: classTargets(classes.slice(0, 50), 1),
      outputs: 1,
      arena: Arena.create().handle(),
    });
    const asked = Uint32Array.from({ length: 30 }, (_, i) => 50 + i);
    const margins = head.predict([fitted.transform(set, asked)], null);
    const right = margins.filter((margin, i) => margin > 0 === (classes[50 + i] === 1));
    expect(right.length).toBeGreaterThanOrEqual(28);
  });

  it("draws thresholds from sequences of a shapelet's own class", () => {
    // Of two classes far apart: what is found in most windows of its own is found in none of the other.
    const set = setOf(
      Array.from({ length: 20 }, (_, i) => [
        Float64Array.from({ length: 50 }, (_, t) => Math.sin(t + i) + 100 * (i % 2)),
      ]),
    );
    const classes = Float64Array.from({ length: 20 }, (_, i) => i % 2);
    const own = fitShapelets(set, null, key, { shapelets: 200, scaling: "none", classes });
    const any = fitShapelets(set, null, key, { shapelets: 200, scaling: "none" });
    const largest = (fitted: ShapeletTransform): number =>
      Array.from(fitted.save().tensors["thresholds"]).reduce((a, b) => Math.max(a, b));
    expect(largest(own)).toBeLessThan(50);
    expect(largest(any)).toBeGreaterThan(500);
  });

  it("refuses no shapelets, and arrays that contradict each other", () => {
    const set = madeSequences([20, 20], 2, 1);
    expect(() => fitShapelets(set, null, key, { shapelets: 0 })).toThrow("not 0");
    const { header, tensors } = fitShapelets(set, null, key, { shapelets: 9 }).save();
    const withTensor = (name: string, tensor: Int32Array | Float32Array) => () =>
      ShapeletTransform.load({ header, tensors: { ...tensors, [name]: tensor } });
    expect(withTensor("members", Int32Array.from(tensors["members"]).fill(2))).toThrow(
      "a channel beyond the 2",
    );
    expect(withTensor("weights", new Float32Array(3))).toThrow("have 3");
    expect(withTensor("dilations", new Int32Array(9))).toThrow("not in order");
    expect(withTensor("starts", new Int32Array(10))).toThrow("no channel");
    expect(withTensor("thresholds", new Float32Array(1))).toThrow("other numbers");
  });
});

/** Noise with a short wave of one of two forms, anywhere. */
function shapesAnywhere(count: number) {
  const noise = madeSequences(
    Array.from({ length: count }, () => 1),
    1,
    1,
  );
  const random = Array.from({ length: count * 90 }, (_, i) => Math.sin(i * i * 0.37 + i));
  return setOf(
    Array.from({ length: noise.count }, (_, i) => {
      const line = Float64Array.from({ length: 90 }, (_, t) => 0.3 * random[i * 90 + t]);
      const at = (i * 37) % 70;
      for (let t = 0; t < 20; t++) {
        line[at + t] += i % 2 ? 2 * Math.sin((t * Math.PI) / 10) : 2 * Math.sin((t * Math.PI) / 20);
      }
      return [line];
    }),
  );
}

/** Of each shapelet, as Guillaume, Vrain & Elloumi 2022 say it: of one window after another, in f64. */
function slowDistances(
  series: readonly Float64Array[],
  saved: ReturnType<ShapeletTransform["save"]>,
): { readonly of: readonly number[]; readonly threshold: number }[] {
  const { dilations, normalised, thresholds, starts, members, weights } = saved.tensors;
  const length = weights.length / members.length;
  return Array.from(dilations, (dilation, s) => {
    const steps = series[0].length;
    const windows = Math.max(1, steps - (length - 1) * dilation);
    const shape = { length, dilation, normalised: normalised[s] === 1 };
    const of = Array.from({ length: windows }, (_, at) => {
      let distance = 0;
      for (let m = starts[s]; m < starts[s + 1]; m++) {
        const own = windowOf(series[members[m]], steps, at, shape);
        for (let i = 0; i < length; i++) distance += Math.abs(own[i] - weights[m * length + i]);
      }
      return distance;
    });
    return { of, threshold: thresholds[s] };
  });
}
