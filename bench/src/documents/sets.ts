/**
 * The sets of documents, what a person would use each for, and which answers are known.
 *
 * A gold field counts as recalled where a kept question has one of its ids. The ids are those of the
 * skills and what labels of such documents come to; they are known here alone, not to the inducer.
 */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { GoldKind } from "./comparison.ts";
import { parseCsv } from "./csv.ts";

export interface GoldField {
  readonly name: string;
  readonly ids: readonly string[];
  /** How answers are compared; absent where no values are known. */
  readonly kind?: GoldKind;
}

export interface DocumentSet {
  readonly name: string;
  /** Below the folder of data. */
  readonly folder: string;
  readonly skill: string;
  readonly useCase: string;
  readonly gold: readonly GoldField[];
  /** By file name, then by gold field; absent where the document does not say. */
  values(folder: string): ReadonlyMap<string, Readonly<Record<string, string>>>;
}

const none = (): ReadonlyMap<string, Readonly<Record<string, string>>> => new Map();

function ofCsv(
  file: string,
  fields: Readonly<Record<string, string>>,
): (folder: string) => ReadonlyMap<string, Readonly<Record<string, string>>> {
  return (folder) => {
    const values = new Map<string, Readonly<Record<string, string>>>();
    for (const row of parseCsv(readFileSync(join(folder, file), "utf8"))) {
      const known = Object.entries(fields)
        .map(([name, column]) => [name, row[column] ?? ""] as const)
        .filter(([, value]) => value !== "");
      values.set(row["document"] ?? "", Object.fromEntries(known));
    }
    return values;
  };
}

const CUAD: readonly GoldField[] = [
  { name: "Document Name", ids: ["document_name", "title", "agreement_title"] },
  { name: "Parties", ids: ["parties", "party"] },
  { name: "Agreement Date", ids: ["agreement_date", "document_date"], kind: "month-first-date" },
  { name: "Effective Date", ids: ["effective_date"], kind: "month-first-date" },
  { name: "Expiration Date", ids: ["expiration_date", "termination_date"] },
  { name: "Renewal Term", ids: ["renewal_term"] },
  { name: "Governing Law", ids: ["governing_law"], kind: "place" },
  { name: "Non-Compete", ids: ["non_compete"], kind: "yes-no" },
  { name: "Anti-Assignment", ids: ["anti_assignment", "assignment"], kind: "yes-no" },
  { name: "License Grant", ids: ["license_grant"], kind: "yes-no" },
  { name: "Audit Rights", ids: ["audit_rights"], kind: "yes-no" },
  { name: "Cap On Liability", ids: ["cap_on_liability"], kind: "yes-no" },
  { name: "Warranty Duration", ids: ["warranty_duration"] },
];

