import { describe, expect, it } from "vitest";
import { copiesDocument, SampleTexts } from "./leakage.ts";

const texts = new SampleTexts([
  "Agreement between ACME Ltd and the buyer. What follows is the law of New York. Clause 7.",
  "Agreement between Zenith and the buyer under the law of New York. Clause 7, clause 12.",
  "Agreement of Orion. Clause 7.",
]);

describe("copiesDocument", () => {
  it.each([
    ["a name that one document holds", "Is Acme the seller?", [], true],
    ["a number that one document holds", "What does clause 12 say?", [], true],
    ["a value that one document states", "Is it between zenith and the buyer?", ["Zenith"], true],
    ["a name that several hold", "Is New York law chosen?", ["New York"], false],
    ["a number that all hold", "What does clause 7 say?", [], false],
    ["a name that none holds", "What is the VAT number?", [], false],
    ["its first word", "What is the law?", [], false],
    ["words that are no value", "Who is the buyer?", ["Zenith", "7"], false],
  ])("sees %s", (_, question, values, expected) => {
    expect(copiesDocument(question, values, texts)).toBe(expected);
  });

  it("tells nothing of samples too small to tell", () => {
    const few = new SampleTexts(["ACME Ltd", "Zenith"]);
    expect(copiesDocument("Is Acme the seller?", ["Acme"], few)).toBe(false);
  });
});
