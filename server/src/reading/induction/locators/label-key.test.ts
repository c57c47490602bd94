import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { labelKey, labelWords } from "./label-key.ts";

describe("a label's key", () => {
  test.each([
    ["1. Invoice No.:", "invoice no"],
    ["INVOICE NUMBER", "invoice no"],
    ["Invoice #", "invoice no"],
    ["Rechnungsnummer", "rechnungs no"],
    ["Rechnungs-Nr.", "rechnungs no"],
    ["N° de facture", "no de facture"],
    ["N.º de chassis", "no de chassis"],
    ["Apólice n.º:", "apolice no"],
    ["Fattura n. 45", "fattura no 45"],
    ["Numéro de facture :", "no de facture"],
    ["GST @6%", "gst"],
    ["GST 6 %", "gst"],
    ["TOTAL (RM)", "total"],
    ["Montant EUR", "montant"],
    ["CUSTOMER'S COPY", "customers copy"],
    ["Sub-Total", "sub total"],
    ["II.1.1) Title:", "title"],
    ["V.2.1) Date of conclusion", "date of conclusion"],
    ["14.1 UN number", "un no"],
    ["1.1.) Nazwa", "nazwa"],
    ["3.Firma", "firma"],
    ["2. a) Firma", "firma"],
    ["A. B. Smith", "b smith"],
    ["12.50 Euro", "12.50"],
    ["2.4 GHz", "2.4 ghz"],
    ["(b) Date of birth", "date of birth"],
    ["Płatność", "platnosc"],
    ["Terms & Conditions", "terms and conditions"],
    ["RM", "rm"],
    ["", ""],
  ])("of %j is %j", (written, key) => {
    expect(labelKey(written)).toBe(key);
  });

  test("is its own key", () => {
    const text = fc.oneof(
      fc.string({ unit: "binary", maxLength: 40 }),
      fc.stringMatching(/^[A-Za-zéß0-9 .:#%&()'-]{0,40}$/),
    );
    fc.assert(
      fc.property(text, (written) => {
        const key = labelKey(written);
        expect(labelKey(key)).toBe(key);
      }),
    );
  });

  test("is made of words that stand in the text, in order", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 60 }), (written) => {
        let last = 0;
        for (const { start, end } of labelWords(written)) {
          expect(start).toBeGreaterThanOrEqual(last);
          expect(end).toBeGreaterThanOrEqual(start);
          expect(end).toBeLessThanOrEqual(written.length);
          last = end;
        }
      }),
    );
  });
});
