import fc from "fast-check";
import { expect, test } from "vitest";
import { isSampled } from "./settings.ts";

const ENDPOINT = "00000000-0000-4000-8000-000000000001";

test("a higher rate logs what a lower one does, and the share of ids that it says", () => {
  const rate = fc.double({ min: 0.01, max: 1, noNaN: true });
  fc.assert(
    fc.property(rate, rate, fc.string({ minLength: 1 }), (one, other, id) => {
      const [low, high] = [Math.min(one, other), Math.max(one, other)];
      if (isSampled(low, ENDPOINT, id)) expect(isSampled(high, ENDPOINT, id)).toBe(true);
      expect(isSampled(1, ENDPOINT, id)).toBe(true);
    }),
  );
  const logged = Array.from({ length: 10_000 }, (_, at) => `request-${at}`).filter((id) =>
    isSampled(0.2, ENDPOINT, id),
  );
  // Four standard deviations.
  expect(Math.abs(logged.length - 2_000)).toBeLessThan(160);
});
