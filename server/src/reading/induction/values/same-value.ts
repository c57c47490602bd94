/** Whether two values say the same, however they are written. */

import { legalFormLength, nameWords } from "./legal-forms.ts";
import type { Normal, ValueKind } from "./value.ts";

/** Of numbers: relative, for what binary fractions do to decimals. */
const TOLERANCE = 1e-9;

/**
 * Dates agree where one says only the month of the other; durations by their length; names without
 * legal form, case and punctuation; texts without case, accents and punctuation.
 */
export function sameValue(kind: ValueKind, a: Normal, b: Normal): boolean {
  if (typeof a === "number" && typeof b === "number") {
    return Math.abs(a - b) <= TOLERANCE * Math.max(1, Math.abs(a), Math.abs(b));
  }
  if (typeof a !== "string" || typeof b !== "string") return a === b;
  if (a === b) return true;
  if (kind === "date") {
    return a.length !== b.length && (a.startsWith(b) || b.startsWith(a)) && a !== "" && b !== "";
  }
  if (kind === "duration") {
    const length = isoDuration(a);
    return length !== null && length === isoDuration(b);
  }
  return comparingKey(kind, a) === comparingKey(kind, b);
}

/** What values of a kind are counted and compared by: equal keys, same value. */
export function comparingKey(kind: ValueKind, value: Normal): string {
  if (typeof value !== "string") return String(value);
  if (kind === "organization") return nameKey(value);
  if (kind === "person") return personKey(value);
  if (kind === "identifier" || kind === "phone")
    return value.replace(/[^\p{L}\p{N}]/gu, "").toUpperCase();
  return plain(value);
}

function plain(text: string): string {
  return text
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
}

const DAYS: Readonly<Record<string, number>> = { Y: 365.25, M: 365.25 / 12, W: 7, D: 1 };
const OF_DAY: Readonly<Record<string, number>> = { H: 1 / 24, M: 1 / 1440, S: 1 / 86_400 };

/**
 * The length of an ISO 8601 duration, for comparing 1 year with 12 months: days, rounded to the second;
 * a year is 365.25 of them. Null where it is no duration.
 */
function isoDuration(written: string): number | null {
  const match = /^P((?:\d+(?:\.\d+)?[YMWD]){0,4})(?:T((?:\d+(?:\.\d+)?[HMS]){1,3}))?$/.exec(
    written,
  );
  if (match === null || written.length < 3) return null;
  let days = 0;
  for (const [, amount, unit] of (match[1] ?? "").matchAll(/([\d.]+)([YMWD])/g)) {
    days += Number(amount) * DAYS[unit!]!;
  }
  for (const [, amount, unit] of (match[2] ?? "").matchAll(/([\d.]+)([HMS])/g)) {
    days += Number(amount) * OF_DAY[unit!]!;
  }
  return Math.round(days * 86_400) / 86_400;
}

const TITLES = new Set([
  "mr",
  "mrs",
  "ms",
  "miss",
  "dr",
  "prof",
  "herr",
  "frau",
  "mme",
  "the",
  "messrs",
]);
const JOINERS = new Set(["and", "und", "et", "y", "e", "en", "i"]);

/** Of persons also with the surname first: Curie, Marie is Marie Curie. */
function personKey(name: string): string {
  const [, surname, given] = /^([^,]{2,40}), ?([^,]{1,40})$/.exec(name) ?? [];
  if (surname === undefined || /^(?:jr|sr|ii|iii|iv|esq|m\.?d|ph\.?d)\.?$/i.test(given!)) {
    return nameKey(name);
  }
  return nameKey(`${given} ${surname}`);
}

/** Without accents, case, punctuation, titles and the legal form, unless nothing else is left. */
function nameKey(name: string): string {
  // An abbreviation in parentheses after a name says it once more.
  const said = name.replace(/(?<=\S \S.{3,100}) \([^()]{1,20}\)\s*$/u, "");
  const words = nameWords(said.normalize("NFKD").replace(/\p{M}/gu, "").replaceAll("ł", "l"));
  const untitled = words.filter((word, index) => index > 0 || !TITLES.has(word));
  let count = untitled.length;
  for (;;) {
    const form = legalFormLength(untitled.slice(0, count));
    if (form === 0 || form >= count) break;
    count -= form;
  }
  return untitled
    .slice(0, count)
    .filter((word) => !JOINERS.has(word))
    .join("");
}
