import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { documentText } from "../../parsing/document-text.ts";
import type { Block, ParsedDocument, Span } from "../../parsing/normal-form.ts";
import { NEUTRAL_CONVENTIONS, VALUE_KINDS } from "../values/value.ts";
import { locate } from "./locate.ts";
import { type Locator, locatorSchema } from "./locator.ts";

const LOCATORS: readonly Locator[] = [
  { kind: "label", labels: ["total", "date", "invoice no"], where: ["right", "below", "above"] },
  { kind: "label", labels: ["name"], where: ["below"], pick: "last", except: ["first"] },
  { kind: "cell", rows: ["total", "name"], columns: ["amount"], pick: "largest" },
  { kind: "section", headings: ["name", "total"] },
  { kind: "phrase", patterns: ["total of {value}", "dated {value}"] },
  { kind: "position", region: "top" },
  { kind: "position", region: "bottom", pick: "last" },
  { kind: "position", region: "title" },
  { kind: "position", region: "anywhere", pick: "smallest" },
  { kind: "unit", of: "money" },
  { kind: "unit", of: "quantity" },
  { kind: "template", before: "name of", after: "total" },
].map((locator) => locatorSchema.parse(locator));

const text = fc
  .oneof(
    fc.constantFrom(
      "TOTAL",
      "Date:",
      "Invoice No. 17-4",
      "Name",
      "Name of X total",
      "RM 9.00",
      "€ 1.234,50",
      "03/04/2018",
      "(1.20)",
      "ACME SDN BHD",
      "12, Main Street,",
      "81100 JOHOR",
      "5 kg",
      "Amount",
    ),
    fc.string({ unit: "binary", minLength: 1, maxLength: 20 }),
  )
  .map((written) => written.replace(/[\n\r]/g, " ").trim() || "x");
const box = fc.option(
  fc
    .tuple(fc.nat(500), fc.nat(700), fc.nat(90), fc.nat(20))
    .map(([left, top, width, height]) => [left, top, left + width, top + height] as const),
);
const span: fc.Arbitrary<Span> = fc.record({ text, box });
const line = fc.record({ spans: fc.array(span, { maxLength: 4 }) });
const block: fc.Arbitrary<Block> = fc.oneof(
  fc.record({ kind: fc.constant("paragraph" as const), lines: fc.array(line, { maxLength: 6 }) }),
  fc.record({
    kind: fc.constant("heading" as const),
    level: fc.constant(1),
    lines: fc.array(line, { maxLength: 2 }),
  }),
  fc.record({
    kind: fc.constant("table" as const),
    headerRows: fc.nat(1),
    rows: fc.array(
      fc.array(fc.record({ lines: fc.array(line, { maxLength: 1 }) }), { maxLength: 4 }),
      {
        maxLength: 4,
      },
    ),
  }),
);
const document: fc.Arbitrary<ParsedDocument> = fc
  .array(fc.array(block, { maxLength: 4 }), { maxLength: 2 })
  .map((pages) => ({
    version: 1,
    mediaType: "text/plain",
    title: null,
    pages: pages.map((blocks, index) => ({ number: index + 1, width: null, height: null, blocks })),
    warnings: [],
  }));

describe("any locator on any document", () => {
  test("finds what stands there, surest first, and throws on nothing", () => {
    fc.assert(
      fc.property(
        document,
        fc.constantFrom(...LOCATORS),
        fc.constantFrom(...VALUE_KINDS),
        (parsed, locator, kind) => {
          const content = documentText(parsed);
          const target = { kind, multiple: false, enum: [] };
          const findings = locate(content, locator, target, NEUTRAL_CONVENTIONS);
          let last = 1;
          for (const { normal, text, start, end, page, confidence } of findings) {
            expect(content.text.slice(start, end)).toBe(text);
            // That a clause is nowhere is shown by no text.
            expect(end > start || normal === false).toBe(true);
            expect(page).toBeGreaterThanOrEqual(1);
            expect(confidence).toBeGreaterThanOrEqual(0);
            expect(confidence).toBeLessThanOrEqual(last);
            last = confidence;
          }
        },
      ),
      { numRuns: 200 },
    );
  });
});