export const DOCUMENT_SETS: readonly DocumentSet[] = [
  {
    name: "SROIE receipts",
    folder: "docs_sroie_receipts/docs",
    skill: "invoice",
    useCase: "Predict the total category of a purchase from the receipt of a shop.",
    gold: [
      { name: "company", ids: ["company", "seller", "merchant"], kind: "letters" },
      { name: "date", ids: ["date", "invoice_date"], kind: "date" },
      { name: "address", ids: ["address", "company_address"], kind: "letters" },
      { name: "total", ids: ["total", "total_amount"], kind: "amount" },
    ],
    values: ofCsv("gold.csv", {
      company: "company",
      date: "date",
      address: "address",
      total: "total",
    }),
  },
  {
    name: "Kleister NDA",
    folder: "docs_kleister_nda/docs",
    skill: "contract",
    useCase:
      "Compare non-disclosure agreements before signing: who, from when, how long, which law.",
    gold: [
      { name: "effective_date", ids: ["effective_date"], kind: "date" },
      { name: "jurisdiction", ids: ["governing_law", "jurisdiction"], kind: "place" },
      { name: "party", ids: ["parties", "party"], kind: "names" },
      { name: "term", ids: ["term", "confidentiality_term"], kind: "duration" },
    ],
    values: ofCsv("gold.csv", {
      effective_date: "effective_date",
      jurisdiction: "jurisdiction",
      party: "party",
      term: "term",
    }),
  },
  {
    name: "invoices",
    folder: "docs_invoices_multilingual/docs",
    skill: "invoice",
    useCase: "Book invoices of suppliers and check what is paid to whom.",
    gold: invoiceGold(),
    values: invoiceValues,
  },
  {
    name: "CUAD distributor",
    folder: "docs_cuad_distributor/docs",
    skill: "contract",
    useCase: "Assess the legal risk of distribution agreements.",
    gold: CUAD,
    values: ofCsv(
      "gold.csv",
      Object.fromEntries(
        CUAD.filter(({ kind }) => kind !== undefined).map(({ name }) => [name, `${name}-Answer`]),
      ),
    ),
  },
  {
    name: "FARA amendments",
    folder: "docs_fara_amendments/docs",
    skill: "form",
    useCase: "Find out which foreign principals a registrant works for, and who signed when.",
    gold: [
      { name: "file_date", ids: ["date", "file_date", "filing_date", "signature_date"] },
      {
        name: "foreign_principal_name",
        ids: ["foreign_principal", "foreign_principal_name", "name_of_foreign_principal"],
      },
      {
        name: "registrant_name",
        ids: ["registrant", "registrant_name", "name_of_registrant", "applicant"],
        kind: "letters",
      },
      {
        name: "registration_num",
        ids: ["registration_number", "registration_no", "reference_number", "form_number"],
      },
      { name: "signer_name", ids: ["signer_name", "signed_by", "signer", "signatory", "name"] },
      { name: "signer_title", ids: ["signer_title", "title", "position"] },
    ],
    values: ofCsv("gold.csv", { registrant_name: "registrant_name" }),
  },
  {
    name: "FOMC statements",
    folder: "docs_fomc_statements/docs",
    skill: "financial-report",
    useCase: "Forecast interest rates from the statements of a central bank.",
    gold: [
      { name: "rate", ids: ["interest_rate", "policy_rate", "target_rate", "federal_funds_rate"] },
      { name: "votes for", ids: ["votes_for", "voting_for", "voted_for"] },
    ],
    values: none,
  },
  {
    name: "urology notes",
    folder: "docs_urology_notes/docs",
    skill: "clinical-note",
    useCase: "Predict complications and blood loss of operations.",
    gold: [
      "preoperative_diagnosis",
      "postoperative_diagnosis",
      "procedure",
      "anesthesia",
      "complications",
      "blood_loss",
    ].map((name) => ({ name, ids: [name, `estimated_${name}`, `no_${name}`] })),
    values: none,
  },
  {
    name: "SEC 10-Q",
    folder: "docs_sec_10q/docs",
    skill: "financial-report",
    useCase: "Predict the price of a share from quarterly results.",
    gold: [
      { name: "revenue", ids: ["revenue", "total_net_sales", "net_sales"] },
      { name: "net income", ids: ["net_income"] },
      {
        name: "earnings per share",
        ids: ["earnings_per_share", "eps_diluted", "eps_basic", "diluted_eps", "eps"],
      },
      { name: "total assets", ids: ["total_assets"] },
      {
        name: "period end",
        ids: ["period_end", "period_end_date", "report_date", "fiscal_period_end"],
      },
    ],
    values: none,
  },
];

/**
 * Of the invoices' gold, what at least two of the ten documents have and one answer can say: not the
 * lines of items, and not the three fields of free text (`desc`, `narration`, `note`).
 */
function invoiceGold(): GoldField[] {
  const address = ["address", "company_address", "seller_address"];
  const registration = ["company_registration_number", "registration_number"];
  return [
    { name: "issuer", ids: ["company", "seller", "supplier"] },
    { name: "amount", ids: ["total", "total_amount"], kind: "amount" },
    { name: "date", ids: ["date", "invoice_date"], kind: "date" },
    { name: "invoice_number", ids: ["invoice_number"], kind: "letters" },
    { name: "currency", ids: ["currency"], kind: "letters" },
    { name: "amount_untaxed", ids: ["subtotal", "net_amount", "net_total"], kind: "amount" },
    { name: "vat", ids: ["tax_registration_number", "vat_number", "vat_id"] },
    { name: "partner_name", ids: ["company", "seller", "supplier"] },
    { name: "payment_method", ids: ["payment_method"], kind: "letters" },
    { name: "partner_coc", ids: registration },
    { name: "country_code", ids: ["country"] },
    { name: "partner_zip", ids: address },
    { name: "partner_city", ids: address },
    { name: "partner_street", ids: address },
    { name: "bic", ids: ["bic"] },
    { name: "iban", ids: ["iban"], kind: "letters" },
    { name: "partner_website", ids: ["website"] },
    { name: "siren", ids: registration },
    { name: "date_due", ids: ["due_date"], kind: "date" },
  ];
}

function invoiceValues(folder: string): ReadonlyMap<string, Readonly<Record<string, string>>> {
  const gold: Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>> = JSON.parse(
    readFileSync(join(folder, "gold.json"), "utf8"),
  );
  return new Map(
    Object.entries(gold).map(([file, [first = {}]]) => [
      file,
      Object.fromEntries(
        Object.entries(first)
          .filter(([, value]) => typeof value === "string" || typeof value === "number")
          .map(([name, value]) => [name, String(value)]),
      ),
    ]),
  );
}
