import { describe, expect, it } from "vitest";
import fixture from "./student-t.fixture.json" with { type: "json" };
import { studentQuantile, studentT } from "./student-t.ts";

describe("studentT", () => {
  it("has SciPy's figures", () => {
    for (const { t, freedom, p } of fixture.shares) {
      expect(Math.abs(studentT(t, freedom) - p)).toBeLessThan(1e-12);
    }
  });

  it("has their quantiles", () => {
    for (const { p, freedom, t } of fixture.quantiles) {
      expect(Math.abs(studentQuantile(p, freedom) - t)).toBeLessThan(1e-9 * (1 + Math.abs(t)));
    }
  });

  it("ends at 0 and at 1", () => {
    expect(studentT(Number.NEGATIVE_INFINITY, 3)).toBe(0);
    expect(studentT(Number.POSITIVE_INFINITY, 3)).toBe(1);
    expect(studentT(Number.NaN, 3)).toBeNaN();
  });
});
