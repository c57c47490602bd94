import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isInvisible } from "../spotlight/visible.ts";
import { QuoteFinder } from "./quote-finder.ts";

const found = (text: string, quote: string): string | null => {
  const place = new QuoteFinder(text).find(quote);
  return place === null ? null : text.slice(place.start, place.end);
};

describe("QuoteFinder", () => {
  it("finds a quote whatever its spaces, hidden characters, quotation marks and dashes", () => {
    expect(found("TOTAL :   RM\n 9.00 CASH", "TOTAL : RM 9.00")).toBe("TOTAL :   RM\n 9.00");
    expect(found("To\u200btal: 9", "Total: 9")).toBe("To\u200btal: 9");
    expect(found("a \u200b b", "a b")).toBe("a \u200b b");
    expect(found("the “Effective Date” – May 3", `the "Effective Date" - May 3`)).toBe(
      "the “Effective Date” – May 3",
    );
    expect(found("𝒳 is 5 kg", "5 kg")).toBe("5 kg");
  });

  it("finds nothing that is not there", () => {
    expect(found("TOTAL 9.00", "TOTAL 9.10")).toBeNull();
    expect(found("TOTAL 9.00", "total 9.00")).toBeNull();
    expect(found("TOTAL 9.00", "")).toBeNull();
    expect(found("TOTAL 9.00", " \u200b ")).toBeNull();
    expect(found("", "x")).toBeNull();
  });

  it("finds whole words and numbers only", () => {
    expect(found("19.00 subtotal 9.00", "9.00")).toBe("9.00");
    expect(new QuoteFinder("19.00 subtotal 9.00").find("9.00")).toEqual({ start: 15, end: 19 });
    expect(found("subtotal", "total")).toBeNull();
  });

  it("stays within a place", () => {
    const text = "A 9.00\nB 9.00";
    expect(new QuoteFinder(text).find("9.00", { start: 7, end: 13 })).toEqual({
      start: 9,
      end: 13,
    });
    expect(new QuoteFinder(text).find("A", { start: 7, end: 13 })).toBeNull();
    expect(new QuoteFinder(text).find("9.00", { start: 7, end: 12 })).toBeNull();
  });

  it("finds each word of any text at a place that says the same", () => {
    const pieces = fc.constantFrom(
      "ab",
      "9.00",
      " ",
      "\n",
      "\u200b",
      "“",
      "—",
      "𝒳",
      "é",
      "\u{e0041}",
    );
    const same = (text: string): string =>
      [...text]
        .filter((character) => character === "\n" || !isInvisible(character))
        .join("")
        .replace(/\s+/gu, " ")
        .replace(/“/g, '"')
        .replace(/—/g, "-");
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 30 }), (made) => {
        const text = made.join("");
        const finder = new QuoteFinder(text);
        for (const word of same(text).split(" ").filter(Boolean)) {
          const place = finder.find(word);
          expect(place).not.toBeNull();
          expect(same(text.slice(place!.start, place!.end))).toBe(word);
        }
      }),
    );
  });
});
