import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { secret } from "./schema-view.ts";
import { bodyErrors, validationErrors } from "./validation-errors.ts";

function faults(schema: z.ZodType, body: unknown) {
  const parsed = schema.safeParse(body);
  if (parsed.success) throw new Error("it was valid");
  return bodyErrors(parsed.error, body, schema);
}
const first = (schema: z.ZodType, value: unknown) =>
  faults(z.object({ v: schema }), { v: value })[0]!;

describe("single faults in pydantic's words", () => {
  const plural = z.array(z.int()).min(2).max(3);
  it.each<[string, z.ZodType, unknown, string, string, object | undefined]>([
    ["integer", z.int(), "1", "int_type", "Input should be a valid integer", undefined],
    [
      "fraction",
      z.int(),
      1.5,
      "int_from_float",
      "Input should be a valid integer, got a number with a fractional part",
      undefined,
    ],
    ["number", z.number(), "1", "float_type", "Input should be a valid number", undefined],
    ["null number", z.number(), null, "float_type", "Input should be a valid number", undefined],
    ["string", z.string(), 1, "string_type", "Input should be a valid string", undefined],
    ["boolean", z.boolean(), "false", "bool_type", "Input should be a valid boolean", undefined],
    ["list", z.array(z.int()), {}, "list_type", "Input should be a valid list", undefined],
    [
      "dictionary",
      z.record(z.string(), z.int()),
      [],
      "dict_type",
      "Input should be a valid dictionary",
      undefined,
    ],
    [
      "object",
      z.object({}),
      [],
      "model_attributes_type",
      "Input should be a valid dictionary or object to extract fields from, not a list",
      undefined,
    ],
    [
      "ge",
      z.int().min(1),
      0,
      "greater_than_equal",
      "Input should be greater than or equal to 1",
      { ge: 1 },
    ],
    ["gt", z.number().gt(0), 0, "greater_than", "Input should be greater than 0", { gt: 0 }],
    [
      "le",
      z.int().max(500),
      501,
      "less_than_equal",
      "Input should be less than or equal to 500",
      { le: 500 },
    ],
    ["lt", z.number().lt(1), 1, "less_than", "Input should be less than 1", { lt: 1 }],
    [
      "multiple",
      z.number().multipleOf(5),
      7,
      "multiple_of",
      "Input should be a multiple of 5",
      { multiple_of: 5 },
    ],
    [
      "literal",
      z.enum(["tpe", "random"]),
      "grid",
      "literal_error",
      "Input should be 'tpe' or 'random'",
      { expected: "'tpe' or 'random'" },
    ],
    [
      "three literals",
      z.enum(["a", "b", "c"]),
      1,
      "literal_error",
      "Input should be 'a', 'b' or 'c'",
      { expected: "'a', 'b' or 'c'" },
    ],
    [
      "pattern",
      z.string().regex(/^[a-z]\/$/),
      "A",
      "string_pattern_mismatch",
      "String should match pattern '^[a-z]\\/$'",
      { pattern: "^[a-z]\\/$" },
    ],
    [
      "short string",
      z.string().min(1),
      "",
      "string_too_short",
      "String should have at least 1 character",
      { min_length: 1 },
    ],
    [
      "long string",
      z.string().max(2),
      "abc",
      "string_too_long",
      "String should have at most 2 characters",
      { max_length: 2 },
    ],
    [
      "short list",
      plural,
      [1],
      "too_short",
      "List should have at least 2 items after validation, not 1",
      { field_type: "List", min_length: 2, actual_length: 1 },
    ],
    [
      "long list",
      plural,
      [1, 2, 3, 4],
      "too_long",
      "List should have at most 3 items after validation, not 4",
      { field_type: "List", max_length: 3, actual_length: 4 },
    ],
    ["uuid", z.uuid(), "x", "uuid_parsing", "Input should be a valid UUID", undefined],
    ["url", z.url(), "x", "url_parsing", "Input should be a valid URL", undefined],
    [
      "datetime",
      z.iso.datetime(),
      "x",
      "datetime_parsing",
      "Input should be a valid datetime",
      undefined,
    ],
    ["null", z.null(), 1, "none_required", "Input should be None", undefined],
    [
      "refinement",
      z.string().refine(() => false, "not this one"),
      "x",
      "value_error",
      "Value error, not this one",
      undefined,
    ],
  ])("%s", (_name, schema, value, type, msg, ctx) => {
    const { input: _input, ...fault } = first(schema, value);
    expect(fault).toEqual({ loc: ["body", "v"], msg, type, ...(ctx ? { ctx } : {}) });
  });

  it("names missing and extra members, one by one", () => {
    const schema = z.strictObject({ a: z.int(), b: z.enum(["x"]), c: z.object({ d: z.string() }) });
    expect(
      faults(schema, { c: {}, x: 1, y: 2 }).map(({ loc, type }) => [loc.join("."), type]),
    ).toEqual([
      ["body.a", "missing"],
      ["body.b", "missing"],
      ["body.c.d", "missing"],
      ["body.x", "extra_forbidden"],
      ["body.y", "extra_forbidden"],
    ]);
  });

  it("names the members that come nearest of one that there is none of, wherever it stands", () => {
    const task = z.strictObject({ label_column: z.string(), weight_column: z.string().nullish() });
    const told = (schema: z.ZodType, body: unknown) =>
      faults(schema, body).map(({ loc, type, msg }) => [loc.join("."), type, msg]);
    const near = (names: string) => `Extra inputs are not permitted; the closest: ${names}`;
    const weight = near('"weight_column", "label_column"');
    const given = { label_column: "y", weight_colum: "w" };
    expect(told(task, given)).toEqual([["body.weight_colum", "extra_forbidden", weight]]);
    const within = z.strictObject({
      task: z.preprocess((value) => value, task).nullish(),
      coverage: z.number().default(0.9),
    });
    expect(
      told(
        within.superRefine(() => {}),
        { task: given, coverag: 0.8 },
      ),
    ).toEqual([
      ["body.task.weight_colum", "extra_forbidden", weight],
      ["body.coverag", "extra_forbidden", near('"coverage", "task"')],
    ]);
    const either = z.union([z.strictObject({ a: z.int() }), z.strictObject({ b: z.int() })]);
    expect(told(either, { a: 1, b: 1 })).toContainEqual([
      "body.b",
      "extra_forbidden",
      "Extra inputs are not permitted",
    ]);
    expect(told(z.strictObject({}), { b: 1 })).toEqual([
      ["body.b", "extra_forbidden", "Extra inputs are not permitted"],
    ]);
  });

  it("says of a key what is wrong with it", () => {
    const tags = z.record(z.string().min(1).max(3), z.string());
    expect(faults(z.object({ tags }), { tags: { "": "a", long: "b" } })).toMatchObject([
      { loc: ["body", "tags", "", "[key]"], msg: "String should have at least 1 character" },
      { loc: ["body", "tags", "long", "[key]"], msg: "String should have at most 3 characters" },
    ]);
  });

  it("lets a custom issue set its own type and ctx", () => {
    const schema = z.string().superRefine((_value, ctx) => {
      ctx.addIssue({
        code: "custom",
        message: "no such family",
        params: { type: "unknown_family", ctx: { known: ["gbdt"] } },
      });
    });
    expect(first(schema, "x")).toEqual({
      loc: ["body", "v"],
      msg: "no such family",
      type: "unknown_family",
      ctx: { known: ["gbdt"] },
      input: "x",
    });
  });

  it("refuses a number that JSON can write and a double cannot hold", () => {
    expect(first(z.number(), JSON.parse("1e999")).type).toBe("finite_number");
  });
});

