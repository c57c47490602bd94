import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { divideInput, memberPlace } from "./input-parts.ts";
import type { HttpMethod, ProcedureMeta } from "./operation.ts";

const meta = (method: HttpMethod, over: Partial<ProcedureMeta> = {}): ProcedureMeta => ({
  method,
  path: "/v1/x",
  summary: "X",
  tags: [],
  ...over,
});
const METHODS: readonly HttpMethod[] = ["GET", "DELETE", "POST", "PUT", "PATCH"];
const membersOf = (schema: z.ZodType | undefined): string[] =>
  schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];

describe("an input", () => {
  it("is dealt by the path, the method and the meta", () => {
    const input = z
      .strictObject({ id: z.string(), mask: z.string(), match: z.string(), size: z.int() })
      .meta({ id: "Size" });
    const patch = divideInput(
      input,
      ["id"],
      meta("PATCH", {
        query: ["mask"],
        headers: { "if-match": "match" },
        requestHeaders: z.object({ "x-more": z.string().optional() }),
      }),
    );
    const { path, query, header, body } = patch.parts;
    expect([path, query, header, body].map(membersOf)).toEqual([
      ["id"],
      ["mask"],
      ["x-more", "if-match"],
      ["size"],
    ]);
    expect(body?.meta()).toEqual({ id: "Size" });
    expect(
      patch.join({
        path: { id: "a" },
        query: { mask: "m" },
        header: { "if-match": "1", "x-more": "2" },
        body: { size: 3 },
      }),
    ).toEqual({ id: "a", mask: "m", match: "1", size: 3 });
    for (const method of ["GET", "DELETE"] as const) {
      const { parts } = divideInput(input, ["id"], meta(method));
      expect(membersOf(parts.query)).toEqual(["mask", "match", "size"]);
      expect(parts.body).toBeUndefined();
    }
  });

  it("that is all body is the body, with the checks of its whole", () => {
    const input = z.strictObject({ a: z.int() }).refine(({ a }) => a > 0);
    expect(divideInput(input, [], meta("POST")).parts).toEqual({ body: input });
  });

  it("has one member that is the body, where the meta names it", () => {
    const input = z.strictObject({ name: z.string(), table: z.array(z.string()).optional() });
    const { parts, join } = divideInput(input, ["name"], meta("POST", { body: "table" }));
    expect(parts.body).toBe(input.shape.table);
    expect(join({ path: { name: "n" }, body: ["x"] })).toEqual({ name: "n", table: ["x"] });
    expect(join({ path: { name: "n" } })).toEqual({ name: "n" });
  });

  const input = z.strictObject({ id: z.string(), other: z.string() });
  it.each([
    ["takes any member", z.object({ id: z.string() }), [], meta("GET"), /strictObject/],
    ["lacks a name of the path", input, ["name"], meta("GET"), /names name, which/],
    ["lacks what the meta names", input, [], meta("POST", { query: ["more"] }), /more, which/],
    ["is dealt twice", input, ["id"], meta("POST", { query: ["id"] }), /places id twice/],
    ["has a body under GET", input, ["id"], meta("GET", { body: "other" }), /a GET has no body/],
    ["says the obvious", input, ["id"], meta("DELETE", { query: ["other"] }), /as it is/],
    ["has a body and more", input, [], meta("POST", { body: "id" }), /where other travels/],
    [
      "names a header in upper case",
      input,
      [],
      meta("POST", { headers: { ETag: "other" } }),
      /lower case/,
    ],
    [
      "is checked as a whole",
      input.refine(() => true),
      ["id"],
      meta("POST"),
      /cannot be divided among its parts/,
    ],
    [
      "is checked as a whole, all of it query",
      input.refine(() => true),
      [],
      meta("GET"),
      /cannot be divided among its parts/,
    ],
    [
      "is checked as a whole, beside its body",
      input.refine(() => true),
      ["id"],
      meta("POST", { body: "other" }),
      /cannot be divided among its parts/,
    ],
  ] as const)("that %s is refused", (_name, schema, names, operation, message) => {
    expect(() => divideInput(schema, names, operation)).toThrow(message);
  });

  it("comes back whole from its parts, and faults of a part name its member", () => {
    const name = fc.stringMatching(/^[a-z]{1,4}$/).filter((text) => !(text in {}));
    const place = fc.constantFrom("path", "query", "header", "rest");
    const placed = fc.uniqueArray(fc.tuple(name, place, fc.integer()), {
      selector: ([one]) => one,
    });
    fc.assert(
      fc.property(placed, fc.constantFrom(...METHODS), (members, method) => {
        const hasBody = method !== "GET" && method !== "DELETE";
        const at = (wanted: string) => members.filter(([, one]) => one === wanted);
        const operation = meta(method, {
          ...(hasBody && { query: at("query").map(([one]) => one) }),
          headers: Object.fromEntries(at("header").map(([one]) => [`x-${one}`, one])),
        });
        const schema = z.strictObject(
          Object.fromEntries(members.map(([one]) => [one, z.int()] as const)),
        );
        const { parts, join } = divideInput(
          schema,
          at("path").map(([one]) => one),
          operation,
        );
        const values = new Map(members.map(([one, , value]) => [one, value]));
        const sent: Record<string, Record<string, unknown>> = {};
        for (const [part, shape] of Object.entries(parts)) {
          sent[part] = {};
          for (const key of membersOf(shape)) {
            const [member] = memberPlace([part, key], operation);
            sent[part][key] = values.get(String(member));
          }
        }
        expect(join(sent)).toEqual(Object.fromEntries(values));
      }),
      { numRuns: 200 },
    );
  });
});

describe("the place of a fault", () => {
  it("is that of the member", () => {
    const table = meta("PATCH", { body: "table", headers: { "if-match": "ifMatch" } });
    expect(memberPlace(["body", "spec", 1], table)).toEqual(["table", "spec", 1]);
    expect(memberPlace(["body"], table)).toEqual(["table"]);
    expect(memberPlace(["body", "spec"], undefined)).toEqual(["spec"]);
    expect(memberPlace(["header", "if-match"], table)).toEqual(["ifMatch"]);
    expect(memberPlace(["header", "x-other"], table)).toEqual(["x-other"]);
    expect(memberPlace(["query", "limit"], table)).toEqual(["limit"]);
    expect(memberPlace(["elsewhere", 1], table)).toEqual(["elsewhere", 1]);
  });
});
