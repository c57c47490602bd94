import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { int64 } from "./int64.ts";

const read = (value: unknown, bounds = {}) => {
  const parsed = z.object({ at: int64(bounds) }).safeParse({ at: value });
  if (parsed.success) return parsed.data.at;
  const [issue] = parsed.error.issues;
  return issue?.code === "custom" ? { type: issue.params?.["type"] } : issue;
};

describe("int64", () => {
  it("takes integers and their texts, and gives the text", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), (value) => {
        expect(read(String(value))).toBe(String(value));
      }),
    );
    fc.assert(
      fc.property(fc.maxSafeInteger(), (value) => {
        expect(read(value)).toBe(String(value));
      }),
    );
    expect(read(-0)).toBe("0");
    expect(read("-0")).toBe("0");
  });

  const refused: [unknown, string][] = [
    [1.5, "int_from_float"],
    [2 ** 53, "int_parsing_size"],
    ["9223372036854775808", "int_parsing_size"],
    ["-9223372036854775809", "int_parsing_size"],
    ["1.0", "int_parsing"],
    ["+1", "int_parsing"],
    [" 1", "int_parsing"],
    ["01", "int_parsing"],
    ["0x1", "int_parsing"],
    ["", "int_parsing"],
    ["1".repeat(5000), "int_parsing"],
    [true, "int_type"],
    [null, "int_type"],
    [[1], "int_type"],
    [{}, "int_type"],
    [undefined, "missing"],
  ];
  it.each(refused)("refuses %j as %s", (value, type) => {
    expect(read(value)).toEqual({ type });
  });

  it("keeps its bounds", () => {
    expect(read(0, { gt: 0 })).toEqual({ type: "greater_than" });
    expect(read("0", { gt: 0 })).toEqual({ type: "greater_than" });
    expect(read(1, { gt: 0 })).toBe("1");
    expect(read(-1, { ge: 0 })).toEqual({ type: "greater_than_equal" });
    expect(read(0, { ge: 0 })).toBe("0");
  });
});
