/** Percents: 5 %, 5.25 per cent, 1/4 to 1/2 percent. The normal form of 5 % is 5. */

import { inAnyCase } from "./any-case.ts";
import { type Kind, typedValue, withoutOverlaps } from "./kind.ts";
import { NUMERAL, parseNumeral } from "./numeral.ts";
import { readByFinding } from "./pointed-at.ts";
import type { Conventions, TypedValue } from "./value.ts";

const WORDS = "per ?cent|percent|pct|prozent|procent|pour cent|por ciento|per cento|por cento|proc";
const SIGN = `(?:%|(?:${inAnyCase(WORDS)})(?!\\p{L}))`;
const FRACTION = "(?:\\d{1,3}[- –‑])?\\d{1,2}/\\d{1,3}|\\d{0,3}[¼½¾⅛⅜⅝⅞]";
const AMOUNT = `(?:${FRACTION}|${NUMERAL})`;
const PERCENT = new RegExp(
  `(?<![\\p{L}\\d]|\\d[.,:/-])(\\((?=[\\d.,]{1,12}\\) ?%))?([-−–+]?)(${AMOUNT})(?:( ?(?:-|–|to|bis|and|or) ?)([-−–]?)(${AMOUNT}))?(?: percentage points?| ?\\)? {0,2}${SIGN})`,
  "gu",
);

const VULGAR: Readonly<Record<string, number>> = {
  "¼": 0.25,
  "½": 0.5,
  "¾": 0.75,
  "⅛": 0.125,
  "⅜": 0.375,
  "⅝": 0.625,
  "⅞": 0.875,
};

/** A decimal, or a whole number and a fraction. */
function amountOf(written: string, conventions: Conventions): number | null {
  const vulgar = VULGAR[written.at(-1)!];
  if (vulgar !== undefined) return Number(written.slice(0, -1)) + vulgar;
  const fraction = /^(?:(\d+)[- –‑])?(\d+)\/(\d+)$/u.exec(written);
  if (fraction === null) return parseNumeral(written, conventions.decimalComma);
  const [, whole = "0", top, bottom] = fraction;
  return Number(bottom) === 0 ? null : Number(whole) + Number(top) / Number(bottom);
}

function find(text: string, conventions: Conventions): TypedValue[] {
  const found: TypedValue[] = [];
  for (const match of text.matchAll(PERCENT)) {
    const [whole, open, sign, first, between, otherSign, second] = match;
    const signed = (mark: string | undefined, amount: number) =>
      mark !== undefined && /[-−–]/.test(mark) && amount !== 0 ? -amount : amount;
    const end = match.index + whole.length;
    const amount = amountOf(first!, conventions);
    if (amount === null) continue;
    if (second === undefined) {
      // An accountant's minus: (10)%.
      const normal = open === undefined ? signed(sign, amount) : signed("-", amount);
      found.push(typedValue("percent", match.index, end, normal, 0.95, "%"));
      continue;
    }
    const other = amountOf(second, conventions);
    if (other === null) continue;
    const firstEnd = match.index + sign!.length + first!.length;
    const secondStart = firstEnd + between!.length;
    found.push(
      typedValue("percent", match.index, firstEnd, signed(sign, amount), 0.8, "%"),
      typedValue("percent", secondStart, end, signed(otherSign, other), 0.95, "%"),
    );
  }
  return withoutOverlaps(found);
}

export const PERCENT_KIND: Kind = {
  find,
  read(text, conventions) {
    const found = readByFinding(find, text, conventions);
    if (found !== null) return found;
    // A cell of a column of percents holds the number alone.
    const bare = new RegExp(`^\\s*([-−–]?)(${AMOUNT})\\s*$`, "u").exec(text);
    if (bare === null) return null;
    const amount = amountOf(bare[2]!, conventions);
    const start = text.indexOf(bare[1]! + bare[2]!);
    if (amount === null) return null;
    const end = start + bare[1]!.length + bare[2]!.length;
    return typedValue("percent", start, end, bare[1] === "" ? amount : -amount, 0.4, "%");
  },
};
