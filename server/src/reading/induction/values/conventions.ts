/**
 * How a sample's documents write values, by their vote: each document one vote a question, so that a
 * long one does not outvote the others. What nobody says falls to what goes with the language and
 * the currency.
 */

import type { DocumentText } from "../../parsing/document-text.ts";
import { languageOf } from "../../parsing/language.ts";
import { CURRENCY_AFTER, CURRENCY_BEFORE, currencyOf } from "./currencies.ts";
import { withAsciiDigits } from "./digits.ts";
import type { Conventions } from "./value.ts";

/** What is read of a document. */
const READ = 60_000;

const NUMERIC_DATE = /(?<![\d.,/-])(\d{1,2})([-/.])(\d{1,2})\2(?:\d{4}|\d{2})(?![\d/-]|\.\d)/g;
const DECIMAL_COMMA = /(?<![\d.,])\d{1,3}(?:[. \u00a0\u202f]\d{3}){0,4},\d{2}(?![\d.,]|,\d)/g;
const DECIMAL_POINT = /(?<![\d.,])\d{1,3}(?:[, \u00a0\u202f]\d{2,3}){0,4}\.\d{2}(?![\d]|[.,/-]\d)/g;
const CURRENCY = new RegExp(
  `(?<![\\p{L}\\d])(${CURRENCY_BEFORE})[ \\u00a0:]{0,2}[-(]?\\d|\\d[ \\u00a0]?(${CURRENCY_AFTER})(?![\\p{L}\\d])|[([](${CURRENCY_BEFORE})[)\\]]|(?<=^|[ \\n])(RM|EUR|USD|GBP|PLN|INR|CHF)(?=[ \\n]|$)`,
  "gu",
);

/** Where the day comes first although the language is English: all but America and the Philippines. */
const MONTH_FIRST_CURRENCIES = new Set(["USD", "PHP"]);

export function learnConventions(documents: readonly DocumentText[]): Conventions {
  let [dayVotes, monthVotes, commaVotes, pointVotes] = [0, 0, 0, 0];
  const currencies = new Map<string, number>();
  const languages = new Map<string, number>();
  for (const { text } of documents) {
    const head = withAsciiDigits(text.slice(0, READ));
    const [days, months] = orderVotes(head);
    if (days > months) dayVotes += 1;
    else if (months > days) monthVotes += 1;
    const commas = count(head, DECIMAL_COMMA);
    const points = count(head, DECIMAL_POINT);
    if (commas > points) commaVotes += 1;
    else if (points > commas) pointVotes += 1;
    const currency = mostFrequent(currencyVotes(head))[0];
    if (currency !== undefined) add(currencies, currency, 1);
    const language = languageOf(head);
    if (language !== null) add(languages, language, 1);
  }
  const currency = mostFrequent(currencies)[0] ?? null;
  const spoken = mostFrequent(languages);
  const isAmerican = (spoken[0] ?? "en") === "en" && MONTH_FIRST_CURRENCIES.has(currency ?? "");
  return {
    dayFirst: dayVotes === monthVotes ? !isAmerican : dayVotes > monthVotes,
    // English alone is written in both orders.
    isOrderShown: dayVotes !== monthVotes || (spoken[0] ?? "en") !== "en",
    ...(isMixed(dayVotes, monthVotes) ? { isOrderMixed: true } : {}),
    decimalComma:
      commaVotes === pointVotes
        ? commaVotes > 0 && (spoken[0] ?? "en") !== "en"
        : commaVotes > pointVotes,
    currency,
    languages: spoken.length > 0 ? spoken : ["en"],
  };
}

/** Of the documents that show an order, those that show the other one and are no misreading. */
const LEAST_MIXED = 0.1;

function isMixed(dayVotes: number, monthVotes: number): boolean {
  const fewer = Math.min(dayVotes, monthVotes);
  return fewer > 0 && fewer >= LEAST_MIXED * (dayVotes + monthVotes);
}

/**
 * The order that goes with how else a document is written, where others of its sample write one and
 * others the other: points between day and month, languages but English, and currencies. Null where
 * none of it tells.
 */
function orderOfOrigin(head: string): boolean | null {
  const marks = new Set([...head.matchAll(NUMERIC_DATE)].map(([, , mark]) => mark));
  const isPointed = marks.size === 1 && marks.has(".");
  if (isPointed || (languageOf(head) ?? "en") !== "en") return true;
  const currency = mostFrequent(currencyVotes(head))[0];
  return currency === undefined ? null : !MONTH_FIRST_CURRENCIES.has(currency);
}

/** A decimal of one figure or two before a sign of percent, which no list of numbers has. */
const PERCENT_COMMA = /(?<![\d.,])\d{1,3},\d{1,2} ?%/g;
const PERCENT_POINT = /(?<![\d.,])\d{1,3}\.\d{1,2} ?%/g;