describe("unions", () => {
  const filter = z.discriminatedUnion("kind", [
    z.object({ kind: z.literal("comparison"), column: z.string() }),
    z.object({ kind: z.literal("not"), expr: z.string() }),
  ]);

  it("say which tag was found and which are known", () => {
    expect(first(filter, { kind: "and" })).toEqual({
      loc: ["body", "v"],
      msg: "Input tag 'and' found using 'kind' does not match any of the expected tags: 'comparison', 'not'",
      type: "union_tag_invalid",
      ctx: { discriminator: "'kind'", tag: "and", expected_tags: "'comparison', 'not'" },
    });
    expect(first(filter, {})).toEqual({
      loc: ["body", "v"],
      msg: "Unable to extract tag using discriminator 'kind'",
      type: "union_tag_not_found",
      ctx: { discriminator: "'kind'" },
    });
    expect(faults(z.object({ v: filter }), { v: { kind: "not" } })[0]!.loc).toEqual([
      "body",
      "v",
      "expr",
    ]);
  });

  it("without a tag tell the faults of the arm that came nearest", () => {
    const rows = z.union([
      z.strictObject({ instances: z.array(z.record(z.string(), z.number())) }),
      z.strictObject({ columns: z.array(z.string()), data: z.array(z.array(z.number())) }),
    ]);
    expect(faults(rows, { instances: [{ a: "x" }] }).map(({ loc }) => loc)).toEqual([
      ["body", "instances", 0, "a"],
    ]);
    expect(faults(rows, { columns: ["a"], data: [["x"]] }).map(({ loc }) => loc)).toEqual([
      ["body", "data", 0, 0],
    ]);
  });

  it("are of the arm whose member is there, where it holds too little", () => {
    const rows = z.union([
      z.strictObject({ model: z.string(), instances: z.array(z.int()).min(1) }),
      z.strictObject({ model: z.string(), horizon: z.int().optional() }),
    ]);
    expect(faults(rows, { model: "m", instances: [] })).toEqual([
      expect.objectContaining({ loc: ["body", "instances"], type: "too_short" }),
    ]);
  });

  it("of scalars name what each arm takes", () => {
    const revision = z.union([z.int(), z.string().regex(/^[0-9]+$/)]);
    expect(first(revision, "x").type).toBe("string_pattern_mismatch");
    expect(faults(z.object({ v: revision }), { v: true }).map(({ type }) => type)).toEqual([
      "int_type",
      "string_type",
    ]);
    expect(faults(z.object({ v: revision }), {}).map(({ type }) => type)).toEqual(["missing"]);
  });
});

