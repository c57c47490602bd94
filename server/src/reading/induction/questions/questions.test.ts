import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Proposal } from "../inducer.ts";
import { QUESTION_ID } from "../schema.ts";
import { VALUE_KINDS } from "../values/value.ts";
import { wordQuestion } from "./wording.ts";
import { slug, uniqueSlug } from "./write.ts";

describe("slugs", () => {
  it("are names in the letters of a column", () => {
    expect(slug("Date of delivery:")).toBe("date_of_delivery");
    expect(slug("Straße & Größe")).toBe("strasse_grosse");
    expect(slug("3 year rate")).toBe("field_3_year_rate");
    expect(slug("日付")).toBe("field");
  });

  it("are ids whatever the name, each once", () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: "binary", maxLength: 90 }), { maxLength: 12 }),
        (names) => {
          const taken = new Set<string>();
          for (const name of [...names, "x".repeat(80), "x".repeat(80)]) {
            const id = uniqueSlug(name, taken);
            expect(id).toMatch(QUESTION_ID);
            expect(id.length).toBeLessThanOrEqual(63);
            expect(taken.has(id)).toBe(false);
            taken.add(id);
          }
        },
      ),
    );
  });
});

describe("wording", () => {
  const proposal: Proposal = {
    origin: "label",
    name: "delivery date",
    labels: ["DELIVERY DATE"],
    kind: "date",
    unit: null,
    enum: [],
    multiple: false,
    question: null,
    serves: [],
    weight: 0,
    locators: [],
    sightings: [],
  };

  it("asks for a value of the kind by the label, not in capitals", () => {
    expect(wordQuestion(proposal, null)).toBe("Which date is given as “Delivery date”?");
    expect(wordQuestion({ ...proposal, labels: ["GST AMOUNT"], kind: "money" }, "MYR")).toBe(
      "How much is “GST amount”, in MYR?",
    );
    expect(wordQuestion({ ...proposal, origin: "section", kind: "boolean" }, null)).toBe(
      "Does the document have a section “Delivery date”?",
    );
    const own = { ...proposal, question: "When is it due?" };
    expect(wordQuestion(own, null)).toBe("When is it due?");
    // What is no sentence is worded anew.
    for (const question of ["When?", "delivery date of it?", "The date of delivery"]) {
      expect(wordQuestion({ ...proposal, question }, null)).toMatch(/^Which date is given as/);
    }
  });

  it("asks a question of every kind, of any label, in at most 300 letters", () => {
    for (const kind of VALUE_KINDS) {
      const long = wordQuestion({ ...proposal, kind, labels: ["label ".repeat(100)] }, "EUR");
      expect(long.length).toBeLessThanOrEqual(300);
      expect(long).toMatch(/\?$/);
    }
  });
});
