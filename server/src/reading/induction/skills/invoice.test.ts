import { describe, expect, test } from "vitest";
import { documentText } from "../../parsing/document-text.ts";
import { parseText } from "../../parsing/parse.ts";
import { locatorsOf } from "../embedded/skill-field.ts";
import { extract } from "../extract.ts";
import { learnConventions } from "../values/conventions.ts";
import { skillBySlug } from "./index.ts";
import type { Skill } from "./skill.ts";

function skill(slug: string): Skill {
  const found = skillBySlug(slug);
  if (found === null) throw new Error(slug);
  return found;
}

/** What the skill alone, with nothing learned, reads in a document. */
function answers(slug: string, text: string): Record<string, unknown> {
  const content = documentText(parseText("a.txt", text));
  const answerers = skill(slug).fields.map((field) => ({
    id: field.id,
    target: { kind: field.kind, multiple: field.multiple, enum: field.enum },
    locators: locatorsOf(field, []).map((locator, index) => ({
      locator,
      trust: 0.85 * 0.93 ** index,
    })),
  }));
  const learned = learnConventions([content]);
  const conventions = { ...learned, languages: [...learned.languages] };
  const found = extract({ version: 1, conventions, answerers }, content);
  return Object.fromEntries(
    Object.entries(found).flatMap(([id, answer]) => (answer === null ? [] : [[id, answer.value]])),
  );
}

describe("the invoice skill reads", () => {
  test("a German invoice", () => {
    const text = `Amsel & Söhne GmbH
Hauptstraße 3
10115 Berlin
Herrn
Max Meier
Gasse 2
80331 München
Rechnung Nr. 2021-17
Datum: 12.03.2021
Kundennummer: 8812
Summe netto       100,00 €
zzgl. 19 % USt     19,00 €
Gesamtbetrag      119,00 €
Zahlbar bis 26.03.2021 ohne Abzug.`;
    expect(answers("invoice", text)).toMatchObject({
      company: "Amsel & Söhne GmbH",
      date: "2021-03-12",
      invoice_number: "2021-17",
      customer_number: "8812",
      subtotal: 100,
      tax: 19,
      total: 119,
      due_date: "2021-03-26",
      currency: "EUR",
    });
  });

  test("a French one", () => {
    const text = `SARL Le Merle
12 rue des Lilas
69003 Lyon
FACTURE N° F2021-0045
Date de facturation : 12/03/2021
Echéance : 12/04/2021
Total HT      40,00 €
TVA 5,5 %      2,20 €
Net à payer   42,20 €`;
    expect(answers("invoice", text)).toMatchObject({
      date: "2021-03-12",
      due_date: "2021-04-12",
      invoice_number: "F2021-0045",
      subtotal: 40,
      tax: 2.2,
      tax_rate: 5.5,
      total: 42.2,
    });
  });

  test("a Spanish, an Italian, a Dutch and a Polish total, date and number", () => {
    const texts = [
      "Mirlo S.L.\nNº Factura: 2021/034          Fecha: 12/03/2021\nIVA 21%  10,50 €\nTotal factura  60,50 €",
      "Merlo S.r.l.\nFattura n. 2021/034 del 12/03/2021\nIVA 22%  22,00\nTotale fattura  € 60,50",
      "Merel B.V.\nFactuurnr: 2021/034\nFactuurdatum: 12-03-2021\nBTW 9%  € 0,81\nTotaal te betalen  € 60,50",
      "Kos Sp. z o.o.\nFaktura VAT nr 2021/034\nData wystawienia: 12.03.2021\nDo zapłaty: 60,50 PLN",
    ];
    for (const text of texts) {
      expect(answers("invoice", text)).toMatchObject({
        date: "2021-03-12",
        invoice_number: "2021/034",
        total: 60.5,
      });
    }
  });

  test("a till receipt", () => {
    const text = `BLACKBIRD STATIONERY SDN BHD
(123456-X)
NO. 12, JALAN MAWAR 3/4,
43000 KAJANG, SELANGOR.
TEL: 03-8012 3456
RECEIPT #: CS00052997 DATE: 28/02/2016
PENCIL  1 X 7.72  7.72 SR
TOTAL QTY: 1
TOTAL SALES  RM 7.72
ROUNDING  -0.02
TOTAL  RM 7.70
CASH  RM 10.00
CHANGE  RM 2.30
GST SUMMARY  AMOUNT(RM)  TAX(RM)`;
    expect(answers("invoice", text)).toMatchObject({
      company: "BLACKBIRD STATIONERY SDN BHD",
      address: "NO. 12, JALAN MAWAR 3/4, 43000 KAJANG, SELANGOR.",
      date: "2016-02-28",
      invoice_number: "CS00052997",
      item_count: 1,
      total: 7.7,
      cash_paid: 10,
      change: 2.3,
      payment_method: "cash",
      currency: "MYR",
    });
  });
});

describe("the form skill reads", () => {
  test("boxes with their labels in or over them", () => {
    const text = `Received by the Registry 05/17/2018 10:27 AM
Amendment to a Registration
1. Name of Registrant  2. Registration No.
Blackbird Partners LLP  5928
(Date of signature)  (Print or type name)
May 16, 2018  Anna Amsel`;
    expect(answers("form", text)).toMatchObject({
      file_date: "2018-05-17",
      registrant_name: "Blackbird Partners LLP",
      registration_number: "5928",
      signature_date: "2018-05-16",
      signer_name: "Anna Amsel",
    });
  });
});
