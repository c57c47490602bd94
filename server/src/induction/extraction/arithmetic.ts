/**
 * Which amount is which by arithmetic: a total is the subtotal and the tax, what was paid less the
 * change, and no less than any part of it.
 */

import type { DocumentText } from "../../parsing/document-text.ts";
import { LabelIndex } from "../locators/label-index.ts";
import { labelKey } from "../locators/label-key.ts";
import { valuesOf, wordsOf } from "../locators/layout.ts";
import type { Answerer } from "../schema.ts";
import type { Conventions } from "../values/value.ts";
import type { Evidence } from "./candidates.ts";

const TOTAL =
  /^(grand |net |nett |gross |final |invoice |bill )?(total|amount due|balance due)( |$)/;

const PAID = new LabelIndex([
  "cash",
  "paid",
  "tendered",
  "amount tendered",
  "payment",
  "bar",
  "gegeben",
  "especes",
  "contant",
]);
const CHANGE = new LabelIndex([
  "change",
  "change due",
  "ruckgeld",
  "wechselgeld",
  "rendu",
  "wisselgeld",
  "cambio",
  "baki",
  "reszta",
]);
const PART = new LabelIndex([
  "subtotal",
  "net amount",
  "tax",
  "gst",
  "vat",
  "mwst",
  "tva",
  "btw",
  "zwischensumme",
  "sous total",
  "subtotaal",
]);

/** What agreement and disagreement do to a value's odds. */
const CONFIRMED = 4;
const TOO_SMALL = 0.4;

/** Sums are rounded to cents, some countries round to five. */
const TOLERANCE = 0.006;

/** Evidence on amounts for a question about a total; null for others. */
export function moneyEvidence(
  content: DocumentText,
  { id, locators }: Answerer,
  conventions: Conventions,
): Evidence | null {
  const labels = locators.flatMap(({ locator }) =>
    locator.kind === "label" ? locator.labels : [],
  );
  const isTotal = TOTAL.test(id.replaceAll("_", " ")) || TOTAL.test(labelKey(labels[0] ?? ""));
  if (!isTotal) return null;
  const paid = amountsBy(content, PAID, conventions);
  const change = amountsBy(content, CHANGE, conventions);
  const parts = amountsBy(content, PART, conventions);
  const confirmed = new Set<number>();
  for (const p of paid) for (const c of change) confirmed.add(cents(p - c));
  for (const a of parts) for (const b of parts) if (a !== b) confirmed.add(cents(a + b));
  const largestPart = Math.max(0, ...parts);
  return ({ normal }) => {
    if (typeof normal !== "number") return 1;
    if (normal > 0 && confirmed.has(cents(normal))) return CONFIRMED;
    return normal + TOLERANCE < largestPart ? TOO_SMALL : 1;
  };
}

function cents(amount: number): number {
  return Math.round(amount * 100);
}

const MOST_AMOUNTS = 30;

function amountsBy(content: DocumentText, labels: LabelIndex, conventions: Conventions): number[] {
  const amounts = new Set<number>();
  for (const line of content.lines) {
    const words = wordsOf(line);
    if (labels.at(words, 0) === null) continue;
    for (const { normal } of valuesOf(line, "money", conventions)) {
      if (typeof normal === "number" && amounts.size < MOST_AMOUNTS) amounts.add(normal);
    }
  }
  return [...amounts];
}
