import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findExcess, findJsonFault } from "./json-fault.ts";

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

describe("findJsonFault", () => {
  it.each([
    ["", 0, "expecting a value"],
    ["{", 1, "expecting a member name enclosed in double quotes"],
    ['{"a" 1}', 5, "expecting ':'"],
    ['{"a":1 "b":2}', 7, "expecting ',' or '}'"],
    ["[1,]", 3, "expecting a value"],
    ["[1 2]", 3, "expecting ',' or ']'"],
    ["NaN", 0, "expecting a value"],
    ["01", 1, "extra data"],
    ['"a', 0, "unterminated string"],
    ['"\\x"', 1, "invalid escape"],
    ['"a\nb"', 2, "control character in a string"],
    ["{} {}", 3, "extra data"],
  ])("%j", (text, position, reason) => {
    expect(findJsonFault(text)).toEqual({ position, reason });
  });

  it("agrees with JSON.parse on JSON and on JSON with an edit", () => {
    const edited = fc
      .tuple(
        fc.json(),
        fc.nat(),
        fc.constantFrom(
          "",
          '"',
          "{",
          "}",
          "[",
          "]",
          ",",
          ":",
          "0",
          "-",
          "e",
          ".",
          "\\",
          "t",
          " ",
          "\n",
        ),
        fc.boolean(),
      )
      .map(([text, at, edit, replace]) => {
        const cut = at % (text.length + 1);
        return text.slice(0, cut) + edit + text.slice(cut + (replace ? 1 : 0));
      });
    let broken = 0;
    fc.assert(
      fc.property(edited, (text) => {
        const fault = findJsonFault(text);
        if (!isJson(text)) broken++;
        expect([text, fault === null]).toEqual([text, isJson(text)]);
        if (fault !== null) expect(fault.position).toBeLessThanOrEqual(text.length);
      }),
      { numRuns: 3000, seed: 11 },
    );
    expect(broken).toBeGreaterThan(500);
  });

  it("needs no stack for nesting", () => {
    expect(findJsonFault("[".repeat(1_000_000))?.position).toBe(1_000_000);
  });
});

describe("findExcess", () => {
  const NO_END = Number.MAX_SAFE_INTEGER;
  const NONE = { depth: NO_END, values: NO_END, name: NO_END };
  const itemsOf = (value: unknown): readonly unknown[] =>
    typeof value === "object" && value !== null ? Object.values(value) : [];
  const depthOf = (value: unknown): number =>
    typeof value === "object" && value !== null
      ? 1 + Math.max(0, ...itemsOf(value).map(depthOf))
      : 0;
  const valuesOf = (value: unknown): number =>
    itemsOf(value).reduce<number>((sum, item) => sum + valuesOf(item), 1);

  it("finds nesting beyond the limit, and only that", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), fc.integer({ min: 0, max: 6 }), (value, depth) => {
        const text = JSON.stringify(value);
        const excess = findExcess(text, { ...NONE, depth });
        expect(excess?.of ?? null).toBe(depthOf(value) > depth ? "depth" : null);
      }),
      { numRuns: 500 },
    );
    expect(findExcess('["[[[[", {"{{":"\\"[["}]', { ...NONE, depth: 2 })).toBeNull();
  });

  it("counts each text, number, list and object, and nothing else", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
        const text = JSON.stringify(value, null, 1);
        const count = valuesOf(value);
        expect(findExcess(text, { ...NONE, values: count })).toBeNull();
        if (count > 1) {
          expect(findExcess(text, { ...NONE, values: count - 1 })?.of).toBe("values");
        }
      }),
      { numRuns: 500 },
    );
    expect(findExcess(`[${"{ },".repeat(9)}{}]`, { ...NONE, depth: 9, values: 11 })).toBeNull();
    expect(findExcess('["a,b,c,[,{"]', { ...NONE, depth: 1, values: 2 })).toBeNull();
  });

  it("finds a name beyond the limit, wherever it stands, and no text that is a value", () => {
    const at = (text: string) => findExcess(text, { ...NONE, name: 3 });
    expect(at('{"abcd":1}')).toEqual({ of: "name", position: 1 });
    expect(at('[{"a":{"ab\\n" \n:[]}}]')).toEqual({ of: "name", position: 7 });
    expect(at('{"abc":"abcd","a":["abcd" , "a:b:c"]}')).toBeNull();
  });
});
