import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { UnprocessableError } from "./problem.ts";
import { maySayUnstorable, refuseUnstorable } from "./storable-text.ts";

function locOf(value: unknown): readonly (string | number)[] | null {
  try {
    refuseUnstorable(value, ["body"]);
    return null;
  } catch (error) {
    if (error instanceof UnprocessableError) return error.detail[0]?.loc ?? null;
    throw error;
  }
}

describe("refuseUnstorable", () => {
  it("names the place of the text, or the object whose member is named so", () => {
    expect(locOf("a\0")).toEqual(["body"]);
    expect(locOf({ a: [1, { b: "\ud800" }] })).toEqual(["body", "a", 1, "b"]);
    expect(locOf({ a: { "b\0": 1 } })).toEqual(["body", "a"]);
  });

  it("takes every other JSON value, and misses nothing by the look at its text", () => {
    fc.assert(
      fc.property(
        fc.jsonValue({ stringUnit: "binary", maxDepth: 2 }),
        fc.boolean(),
        (json, isCut) => {
          const value: unknown = isCut ? { at: [json, "\udc00\0"] } : json;
          const text = JSON.stringify(value);
          if (locOf(JSON.parse(text)) !== null) expect(maySayUnstorable(text)).toBe(true);
          if (!maySayUnstorable(text)) expect(locOf(JSON.parse(text))).toBe(null);
        },
      ),
    );
  });
});
