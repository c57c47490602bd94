import { describe, expect, it } from "vitest";
import { intervalPromise, points, setPromise } from "./promise.ts";

describe("what a set promises", () => {
  it("is of all rows, and what the model gives it in this one where that is less", () => {
    const unsure = [
      ["a", 0.149],
      ["b", 0.093],
      ["c", 0.06],
    ] as const;
    expect(setPromise(["a", "b"], unsure, 0.9)).toBe(
      "90\u00a0% set: a or b. Such sets hold the truth in about 90\u00a0% of all rows. Of this row the model is less sure: it gives them together 24\u00a0%.",
    );
    expect(
      setPromise(
        ["no"],
        [
          ["no", 0.88],
          ["yes", 0.12],
        ],
        0.9,
      ),
    ).toBe("90\u00a0% set: no. Such sets hold the truth in about 90\u00a0% of all rows.");
    expect(
      setPromise(
        ["no"],
        [
          ["no", 0.6],
          ["yes", 0.4],
        ],
        0.9,
      ),
    ).toContain("it gives it 60\u00a0%.");
  });

  it("names no more classes than are read, and none in full that is long", () => {
    const set = Array.from({ length: 30 }, (_, i) => `${"long ".repeat(40)}${i}`);
    const said = setPromise(set, [], 0.9);
    expect(said).toContain("one of 18 more");
    expect(said.length).toBeLessThan(1_300);
  });
});

it("an interval promises of all rows as well", () => {
  expect(intervalPromise([-2, 5.5], 0.8)).toBe(
    "80\u00a0% interval: −2 to 5.5. Such intervals hold the truth in about 80\u00a0% of all rows.",
  );
});

it("what is added to a share is told in points", () => {
  expect(points(0.105)).toBe("10.5 points");
});
