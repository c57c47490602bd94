import { describe, expect, it } from "vitest";
import { documentText } from "../../parsing/document-text.ts";
import type { ParsedDocument } from "../../parsing/normal-form.ts";
import { conventionsOf, learnConventions } from "./conventions.ts";
import { comparingKey, sameValue } from "./same-value.ts";

function documentOf(...lines: readonly string[]) {
  const parsed: ParsedDocument = {
    version: 1,
    mediaType: "text/plain",
    title: null,
    warnings: [],
    pages: [
      {
        number: 1,
        width: null,
        height: null,
        blocks: [
          { kind: "paragraph", lines: lines.map((text) => ({ spans: [{ text, box: null }] })) },
        ],
      },
    ],
  };
  return documentText(parsed);
}

describe("conventions", () => {
  it("are voted by documents, one vote each", () => {
    const american = documentOf(
      "Date 03/25/2018 and 03/26/2018 and 03/27/2018",
      "Total $ 1,234.50",
    );
    const malaysian = documentOf("DATE: 25/12/2018", "TOTAL RM 9.00");
    expect(learnConventions([american, malaysian, malaysian])).toEqual({
      dayFirst: true,
      isOrderShown: true,
      isOrderMixed: true,
      decimalComma: false,
      currency: "MYR",
      languages: ["en"],
    });
    expect(learnConventions([american, american, malaysian])).toMatchObject({
      dayFirst: false,
      currency: "USD",
    });
  });

  it("of one document are its own where it shows them, else the vote", () => {
    const voted = learnConventions([documentOf("Total $ 1,234.50 on 03/25/2018")]);
    expect(voted).toMatchObject({ dayFirst: false, decimalComma: false });
    const german = documentOf(
      "Stand: 120.194 km am 05/04/2018, Prüfung 25/04/2018",
      "Abrieb 8,9 %",
    );
    const own = conventionsOf(german, voted);
    expect(own).toEqual({ ...voted, dayFirst: true, decimalComma: true });
    expect(conventionsOf(german, voted)).toBe(own);
    for (const lines of [
      ["Stand: 120.194 km, 1,2"],
      ["8,9 % and 8.9 %", "25/04/2018, 04/25/2018"],
    ]) {
      expect(conventionsOf(documentOf(...lines), voted)).toBe(voted);
    }
  });

  it("of a document that shows no decimals are those of its measures, dates or language in a mixed sample", () => {
    const voted = learnConventions([
      documentOf("The total of the goods that we have shipped is $ 1,234.50"),
      documentOf("Der Betrag für die Ware, die wir geliefert haben, ist noch offen"),
    ]);
    expect(voted).toMatchObject({ decimalComma: false });
    expect(voted.languages.length).toBeGreaterThan(1);
    for (const lines of [
      ["Bruttogewicht: 18.005 kg", "Volumen: 54,3 m³"],
      ["Bruttogewicht: 18.005 kg", "Datum: 13.05.2024"],
      ["Das Gewicht der Ware, die wir geliefert haben, ist 18.005 kg"],
    ]) {
      expect(conventionsOf(documentOf(...lines), voted).decimalComma).toBe(true);
    }
    const alone = learnConventions([documentOf("The total of the goods is $ 1,234.50")]);
    expect(conventionsOf(documentOf("Gewicht 18.005 kg, 13.05.2024"), alone).decimalComma).toBe(
      false,
    );
  });

  it("of a document that shows no order are those of its language and currency in a mixed sample", () => {
    const american = documentOf("Due 03/25/2018", "Total $ 1,234.50");
    const italian = documentOf("la fattura del 25/12/2018 è della rete", "Totale € 9,00");
    const mixed = learnConventions([american, italian, italian]);
    const open = "08/02/2024";
    const order = (...lines: readonly string[]) => {
      const { dayFirst, isOrderShown } = conventionsOf(documentOf(...lines), mixed);
      return [dayFirst, isOrderShown];
    };
    expect(order(`Due ${open}`, "Total $ 4.00")).toEqual([false, true]);
    expect(order(`Due ${open}`, "Total £ 4.00")).toEqual([true, true]);
    expect(order("Stand 08.02.2024")).toEqual([true, true]);
    expect(order(`la fattura del ${open} è della rete`)).toEqual([true, true]);
    // Nothing tells: it is read as most are, and said to be open.
    expect(order(`Due ${open}`)).toEqual([true, false]);
    expect(conventionsOf(documentOf(open), learnConventions([italian]))).toMatchObject({
      dayFirst: true,
      isOrderShown: true,
    });
  });

  it("without a vote fall to what goes with currency and language", () => {
    const text = "the total of the invoice is due to you, thank you for the payment";
    expect(learnConventions([documentOf(text, "Total $ 5.00 on 03/04/2018")]).dayFirst).toBe(false);
    expect(learnConventions([documentOf(text, "Total £ 5.00 on 03/04/2018")]).dayFirst).toBe(true);
    expect(learnConventions([])).toEqual({
      dayFirst: true,
      isOrderShown: false,
      decimalComma: false,
      currency: null,
      languages: ["en"],
    });
  });

  it("know decimal commas and languages", () => {
    const invoice = documentOf(
      "Rechnung Nr. 30064443 vom 7. Mai 2014",
      "Die Summe ist ohne Abzug zu zahlen, bitte auf das Konto der Firma",
      "Gesamtbetrag  1.234,50 €",
    );
    expect(learnConventions([invoice])).toEqual({
      dayFirst: true,
      isOrderShown: true,
      decimalComma: true,
      currency: "EUR",
      languages: ["de"],
    });
  });

  it("do not depend on the order of documents", () => {
    const documents = [
      documentOf("TOTAL RM 9.00", "25/12/2018"),
      documentOf("Totaal € 9,00", "de factuur van het bedrijf is op"),
      documentOf("Total $ 9.00", "12/25/2018"),
    ];
    expect(learnConventions(documents)).toEqual(learnConventions([...documents].reverse()));
  });
});

