/**
 * How likely it is that two labels that documents have instead of each other name one field: by what
 * their words mean, by their letters (`Diagnose` and `Diagnosis`), and by their values, wherever the
 * forms ask for them.
 */

import type { Mention } from "../candidates/mention.ts";
import { comparingKey } from "../values/same-value.ts";
import type { ValueKind } from "../values/value.ts";
import { contentWords } from "../words/content-words.ts";
import { conceptLikeness, conceptsOf } from "../words/label-concepts.ts";
import { wordSimilarity } from "../words/word-vectors.ts";
import { mostFrequent } from "./label-group.ts";

/** What is compared of the mentions of one field. */
export interface Profile {
  readonly keys: readonly string[];
  readonly kind: ValueKind;
  /** Values as compared, with how many documents state each. */
  readonly values: ReadonlyMap<string, number>;
  readonly mentions: readonly Mention[];
  /** Of the figures' sizes, the middle one's logarithm; null without figures. */
  readonly size: number | null;
  /** The share of the documents' other values of the kind that are smaller, or earlier. */
  readonly rank: number | null;
}

/** What a kind says of a field by itself, no other field of the form having values of it. */
const TELLING: Readonly<Partial<Record<ValueKind, number>>> = {
  date: 0.45,
  person: 0.35,
  organization: 0.4,
  address: 0.45,
  duration: 0.4,
  percent: 0.4,
  money: 0.35,
  quantity: 0.35,
  number: 0.25,
  phone: 0.6,
  email: 0.6,
  url: 0.6,
  boolean: 0.3,
  identifier: 0.2,
  place: 0.25,
};
const LEAST_TELLING = 0.1;
const RANKED: ReadonlySet<ValueKind> = new Set(["date", "money", "number", "quantity"]);
/** One field is the form's first date here and its last there: two fields. */
const MOST_RANKS_APART = 0.6;
/** Values of one rank. */
const RANKED_ALIKE = 0.3;
/** Powers of e between the sizes of one field's figures. */
const MOST_SIZES_APART = 3.4;
/** Cosines of words that have nothing to do with each other. */
const UNRELATED = 0.15;
/** Of letters in threes, the part that two languages' words of one root share. */
const LEAST_COGNATE = 0.4;
/** Values that come again are of a list that one field takes its answers from. */
const OF_LIST = 0.5;
/** Values with digits in one shape, or codes. */
const SHAPED = 0.35;
/** Of the same place among the labels of both forms. */
const ORDERED = 0.3;
/** Values of words in one shape: names of two words, sentences. */
const WORDED = 0.3;

/**
 * How much more likely one field is than not, roughly -0.5 to 2.3.
 *
 * @param place what their order says (`placeLikeness`)
 */
export function substituteLikeness(a: Profile, b: Profile, place = 0): number {
  const values = valueLikeness(a, b, place);
  return values === null ? -Infinity : values + labelLikeness(a.keys, b.keys);
}

/** Of all pairs of labels the nearest: a field with several labels has them of several forms. */
export function labelLikeness(a: readonly string[], b: readonly string[]): number {
  return Math.max(...a.flatMap((one) => b.map((other) => keyLikeness(one, other))));
}

function keyLikeness(a: string, b: string): number {
  const letters = lettersInCommon(a, b);
  const roots = letters >= LEAST_COGNATE ? letters : 0;
  return Math.max(conceptLikeness(a, b), roots, meaning(a, b));
}

/** Of words that are known: below 0 where none of one's has to do with any of the other's. */
function meaning(a: string, b: string): number {
  const [one, other] = [contentWords(a), contentWords(b)];
  const [few, many] = one.length <= other.length ? [one, other] : [other, one];
  const near = few.flatMap((word) => {
    const known = many.flatMap((each) => wordSimilarity(word, each) ?? []);
    return known.length === 0 ? [] : [Math.max(...known)];
  });
  if (near.length === 0) return 0;
  return near.reduce((sum, each) => sum + each - UNRELATED, 0) / near.length;
}

/** Dice's coefficient of the letters in threes. */
function lettersInCommon(a: string, b: string): number {
  const [one, two] = [threes(a), threes(b)];
  if (one.size === 0 || two.size === 0) return 0;
  const shared = [...one].filter((each) => two.has(each)).length;
  return (2 * shared) / (one.size + two.size);
}

function threes(key: string): Set<string> {
  const letters = key.replace(/[^\p{L}]/gu, "");
  return new Set(
    Array.from({ length: Math.max(0, letters.length - 2) }, (_, at) => letters.slice(at, at + 3)),
  );
}

/** Null where they cannot be one field's. */
function valueLikeness(a: Profile, b: Profile, place: number): number | null {
  if (a.rank !== null && b.rank !== null && Math.abs(a.rank - b.rank) > MOST_RANKS_APART)
    return null;
  if (a.size !== null && b.size !== null && Math.abs(a.size - b.size) > MOST_SIZES_APART)
    return null;
  const units = unitLikeness(a, b);
  if (units === null) return null;
  const kind = a.kind === b.kind ? (TELLING[a.kind] ?? LEAST_TELLING) : LEAST_TELLING;
  const ranks =
    a.rank !== null && b.rank !== null
      ? RANKED_ALIKE - 2 * RANKED_ALIKE * Math.abs(a.rank - b.rank)
      : 0;
  const sizes =
    a.size !== null && b.size !== null
      ? 0.2 * (1 - Math.abs(a.size - b.size) / MOST_SIZES_APART)
      : 0;
  const look = OF_LIST * repeated(a, b) + SHAPED * shaped(a, b) + WORDED * worded(a, b);
  // Where values do not look like one field's, that they take one place is chance.
  const order = place <= 0 || look > 0 || a.kind === b.kind ? ORDERED * place : 0;
  return kind + ranks + sizes + units + look + order;
}

