/** Which part amounts play in what is paid, by what stands before them, in eight languages. */

import type { DocumentText } from "../../parsing/document-text.ts";
import { LabelIndex } from "../locators/label-index.ts";
import { labelKey } from "../locators/label-key.ts";
import { valuesOf, wordsOf } from "../locators/layout.ts";
import type { Answerer } from "../schema.ts";
import type { Conventions } from "../values/value.ts";

const MONEY_ROLES = [
  "total",
  "subtotal",
  "tax",
  "service",
  "discount",
  "rounding",
  "paid",
  "change",
] as const;
export type MoneyRole = (typeof MONEY_ROLES)[number];

const NAMES: Readonly<Record<MoneyRole, string>> = {
  total:
    "total|grand total|total amount|total due|amount due|total payable|net total|nett total|balance due|total incl|" +
    "total inclusive|total sales|gesamtbetrag|gesamt|summe|rechnungsbetrag|total ttc|montant ttc|net a payer|" +
    "somme a payer|totaal|te betalen|importe total|total a pagar|totale|razem|do zaplaty|naleznosc|jumlah",
  subtotal:
    "subtotal|sub total|net amount|amount excl|total excl|total excluding|total exclusive|taxable amount|zwischensumme|" +
    "netto|nettobetrag|sous total|total ht|montant ht|subtotaal|exclusief btw|excl btw|base imponible|imponibile|wartosc netto",
  tax: "tax|gst|vat|sst|total tax|total gst|total vat|service tax|mwst|ust|umsatzsteuer|mehrwertsteuer|tva|btw|iva|podatek|kwota vat",
  service:
    "service charge|svc charge|svc|service chg|tip|gratuity|shipping|delivery|freight|versand|livraison|verzendkosten",
  discount:
    "discount|disc|coupon discount|rebate|rabatt|remise|korting|descuento|sconto|desconto|rabat",
  rounding:
    "rounding|rounding adj|rounding adjustment|round adj|round off|rundung|arrondi|afronding|redondeo",
  paid: "cash|paid|tendered|tender|payment|amount paid|paid amount|cash tendered|bar|gegeben|especes|contant|betaald|efectivo|contanti|gotowka",
  change:
    "change|change due|change amt|ruckgeld|wechselgeld|zuruck|rendu|wisselgeld|terug|cambio|resto|troco|reszta|baki",
};

const INDEXES: ReadonlyMap<MoneyRole, LabelIndex> = new Map(
  MONEY_ROLES.map((role) => [role, new LabelIndex(NAMES[role].split("|"))]),
);

/** Amounts of one role that are looked at. */
const MOST_AMOUNTS = 8;

export type AmountsByRole = Readonly<Record<MoneyRole, readonly number[]>>;

/** The document's amounts by role, each once. */
export function amountsByRole(content: DocumentText, conventions: Conventions): AmountsByRole {
  const amounts: Record<MoneyRole, number[]> = {
    total: [],
    subtotal: [],
    tax: [],
    service: [],
    discount: [],
    rounding: [],
    paid: [],
    change: [],
  };
  for (const line of content.lines) {
    const role = roleOf(line);
    if (role === null) continue;
    const known = amounts[role];
    for (const { normal } of valuesOf(line, "money", conventions)) {
      if (typeof normal !== "number" || known.length === MOST_AMOUNTS) continue;
      const amount = role === "rounding" ? normal : Math.abs(normal);
      if (!known.includes(amount)) known.push(amount);
    }
  }
  return amounts;
}

/** The role whose longest name stands first in the line. */
function roleOf(line: DocumentText["lines"][number]): MoneyRole | null {
  const words = wordsOf(line);
  let best: MoneyRole | null = null;
  let longest = 0;
  // A quantity may stand before the label.
  for (const from of [0, 1]) {
    for (const [role, index] of INDEXES) {
      const match = index.at(words, from);
      if (match !== null && match.to - match.from > longest) {
        best = role;
        longest = match.to - match.from;
      }
    }
    if (best !== null || !/^\p{N}/u.test(words[0]?.key ?? "")) break;
  }
  if (best !== null) return best;
  // `ITEM COUNT 12   CHANGE AMT   22.65`: of two pairs in a line, the second one's.
  for (const span of line.spans.slice(1)) {
    const from = words.findIndex(({ start }) => start >= span.start - line.start);
    if (from < 0) continue;
    for (const [role, index] of INDEXES) if (index.at(words, from) !== null) return role;
  }
  return null;
}

/** The role that a question asks for, by its id or by the labels that it is found by; null for none. */
export function roleAsked({ id, locators }: Answerer): MoneyRole | null {
  const asked = [id.replaceAll("_", " ")];
  for (const { locator } of locators) {
    if (locator.kind === "label") asked.push(...locator.labels.slice(0, 1));
  }
  for (const name of asked) {
    const words = labelKey(name)
      .split(" ")
      .map((key) => ({ key, start: 0, end: 0 }));
    for (const [role, index] of INDEXES) {
      const match = index.at(words, 0);
      if (match !== null && match.to === words.length) return role;
      if (match !== null && words.slice(match.to).every(({ key }) => NEUTRAL.has(key))) return role;
    }
  }
  return null;
}

const NEUTRAL = new Set([
  "amount",
  "paid",
  "charge",
  "payable",
  "due",
  "value",
  "given",
  "adjustment",
]);
