import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { placeLikeness } from "./order.ts";

/** Fields 0 to 9 are labels that both forms have; from 10 on each form's own. */
describe("places of labels in two forms", () => {
  test("are one where as many labels stand between them and one that both have", () => {
    const like = placeLikeness(
      [
        [0, 10, 1, 11, 12, 2, 3],
        [0, 20, 1, 21, 22, 2, 3],
      ],
      30,
    );
    expect([like(10, 20), like(11, 21), like(12, 22)]).toEqual([1, 1, 1]);
    expect(like(11, 22)).toBeLessThan(like(11, 21));
    expect(like(10, 22)).toBeLessThan(like(12, 22));
  });

  test("are counted from the nearer side, where one form leaves a label out", () => {
    const like = placeLikeness(
      [
        [0, 10, 11, 1, 2],
        [0, 20, 1, 2],
      ],
      30,
    );
    expect([like(10, 20), like(11, 20)]).toEqual([1, 1]);
  });

  test("say nothing where what both have is in another order, and little where little shows it", () => {
    const shuffled = placeLikeness(
      [
        [0, 10, 1, 2],
        [2, 1, 0, 20],
      ],
      30,
    );
    expect(shuffled(10, 20)).toBe(0);
    const unshown = placeLikeness(
      [
        [10, 11],
        [20, 21],
      ],
      30,
    );
    expect(unshown(10, 20)).toBe(0.5);
  });

  test("are within their bounds, the same in both directions and in any order of documents", () => {
    const order = fc.uniqueArray(fc.nat(12), { maxLength: 9 });
    fc.assert(
      fc.property(fc.array(order, { maxLength: 6 }), fc.nat(12), fc.nat(12), (orders, a, b) => {
        const value = placeLikeness(orders, 13)(a, b);
        expect(value).toBeGreaterThanOrEqual(-0.5);
        expect(value).toBeLessThanOrEqual(1);
        expect(placeLikeness(orders, 13)(b, a)).toBe(value);
        expect(placeLikeness(orders.toReversed(), 13)(a, b)).toBeCloseTo(value, 12);
      }),
    );
  });
});
