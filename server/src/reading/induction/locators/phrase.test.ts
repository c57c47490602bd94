import { describe, expect, test } from "vitest";
import { documentText } from "../../parsing/document-text.ts";
import { parseText } from "../../parsing/parse.ts";
import { NEUTRAL_CONVENTIONS, type ValueKind } from "../values/value.ts";
import { locatorSchema } from "./locator.ts";
import { locatePhrase } from "./phrase.ts";

interface Asked {
  readonly patterns: readonly string[];
  readonly kind: ValueKind;
  readonly multiple?: boolean;
  readonly pick?: string;
  readonly says?: string;
}

function find(text: string, { patterns, kind, multiple = false, ...rest }: Asked) {
  const locator = locatorSchema.parse({ kind: "phrase", patterns, ...rest });
  if (locator.kind !== "phrase") throw new Error("not a phrase");
  const content = documentText(parseText("a.txt", text));
  const found = locatePhrase(content, locator, { kind, multiple, enum: [] }, NEUTRAL_CONVENTIONS);
  for (const finding of found) {
    expect(content.text.slice(finding.start, finding.end)).toBe(finding.text);
    expect(finding.confidence).toBeGreaterThan(0);
    expect(finding.confidence).toBeLessThanOrEqual(1);
  }
  return found.map(({ normal }) => normal);
}

describe("a phrase", () => {
  test("finds the value after it, whatever the case and the line ends", () => {
    const patterns = ["governed by the laws of [the] [state of] {value}"];
    const text = "This is Governed By the\nLaws of the State of Texas, without more.";
    expect(new Set(find(text, { patterns, kind: "place" }))).toEqual(new Set(["Texas"]));
  });

  test("finds the value before it", () => {
    const patterns = ["{value} the effective date"];
    expect(
      find('Made on May 4, 2011 and signed on June 2, 2012 (the "Effective Date").', {
        patterns,
        kind: "date",
      })[0],
    ).toBe("2012-06-02");
  });

  test("finds the value between, and a text only there", () => {
    const patterns = ["this {value} is made"];
    expect(find("THIS SUPPLY AGREEMENT is made in Rome.", { patterns, kind: "text" })).toEqual([
      "SUPPLY AGREEMENT",
    ]);
    expect(find("This thing was made in Rome.", { patterns, kind: "text" })).toEqual([]);
  });

  test("looks a few words far and no farther unless it says so", () => {
    const text = "The term of this contract, as the parties see it, is two (2) years.";
    expect(find(text, { patterns: ["term {value}"], kind: "duration" })).toEqual([]);
    expect(find(text, { patterns: ["term ...12 {value}"], kind: "duration" })).toEqual(["P2Y"]);
  });

  test("finds a number with the minus before it, which is no part of a word", () => {
    const patterns = ["closing balance {value}"];
    const number = (text: string) => find(text, { patterns, kind: "number" });
    expect(number("The closing balance: -7.50 is due.")).toEqual([-7.5]);
    expect(number("The closing balance: −7.50 is due.")).toEqual([-7.5]);
    expect(number("The closing balance - 7.50 - is due.")).toEqual([7.5]);
    expect(number("The closing balance: -$7.50 is due.")).not.toContain(7.5);
    expect(find("The closing balance: -$7.50.", { patterns, kind: "money" })).toEqual([-7.5]);
  });

  test("does not look into the next sentence", () => {
    const patterns = ["dated {value}"];
    expect(
      find("The letter is dated. On May 4, 2011 it came.", { patterns, kind: "date" }),
    ).toEqual([]);
  });

  test("prefers earlier patterns, then earlier places; or what it is told to pick", () => {
    const text = "Paid $ 5.00 in May. Paid $ 9.00 in June. Owed $ 7.00.";
    const patterns = ["owed {value}", "paid {value}"];
    expect(find(text, { patterns, kind: "money" })).toEqual([7, 5, 9]);
    expect(find(text, { patterns, kind: "money", pick: "largest" })[0]).toBe(9);
    expect(find(text, { patterns, kind: "money", pick: "last" })[0]).toBe(7);
  });

  test("finds all names of one enumeration where several are asked for", () => {
    const text =
      'Contract between Acme Tools, Inc., a firm (the "Seller"), and Jane Roe ("Buyer").\n\nA letter between Carl Orr and Dee Poe.';
    const patterns = ["between {value}"];
    expect(find(text, { patterns, kind: "organization", multiple: true })).toEqual([
      "Acme Tools, Inc.",
      "Jane Roe",
    ]);
  });

  test("reads a text up to where its clause ends", () => {
    const patterns = ["caused by {value}"];
    expect(find("It was caused by a worn belt, as we saw.", { patterns, kind: "text" })).toEqual([
      "a worn belt",
    ]);
  });

  test("without a slot says what it is told to", () => {
    const asked = { patterns: ["decided ...4 to raise"], kind: "text", says: "raised" } as const;
    expect(find("The board decided today to raise its rate.", asked)).toEqual(["raised"]);
    expect(find("The board decided today to keep its rate.", asked)).toEqual([]);
  });

  test("asks for more than the word that a value ends in", () => {
    const patterns = ["this {value}<agreement|lease> is"];
    expect(find("This Agreement is void.", { patterns, kind: "text" })).toEqual([]);
    expect(find("This Office Lease is void.", { patterns, kind: "text" })).toEqual([
      "Office Lease",
    ]);
  });

  test("reads an address in a sentence up to its town, whatever its street is called", () => {
    const asked = {
      patterns: ["wohnung {value}", "piso sito en {value}"],
      kind: "address",
    } as const;
    expect(
      find(
        "Vermietet wird die Wohnung Am Mühlbach 80, 40194 Freiburg, bestehend aus 3 Zimmern.",
        asked,
      ),
    ).toEqual(["Am Mühlbach 80, 40194 Freiburg"]);
    expect(
      find(
        "Se cede el piso sito en C/ Mayor, 65, 96781 Burgos. SEGUNDA. Duración de un año",
        asked,
      ),
    ).toEqual(["C/ Mayor, 65, 96781 Burgos"]);
  });
});
