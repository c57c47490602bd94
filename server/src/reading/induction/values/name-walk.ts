/** From a legal form back over the words of the name that it ends. */

import { isLabelWord } from "./business-words.ts";
import { isGivenName } from "./person-words.ts";

export interface Stretch {
  readonly start: number;
  readonly end: number;
}

const FARTHEST = 120;
const MOST_WORDS = 10;
const JOINERS = new Set([
  "and",
  "&",
  "+",
  "of",
  "de",
  "la",
  "le",
  "des",
  "van",
  "von",
  "für",
  "for",
  "und",
  "et",
  "y",
  "e",
  "en",
  "di",
  "do",
  "da",
  "dos",
  "du",
  "del",
  "della",
  "delle",
  "dei",
  "degli",
  "das",
  "i",
  "-",
  "–",
  "the",
]);
const STOPS = new Set(
  "between among by with to from this that agreement dated whereas to: of: messrs party parties plaintiff defendant company such said each any our your its their new mr mrs ms dr is are was be as or on at in if when where while all no we per our including but not or etc under upon against within without through about after before during until for: name company: note item part".split(
    " ",
  ),
);
/** Opening a line or a sentence, a capital says nothing. */
const OPENERS = new Set("the a an and of for de la le und et y e".split(" "));

/** The name with its form, or null where no capitalised word stands before it. */
export function nameBefore(
  text: string,
  form: Stretch,
  notBefore: number,
  isSure: boolean,
): Stretch | null {
  const from = Math.max(notBefore, form.start - FARTHEST);
  const words = [...text.slice(from, form.start).matchAll(/\S+/g)];
  let start = form.start;
  let kept = 0;
  let pendingStart: number | null = null;
  let next = form.start;
  for (let index = words.length - 1; index >= 0 && kept < MOST_WORDS; index--) {
    const { 0: word, index: at } = words[index]!;
    const wordStart = from + at;
    const gap = text.slice(wordStart + word.length, next);
    if (!isWordGap(gap, text, wordStart)) break;
    const isNext = kept === 0 && pendingStart === null;
    // `Distributor, Company` are two; `North, Inc.` is one.
    if (isNext && !isSure && word.endsWith(",")) break;
    const step = stepOver(word, isNext, text.slice(next, form.start));
    next = wordStart;
    if (step === "stop") break;
    if (step === "join") {
      if (pendingStart !== null || (isNext && word !== "&")) break;
      if (isPersonBefore(words, index) || isLabelBefore(words, index)) break;
      pendingStart = wordStart;
      continue;
    }
    const opening = /^[("“”'‘[]+/.exec(word)?.[0].length ?? 0;
    const isBalanced = word.startsWith("(") && word.includes(")");
    start = isBalanced ? wordStart : wordStart + opening;
    pendingStart = null;
    kept += 1;
    if (opening > 0 && !word.includes(")")) break;
  }
  return kept > 0 ? { start: withoutOpeners(text, start, form.start), end: form.end } : null;
}

/** One space, or the line's end where running text goes on. */
function isWordGap(gap: string, text: string, before: number): boolean {
  if (gap === "" || gap === " ") return true;
  if (!/^ ?\n ?$/.test(gap)) return false;
  const lineStart = text.lastIndexOf("\n", before) + 1;
  // A table's numbers do not go on in the next line's name.
  return before - lineStart > 50 && /[\p{L}&]/u.test(text.slice(before, before + 2));
}

function stepOver(word: string, isNext: boolean, kept: string): "take" | "join" | "stop" {
  const bare = word.replace(/^[("“”'‘[]+|[)"”“'’\].,;]+$/g, "");
  if (JOINERS.has(word.toLowerCase())) return word.toLowerCase() === "the" ? "stop" : "join";
  // ON Metals Corporation: in capitals among words that are not, it is no preposition.
  const isName = bare.length > 1 && bare === bare.toUpperCase() && /\p{Ll}{3}/u.test(kept);
  if (bare === "" || (STOPS.has(bare.toLowerCase()) && !isName)) return "stop";
  // (“Distributor”) and what it defines end before the name.
  if (/[:;]$|["”]\)?[,;.]?$|^\(["“]/u.test(word)) return "stop";
  if (/,$/.test(word) && !isNext) return "stop";
  if (/\.$/.test(word) && !isNext && !isAbbreviation(bare)) return "stop";
  if (/^\d+[.)]?$/.test(word) && /[.)]$/.test(word)) return "stop";
  return /^[\p{Lu}\p{N}(.]/u.test(bare) || /^\p{Ll}{1,5}-?\p{Lu}/u.test(bare) ? "take" : "stop";
}

function isAbbreviation(bare: string): boolean {
  return bare.length <= 3 || bare.includes(".");
}

/** "Marie Curie and North Metals Corp.": what `and` joins is a person and a company. */
function isPersonBefore(words: readonly RegExpExecArray[], index: number): boolean {
  if (!/^(?:and|und|et|y|e|i)$/i.test(words[index]![0])) return false;
  return [1, 2, 3].some((back) => {
    const word = words[index - back]?.[0];
    return word !== undefined && isGivenName(word.replace(/[.,]/g, ""));
  });
}

/** "Quarterly Report of North Metals Inc.": what `of` joins is a paper and a company. */
function isLabelBefore(words: readonly RegExpExecArray[], index: number): boolean {
  if (!/^(?:of|for)$/i.test(words[index]![0])) return false;
  const word = words[index - 1]?.[0] ?? "";
  return isLabelWord(word.replace(/[^\p{L}]/gu, "")) || /^\d/.test(word);
}

function withoutOpeners(text: string, start: number, end: number): number {
  let from = start;
  for (;;) {
    const [word, first] = /^(\S+)\s+/.exec(text.slice(from, end)) ?? [];
    if (word === undefined || !OPENERS.has(first!.toLowerCase())) return from;
    from += word.length;
  }
}
