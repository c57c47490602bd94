import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Problem, UnprocessableError } from "../../platform/input/problem.ts";
import { assertIfMatch, entityTag, isKnown, readIfMatch } from "./etag.ts";

describe("If-Match", () => {
  const read: [string, readonly string[] | "*" | null][] = [
    ["*", "*"],
    [" * ", "*"],
    ['"a"', ["a"]],
    ['"a", "b"', ["a", "b"]],
    ['"a","b"', ["a", "b"]],
    ['"a" ,\t"b"', ["a", "b"]],
    [', "a",, "b",', ["a", "b"]],
    ['""', [""]],
    ['W/"a"', []],
    ['W/"a", "b"', ["b"]],
    ['"a,b"', ["a,b"]],
    ["a", null],
    ["", null],
    [",", null],
    ['"a', null],
    ['a"', null],
    ['"a" "b"', null],
    ['w/"a"', null],
    ['"a", *', null],
    ['*, "a"', null],
    ['"a b"', null],
  ];
  it.each(read)("%j is %j", (header, expected) => {
    expect(readIfMatch(header)).toEqual(expected);
  });

  it("reads back every list of tags", () => {
    const tag = fc.stringMatching(/^[!#-~]{0,12}$/);
    fc.assert(
      fc.property(fc.array(tag, { minLength: 1 }), (tags) => {
        expect(readIfMatch(tags.map(entityTag).join(", "))).toEqual(tags);
      }),
    );
  });

  it("asks for nothing when absent, for any resource as *, for one of its tags else", () => {
    expect(() => assertIfMatch(undefined, null)).not.toThrow();
    expect(() => assertIfMatch("*", "x")).not.toThrow();
    expect(() => assertIfMatch('"y", "x"', "x")).not.toThrow();
    for (const [header, current] of [
      ["*", null],
      ['"x"', null],
      ['"y"', "x"],
      ['W/"x"', "x"],
    ] as const) {
      expect(() => assertIfMatch(header, current)).toThrow(Problem);
    }
    expect(() => assertIfMatch("x", "x")).toThrow(UnprocessableError);
  });
});

it("If-None-Match has a tag strong or weak, among others, as any; and not where it is malformed", () => {
  for (const header of ['"x"', 'W/"x"', '"y", W/"x"', "*"]) {
    expect(isKnown(header, '"x"'), header).toBe(true);
  }
  for (const header of [undefined, "", "x", '"y"', 'W/"y"', '"x" "x"']) {
    expect(isKnown(header, '"x"'), header).toBe(false);
  }
});
