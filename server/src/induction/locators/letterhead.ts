/**
 * The organization that a document comes from, by its letterhead: of the first lines, the one that
 * reads like a name, a legal form before all; kinds of document, numbers and addresses are not.
 */

import type { DocumentText, PlacedLine } from "../../parsing/document-text.ts";
import type { Finding } from "../inducer.ts";
import { recognise } from "../values/recognise.ts";
import type { Conventions } from "../values/value.ts";
import { isAddressLine } from "./address-block.ts";
import { findingOf } from "./finding.ts";
import { wordsOf } from "./layout.ts";

/** Lines that a letterhead may take. */
const HEAD = 12;

/** What a document calls itself, and other words that are no name. */
const NO_NAMES = new Set(
  (
    "invoice receipt tax bill cash simplified rechnung facture factuur fattura factura fatura faktura " +
    "quittung gutschrift original copy duplicate reprint kopie page seite pagina strona customer order " +
    "welcome welcometo statement quotation delivery note the your to is table date number no thank you of and"
  ).split(" "),
);

/** A line that names no one: what kind of document it is, or a label. */
export function isTitleLine(line: PlacedLine): boolean {
  return /\p{L}{3}/u.test(line.text) && !/[:：]/u.test(line.text);
}

export function findLetterhead(content: DocumentText, conventions: Conventions): Finding[] {
  const findings: Finding[] = [];
  let order = 0;
  for (const line of content.lines.slice(0, HEAD)) {
    const span = line.spans[0]!;
    const text = span.text;
    const words = wordsOf(line);
    if (!/\p{L}{2}/u.test(text)) continue;
    if (words.every(({ key }) => NO_NAMES.has(key) || /^\d/.test(key))) continue;
    if (/[:：]/u.test(text)) continue;
    const organization = recognise(text, conventions, ["organization"])[0];
    if (organization === undefined && isAddressLine(text)) continue;
    const sureness =
      (organization === undefined ? 0.5 : 0.6 + 0.2 * organization.certainty) - 0.04 * order;
    order += 1;
    const value = {
      kind: "organization" as const,
      start: span.start - line.start,
      end: span.end - line.start,
      normal: text,
      unit: null,
      certainty: 1,
    };
    findings.push(findingOf(line, value, Math.max(0.1, sureness)));
  }
  return findings.sort((a, b) => b.confidence - a.confidence || a.start - b.start);
}