/** The same before a unit: `54,3 m³`. */
const UNIT = "(?:[kmcd]?m[²³23]?|k?g|t|lb|[mcd]?l|k?[WVA]h?|°[CF]|bar|[ckM]?Hz)(?![\\p{L}\\d])";
const MEASURE_COMMA = new RegExp(`(?<![\\d.,])\\d{1,3},\\d{1,2} ?${UNIT}`, "gu");
const MEASURE_POINT = new RegExp(`(?<![\\d.,])\\d{1,3}\\.\\d{1,2} ?${UNIT}`, "gu");

/**
 * Whether a document of a sample in several languages writes 1.234 for a thousand, where nothing in it shows:
 * by its language, or by points within its dates. Null where neither tells.
 */
function decimalOfOrigin(head: string): boolean | null {
  const marks = new Set([...head.matchAll(NUMERIC_DATE)].map(([, , mark]) => mark));
  if (marks.size === 1 && marks.has(".")) return true;
  const language = languageOf(head);
  return language === null ? null : language !== "en";
}

const settled = new WeakMap<Conventions, Map<string, Conventions>>();

/**
 * The conventions of one document: what it shows beyond doubt goes before the sample's vote, which
 * settles what it leaves open. In a sample of several languages each is thus read as its own. Equal
 * ones are one object, so that what is kept by it is made once.
 */
export function conventionsOf(content: DocumentText, voted: Conventions): Conventions {
  const known = shownBy.get(content) ?? new WeakMap<Conventions, Conventions>();
  shownBy.set(content, known);
  let own = known.get(voted);
  if (own === undefined) {
    own = readConventions(content, voted);
    known.set(voted, own);
  }
  return own;
}

const shownBy = new WeakMap<DocumentText, WeakMap<Conventions, Conventions>>();

function readConventions({ text }: DocumentText, voted: Conventions): Conventions {
  const head = withAsciiDigits(text.slice(0, READ));
  const [days, months] = orderVotes(head);
  const commas = countAll(head, [DECIMAL_COMMA, PERCENT_COMMA, MEASURE_COMMA]);
  const points = countAll(head, [DECIMAL_POINT, PERCENT_POINT, MEASURE_POINT]);
  const isMixed = voted.isOrderMixed === true;
  const order = shown(days, months) ?? (isMixed ? orderOfOrigin(head) : null);
  const dayFirst = order ?? voted.dayFirst;
  const isOrderShown = order === null ? !isMixed && voted.isOrderShown : true;
  const isSilent = commas === 0 && points === 0 && voted.languages.length > 1;
  const decimalComma =
    shown(commas, points) ?? (isSilent ? decimalOfOrigin(head) : null) ?? voted.decimalComma;
  if (
    dayFirst === voted.dayFirst &&
    decimalComma === voted.decimalComma &&
    isOrderShown === voted.isOrderShown
  ) {
    return voted;
  }
  const variants = settled.get(voted) ?? new Map<string, Conventions>();
  settled.set(voted, variants);
  const key = `${dayFirst} ${decimalComma} ${isOrderShown}`;
  const own = variants.get(key) ?? { ...voted, dayFirst, decimalComma, isOrderShown };
  variants.set(key, own);
  return own;
}

/** What is seen one way and never the other; null where nothing is, or both. */
function shown(one: number, other: number): boolean | null {
  return one > 0 === other > 0 ? null : one > 0;
}

/** How many dates can only be read with the day, and with the month, first. */
function orderVotes(text: string): readonly [number, number] {
  let [days, months] = [0, 0];
  for (const [, first, , second] of text.matchAll(NUMERIC_DATE)) {
    const [a, b] = [Number(first), Number(second)];
    if (a > 12 && a <= 31 && b >= 1 && b <= 12) days += 1;
    if (b > 12 && b <= 31 && a >= 1 && a <= 12) months += 1;
  }
  return [days, months];
}

function currencyVotes(text: string): Map<string, number> {
  const votes = new Map<string, number>();
  for (const match of text.matchAll(CURRENCY)) {
    const written = match[1] ?? match[2] ?? match[3] ?? match[4]!;
    const currency = currencyOf(written, null);
    if (currency !== null) add(votes, currency, 1);
  }
  return votes;
}

function count(text: string, pattern: RegExp): number {
  return [...text.matchAll(pattern)].length;
}

function countAll(text: string, patterns: readonly RegExp[]): number {
  return patterns.reduce((sum, pattern) => sum + count(text, pattern), 0);
}

function add(counts: Map<string, number>, key: string, weight: number): void {
  counts.set(key, (counts.get(key) ?? 0) + weight);
}

/** Keys by falling count, then by name. */
function mostFrequent(counts: ReadonlyMap<string, number>): string[] {
  return [...counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1)).map(([key]) => key);
}