/** Kilograms are no hours; 0 without units. */
function unitLikeness(a: Profile, b: Profile): number | null {
  if (a.kind !== "quantity" || b.kind !== "quantity") return 0;
  const [one, two] = [a, b].map(
    ({ mentions }) => new Set(mentions.flatMap(({ finding }) => finding.unit ?? [])),
  );
  if (one!.size === 0 || two!.size === 0) return 0;
  return [...one!].some((unit) => two!.has(unit)) ? 0.2 : null;
}

/** The share of the documents whose answer is one of the other's, where answers come again. */
function repeated(a: Profile, b: Profile): number {
  const share = (own: Profile, other: Profile): number => {
    let [all, shared] = [0, 0];
    for (const [value, n] of own.values) {
      all += n;
      if (other.values.has(value)) shared += n;
    }
    return all === 0 ? 0 : shared / all;
  };
  return Math.min(share(a, b), share(b, a));
}

function shaped(a: Profile, b: Profile): number {
  const [one, two] = [a, b].map(({ mentions, kind }) =>
    mentions.map(({ finding }) => shapeOf(finding.text, kind)),
  );
  const share = (own: readonly string[], others: readonly string[]): number =>
    own.filter((shape) => shape !== "" && others.includes(shape)).length / own.length;
  return Math.max(share(one!, two!), share(two!, one!));
}

/** `KX19 ABC` is `A2 A`, `17:05` is `2:2`; nothing where no digits, or a figure's, are all there is. */
function shapeOf(text: string, kind: ValueKind): string {
  if (!/\p{N}/u.test(text) || (RANKED.has(kind) && !/\p{N}:\p{N}/u.test(text))) return "";
  const letters = text
    .trim()
    .slice(0, LONGEST_SHAPE)
    .replace(/\p{L}+/gu, "A");
  return letters.replace(/\p{N}+/gu, ({ length }) => String(length));
}

const LONGEST_SHAPE = 24;

/** What two distributions of words' shapes share; 0 unless both are words. */
function worded(a: Profile, b: Profile): number {
  const [one, two] = [a, b].map(({ mentions, kind }) =>
    RANKED.has(kind) ? [] : mentions.flatMap(({ finding }) => wordsShape(finding.text)),
  );
  if (one!.length === 0 || two!.length === 0) return 0;
  const shapes = new Set(one);
  let shared = 0;
  for (const shape of shapes) {
    const [n, m] = [one!, two!].map(
      (own) => own.filter((each) => each === shape).length / own.length,
    );
    shared += Math.min(n!, m!);
  }
  return shared;
}

const MOST_WORDS = 5;

/** `Anna de Vogel` is `AaA`. */
function wordsShape(text: string): string[] {
  if (/\p{N}/u.test(text)) return [];
  const words = text.match(/[\p{L}\p{M}'’.-]+/gu) ?? [];
  const shape = words.slice(0, MOST_WORDS).map((word) => (/^\p{Lu}/u.test(word) ? "A" : "a"));
  return words.length === 0 ? [] : [words.length > MOST_WORDS ? "passage" : shape.join("")];
}

/** @param inOrder of each document, the values of a kind, smallest first */
export function profileOf(
  keys: readonly string[],
  mentions: readonly Mention[],
  inOrder: (documentId: string, kind: ValueKind) => readonly number[],
): Profile {
  const kinds = new Map<ValueKind, number>();
  const values = new Map<string, number>();
  for (const { kind, finding } of mentions) {
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
    const value = comparingKey(kind, finding.normal);
    values.set(value, (values.get(value) ?? 0) + 1);
  }
  const most = mostFrequent(kinds) ?? "text";
  const isNumbered = keys.some((key) => conceptsOf(key).includes("no"));
  // Behind `no.`, a number is a code.
  const kind = most === "number" && isNumbered ? "identifier" : most;
  const ofKind = mentions.filter((mention) => mention.kind === most);
  const sizes = ofKind.flatMap(({ finding: { normal } }) =>
    typeof normal === "number" && kind !== "identifier" ? [Math.log1p(Math.abs(normal))] : [],
  );
  const ranks = RANKED.has(kind)
    ? ofKind.flatMap((mention) => rankIn(mention, inOrder(mention.documentId, kind)))
    : [];
  return { keys, kind, values, mentions, size: middle(sizes), rank: mean(ranks) };
}

/** Nothing where the document has no other. */
function rankIn({ finding }: Mention, inOrder: readonly number[]): number[] {
  const own = sizeOf(finding.normal);
  const others = inOrder.length - 1;
  if (own === null || others < 1) return [];
  const smaller = inOrder.filter((each) => each < own).length;
  const equal = inOrder.filter((each) => each === own).length - 1;
  return [(smaller + equal / 2) / others];
}

/** A figure, or a day as one. */
export function sizeOf(normal: Mention["finding"]["normal"]): number | null {
  if (typeof normal === "number") return normal;
  if (typeof normal !== "string") return null;
  const day = Date.parse(normal);
  return Number.isNaN(day) ? null : day;
}

function middle(values: readonly number[]): number | null {
  return values.length === 0
    ? null
    : values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
}

function mean(values: readonly number[]): number | null {
  return values.length === 0 ? null : values.reduce((sum, each) => sum + each, 0) / values.length;
}
