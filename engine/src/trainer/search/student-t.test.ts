import { describe, expect, it } from "vitest";
import fixture from "./pruning.fixture.json" with { type: "json" };
import { studentT } from "./student-t.ts";

describe("studentT", () => {
  it("has SciPy's figures", () => {
    for (const { t, freedom, p } of fixture.t) {
      expect(Math.abs(studentT(t, freedom) - p)).toBeLessThan(1e-12);
    }
  });

  it("ends at 0 and at 1", () => {
    expect(studentT(Number.NEGATIVE_INFINITY, 3)).toBe(0);
    expect(studentT(Number.POSITIVE_INFINITY, 3)).toBe(1);
    expect(studentT(Number.NaN, 3)).toBeNaN();
  });
});
