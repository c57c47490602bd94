import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  integerOf,
  objectDepth,
  objectOf,
  objectsOf,
  parseLossless,
  textOf,
} from "./lossless-json.ts";

describe("DuckDB's JSON", () => {
  it("keeps integers beyond doubles as texts, and doubles that JSON has not", () => {
    const text = '{"a": 9007199254740993, "b": [-170141183460469231731687303715884105728, 7, 0.5]}';
    expect(parseLossless(text)).toEqual({
      a: "9007199254740993",
      b: ["-170141183460469231731687303715884105728", 7, 0.5],
    });
    expect(parseLossless('[NaN, Infinity, -Infinity, "NaN", "a \\" Infinity"]')).toEqual([
      "NaN",
      "Infinity",
      "-Infinity",
      "NaN",
      'a " Infinity',
    ]);
  });

  it("is any other JSON as it is", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const plain: unknown = JSON.parse(JSON.stringify(value), (_, each) =>
          typeof each === "number" && Math.abs(each) > Number.MAX_SAFE_INTEGER ? 0.5 : each,
        );
        expect(parseLossless(JSON.stringify(plain))).toEqual(plain);
      }),
    );
  });

  it("is told apart without trust", () => {
    expect([objectOf([1]), objectOf(null), textOf(1), objectsOf("x")]).toEqual([{}, {}, "", []]);
    expect(objectsOf([1, { a: 1 }, [2]])).toEqual([{ a: 1 }]);
    expect([
      integerOf(3),
      integerOf("-9007199254740993"),
      integerOf(0.5),
      integerOf("1.0"),
    ]).toEqual([3n, -9007199254740993n, null, null]);
  });

  it("nests in objects, not in texts that look like them", () => {
    expect(objectDepth("[[1]]")).toBe(0);
    expect(objectDepth('{"a": [{"b": {}}, {}], "c": {}}')).toBe(3);
    const depthOf = (value: unknown): number => {
      if (value === null || typeof value !== "object") return 0;
      const inner = Math.max(0, ...Object.values(value).map(depthOf));
      return Array.isArray(value) ? inner : inner + 1;
    };
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(objectDepth(JSON.stringify(value))).toBe(depthOf(value));
      }),
    );
  });
});
