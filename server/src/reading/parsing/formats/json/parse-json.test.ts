import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { PARSING_LIMITS } from "../../limits.ts";
import { parsedDocumentSchema } from "../../normal-form.ts";
import { outline } from "../../testing/outline.ts";
import { parseJson } from "./parse-json.ts";

const outlineOf = (text: string): string[] | null => {
  const document = parseJson(text, PARSING_LIMITS);
  return document === null ? null : outline(document);
};

describe("JSON", () => {
  it("is lines of paths and values, with numbers as they are written", () => {
    const text = `{"invoice": {"no": "A-1", "total": 9.00, "id": 12345678901234567890, "paid": true,
      "note": null}, "seller": {"address": "Street 1\\nTown"}, "tags": ["a", "b"]}`;
    expect(outlineOf(text)).toEqual([
      "p: invoice.no ¦ A-1 / invoice.total ¦ 9.00 / invoice.id ¦ 12345678901234567890 / invoice.paid ¦ true",
      "p: seller.address ¦ Street 1 / Town",
      "p: tags ¦ a ¦ b",
    ]);
  });

  it("has tables where lists hold flat objects", () => {
    expect(
      outlineOf('{"lines": [{"item": "Pen", "price": {"net": 1.50}}, {"item": "Ink", "qty": 2}]}'),
    ).toEqual(["h3: lines", "th: item | price.net | qty", "td: Pen | 1.50 | ", "td: Ink |  | 2"]);
    expect(outlineOf('[{"a": [{"b": 1}, {"b": [{}]}]}]')).toEqual(["p: 0.a.0.b ¦ 1"]);
  });

  it("makes no table of objects that have nothing in common", () => {
    const objects = Array.from({ length: 40 }, (_, index) => `{"k${index}": ${index}}`);
    expect(outlineOf(`[${objects.join(",")}]`)?.at(-1)).toBe("p: 39.k39 ¦ 39");
  });

  it("may be one value a line, and is null where it is no JSON", () => {
    expect(outlineOf('{"a": 1}\n{"a": 2}\n')).toEqual(["th: a", "td: 1", "td: 2"]);
    expect(outlineOf('{"a": 1')).toBeNull();
    expect(outlineOf("")).toBeNull();
  });

  it("holds every scalar of any value", () => {
    fc.assert(
      fc.property(
        fc.json({ maxDepth: 4, stringUnit: fc.constantFrom("x", "y", "z", "é") }),
        (text) => {
          const document = parseJson(text, PARSING_LIMITS);
          parsedDocumentSchema.parse(document);
          const found = JSON.stringify(document);
          const values: string[] = [];
          JSON.parse(text, (_name, value: unknown) => {
            if (typeof value === "string" && value !== "") values.push(value);
            return value;
          });
          for (const value of values) expect(found).toContain(value);
        },
      ),
    );
  });

  it("is refused where it is nested deep or has more values than are read", () => {
    const fault = (text: string): unknown => {
      try {
        return parseJson(text, { ...PARSING_LIMITS, nodes: 1000 });
      } catch (error) {
        return error;
      }
    };
    expect(fault("[".repeat(100_000))).toMatchObject({ code: "too_deep" });
    expect(fault(`${'{"a":'.repeat(600)}1${"}".repeat(600)}`)).toMatchObject({ code: "too_deep" });
    expect(fault(`[${"1,".repeat(1001)}1]`)).toMatchObject({ code: "too_large" });
    // Brackets and commas in texts are no values.
    expect(fault(JSON.stringify({ a: '[,\\"['.repeat(2000) }))).not.toHaveProperty("code");
  });
});
