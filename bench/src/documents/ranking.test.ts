import fc from "fast-check";
import { expect, test } from "vitest";
import { areaUnderCurve, type Judged } from "./ranking.ts";

const answer = fc.record({
  confidence: fc.integer({ min: 0, max: 9 }).map((n) => n / 10),
  isRight: fc.boolean(),
});

test("is the share of pairs that are ranked rightly", () => {
  fc.assert(
    fc.property(fc.array(answer, { maxLength: 40 }), (answers: Judged[]) => {
      let [won, pairs] = [0, 0];
      for (const a of answers.filter(({ isRight }) => isRight)) {
        for (const b of answers.filter(({ isRight }) => !isRight)) {
          pairs += 1;
          won += a.confidence > b.confidence ? 1 : a.confidence === b.confidence ? 0.5 : 0;
        }
      }
      const area = areaUnderCurve(answers);
      if (pairs === 0) expect(area).toBeNull();
      else expect(area).toBeCloseTo(won / pairs, 10);
    }),
  );
});
