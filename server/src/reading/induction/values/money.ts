/**
 * Amounts of money: sign or code before or after, minus or accountant's parentheses, `$1.5 million`.
 * A bare number with two decimals is one too, less surely.
 */

import { CURRENCY_AFTER, CURRENCY_BEFORE, currencyOf, isWhole } from "./currencies.ts";
import { type Kind, typedValue, withoutOverlaps } from "./kind.ts";
import {
  GROUPED_NUMERAL,
  NOT_BEFORE_DIGIT,
  NUMERAL,
  parseNumeral,
  SPACED_NUMERAL,
} from "./numeral.ts";
import { weighedByRest } from "./pointed-at.ts";
import { SCALE_LETTER, SCALE_WORD, scaleOf } from "./scales.ts";
import type { Conventions, TypedValue } from "./value.ts";

const SCALED = `((?<=\\d)${SCALE_LETTER}|[ -]?${SCALE_WORD})(?![\\p{L}\\d])`;
/** A tax code may stand at the cents: 12.30SR. */
const ENDS = `(?:${NOT_BEFORE_DIGIT}|(?<=[.,]\\d{2})(?=\\p{Lu}{1,3}(?![\\p{L}\\d])))`;
const BETWEEN = "[ \\u00a0\\u202f:*]{0,3}";
const MINUS = "[-−–]";

/** A minus behind the amount, or accountants' CR and DR: a credit is negative, as in a trial balance. */
const SIGN_AFTER = ` ?(?:${MINUS}(?! ?[\\d\\p{Sc}]|\\p{L})|(?:CR|DR)(?![\\p{L}\\d]))`;

const pattern = (numeral: string): { before: RegExp; after: RegExp } => ({
  before: new RegExp(
    `(?<![\\p{L}\\d$])(\\(?)((?:${MINUS} ?)?)(${CURRENCY_BEFORE})${BETWEEN}(\\(?)((?:${MINUS} ?)?)(${numeral})(?:${SCALED}|${ENDS})(${SIGN_AFTER}|\\))?`,
    "gu",
  ),
  after: new RegExp(
    `(?<![\\p{L}\\d]|\\d[.,:/-])(\\(?)((?:${MINUS} ?)?)(${numeral})(?:,-|,--)?(?:${SCALED})?(?:[ \\u00a0\\u202f]?|-)(${CURRENCY_AFTER})(?![\\p{L}\\d]|[ \\u00a0]{1,3}\\(?[\\d-])(${SIGN_AFTER}|\\))?`,
    "gu",
  ),
});

const CLOSE = { before: pattern(NUMERAL).before, after: pattern(GROUPED_NUMERAL).after };
const SPACED = pattern(SPACED_NUMERAL);
const BARE = new RegExp(
  `(?<![\\p{L}\\d]|\\d[.,:/-]|[#/])(\\(?)(${MINUS}?)((?:\\d{1,3}(?:[,.'’ \\u00a0\\u202f]\\d{2,3}){1,5}|\\d{1,12})[.,]\\d{2})${ENDS}(${SIGN_AFTER}|\\))?(?! ?%)`,
  "gu",
);

export function findMoney(text: string, conventions: Conventions): TypedValue[] {
  const found: TypedValue[] = [];
  const { before, after } = conventions.decimalComma ? SPACED : CLOSE;
  for (const match of text.matchAll(before)) {
    const [whole, open, minus, currency, innerOpen, innerMinus, numeral, scale, end] = match;
    const isAside = /\p{L} $/u.test(text.slice(Math.max(0, match.index - 2), match.index));
    // In parentheses an amount is negative, but not where a sentence repeats it in figures.
    const isParenthesised = ((open !== "" && !isAside) || innerOpen !== "") && end === ")";
    const isNegative =
      isSign(text, match.index, minus!) || isSign(text, match.index, innerMinus!) || isMinus(end);
    const extent = withoutLooseParentheses(match.index, whole, open!, end);
    push(numeral!, scale, currency!, isNegative || isParenthesised, extent);
  }
  for (const match of text.matchAll(after)) {
    const [whole, open, minus, numeral, scale, currency, end] = match;
    const isNegative =
      isSign(text, match.index, minus!) || (open !== "" && end === ")") || isMinus(end);
    const extent = withoutLooseParentheses(match.index, whole, open!, end);
    push(numeral!, scale, currency!, isNegative, extent);
  }
  return withoutOverlaps(found);

  function push(
    numeral: string,
    scale: string | undefined,
    currency: string,
    isNegative: boolean,
    [start, end]: readonly [number, number],
  ): void {
    const unit = currencyOf(currency, conventions.currency);
    const amount = isWhole(unit)
      ? parseNumeral(numeral, numeral.includes("."))
      : parseNumeral(numeral, conventions.decimalComma);
    if (amount === null) return;
    const scaled = withoutNoise(amount * scaleOf(scale));
    found.push(typedValue("money", start, end, isNegative ? -scaled : scaled, 0.95, unit));
  }
}

