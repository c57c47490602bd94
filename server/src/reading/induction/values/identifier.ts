/**
 * Codes that name a thing: numbers of invoices, orders, customers and registers, IBANs, VAT numbers.
 * Letters and digits in one word, or digits alone from six on. Written in capitals with single
 * spaces; an IBAN or a VAT number without spaces.
 */

import { isGstinShape, isIban, isVatShape, passesLuhn } from "./check-digits.ts";
import { DATE } from "./date.ts";
import { type Kind, typedValue, withoutOverlaps } from "./kind.ts";
import { PHONE } from "./phone.ts";
import { weighedByRest } from "./pointed-at.ts";
import { UNIT_OF_MEASURE, unitSymbol } from "./units.ts";
import type { Conventions, TypedValue } from "./value.ts";

const IBAN =
  /(?<![A-Za-z0-9])[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?(?![A-Za-z0-9])/g;
/** `DE21 2911 1401 3504 1234 56` */
const GROUPED_IBAN = /^[A-Z]{2}\d{2}(?: (?=[A-Z0-9]*\d)[A-Z0-9]{4}){3,7}(?: [A-Z0-9]{1,3})?$/;
const VAT =
  /(?<![A-Za-z0-9])(?:AT|BE|BG|CHE|CY|CZ|DE|DK|EE|EL|ES|FI|FR|GB|HR|HU|IE|IT|LT|LU|LV|MT|NL|NO|PL|PT|RO|SE|SI|SK)[ -]?[A-Z0-9]{2,4}(?:[ .-]?[A-Z0-9]{2,4}){1,4}(?![A-Za-z0-9])/g;
const BIC = /(?<![A-Za-z0-9])[A-Z]{6}[A-Z2-9][A-NP-Z0-9](?:[A-Z0-9]{3})?(?![A-Za-z0-9])/g;
const BIC_LABEL = /(?:bic|swift)[^\n]{0,20}$/i;
/** Numbers of French companies and establishments, in groups. */
const SIREN = /(?<![\d.,])\d{3} \d{3} \d{3}(?: \d{5})?(?! ?\d|[.,]\d)/g;
const CODE =
  /(?<![\p{L}\p{N}.,/_#@-])#?[\p{L}\p{N}](?:[\p{L}\p{N}]|[-/._](?=[\p{L}\p{N}])){2,39}(?![\p{L}\p{N}@%])/gu;

/** Of two letters and more: 189645 km. One letter behind a code is its own: 789417 W. */
const UNIT_NEXT = new RegExp(
  `^[ \\u00a0](?=[\\p{L}²³°µ][\\p{L}²³/])${UNIT_OF_MEASURE}(?![\\p{L}\\p{N}]|/\\p{L})`,
  "u",
);

/** Those that their check digits, their shape or their name prove. */
export function findChecked(text: string): TypedValue[] {
  const found: TypedValue[] = [];
  for (const match of text.matchAll(IBAN)) {
    const code = compact(match[0]);
    if (isIban(code)) found.push(identifier(match.index, match[0].length, code, 0.99));
    // By its groups alone: a figure of it was misread, or it is no real one.
    else if (GROUPED_IBAN.test(match[0])) {
      found.push(identifier(match.index, match[0].length, code, 0.85));
    }
  }
  for (const match of text.matchAll(VAT)) {
    const code = compact(match[0]);
    if (isVatShape(code)) found.push(identifier(match.index, match[0].length, code, 0.9));
  }
  for (const match of text.matchAll(BIC)) {
    const isLabelled = BIC_LABEL.test(text.slice(Math.max(0, match.index - 30), match.index));
    if (!isLabelled && !isBicOfIbanCountry(match[0])) continue;
    found.push(identifier(match.index, match[0].length, match[0], isLabelled ? 0.95 : 0.6));
  }
  for (const match of text.matchAll(SIREN)) {
    const code = compact(match[0]);
    if (passesLuhn(code)) found.push(identifier(match.index, match[0].length, code, 0.7));
  }
  return withoutOverlaps(found);
}

function find(text: string): TypedValue[] {
  const found = findChecked(text);
  for (const match of text.matchAll(CODE)) {
    const certainty = certaintyOfCode(match[0]);
    const isMeasure =
      /^\d+$/.test(match[0]) &&
      UNIT_NEXT.test(text.slice(match.index + match[0].length, match.index + match[0].length + 40));
    // `kgCO2/m2` has digits and a stroke as codes have.
    if (certainty > 0 && !isMeasure && unitSymbol(match[0]) === null) {
      const code = match[0].toUpperCase();
      found.push(identifier(match.index, match[0].length, code, certainty));
    }
  }
  return withoutOverlaps(found);
}

function identifier(start: number, length: number, code: string, certainty: number): TypedValue {
  return typedValue("identifier", start, start + length, code, certainty);
}

/** Without a label only with a digit: all letters are a word. */
function isBicOfIbanCountry(code: string): boolean {
  return (
    /\d/.test(code) && /^.{4}(?:AT|BE|CH|DE|DK|ES|FI|FR|GB|IE|IT|LU|NL|NO|PL|PT|SE)/.test(code)
  );
}

function compact(code: string): string {
  return code.replace(/[ .-]/g, "").toUpperCase();
}

/** 0 where it is no code: a word, an amount, a size such as 25mm, a time. */
function certaintyOfCode(code: string): number {
  const digits = code.replace(/\D/g, "").length;
  const letters = code.replace(/[^\p{L}]/gu, "").length;
  if (digits < 2) return 0;
  if (letters === 0) {
    if (/^#\d{2,}$/.test(code)) return 0.8;
    if (/^\d+$/.test(code)) return digits < 6 ? 0 : digits < 8 ? 0.45 : 0.5;
    if (/[.]/.test(code)) return 0;
    return /^\d{1,2}[-/]\d{1,2}([-/]\d{2,4})?$/.test(code) || digits < 6 ? 0 : 0.6;
  }
  if (isGstinShape(code)) return 0.95;
  if (/^\d{1,6}\.\d{2}\p{L}{1,3}$/u.test(code)) return 0;
  if (/\.(?:html?|pdf|txt|jpe?g|png|docx?|xlsx?|csv|xml)$/i.test(code)) return 0;
  // A time, a postcode with its country.
  if (/^\d{1,2}h\d{2}$|^(?:A|B|CH|D|DK|F|I|L|N|NL|PL|S)-\d{4,5}$/i.test(code)) return 0;
  if (/^\d{1,4}[\p{L}]{1,3}$/u.test(code) || /\d(st|nd|rd|th)$/iu.test(code)) return 0;
  // 25-basis-point, mid-2013, 3rd-party
  if (/(?<![A-Za-z])[a-z]{3}/.test(code) && /[-/]/.test(code)) return 0;
  if (/[a-z]{4}/.test(code)) return 0.3;
  if (digits + letters < 5 || /^\d{1,3}[-.]\p{L}$/u.test(code)) return 0;
  return digits >= 4 ? 0.8 : 0.55;
}

/** A code that stands in parts: CS 67832, 01-143008, 421 938 861, INV / 2018 / 0042. */
const IN_PARTS =
  /#?[\p{L}\p{N}]{1,20}(?:[ ]?[-/._#][ ]?[\p{L}\p{N}]{1,20}){0,5}(?: [\p{L}\p{N}]{0,6}\d[\p{L}\p{N}]{0,20}){0,4}/gu;

export const IDENTIFIER: Kind = {
  find,
  read(text: string, conventions: Conventions) {
    if (text.length > 300) return null;
    const afterLabel = text.lastIndexOf(":") + 1;
    const container = readContainer(text);
    if (container !== null) return container;
    const best =
      surest(text, 0, conventions, find(text)) ??
      surest(text, afterLabel, conventions, inParts(text.slice(afterLabel), afterLabel));
    return best === null ? null : weighedByRest(text, best);
  },
};

/** `TCLU 680793 6`: a container's owner, its number and a check digit (ISO 6346). */
const CONTAINER = /^\s*[A-Z]{3}[UJZ] ?\d{6}[ -]?\d\s*$/u;

export function readContainer(text: string): TypedValue | null {
  if (!CONTAINER.test(text)) return null;
  const code = text.trim();
  return identifier(text.indexOf(code), code.length, code, 0.6);
}

function inParts(text: string, offset: number): TypedValue[] {
  const found: TypedValue[] = [];
  for (const match of text.matchAll(IN_PARTS)) {
    if (!/\d/.test(match[0])) continue;
    const code = match[0].replace(/\s+/g, " ").toUpperCase();
    found.push(identifier(offset + match.index, match[0].length, code, 0.4));
  }
  return found;
}

/** The surest code that is not in truth a date or a phone. */
function surest(
  text: string,
  from: number,
  conventions: Conventions,
  codes: readonly TypedValue[],
): TypedValue | null {
  const others = [...DATE.find(text, conventions), ...PHONE.find(text, conventions)];
  let best: TypedValue | null = null;
  for (const code of codes) {
    if (code.start < from) continue;
    const isOther = others.some(({ start, end }) => start < code.end && code.start < end);
    if (isOther && code.certainty < 0.9) continue;
    if (best === null || code.certainty > best.certainty) best = code;
  }
  return best;
}
