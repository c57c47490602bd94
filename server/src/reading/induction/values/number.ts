/** Plain numbers: no currency, no unit, no part of a date or of a code. */

import { type Kind, typedValue } from "./kind.ts";
import { wholeNumberInWords } from "./number-words.ts";
import {
  GROUPS_OPENING_PIECE,
  NOT_AFTER_DIGIT,
  NOT_BEFORE_DIGIT,
  NUMERAL,
  parseNumeral,
  SPACED_NUMERAL,
} from "./numeral.ts";
import { weighedByRest } from "./pointed-at.ts";
import type { Conventions, TypedValue } from "./value.ts";

/** A sign of a currency may stand between a number and its minus or parenthesis: -$5.00. */
const pattern = (numeral: string): RegExp =>
  new RegExp(
    `${NOT_AFTER_DIGIT}(\\((?=\\p{Sc}?[\\d., ]{1,30}\\))\\p{Sc}?)?((?:(?<!\\w)[-−–+](?:\\p{Sc} ?)?)?)(${numeral})${NOT_BEFORE_DIGIT}(\\)|(?<=[.,]\\d{2})-(?![\\p{L}\\d-]))?`,
    "gu",
  );

/** Groups apart by plain spaces, and nothing else in the piece of its line: `6 864`. */
const GROUPS_ALONE = new RegExp(`${GROUPS_OPENING_PIECE}(?=$|\\n| {2})`, "gu");

const CLOSE = pattern(NUMERAL);
const SPACED = pattern(SPACED_NUMERAL);

function find(text: string, conventions: Conventions): TypedValue[] {
  const found = [...text.matchAll(GROUPS_ALONE)].map(({ 0: written, index }) =>
    typedValue("number", index, index + written.length, Number(written.replaceAll(" ", "")), 0.6),
  );
  const grouped = [...found];
  let next = 0;
  for (const match of text.matchAll(conventions.decimalComma ? SPACED : CLOSE)) {
    while (next < grouped.length && grouped[next]!.end <= match.index) next += 1;
    if (next < grouped.length && grouped[next]!.start <= match.index) continue;
    const [whole, open, sign, numeral, close] = match;
    const size = isCode(numeral!) ? null : parseNumeral(numeral!, conventions.decimalComma);
    if (size === null) continue;
    // Parentheses are an accountant's minus around 1,234.50, hardly around (5).
    const isNegative =
      /[-−–]/.test(sign!) ||
      close === "-" ||
      (open !== undefined && close === ")" && /\d[.,]\d/.test(numeral!));
    const start = match.index + (open !== undefined && !isNegative ? open.length : 0);
    const end =
      match.index + whole.length - (close === ")" && (open === undefined || !isNegative) ? 1 : 0);
    const normal = isNegative && size !== 0 ? -size : size;
    found.push(typedValue("number", start, end, normal, opensItem(text, start, end) ? 0.3 : 0.6));
  }
  return grouped.length === 0 ? found : found.sort((a, b) => a.start - b.start);
}

/** Of an article, an account or a card: nobody writes a number of so many digits undivided, but for round ones. */
const isCode = (numeral: string): boolean => /^\d{12,}$/.test(numeral) && !numeral.endsWith("000");

/** 1. and 2) at the head of a line count its items. */
function opensItem(text: string, start: number, end: number): boolean {
  return (start === 0 || text[start - 1] === "\n") && /^[.)][ \n]/.test(text.slice(end, end + 2));
}

export const NUMBER_KIND: Kind = {
  find,
  read(text, conventions) {
    if (text.length > 400) return null;
    const [first] = find(text, conventions);
    if (first !== undefined) return weighedByRest(text, first);
    const words = wholeNumberInWords(text);
    if (words !== null) {
      return weighedByRest(text, typedValue("number", words.start, words.end, words.number, 0.7));
    }
    const joined = /\d{1,18}(?:[.,]\d{1,6})?/.exec(text);
    if (joined === null || isCode(joined[0])) return null;
    const size = parseNumeral(joined[0], conventions.decimalComma);
    if (size === null) return null;
    const end = joined.index + joined[0].length;
    return weighedByRest(text, typedValue("number", joined.index, end, size, 0.3));
  },
};
