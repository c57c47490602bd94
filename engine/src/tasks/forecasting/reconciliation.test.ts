/** Forecasts made to sum up, against figures of hierarchicalforecast, and what holds for any. */

import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { ValueBounds } from "../../data/series-history.ts";
import type { SavedFrame } from "../framing.ts";
import type { Header } from "./header.ts";
import { reconciliationGain, shrunkCovariance } from "./mint.ts";
import { fitReconciliation, reconcile } from "./reconciliation.ts";

const rows = z.array(z.array(z.number()));
const { cases } = z
  .object({
    cases: z.array(
      z.object({
        name: z.string(),
        bottoms: z.number(),
        members: rows,
        errors: rows,
        base: rows,
        covariance: rows,
        mintShrink: rows,
        bottomUp: rows,
      }),
    ),
  })
  .parse(
    JSON.parse(
      readFileSync(new URL("fixtures/reconciliation_figures.json", import.meta.url), "utf8"),
    ),
  );

const lists = (given: readonly (readonly number[])[]): Float64Array[] =>
  given.map((each) => Float64Array.from(each));

type Hierarchy = NonNullable<Header["hierarchy"]>;

/** Series of `length` steps that all end together. */
function savedFrame(hierarchy: Hierarchy, length: number): SavedFrame {
  const nodes = hierarchy.bottoms + hierarchy.members.length;
  const header: Header = {
    label: "y",
    timeColumn: "t",
    isTime: false,
    frequency: { kind: "regular", step: 1, origin: 0 },
    horizon: 1,
    gap: 0,
    seasons: [],
    seriesColumns: ["s"],
    known: [],
    constant: [],
    past: [],
    static: [],
    keys: [],
    hierarchy,
  };
  const offsets = Uint32Array.from({ length: nodes + 1 }, (_, s) => s * length);
  return { header, tensors: { offsets } };
}

/** One window that forecasts the last steps of all series. */
const windowOf = (errors: readonly (readonly number[])[], length: number) => ({
  rows: Uint32Array.from(
    errors.flatMap((own, s) => own.map((_, t) => (s + 1) * length - own.length + t)),
  ),
  errors: Float64Array.from(errors.flat()),
});

describe.each(cases)("$name", ({ bottoms, members, errors, base, ...figures }) => {
  const length = 100;
  const reconciled = (method: Hierarchy["method"]): number[] => {
    const hierarchy = { method, bottoms, members };
    const fitted = fitReconciliation(savedFrame(hierarchy, length), [windowOf(errors, length)]);
    expect(fitted?.warnings).toEqual([]);
    const values = Float64Array.from(base.flat());
    if (fitted) reconcile(values, hierarchy, fitted.saved, unbounded(hierarchy));
    return [...values];
  };
  const agrees = (ours: readonly number[], theirs: readonly number[]): void => {
    expect(ours).toHaveLength(theirs.length);
    for (const [i, each] of theirs.entries()) expect(ours[i]).toBeCloseTo(each, 6);
  };

  it("has the covariance of hierarchicalforecast", () => {
    const ours = shrunkCovariance(lists(errors));
    agrees([...(ours?.matrix ?? [])], figures.covariance.flat());
  });

  it("is reconciled as by its MinTrace and BottomUp", () => {
    agrees(reconciled("mint_shrink"), figures.mintShrink.flat());
    agrees(reconciled("bottom_up"), figures.bottomUp.flat());
  });
});

const unbounded = ({ bottoms }: Pick<Hierarchy, "bottoms">): ValueBounds[] =>
  Array.from({ length: bottoms }, () => ({
    least: Number.NEGATIVE_INFINITY,
    most: Number.POSITIVE_INFINITY,
  }));

/** Any sums of some series, with errors of all. */
const structures = fc.integer({ min: 2, max: 6 }).chain((bottoms) =>
  fc
    .array(fc.subarray([...Array(bottoms).keys()], { minLength: 1 }), {
      minLength: 1,
      maxLength: 5,
    })
    .chain((members) => {
      const nodes = bottoms + members.length;
      const error = fc.double({ min: -100, max: 100, noNaN: true });
      return fc.record({
        bottoms: fc.constant(bottoms),
        members: fc.constant(members),
        errors: fc.array(fc.array(error, { minLength: 12, maxLength: 12 }), {
          minLength: nodes,
          maxLength: nodes,
        }),
        base: fc.array(error, { minLength: nodes * 2, maxLength: nodes * 2 }),
      });
    }),
);

const sumsUp = (values: Float64Array, { bottoms, members }: Omit<Hierarchy, "method">): void => {
  const steps = values.length / (bottoms + members.length);
  for (const [k, own] of members.entries()) {
    for (let step = 0; step < steps; step++) {
      const sum = own.reduce((total, b) => total + values[b * steps + step], 0);
      expect(values[(bottoms + k) * steps + step]).toBe(sum);
    }
  }
};