describe("sameValue", () => {
  it.each([
    ["organization", "NIKE, Inc.", "Nike Inc"],
    ["organization", "Leonard Green & Partners, L.P.", "Leonard Green and Partners LP"],
    [
      "organization",
      "ALTIMO HOLDINGS & INVESTMENTS LIMITED",
      "Altimo Holdings and Investments Ltd.",
    ],
    ["organization", "Société Générale S.A.", "SOCIETE GENERALE"],
    ["person", "Mr. Eric Sprunk", "ERIC SPRUNK"],
    ["date", "2001-04", "2001-04-18"],
    ["duration", "P1Y", "P12M"],
    ["identifier", "DE 232 446 240", "DE232446240"],
    ["address", "12, JALAN BESAR,  KL.", "12 Jalan Besar, KL"],
    ["text", "Café Crème", "cafe creme"],
  ] as const)("%s: %j is %j", (kind, a, b) => {
    expect(sameValue(kind, a, b)).toBe(true);
    expect(sameValue(kind, b, a)).toBe(true);
  });

  it.each([
    ["organization", "Stilwell Group", "Stilwell Partners LLC"],
    ["date", "2001-04-18", "2001-04-19"],
    ["duration", "P1Y", "P11M"],
    ["money", 9, 9.01],
    ["boolean", true, false],
    ["money", 9, "9"],
  ] as const)("%s: %j is not %j", (kind, a, b) => {
    expect(sameValue(kind, a, b)).toBe(false);
  });

  it("takes amounts for equal that binary fractions keep apart", () => {
    expect(sameValue("money", 0.1 + 0.2, 0.3)).toBe(true);
  });

  it("never leaves a name without a key", () => {
    expect(comparingKey("organization", "Co.")).toBe("co");
    expect(comparingKey("organization", "Ltd Inc")).not.toBe("");
  });
});
