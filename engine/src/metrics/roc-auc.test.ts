import fc from "fast-check";
import { expect, test } from "vitest";
import { rocAuc } from "./roc-auc.ts";

test("equals the weighted share of ordered pairs, ties half", () => {
  const row = fc.record({
    target: fc.constantFrom(0, 1),
    score: fc.integer({ min: 0, max: 6 }).map((v) => v / 6),
    weight: fc.integer({ min: 0, max: 4 }),
  });
  fc.assert(
    fc.property(fc.array(row, { minLength: 2, maxLength: 40 }), (rows) => {
      let won = 0;
      let pairs = 0;
      for (const a of rows.filter((r) => r.target === 1)) {
        for (const b of rows.filter((r) => r.target === 0)) {
          pairs += a.weight * b.weight;
          won += a.weight * b.weight * (a.score > b.score ? 1 : a.score === b.score ? 0.5 : 0);
        }
      }
      const score = rocAuc.score({
        target: Float64Array.from(rows, (r) => r.target),
        predictions: Float64Array.from(rows, (r) => r.score),
        outputs: 1,
        weights: Float64Array.from(rows, (r) => r.weight),
      });
      if (pairs === 0) expect(score).toBeNaN();
      else expect(score).toBeCloseTo(won / pairs, 12);
    }),
  );
});