describe("reconciled forecasts", () => {
  it("sum up, whatever the errors were, and stay where they did", () => {
    fc.assert(
      fc.property(structures, ({ errors, base, ...structure }) => {
        const hierarchy: Hierarchy = { method: "mint_shrink", ...structure };
        const fitted = fitReconciliation(savedFrame(hierarchy, 20), [windowOf(errors, 20)]);
        if (!fitted) throw new Error("There is a hierarchy.");
        const values = Float64Array.from(base);
        reconcile(values, hierarchy, fitted.saved, unbounded(hierarchy));
        expect(values.every(Number.isFinite)).toBe(true);
        sumsUp(values, structure);
        const again = values.slice();
        reconcile(again, hierarchy, fitted.saved, unbounded(hierarchy));
        expect(again).toEqual(values);
      }),
    );
  });

  it("stay within the bounds of their series, and sum up", () => {
    fc.assert(
      fc.property(structures, ({ errors, base, ...structure }) => {
        const hierarchy: Hierarchy = { method: "mint_shrink", ...structure };
        const fitted = fitReconciliation(savedFrame(hierarchy, 20), [windowOf(errors, 20)]);
        if (!fitted) throw new Error("There is a hierarchy.");
        const values = Float64Array.from(base, Math.abs);
        const bounds = unbounded(hierarchy).map((each, b) =>
          b % 2 ? each : { ...each, least: 0 },
        );
        reconcile(values, hierarchy, fitted.saved, bounds);
        sumsUp(values, structure);
        const steps = values.length / (structure.bottoms + structure.members.length);
        for (const [b, { least }] of bounds.entries()) {
          for (const value of values.subarray(b * steps, (b + 1) * steps)) {
            expect(value).toBeGreaterThanOrEqual(least);
          }
        }
      }),
    );
  });

  it("are those of all forecasts that sum up which the covariance makes likeliest", () => {
    fc.assert(
      fc.property(structures, ({ errors, bottoms, members }) => {
        const covariance = shrunkCovariance(lists(errors));
        const gain = covariance && reconciliationGain(covariance.matrix, bottoms, members);
        fc.pre(gain !== null && covariance !== null && covariance.shrinkage > 0.01);
        const { matrix } = covariance;
        const nodes = bottoms + members.length;
        // What is added to all series is W U x for some x, and the sums' part of it follows from the bottom's:
        // (Uᵀ W)ᵀ D⁻¹ r over bottom series is gain · r, so that gain · D = -(W U) over them.
        const uw = (k: number, j: number): number =>
          members[k].reduce(
            (value, b) => value - matrix[b * nodes + j],
            matrix[(bottoms + k) * nodes + j],
          );
        const d = (k: number, l: number): number =>
          members[l].reduce((value, b) => value - uw(k, b), uw(k, bottoms + l));
        const size = Math.max(...matrix.map(Math.abs)) * nodes ** 2 || 1;
        for (let b = 0; b < bottoms; b++) {
          for (let l = 0; l < members.length; l++) {
            let product = 0;
            for (let k = 0; k < members.length; k++)
              product += gain[b * members.length + k] * d(k, l);
            expect(Math.abs(product + uw(l, b)) / size).toBeLessThan(1e-7);
          }
        }
      }),
    );
  });

  it("are scaled by structure, with a warning, where the backtest is short or holds gaps", () => {
    const structure = { bottoms: 2, members: [[0, 1]] };
    const hierarchy: Hierarchy = { method: "mint_shrink", ...structure };
    const gappy = Array.from({ length: 12 }, (_, t) => (t % 4 === 0 ? Number.NaN : t % 5));
    const errors = [gappy, gappy.map((each) => -each), gappy.map((each) => each / 2)];
    const fitted = fitReconciliation(savedFrame(hierarchy, 20), [windowOf(errors, 20)]);
    expect(fitted?.warnings).toEqual([expect.stringMatching(/has 9 steps .* at least 10/)]);
    const values = Float64Array.of(10, 20, 34);
    if (fitted) reconcile(values, hierarchy, fitted.saved, unbounded(hierarchy));
    // 4 too much, of variances 1, 1 and 2.
    expect([...values]).toEqual([11, 21, 32]);
  });

  it("are scaled by structure where nothing was missed", () => {
    const hierarchy: Hierarchy = { method: "mint_shrink", bottoms: 2, members: [[0, 1]] };
    const errors = [0, 1, 2].map(() => new Array<number>(12).fill(0));
    const fitted = fitReconciliation(savedFrame(hierarchy, 20), [windowOf(errors, 20)]);
    expect(fitted?.warnings).toEqual([expect.stringMatching(/no covariance/)]);
  });
});