describe("input", () => {
  it("is left out for secrets, for what holds them, for headers and for long values", () => {
    const schema = z.strictObject({
      credentials: secret(z.record(z.string(), z.string())).optional(),
      token: secret(z.string().min(20)).nullable(),
      name: z.string(),
      text: z.string().max(10),
    });
    const found = faults(schema, {
      credentials: { password: 12345 },
      token: "hunter2",
      name: 7,
      text: "x".repeat(300),
      tokn: "hunter3",
    });
    expect(JSON.stringify(found)).not.toMatch(/hunter|12345|xxxx/);
    expect(found.find(({ loc }) => loc[1] === "name")!.input).toBe(7);
    const whole = z.object({ header: z.object({ authorization: z.string().max(3) }) });
    const input = { header: { authorization: "Bearer secret" } };
    const parsed = whole.safeParse(input);
    expect(JSON.stringify(validationErrors(parsed.error!, input, whole))).not.toContain("secret");
  });
});

describe("for any schema and any JSON", () => {
  const leaf: fc.Arbitrary<z.ZodType> = fc.constantFrom<z.ZodType>(
    z.int(),
    z.number().min(0),
    z.string().min(2),
    z.boolean(),
    z.enum(["a", "b"]),
    z.string().regex(/^x/).nullable(),
    z.union([z.int(), z.string().max(1)]),
    z.uuid().optional(),
  );
  const { schema } = fc.letrec<{ schema: z.ZodType }>((tie) => ({
    schema: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      leaf,
      tie("schema").map((element) => z.array(element).max(3)),
      tie("schema").map((value) => z.record(z.string(), value)),
      fc
        .dictionary(fc.constantFrom("a", "b", "c"), tie("schema"))
        .map((shape) => z.strictObject(shape)),
      fc.tuple(tie("schema"), tie("schema")).map(([left, right]) => z.union([left, right])),
    ),
  }));

  it("every refusal has at least one fault of the documented shape, at a place under body", () => {
    let refused = 0;
    fc.assert(
      fc.property(schema, fc.jsonValue({ maxDepth: 4 }), (type, value) => {
        const parsed = type.safeParse(value);
        if (parsed.success) return;
        refused++;
        const items = bodyErrors(parsed.error, value, type);
        expect(items.length).toBeGreaterThan(0);
        for (const item of items) {
          expect(item.loc[0]).toBe("body");
          for (const step of item.loc) expect(["string", "number"]).toContain(typeof step);
          expect(item.type).toMatch(/^[a-z_]+$/);
          expect(item.msg.length).toBeGreaterThan(0);
          expect(item.msg).not.toContain("undefined");
          expect(JSON.stringify(JSON.parse(JSON.stringify(item)))).toBe(JSON.stringify(item));
          // A fault stands at a member that is there, or is said to be missing from one that is.
          let at: unknown = value;
          for (const step of item.loc.slice(1, item.type === "missing" ? -1 : undefined)) {
            expect(typeof at === "object" && at !== null && Object.hasOwn(at, step)).toBe(true);
            at = (at as Record<string | number, unknown>)[step];
          }
        }
      }),
      { numRuns: 500, seed: 7 },
    );
    expect(refused).toBeGreaterThan(100);
  });
});
