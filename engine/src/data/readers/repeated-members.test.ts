import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { repeatedMember, writtenMembers } from "./repeated-members.ts";

const members = (value: unknown): number =>
  typeof value !== "object" || value === null
    ? 0
    : Object.values(value).reduce<number>(
        (sum, member) => sum + members(member),
        Array.isArray(value) ? 0 : Object.keys(value).length,
      );

describe("repeated members", () => {
  it.each<[string, readonly (string | number)[] | null]>([
    ['{"a":1,"a":2}', ["a"]],
    ['{"a":1,"\\u0061":2}', ["a"]],
    ['[{"a":1},{"a":1,"b":[{},{"c" : 1 , "c":2}]}]', [1, "b", 1, "c"]],
    ['{"a":{"a":1},"b":{"a":2}}', null],
    ['{"a":"\\"a\\":1, \\"a\\":2","b":"a:a"}', null],
    ['["a","a",{"a":"a"}]', null],
    ['{"":1,"":2}', [""]],
    ['"a":', null],
    ['{"a', null],
  ])("%s", (text, path) => {
    expect(repeatedMember(text)).toEqual(path);
  });

  it("are none in what was written from a value, and one that is added is found", () => {
    const value = fc.dictionary(
      fc.string({ unit: fc.constantFrom('"', ":", "\\", "a", "{", ",", " ") }),
      fc.jsonValue({ maxDepth: 3 }),
      { minKeys: 1, maxKeys: 4 },
    );
    fc.assert(
      fc.property(value, fc.nat(), fc.boolean(), (object, at, isSpaced) => {
        const text = JSON.stringify(object, null, isSpaced ? 2 : 0);
        expect(repeatedMember(text)).toBeNull();
        const read: unknown = JSON.parse(text);
        expect(writtenMembers(text)).toBeGreaterThanOrEqual(members(read));
        const names = Object.keys(object);
        const name = names[at % names.length]!;
        const twice = `${text.trimEnd().slice(0, -1)},${JSON.stringify(name)} :0}`;
        expect(repeatedMember(twice)).toEqual([name]);
        expect(writtenMembers(twice)).toBeGreaterThan(members(JSON.parse(twice)));
      }),
    );
  });
});
