import { describe, expect, test } from "vitest";
import { isFoldedUnit } from "./units.ts";

describe("a unit in a label's key", () => {
  test.each(["kg", "kwh", "m3", "kva", "mmhg", "pa"])("%s is one", (word) => {
    expect(isFoldedUnit(word)).toBe(true);
  });

  test.each(["v", "a", "in", "date", "name", ""])("%s is none", (word) => {
    expect(isFoldedUnit(word)).toBe(false);
  });
});
