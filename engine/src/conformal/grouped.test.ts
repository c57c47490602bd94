/** Rows of few groups: what intervals and sets hold of new groups. */

import { describe, expect, it } from "vitest";
import { CounterRandom, deriveKey } from "../compute/random.ts";
import { fitConformal } from "./fit-conformal.ts";
import { intervalsOf } from "./intervals.ts";
import type { OutOfFold } from "./out-of-fold.ts";

const [GROUPS, EACH] = [12, 20];

/** Errors of which nearly all is the group's. */
function sample(random: CounterRandom): OutOfFold & { readonly groups: Uint32Array } {
  const groups = Uint32Array.from({ length: GROUPS * EACH }, (_, row) => Math.floor(row / EACH));
  const offsets = Float64Array.from({ length: GROUPS }, () => random.nextGaussian());
  return {
    target: Float64Array.from(groups, (group) => offsets[group] + 0.4 * random.nextGaussian()),
    predictions: new Float64Array(groups.length),
    ...{ outputs: 1, weights: null, groups },
    parts: groups.map((group) => group % 5),
  };
}

const request = {
  task: { kind: "regression", classes: [] } as const,
  ...{ coverage: 0.8, byClass: false, threshold: null, averagesFolds: false },
  ...{ ordered: false, grouped: true, taught: false },
};

/** The share of rows of new groups that intervals of many samples hold. */
function held(knowsGroups: boolean, coverage: number): number {
  const random = new CounterRandom(deriveKey(1, "groups"));
  let [inside, all] = [0, 0];
  for (let run = 0; run < 150; run++) {
    const { groups, ...rows } = sample(random);
    const { part } = fitConformal({ ...request, rows: knowsGroups ? { ...rows, groups } : rows });
    if (part.kind !== "interval") throw new Error("no intervals");
    const news = sample(random).target;
    const { bounds } = intervalsOf(part, new Float64Array(news.length), null, coverage);
    for (const [row, value] of news.entries()) {
      all++;
      if (!bounds || (value >= bounds.lower[row] && value <= bounds.upper[row])) inside++;
    }
  }
  return inside / all;
}

describe("intervals of few groups", () => {
  it.each([0.8, 0.9])("hold %d of the rows of new groups", (coverage) => {
    expect(held(true, coverage)).toBeGreaterThan(coverage - 0.005);
    expect(held(false, coverage)).toBeLessThan(coverage - 0.02);
  });

  it("are none where the groups are too few for the level, and say so", () => {
    const rows = sample(new CounterRandom(deriveKey(2, "groups")));
    const { part, card } = fitConformal({ ...request, coverage: 0.97, rows });
    expect(part).toMatchObject({ rows: 240, groups: 12 });
    expect(card.warnings).toContainEqual(
      expect.stringContaining(
        "The 240 rows of 12 groups with an out-of-fold prediction are too few",
      ),
    );
  });
});
