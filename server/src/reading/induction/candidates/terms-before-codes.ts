/** Codes that sentences name: `invoice F99898532`, `Rechnung RE588262 vom …`, `Customer account K-91762`. */

import { labelKey } from "../locators/label-key.ts";
import { conceptsOf, isOfTerms, meaningOf } from "../words/label-concepts.ts";

/** Capitals and figures, or a long number: no year, amount or day. */
const CODE =
  /(?<=\s)(?:\p{Lu}{1,4}[-/]?\d[\p{Lu}\p{N}/-]{2,24}|\d{6,20}|\d{2,8}[-/]\p{Lu}[\p{Lu}\p{N}-]{2,20})(?=[.,;:)]?(?:\s|$))/gu;
/** The words right before one, with a sign for a number between. */
const WORDS =
  /((?:\p{L}[\p{L}\p{M}'’-]*\s+){0,2}\p{L}[\p{L}\p{M}'’-]*)\s*(?:n[°ºo]?\.?[°º]?|nr\.?|no\.?|num\.?|#)?\s*$/iu;

const WORD = /\p{L}[\p{L}\p{M}'’-]*/gu;

const LONGEST = 400;
const LONGEST_BEFORE = 60;

/** What names nothing by itself, and days that codes look like. */
const UNSAID: ReadonlySet<string> = new Set([
  "no",
  "date",
  "year",
  "name",
  "total",
  "amount",
  "time",
]);

export interface NamedCode {
  /** With the sign for a number, where one stands there. */
  readonly label: string;
  /** Offsets of the text, of the code. */
  readonly from: number;
  readonly to: number;
}

/** In order; of each code the longest terms before it. A text that is too long for a line has none. */
export function termsBeforeCodes(text: string): NamedCode[] {
  if (text.length > LONGEST) return [];
  return Array.from(text.matchAll(CODE)).flatMap(({ 0: code, index }): NamedCode[] => {
    const before = text.slice(Math.max(0, index - LONGEST_BEFORE), index);
    const words = WORDS.exec(before);
    if (words === null) return [];
    for (const { 0: first, index: start } of words[1]!.matchAll(WORD)) {
      const label = words[0].slice(start).trim();
      if (!isOfTerms(labelKey(first)) || !isNaming(label)) continue;
      return [{ label, from: index, to: index + code.length }];
    }
    return [];
  });
}

function isNaming(label: string): boolean {
  const key = labelKey(label);
  return meaningOf(key) !== null && conceptsOf(key).some((concept) => !UNSAID.has(concept));
}