/** Numbers with two decimals and no currency, in the documents' currency. */
export function findBareMoney(text: string, conventions: Conventions): TypedValue[] {
  const found: TypedValue[] = [];
  for (const match of text.matchAll(BARE)) {
    const [whole, open, minus, numeral, end] = match;
    if (!conventions.decimalComma && numeral!.includes(" ")) continue;
    const amount = parseNumeral(numeral!, conventions.decimalComma);
    if (amount === null) continue;
    const isNegative = minus !== "" || (open !== "" && end === ")") || isMinus(end);
    const [from, to] = withoutLooseParentheses(match.index, whole, open!, end);
    const normal = isNegative && amount !== 0 ? -amount : amount;
    const certainty = isSectionNumber(text, from, to) ? 0.2 : 0.5;
    found.push(typedValue("money", from, to, normal, certainty, conventions.currency));
  }
  return withoutOverlaps(found);
}

/** 10.38 Notices; Section 2.01: more often a clause than an amount. */
function isSectionNumber(text: string, start: number, end: number): boolean {
  if (
    /(?:section|sections|article|clause|exhibit|paragraph|item|rule|form|no\.|nos\.|§)[ \n]$/i.test(
      text.slice(Math.max(0, start - 12), start),
    )
  ) {
    return true;
  }
  const opensLine = start === 0 || text[start - 1] === "\n";
  return (
    opensLine && end - start <= 5 && /^\.?(?: | {2})\p{Lu}\p{L}+/u.test(text.slice(end, end + 30))
  );
}

/** Behind an amount a dash that is set off from both, or from none, is that of a range: $40 - $55, 10 € - 20 €. */
function isSign(text: string, start: number, minus: string): boolean {
  if (minus.trim() === "") return false;
  const before = text.slice(Math.max(0, start - 3), start);
  return !(minus.endsWith(" ") ? /\d ?\p{Sc}? ?$/u : /\d\p{Sc}?$/u).test(before);
}

function isMinus(end: string | undefined): boolean {
  return end !== undefined && end !== ")" && end.trim() !== "DR";
}

/** A parenthesis belongs to an amount only with its other half. */
function withoutLooseParentheses(
  start: number,
  whole: string,
  open: string,
  end: string | undefined,
): readonly [number, number] {
  const from = open !== "" && end !== ")" ? start + open.length : start;
  const isLoose = end === ")" && !whole.slice(0, -1).includes("(");
  return [from, start + whole.length - (isLoose ? 1 : 0)];
}

/** 1.1 million is 1100000, whatever binary fractions make of it. */
function withoutNoise(amount: number): number {
  return Number(amount.toPrecision(15));
}

/** 9 .00 and 9. 00 as optical recognition leaves them. */
const SPLIT_DECIMALS = /(\d) ?([.,]) ?(\d{2})(?!\d)/g;
const WHOLE = new RegExp(`(?<![\\d.,/-])(${MINUS}?)(${NUMERAL})(?![\\d/%-])`, "u");

export const MONEY: Kind = {
  find: (text, conventions) =>
    withoutOverlaps([...findMoney(text, conventions), ...findBareMoney(text, conventions)]),
  read(text, conventions) {
    if (text.length > 400) return null;
    const values = this.find(text, conventions);
    const last = values.filter(({ certainty }) => certainty > 0.9).at(-1) ?? values.at(-1);
    if (last !== undefined) return weighedByRest(text, last);
    return readSplit(text, conventions) ?? readWhole(text, conventions);
  },
};

function readSplit(text: string, conventions: Conventions): TypedValue | null {
  const match = [...text.matchAll(SPLIT_DECIMALS)].find(([whole]) => whole.includes(" "));
  if (match === undefined) return null;
  let start = match.index;
  while (start > 0 && /[\d.,]/.test(text[start - 1]!)) start -= 1;
  const end = match.index + match[0].length;
  const amount = parseNumeral(text.slice(start, end).replaceAll(" ", ""), conventions.decimalComma);
  if (amount === null) return null;
  const value = typedValue("money", start, end, amount, 0.45, conventions.currency);
  return weighedByRest(text, value);
}

function readWhole(text: string, conventions: Conventions): TypedValue | null {
  const match = WHOLE.exec(text);
  if (match === null) return null;
  const amount = parseNumeral(match[2]!, conventions.decimalComma);
  if (amount === null) return null;
  const normal = match[1] !== "" && amount !== 0 ? -amount : amount;
  const end = match.index + match[0].length;
  const value = typedValue("money", match.index, end, normal, 0.35, conventions.currency);
  return weighedByRest(text, value);
}
