/** The skills' patterns on sentences as such documents word them, each beside one that only sounds like it. */

import { describe, expect, test } from "vitest";
import { documentText } from "../../parsing/document-text.ts";
import { parseText } from "../../parsing/parse.ts";
import { locate } from "../locators/locate.ts";
import { NEUTRAL_CONVENTIONS } from "../values/value.ts";
import { skillBySlug } from "./index.ts";

function answers(slug: string, id: string, text: string): unknown[] {
  const field = skillBySlug(slug)?.fields.find((each) => each.id === id);
  if (field === undefined) throw new Error(`${slug} has no field ${id}`);
  const content = documentText(parseText("a.txt", text));
  const { kind, multiple, enum: values } = field;
  return field.locators.flatMap((locator) =>
    locate(content, locator, { kind, multiple, enum: values }, NEUTRAL_CONVENTIONS).map(
      ({ normal }) => normal,
    ),
  );
}

describe("clauses of contracts", () => {
  test.each([
    [
      "anti_assignment",
      "Neither party may assign this Agreement without the prior written consent of the other.",
      "The seller makes an assignment for the benefit of creditors.",
    ],
    [
      "non_compete",
      "During the term the Distributor shall not sell any products that compete with the Products.",
      "Nothing herein shall prevent the Distributor from selling competing products.",
    ],
    [
      "exclusivity",
      "Supplier appoints Distributor as its exclusive distributor in the Territory.",
      "Supplier appoints Distributor as a non-exclusive distributor in the Territory.",
    ],
    [
      "cap_on_liability",
      "In no event shall the liability of either party exceed the amounts paid hereunder.",
      "Acme LLC is a limited liability company of Ohio.",
    ],
    [
      "license_grant",
      "Licensor hereby grants to Licensee a license to use the Software.",
      "No license is granted under any patent.",
    ],
    [
      "audit_rights",
      "Supplier may inspect the books and records of Distributor once a year.",
      "The buyer shall inspect the goods on receipt.",
    ],
    [
      "termination_for_convenience",
      "Either party may terminate this Agreement without cause upon thirty days notice.",
      "Either party may terminate this Agreement at any time if the other commits a breach.",
    ],
    [
      "insurance",
      "Distributor shall maintain product liability insurance of at least $1,000,000.",
      "The price includes the cost of freight, insurance and duties.",
    ],
    [
      "change_of_control",
      "Either party may terminate upon a change of control of the other.",
      "Affiliates are entities under common control.",
    ],
    [
      "no_solicit_employees",
      "Recipient shall not solicit for employment any employee of the Company.",
      "Recipient has forty employees.",
    ],
    [
      "arbitration",
      "All disputes shall be settled by binding arbitration.",
      "All disputes shall be brought before the courts of Ohio.",
    ],
    [
      "third_party_beneficiary",
      "The Bank is an intended third party beneficiary of this Agreement.",
      "There are no third party beneficiaries of this Agreement.",
    ],
  ])("%s", (id, said, notSaid) => {
    expect(answers("contract", id, said)).toEqual([true]);
    expect(answers("contract", id, notSaid)).toEqual([false]);
  });

  const OPENING =
    'This Supply Agreement (this "Agreement") is made and effective as of 4 May 2011 (the "Effective Date") by and between Acme Tools, Inc., a Delaware corporation ("Seller"), and Jane Roe ("Buyer").';

  test.each([
    ["document_name", OPENING, "Supply Agreement"],
    ["effective_date", OPENING, "2011-05-04"],
    ["agreement_date", OPENING, "2011-05-04"],
    [
      "governing_law",
      "This Agreement shall be governed by and construed in accordance with the laws of the State of Ohio, without regard to conflicts of law.",
      "Ohio",
    ],
    ["term", "This Agreement shall remain in effect for a period of two (2) years.", "P2Y"],
    [
      "term",
      "This letter agreement shall terminate eighteen (18) months from the date hereof.",
      "P18M",
    ],
    ["renewal_term", "It shall be renewed for successive one (1) year terms.", "P1Y"],
    ["expiration_date", "This Agreement shall expire on June 30, 2014.", "2014-06-30"],
    [
      "termination_notice_period",
      "Either party may terminate this Agreement upon sixty (60) days' notice.",
      "P60D",
    ],
    ["warranty_duration", "Seller warrants the goods for a period of twelve (12) months.", "P12M"],
  ])("%s is read from %j", (id, text, expected) => {
    expect(answers("contract", id, text)[0]).toBe(expected);
  });

  test.each([
    ["term", "The term of this Lease is twelve (12) months.", "P12M"],
    ["term", "The Landlord lets the flat to the Tenant for a period of 24 months.", "P24M"],
    ["agreement_date", "This Lease Agreement is entered into on March 5, 2031.", "2031-03-05"],
    ["rent", "The rent shall be $1,550 per month, payable in advance.", 1550],
    ["rent", "The Tenant shall pay a monthly rent of $900.00, due on the first day.", 900],
    ["security_deposit", "The Tenant shall pay the sum of $3,100.00 as a security deposit.", 3100],
    ["security_deposit", "A deposit of $800 has been paid by the Tenant.", 800],
  ])("of leases: %s", (id, sentence, value) => {
    expect(answers("contract", id, sentence)[0]).toBe(value);
  });

  test("parties are those of the opening, not of a later sentence", () => {
    const text = `${OPENING}\n\nThe sale between the Seller and the Buyer follows.`;
    expect(answers("contract", "parties", text).slice(0, 2)).toEqual([
      "Acme Tools, Inc.",
      "Jane Roe",
    ]);
  });
});

