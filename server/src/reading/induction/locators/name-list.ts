/**
 * The names in an enumeration of persons and organizations, as the beginning of a contract has it:
 * `Acme, Inc., a Delaware corporation (the "Company"), and Jane Roe ("Employee")`. Names are
 * told from what is said of them by their capitals and by how the list is built, not by a dictionary.
 */

import type { ValueKind } from "../values/value.ts";

/** Kinds whose values are enumerated so. */
export const NAME_KINDS: ReadonlySet<ValueKind> = new Set(["organization", "person"]);
/** How sure a name is by its place in an enumeration. */
export const LISTED = 0.95;

export interface ListedName {
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
}

interface Token extends ListedName {
  readonly text: string;
}

const TOKEN = /[\p{L}\p{N}][\p{L}\p{M}\p{N}.'’¢\-/]*|[&(),;:“”"„«»]/gu;
const LONGEST_LIST = 4_000;
const MOST_NAMES = 12;
const MOST_NAME_TOKENS = 14;
/** Tokens that may be said of one name before the next. */
const MOST_BETWEEN = 140;

const SUFFIXES = new Set(
  (
    "inc incorporated llc l.l.c llp l.l.p lp l.p ltd limited corp corporation co company plc jr sr ii iii iv esq n.a " +
    "na s.a sa s.p.a spa s.a.s sas s.r.l srl gmbh ag nv n.v bv b.v a/s oy oyj ab asa pty pte bhd kg k.k kk pllc pc p.c " +
    "trust md m.d phd ph.d"
  ).split(" "),
);
/** Small words within names. */
const PARTICLES = new Set("of de la le van der den von del du di da y e the for".split(" "));
/** What makes `and` part of a name: `Smith and Sons`. */
const AFTER_AND = new Set(
  "company co sons partners associates brothers bros daughters family investments trust trading logistics".split(
    " ",
  ),
);
/** What a contract calls its parties; no names. */
const ROLES = new Set(
  (
    "company distributor supplier customer client employee executive employer party parties buyer seller licensor " +
    "licensee vendor contractor consultant agreement you your we us our recipient discloser each both purchaser " +
    "reseller agent principal manufacturer lender borrower landlord tenant lessor lessee provider state whereas now " +
    "section article exhibit i he she it this that these those such any all either neither a an in on at for effective " +
    "chairman chairwoman chair vice president governor secretary director treasurer who mr mrs ms " +
    "me my him her them letter following date dated counterparty undersigned affiliates affiliate representatives subsidiaries"
  ).split(" "),
);
const OPENERS = new Set([
  "and",
  "or",
  "the",
  "each",
  "of",
  "among",
  "between",
  "by",
  "both",
  ",",
  ":",
  "with",
]);
const QUOTES = new Set(["“", "”", '"', "„", "«", "»"]);

/** In the text's order; empty where no list of names begins at its beginning. */
export function namesIn(text: string): ListedName[] {
  const tokens = [...text.slice(0, LONGEST_LIST).matchAll(TOKEN)].map(({ 0: written, index }) => {
    const trimmed = written.replace(/[.'’\-/]+$/u, (tail) => (tail === "." ? "." : ""));
    return { text: trimmed, start: index, end: index + trimmed.length };
  });
  const names: ListedName[] = [];
  let at = 0;
  while (at < tokens.length && names.length < MOST_NAMES) {
    at = skipOpeners(tokens, at);
    const end = nameEnd(tokens, at);
    if (end === at) break;
    if (!isRole(tokens.slice(at, end))) names.push(nameOf(tokens, at, end));
    const next = nextName(tokens, end);
    if (next === null) break;
    at = next;
  }
  return names;
}

function skipOpeners(tokens: readonly Token[], from: number): number {
  let at = from;
  for (; at < tokens.length; at++) {
    const { text } = tokens[at]!;
    // (i), (1), i)
    const isItem = text === "(" && tokens[at + 2]?.text === ")" && tokens[at + 1]!.text.length <= 3;
    if (isItem) at += 2;
    else if (tokens[at + 1]?.text === ")" && /^([ivx]+|\d|[a-z])$/i.test(text)) at += 1;
    else if (!OPENERS.has(text.toLowerCase())) break;
  }
  return at;
}

/** The token after the name's last; `at` where no name begins there. */
function nameEnd(tokens: readonly Token[], at: number): number {
  let end = at;
  while (end < tokens.length && end - at < MOST_NAME_TOKENS) {
    const token = tokens[end]!;
    const next = tokens[end + 1];
    // An address begins: "Acme Corporation 780 Main Street".
    if (end > at && /^\p{N}/u.test(token.text) && isSuffix(tokens[end - 1]!)) break;
    const isAnd = plain(token) === "and";
    if (isCapitalised(token) && !isAnd && !(end === at && /^\d+$/.test(token.text))) end += 1;
    else if (end === at) return at;
    else if (token.text === "&" && next !== undefined) end += 1;
    else if (PARTICLES.has(token.text) && next !== undefined && isNamePart(next)) end += 1;
    else if (isAnd && next !== undefined && AFTER_AND.has(plain(next))) end += 1;
    else if (token.text === "," && next !== undefined && isSuffix(next)) end += 2;
    else if (isQuotedPart(tokens, end)) end += 3;
    else break;
    const last = tokens[end - 1]!;
    // "Acme Corp. The …", "Acme CORP. a Delaware corporation"
    if (
      last.text.endsWith(".") &&
      isSuffix(last) &&
      !(tokens[end] !== undefined && isSuffix(tokens[end]!))
    )
      break;
  }
  while (end > at && (tokens[end - 1]!.text === "&" || PARTICLES.has(tokens[end - 1]!.text)))
    end -= 1;
  return end;
}

/** `Closed Joint Stock Company “Star”`: a quoted word that is not the name of a role. */
function isQuotedPart(tokens: readonly Token[], at: number): boolean {
  const [open, word, close] = tokens.slice(at, at + 3);
  if (open === undefined || word === undefined || close === undefined) return false;
  return (
    QUOTES.has(open.text) &&
    QUOTES.has(close.text) &&
    isCapitalised(word) &&
    !ROLES.has(plain(word))
  );
}

/** Where the next name of the list begins, or null where the list ends. */
function nextName(tokens: readonly Token[], from: number): number | null {
  let isDefined = false;
  for (let at = from; at < Math.min(tokens.length, from + MOST_BETWEEN); at++) {
    const { text } = tokens[at]!;
    if (text === "(") {
      const close = closing(tokens, at);
      if (close === null) return null;
      isDefined = true;
      at = close;
      // A list with one name below another: "Jane Roe ("Buyer") Acme, Inc. ("Seller")".
      const below = nameEnd(tokens, at + 1);
      if (below > at + 2 && !isRole(tokens.slice(at + 1, below))) return at + 1;
      continue;
    }
    if (text === ";") return at + 1;
    const isComma = text === ",";
    if (!isComma && text.toLowerCase() !== "and" && text !== "&") continue;
    const start = skipOpeners(tokens, at);
    const end = nameEnd(tokens, start);
    if (end === start || isRole(tokens.slice(start, end))) continue;
    const isAtOnce = at === from;
    const isLong = end - start >= 2;
    if (isComma && !(isLong && (isAtOnce || isJustAfter(tokens, at, ")")))) continue;
    const follows = tokens[end]?.text ?? "";
    const standsAlone = follows === "" || /^[(,;:.]$/.test(follows) || isSuffix(tokens[end - 1]!);
    if (isAtOnce || (standsAlone && (isDefined || hasComma(tokens, from, at)))) return start;
  }
  return null;
}

function isJustAfter(tokens: readonly Token[], at: number, text: string): boolean {
  return tokens[at - 1]?.text === text;
}

function hasComma(tokens: readonly Token[], from: number, to: number): boolean {
  return tokens.slice(from, to).some(({ text }) => text === ",");
}

function closing(tokens: readonly Token[], open: number): number | null {
  let depth = 0;
  for (let at = open; at < Math.min(tokens.length, open + MOST_BETWEEN); at++) {
    if (tokens[at]!.text === "(") depth += 1;
    if (tokens[at]!.text === ")") depth -= 1;
    if (depth === 0) return at;
  }
  return null;
}

function isCapitalised({ text }: Token): boolean {
  return /^(\p{Lu}|\p{N}|\p{Ll}{1,2}\p{Lu})/u.test(text);
}

function isNamePart({ text }: Token): boolean {
  return /^\p{Lu}/u.test(text);
}

function isSuffix(token: Token): boolean {
  return SUFFIXES.has(plain(token));
}

function plain({ text }: Token): string {
  return text.toLowerCase().replace(/\.$/, "");
}

function isRole(tokens: readonly Token[]): boolean {
  if (/^(agreement|contract|act|section|law|laws|amendment)$/.test(plain(tokens.at(-1)!)))
    return true;
  return tokens.every(
    (token) =>
      ROLES.has(plain(token)) ||
      PARTICLES.has(plain(token)) ||
      plain(token) === "and" ||
      /^\p{N}+$/u.test(token.text) ||
      token.text === ",",
  );
}

function nameOf(tokens: readonly Token[], at: number, end: number): ListedName {
  const last = tokens[end - 1]!;
  const isInitialism = isSuffix(last) || /^\p{Lu}\.$/u.test(last.text);
  return {
    start: tokens[at]!.start,
    end: last.text.endsWith(".") && !isInitialism ? last.end - 1 : last.end,
  };
}
