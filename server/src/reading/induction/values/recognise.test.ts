import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { read } from "./kinds.ts";
import { recognise } from "./recognise.ts";
import { comparingKey } from "./same-value.ts";
import { type Conventions, NEUTRAL_CONVENTIONS, type TypedValue, VALUE_KINDS } from "./value.ts";

const conventions: fc.Arbitrary<Conventions> = fc.record({
  dayFirst: fc.boolean(),
  decimalComma: fc.boolean(),
  currency: fc.constantFrom(null, "USD", "MYR", "EUR"),
  languages: fc.constant(["en"]),
});
/** Pieces that documents are made of, in any disorder. */
const PIECES =
  "25/12/2018|2018-12-25|7. Mai 2014|April|2001|,|:|.|-|(|)|[|]|%|$|RM|€|1.234,50|1,234.50|9.00|12|345|0|two (2) years|18 months|Inc.|Ltd|SDN BHD|Kite|Pharma|and|of|the|John|Q.|Smith|Mr.|New York|OR|97005|12, Jalan Besar|81100 JOHOR|NL50INGB0683251309|CS 67832|TEL|03-7731 8169|+1|a@b.co|www.a.com/x|yes|no|☒|5 kg|1-1/4 percent|\n|  | |é|漢|🙂|\u0301|\u0000".split(
    "|",
  );
const documents = fc.oneof(
  fc.array(fc.constantFrom(...PIECES), { maxLength: 60 }).map((pieces) => pieces.join("")),
  fc.array(fc.constantFrom(...PIECES), { maxLength: 60 }).map((pieces) => pieces.join(" ")),
  fc.string({ unit: "binary", maxLength: 200 }),
);

function expectSound(text: string, values: readonly TypedValue[]): void {
  const ends = new Map<string, number>();
  let last = 0;
  for (const { kind, start, end, normal, certainty } of values) {
    expect(start).toBeGreaterThanOrEqual(last);
    expect(start).toBeGreaterThanOrEqual(ends.get(kind) ?? 0);
    expect(end).toBeGreaterThan(start);
    expect(end).toBeLessThanOrEqual(text.length);
    expect(text.slice(start, end)).toBe(text.slice(start, end).trim());
    expect(certainty).toBeGreaterThan(0);
    expect(certainty).toBeLessThanOrEqual(1);
    if (typeof normal === "number") expect(normal).toSatisfy(Number.isFinite);
    if (kind === "date") expect(normal).toMatch(/^\d{4}-\d{2}(-\d{2})?$/);
    if (kind === "duration") expect(normal).toMatch(/^P(?=.)[\d.YMWD]*(T[\d.HM]+)?$/);
    ends.set(kind, end);
    last = start;
  }
}

describe("recognise", () => {
  it("finds sound values in any text", () => {
    fc.assert(
      fc.property(documents, conventions, (text, voted) => {
        expectSound(text, recognise(text, voted));
      }),
      { numRuns: 250 },
    );
  });

  it("finds sound values of each kind alone, and reads any text or none of it", () => {
    fc.assert(
      fc.property(documents, conventions, fc.constantFrom(...VALUE_KINDS), (text, voted, kind) => {
        const found = recognise(text, voted, [kind]);
        expectSound(text, found);
        expect(found.every((value) => value.kind === kind)).toBe(true);
        const value = read(kind, text, voted);
        if (value !== null) expectSound(text, [value]);
      }),
      { numRuns: 500 },
    );
  });

  it("reads a found value's own words as the same value", () => {
    const kinds = ["percent", "duration", "email", "identifier", "quantity"] as const;
    fc.assert(
      fc.property(documents, conventions, fc.constantFrom(...kinds), (text, voted, kind) => {
        for (const { start, end, normal } of recognise(text, voted, [kind])) {
          expect(read(kind, text.slice(start, end), voted)?.normal).toBe(normal);
        }
      }),
      { numRuns: 300 },
    );
  });

  it("gives the same twice", () => {
    fc.assert(
      fc.property(documents, conventions, (text, voted) => {
        expect(recognise(text, voted)).toEqual(recognise(text, voted));
      }),
      { numRuns: 50 },
    );
  });

  it.each(["Aa\n", "SDN BHD ", "( ", "12/", "1 May ", "Aa, "])(
    "goes over a megabyte of %j in bounded time",
    (unit) => {
      const text = unit.repeat(Math.ceil(1_000_000 / unit.length));
      expect(recognise(text, NEUTRAL_CONVENTIONS).length).toBeLessThanOrEqual(text.length);
    },
  );

  it("gives digits to one kind: dates, codes and phones are no numbers", () => {
    const text =
      "DATE: 25/12/2018  TEL: 03-7731 8169  IBAN NL50INGB0683251309  GST 6%  2 PCS  TOTAL RM 9.00";
    const found = recognise(text, { ...NEUTRAL_CONVENTIONS, currency: "MYR" });
    expect(found.map(({ kind, normal }) => [kind, normal])).toEqual([
      ["date", "2018-12-25"],
      ["phone", "0377318169"],
      ["identifier", "NL50INGB0683251309"],
      ["percent", 6],
      ["quantity", 2],
      ["money", 9],
    ]);
    expect(recognise(text, NEUTRAL_CONVENTIONS, ["number"])).toEqual([]);
  });

  it("takes digits that a unit follows for a size, however many there are", () => {
    const found = recognise("189645 km, 2500000 kWh, no. 189645", NEUTRAL_CONVENTIONS);
    expect(found.map(({ kind, normal, unit }) => [kind, normal, unit])).toEqual([
      ["quantity", 189645, "km"],
      ["quantity", 2500000, "kWh"],
      ["identifier", "189645", null],
    ]);
  });

  it("reads a receipt", () => {
    const text = [
      "BOOK TA .K(TAMAN DAYA) SDN BND",
      "789417-W",
      "NO.53 55,57 & 59, JALAN SAGU 18,",
      "TAMAN DAYA,",
      "81100 JOHOR BAHRU,",
      "JOHOR.",
      "DOCUMENT NO : TD01167104",
      "DATE:  25/12/2018 8:13:39 PM",
      "1 PC  *  9.000  0.00  9.00",
    ].join("\n");
    const found = recognise(text, { ...NEUTRAL_CONVENTIONS, currency: "MYR" });
    const first = (kind: string) => found.find((value) => value.kind === kind);
    expect(first("organization")?.normal).toBe("BOOK TA. K (TAMAN DAYA) SDN BND");
    expect(comparingKey("organization", first("organization")!.normal)).toBe(
      comparingKey("organization", "Book Ta .K (Taman Daya) Sdn Bhd"),
    );
    expect(first("address")?.normal).toBe(
      "NO.53 55, 57 & 59, JALAN SAGU 18, TAMAN DAYA, 81100 JOHOR BAHRU, JOHOR.",
    );
    expect(first("date")?.normal).toBe("2018-12-25");
    expect(first("identifier")?.normal).toBe("789417-W");
    expect(found.filter(({ kind }) => kind === "identifier").at(-1)?.normal).toBe("TD01167104");
  });
});