describe("statements on rates", () => {
  test.each([
    [
      "The board decided today to raise its target for the policy rate by 25 basis points to 1-1/2 percent.",
      "raised",
      1.5,
      1.5,
    ],
    [
      "The board decided to keep the target range for the policy rate at 1/4 to 1/2 percent.",
      "unchanged",
      0.5,
      0.25,
    ],
    [
      "The board decided today to lower its target for the policy rate 50 basis points to 3 percent.",
      "lowered",
      3,
      3,
    ],
  ])("%j", (text, decision, upper, lower) => {
    expect(answers("financial-report", "rate_decision", text)[0]).toBe(decision);
    expect(answers("financial-report", "policy_rate", text)[0]).toBe(upper);
    expect(answers("financial-report", "policy_rate_lower", text)[0]).toBe(lower);
  });

  test("votes are lists of names", () => {
    const text =
      "Voting for the decision were: Ann Lee, Chair; Bob K. Hay, Vice Chair; and Dee Poe. Voting against was Carl Orr, who preferred an increase.";
    expect(answers("financial-report", "votes_for", text)).toEqual([
      "Ann Lee",
      "Bob K. Hay",
      "Dee Poe",
    ]);
    expect(answers("financial-report", "votes_against", text)).toEqual(["Carl Orr"]);
    expect(answers("financial-report", "dissent", text)).toEqual([true]);
  });
});

describe("clinical notes", () => {
  const NOTE =
    "PREOPERATIVE DIAGNOSIS: Hernia.\n\nOPERATION PERFORMED: Repair.\n\nANESTHESIA: Spinal.\n\nHISTORY: This is a 64-year-old man with pain.\n\nThere were no complications. He tolerated the procedure well.\n";

  test.each([
    ["preoperative_diagnosis", "Hernia"],
    ["procedure", "Repair"],
    ["anesthesia", "Spinal"],
    ["patient_age", 64],
    ["patient_sex", "male"],
    ["no_complications", true],
    ["tolerated_well", true],
    ["consent_obtained", false],
  ])("%s", (id, expected) => {
    expect(answers("clinical-note", id, NOTE)[0]).toBe(expected);
  });
});

describe("contracts in other languages", () => {
  test.each([
    ["effective_date", "Der Vertrag tritt am 5. Mai 2024 in Kraft.", "2024-05-05"],
    ["effective_date", "Le contrat prend effet le 5 mai 2024 pour un an.", "2024-05-05"],
    ["effective_date", "El contrato entrará en vigor el 5 de mayo de 2024.", "2024-05-05"],
    ["effective_date", "Il contratto decorre dal 5 maggio 2024.", "2024-05-05"],
    ["term", "Er wird für eine Dauer von zwei Jahren geschlossen.", "P2Y"],
    ["term", "Le bail est conclu pour une durée de trois ans.", "P3Y"],
    ["term", "tendrá una duración de un año", "P1Y"],
    ["termination_notice_period", "Er kann mit einer Frist von 30 Tagen gekündigt werden.", "P30D"],
    ["termination_notice_period", "résilié moyennant un préavis de 3 mois", "P3M"],
    [
      "termination_notice_period",
      "The lease may be ended by either party with 60 days' written notice.",
      "P60D",
    ],
    ["rent", "Die monatliche Miete beträgt 900,00 €.", 900],
    ["rent", "Tenant agrees to pay $950.00 per month, in advance.", 950],
    ["security_deposit", "El arrendatario entrega una fianza de 1.800,00 €.", 1800],
    ["fee", "The Company will pay the Consultant $4,000.00 per month for the services.", 4000],
    ["fee", "Der Auftraggeber zahlt eine monatliche Vergütung in Höhe von 4.000,00 €.", 4000],
    ["salary", "Das monatliche Bruttogehalt beträgt 3.100,00 €.", 3100],
    ["probation_period", "The first 3 months of employment are a probationary period.", "P3M"],
    [
      "premises",
      "Le bailleur loue le logement situé 12 rue des Lilas, 69002 Lyon.",
      "12 rue des Lilas, 69002 Lyon",
    ],
    [
      "premises",
      'the dwelling located at 9 Mill Lane, Leeds LS2 7EW (the "Premises").',
      "9 Mill Lane, Leeds LS2 7EW",
    ],
  ])("%s: %s", (id, text, value) => {
    expect(answers("contract", id, text)[0]).toBe(value);
  });
});
