import { afterEach, describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { exactNumber } from "./exact-integer.ts";
import { JSON_NAME_LIMIT, JSON_VALUES_LIMIT, parseBody, parseCells } from "./json.ts";
import { UnprocessableError, type ValidationErrorItem } from "./problem.ts";
import { bodyErrors } from "./validation-errors.ts";

const padding = { small: "", large: "x".repeat(200_000) };
const sizes = ["small", "large"] as const;

async function faults(text: string): Promise<readonly ValidationErrorItem[]> {
  try {
    await parseBody(Buffer.from(text));
    return [];
  } catch (error) {
    if (!(error instanceof UnprocessableError)) throw error;
    return error.detail;
  }
}

describe.each(sizes)("a %s body", (size) => {
  const pad = padding[size];

  it("is what JSON says", async () => {
    const value = { pad, list: [1, "ü", null, { deep: [true] }], empty: {} };
    expect(await parseBody(Buffer.from(JSON.stringify(value)))).toEqual(value);
  });

  it("is refused at its first fault, whatever it is", async () => {
    const open = `{"pad":"${pad}",`;
    expect(await faults(`${open}"a":01}`)).toMatchObject([
      { loc: ["body", open.length + 5], type: "json_invalid" },
    ]);
    expect(await faults(`${open}"a":${"[".repeat(200)}}`)).toMatchObject([
      { type: "json_invalid", ctx: { error: "nested deeper than 100 levels" } },
    ]);
    expect(await faults(`${open}"a":["\\u0000"]}`)).toMatchObject([{ loc: ["body", "a", 0] }]);
    expect(await faults(`${open}"b":{"__proto__":1}}`)).toMatchObject([
      { loc: ["body", "b", "__proto__"] },
    ]);
  });

  it("has no name that is longer than any could be", async () => {
    const named = (length: number) => `{"pad":"${pad}","a":{"${"n".repeat(length)}":1}}`;
    expect(await faults(named(JSON_NAME_LIMIT))).toEqual([]);
    expect(await faults(named(JSON_NAME_LIMIT + 1))).toMatchObject([
      { loc: ["body", pad.length + 15], ctx: { max_length: JSON_NAME_LIMIT } },
    ]);
  });

  it("holds no more values than can be validated at once", async () => {
    const list = (items: number) => `{"pad":"${pad}","a":[${"{},".repeat(items - 1)}{}]}`;
    // The body itself, the padding and the list count as well.
    expect(await faults(list(JSON_VALUES_LIMIT - 3))).toEqual([]);
    expect(await faults(list(JSON_VALUES_LIMIT - 2))).toMatchObject([
      { loc: ["body"], type: "value_error", ctx: { max_values: JSON_VALUES_LIMIT } },
    ]);
  });

  it("shows numbers as they were written, and keeps integers where they are wanted", async () => {
    const schema = z.object({ a: z.array(z.number().max(5)), b: z.object({ c: z.string() }) });
    const written = ["9007199254740993", "1e400", "7", "6.50", "0.30000000000000000001"];
    const text = `{"pad":"${pad}","a":[${written.join()}],"b":{"c":-9223372036854775808.5}}`;
    const body = await parseBody(Buffer.from(text));
    const parsed = schema.safeParse(body);
    const items = parsed.success ? [] : bodyErrors(parsed.error, body, schema);
    expect(items.map(({ loc, input }) => [loc.slice(1).join("."), JSON.stringify(input)])).toEqual([
      ["a.0", "9007199254740993"],
      ["a.1", "1e400"],
      ["a.2", "7"],
      ["a.3", "6.5"],
      ["b.c", "-9223372036854775808.5"],
    ]);
    const exact = await parseBody(Buffer.from(text), { exactIntegers: true });
    const numbers = z.object({ a: z.tuple([exactNumber("a number")], z.unknown()) }).parse(exact);
    expect(numbers.a[0]).toBe(9007199254740993n);
  });

  it("has them as texts of their digits in cells, and other numbers as they are", () => {
    const text =
      '{"data":[[9007199254740993,-1152921504606846976,9007199254740991,0.1234567890123456,1e300]]}';
    expect(parseCells(Buffer.from(text), 100)).toEqual({
      data: [
        ["9007199254740993", "-1152921504606846976", 9007199254740991, 0.1234567890123456, 1e300],
      ],
    });
  });
});

describe("a large body", () => {
  afterEach(() => {
    vi.restoreAllMocks();
  });

  it("is never decoded, nor parsed, on the loop", async () => {
    const parse = vi.spyOn(JSON, "parse");
    const decode = vi.spyOn(TextDecoder.prototype, "decode");
    const long = Buffer.from(JSON.stringify({ a: "x".repeat(200_000) }));
    expect(await parseBody(long)).toMatchObject({ a: expect.stringMatching(/^x+$/) });
    expect(await faults(`{"a":"${"x".repeat(200_000)}",}`)).toHaveLength(1);
    expect(parse).not.toHaveBeenCalled();
    expect(decode).not.toHaveBeenCalled();
    await parseBody(Buffer.from("[1]"));
    expect(parse).toHaveBeenCalled();
    expect(decode).toHaveBeenCalled();
  });
});

describe("a name or a text that is longer than a fault may be", () => {
  const long = "ü".repeat(100_000);
  const schema = z.strictObject({
    tags: z.record(z.string(), z.strictObject({ a: z.int(), b: z.int() })).optional(),
    shape: z.discriminatedUnion("kind", [z.object({ kind: z.literal("round") })]).optional(),
  });

  it.each([
    ["an unknown member", { [long]: 1 }, ["body"]],
    ["faults within a member", { tags: { [long]: { a: "x", b: "y" } } }, ["body", "tags"]],
    ["a tag of a union", { shape: { kind: long } }, ["body", "shape"]],
  ])("is shown by its beginning: %s", (_, body, place) => {
    const parsed = schema.safeParse(body);
    const items = parsed.success ? [] : bodyErrors(parsed.error, body, schema);
    const { detail } = new UnprocessableError(items);
    expect(detail.length).toBeGreaterThan(0);
    expect(detail[0]?.loc.slice(0, place.length)).toEqual(place);
    expect(JSON.stringify(detail).length).toBeLessThan(3000);
    expect(JSON.stringify(detail)).toContain("üü…");
  });

  it("is shown by its beginning where the text alone is at fault", () => {
    const { detail } = new UnprocessableError([
      { loc: ["body", long], msg: long, type: "value_error", input: long, ctx: { name: long } },
    ]);
    expect(JSON.stringify(detail).length).toBeLessThan(10_000);
    expect(detail[0]?.loc[1]).toBe(`${"ü".repeat(256)}…`);
  });
});
