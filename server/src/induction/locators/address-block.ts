/** Addresses as blocks of lines: a street or a unit, then a postcode with its town, in that order. */

import type { DocumentText, PlacedLine } from "../../parsing/document-text.ts";
import type { Finding } from "../inducer.ts";
import type { Conventions } from "../values/value.ts";
import { fold } from "./label-key.ts";

const STREET =
  /\b(?:street|st|road|rd|avenue|ave|lane|drive|blvd|boulevard|suite|floor|building|square|jalan|jln|lorong|taman|tmn|lot|kampung|kg|bandar|seksyen|plaza|mall|rue|chemin|place|allee|impasse|cedex|strasse|str|weg|platz|allee|gasse|straat|laan|plein|via|viale|piazza|corso|calle|avenida|plaza|paseo|carrer|rua|travessa|praca|ulica|ul|aleja|al|p o box|po box|postfach|selangor|johor|kuala lumpur|penang|perak)\b/u;

const POSTCODE =
  /\b(?:\d{5}(?:-\d{4})?|\d{4} ?[A-Z]{2}|\d{2}-\d{3}|[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}|\d{4}-\d{3})\b/u;

const MOST_LINES = 6;

/** Whether a line reads like a part of an address. */
export function isAddressLine(text: string): boolean {
  return (
    STREET.test(fold(text).replace(/[.,]/g, " ")) || (POSTCODE.test(text) && /\p{L}{3}/u.test(text))
  );
}

export function findAddressBlocks(
  content: DocumentText,
  lines: readonly PlacedLine[],
  _conventions: Conventions,
): Finding[] {
  const findings: Finding[] = [];
  for (let index = 0; index < lines.length; index += 1) {
    const first = lines[index]!;
    if (/[:：]/u.test(first.text) || !isAddressLine(first.text)) continue;
    let end = index + 1;
    while (end < lines.length && end - index < MOST_LINES && goesOn(lines[end - 1]!, lines[end]!))
      end += 1;
    const last = lines[end - 1]!;
    findings.push({
      normal: lines
        .slice(index, end)
        .map(({ text }) => text.replace(/\s+/g, " "))
        .join(" "),
      unit: null,
      text: content.text.slice(first.start, last.end),
      start: first.start,
      end: last.end,
      page: first.page,
      confidence: 0.6 * 0.8 ** findings.length,
    });
    index = end;
  }
  return findings;
}

function goesOn(before: PlacedLine, line: PlacedLine): boolean {
  if (line.page !== before.page || /[:：]/u.test(line.text)) return false;
  return isAddressLine(line.text) || (before.text.endsWith(",") && /\p{L}{3}/u.test(line.text));
}
