/**
 * Numbers of telephones, by their shape or by the word before them. Normalised to their digits, with
 * `+` where it is written; `(0)` after a country's code is dropped.
 */

import { type Kind, typedValue, withoutOverlaps } from "./kind.ts";
import { readByFinding, weighedByRest } from "./pointed-at.ts";
import type { Conventions, TypedValue } from "./value.ts";

const LABEL =
  "(?:tele?phone|telefoon|telefon|teléfono|telefono|tel|phone|ph|fax|faks|mobile|mobiel|mobil|cell|hotline|h/?p|hp|whatsapp|[tf](?=[ .:#]))";
const AFTER_LABEL = new RegExp(
  `(?<!\\p{L})${LABEL}(?: ?/ ?${LABEL})?\\.? {0,2}(?:no|nr|number)?\\.? {0,3}[:#.]? {0,3}((?:\\+|\\()?\\d(?:[ .()/-]{0,3}\\d){6,16})(?!\\d)`,
  "giu",
);
const INTERNATIONAL = /(?<![\w+])\+\d{1,3}(?:[ .()/-]{0,3}\d){6,13}(?!\d)/g;
const AREA_IN_PARENTHESES = /(?<![\w)])\(\d{2,5}\) {0,2}\d{2,4}(?:[ .-]\d{2,5}){1,3}(?![\d-])/g;
const NORTH_AMERICAN = /(?<![\w-])(?:(?:1|001)[-. ])?[2-9]\d{2}([-.])\d{3}\1\d{4}(?![\d-])/g;
/** 03-7731 8169, 07-355 2616, 012-345 6789, 020 7604101 */
const TRUNK_ZERO =
  /(?<![\w./:-])0[1-9]\d{0,2}[- ](?:\d{3,4}[ -]\d{3,4}|\d{7,8})(?![\w/:-]|[.,]\d)/g;

function find(text: string): TypedValue[] {
  if (!/\d/.test(text)) return [];
  const found: TypedValue[] = [];
  const add = (start: number, written: string, certainty: number): void => {
    const number = normalPhone(written);
    if (number !== null) {
      found.push(typedValue("phone", start, start + written.length, number, certainty));
    }
  };
  for (const match of text.matchAll(AFTER_LABEL)) {
    add(match.index + match[0].length - match[1]!.length, match[1]!, 0.95);
  }
  for (const match of text.matchAll(INTERNATIONAL)) add(match.index, match[0], 0.95);
  for (const match of text.matchAll(AREA_IN_PARENTHESES)) add(match.index, match[0], 0.9);
  for (const match of text.matchAll(NORTH_AMERICAN)) add(match.index, match[0], 0.85);
  for (const match of text.matchAll(TRUNK_ZERO)) add(match.index, match[0], 0.7);
  return withoutOverlaps(found);
}

function normalPhone(written: string): string | null {
  // +49 (0)6051 and 4142 4540/20: a trunk's zero, and another extension.
  const plain = written.replace(/^(\+\d{1,3}) ?\(0\)/, "$1").replace(/\/\d{1,3}$/, "");
  const digits = plain.replace(/\D/g, "");
  if (digits.length < 7 || digits.length > 15) return null;
  return written.startsWith("+") ? `+${digits}` : digits;
}

const POINTED_AT = /(?:\+|\()?\d(?:[ .()/-]{0,3}\d){5,16}(?!\d)/;

export const PHONE: Kind = {
  find,
  read(text: string, conventions: Conventions) {
    const found = readByFinding(find, text, conventions);
    if (found !== null || text.length > 200) return found;
    const match = POINTED_AT.exec(text);
    const number = match === null ? null : normalPhone(match[0]);
    if (match === null || number === null) return null;
    const end = match.index + match[0].length;
    return weighedByRest(text, typedValue("phone", match.index, end, number, 0.5));
  },
};
