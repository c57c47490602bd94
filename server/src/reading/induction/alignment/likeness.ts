/**
 * How likely it is that two labels name one field: by their letters (a label read optically has some
 * of them wrong), by what their words mean, by the kinds of their values, and by the labels beside
 * them. Two labels that one document uses for different values are two fields, however alike.
 */

import { distance } from "fastest-levenshtein";
import type { ValueKind } from "../values/value.ts";
import { stem } from "../words/content-words.ts";
import {
  areInterchanged,
  conceptLikeness,
  conceptsOf,
  meanOtherThings,
} from "../words/label-concepts.ts";
import { wordSimilarity } from "../words/word-vectors.ts";
import type { LabelGroup } from "./label-group.ts";

/** From here on two labels are one field. */
export const ALIKE = 0.75;

/** Letters of a label of which one may be another. */
const LETTERS_PER_EDIT = 6;
const SHORTEST_EDITED = 5;
/** Words of nearer meaning than this may stand for each other. */
const NEAR_MEANING = 0.6;
/** Labels of so much one meaning, by the terms of trade, are one field where their values can be. */
const ONE_MEANING = 0.8;
/** The part that values of kinds that one may be taken for another must share. */
const LEAST_KIN = 0.5;
/** Of the documents with both labels, the share in which their values may differ. */
const MOST_CONTRADICTIONS = 0.2;

/** 0 to 1, the same in both directions. */
export function likeness(a: LabelGroup, b: LabelGroup): number {
  if (contradicts(a, b)) return 0;
  const kinds = overlap(a.kinds, b.kinds);
  const letters = editLikeness(a.key, b.key);
  // Letters wrong in a label say no more of it than that it was read badly: the kind must agree.
  if (letters > 0) return kinds >= 0.5 ? letters : 0;
  const areOne = areInterchanged(a.key, b.key) && neverTogether(a, b);
  const concepts = areOne ? ONE_MEANING : conceptLikeness(a.key, b.key);
  if (concepts >= ONE_MEANING && overlap(kinOf(a), kinOf(b)) >= LEAST_KIN) {
    return ALIKE + (1 - ALIKE) * concepts * ONE_MEANING;
  }
  const meaning = meaningLikeness(a.words, b.words);
  if (meaning === 0) return 0;
  const beside = overlap(a.neighbours, b.neighbours);
  return 0.7 * meaning + 0.15 * kinds + 0.15 * beside;
}

const neverTogether = (a: LabelGroup, b: LabelGroup): boolean =>
  [...a.documents].every((document) => !b.documents.has(document));

/** 0 where the labels differ by more than what reading wrongly explains. */
export function editLikeness(a: string, b: string): number {
  if (a === b) return 1;
  const longest = Math.max(a.length, b.length);
  if (longest < SHORTEST_EDITED) return 0;
  const most = Math.floor(longest / LETTERS_PER_EDIT);
  if (Math.abs(a.length - b.length) > most) return 0;
  // Numbers tell labels apart: "line 1" and "line 2" are no misreading.
  if (numbers(a) !== numbers(b) || meanOtherThings(a, b)) return 0;
  const edits = distance(a, b);
  return edits > most ? 0 : 1 - edits / longest;
}

/** Each word by its nearest of the other label, the longer label's words counting all. */
function meaningLikeness(a: readonly string[], b: readonly string[]): number {
  const [few, many] = a.length <= b.length ? [a, b] : [b, a];
  if (many.length - few.length > 1) return 0;
  const rest = new Set(few.keys());
  let sum = 0;
  for (const word of many) {
    let [best, at] = [0, -1];
    for (const index of rest) {
      const near = meaning(word, few[index]!);
      if (near > best) [best, at] = [near, index];
    }
    if (at >= 0) rest.delete(at);
    sum += best;
  }
  return sum / many.length;
}

function meaning(a: string, b: string): number {
  if (a === b || stem(a) === stem(b)) return 1;
  const cosine = wordSimilarity(a, b);
  return cosine !== null && cosine >= NEAR_MEANING ? cosine : 0;
}

/** What one field's values may be taken for, by how each document writes them, in parts of one. */
const KIN: Readonly<Partial<Record<ValueKind, readonly string[]>>> = {
  money: ["figure"],
  quantity: ["figure"],
  percent: ["figure"],
  number: ["figure", "code"],
  identifier: ["code", "words"],
  date: ["date"],
  duration: ["duration"],
};
const WORDS = ["words"];
const CODE = ["code"];

/** Whether values of two fields can be one's by their kinds. */
export function areOfOneKin(a: readonly LabelGroup[], b: readonly LabelGroup[]): boolean {
  const [one, two] = [a, b].map((groups) => {
    const kin = new Map<string, number>();
    for (const group of groups) {
      for (const [part, n] of kinOf(group)) kin.set(part, (kin.get(part) ?? 0) + n);
    }
    return kin;
  });
  return overlap(one!, two!) >= LEAST_KIN;
}

/** Codes of digits are numbers at times, and words at others; a number behind `no.` is a code. */
function kinOf({ key, kinds }: LabelGroup): Map<string, number> {
  const isNumbered = conceptsOf(key).includes("no");
  const kin = new Map<string, number>();
  for (const [kind, n] of kinds) {
    const parts = kind === "number" && isNumbered ? CODE : (KIN[kind] ?? WORDS);
    for (const part of parts) kin.set(part, (kin.get(part) ?? 0) + n / parts.length);
  }
  return kin;
}

/** Whether documents that have both labels give them different values. */
function contradicts(a: LabelGroup, b: LabelGroup): boolean {
  let [both, different] = [0, 0];
  for (const [document, value] of a.values) {
    const other = b.values.get(document);
    if (other === undefined) continue;
    both += 1;
    if (other !== value) different += 1;
  }
  return both > 0 && different / both > MOST_CONTRADICTIONS;
}

/** The shared mass of two distributions, 0 to 1. */
function overlap<Value>(a: ReadonlyMap<Value, number>, b: ReadonlyMap<Value, number>): number {
  const [left, right] = [total(a), total(b)];
  if (left === 0 || right === 0) return 0;
  let shared = 0;
  for (const [value, n] of a) shared += Math.min(n / left, (b.get(value) ?? 0) / right);
  return shared;
}

function total(values: ReadonlyMap<unknown, number>): number {
  let sum = 0;
  for (const n of values.values()) sum += n;
  return sum;
}

/** Words that are numbers; a digit within a word is a letter that was read wrongly. */
function numbers(key: string): string {
  return key
    .split(" ")
    .filter((word) => /^\p{N}+$/u.test(word))
    .join(" ");
}
