/**
 * What the answers of a sample were like, question by question, and how far an answer of a new document
 * is like them. Locators know how well a place fits; they do not see that a name is cut short, that a
 * letter of it was misread, or that a clause which nearly all documents have is missed in one.
 *
 * Each kind of evidence is a ratio of likelihoods, of right answers to wrong ones, and multiplies the
 * odds (naive Bayes). The likelihoods of right answers are the sample's, smoothed; those of wrong ones
 * are reasoned. Evidence moves confidence alone: which answer is given is decided without it.
 */

import { createHash } from "node:crypto";
import { z } from "zod";
import { comparingKey } from "../values/same-value.ts";
import { type Normal, type ValueKind, WORDED } from "../values/value.ts";
import { ofShape, shapesOf } from "./shape.ts";

/** Words and values are kept as hashes: a schema is no place for the names that its sample held. */
const hashes = z.array(z.string()).readonly();

export const habitsSchema = z.strictObject({
  /** Documents of the sample, and those that answer; of what is said or not, those that say it. */
  documents: z.int().min(0),
  stated: z.int().min(0),
  /** Of each answer, sorted: see `lengthOf`. */
  lengths: z.array(z.int().min(0)).readonly(),
  /** Of words and values. */
  words: hashes,
  values: hashes,
  /** Answers whose value another document of the sample gives as well. */
  recurring: z.int().min(0),
  /** What answers look like (see `shapeOf`), and how many do; absent in schemas that are older than this. */
  shapes: z.record(z.string(), z.int().min(1)).optional(),
  /** The middle of the confidences that its answers have by their places. */
  sureness: z.number().min(0).max(1).optional(),
});
export type Habits = z.output<typeof habitsSchema>;

/** Kinds whose values have a length by which they are known. */
const SIZED: ReadonlySet<ValueKind> = new Set([...WORDED, "identifier", "phone"]);

const MOST_HASHES = 1000;
const SEVERAL = "; ";

export interface Question {
  readonly kind: ValueKind;
  readonly multiple: boolean;
}

/**
 * @param answers of each document of the sample; null where it has none
 * @param confidences of those that are not null
 */
export function habitsOf(
  question: Question,
  answers: readonly (Normal | null)[],
  confidences: readonly number[] = [],
): Habits {
  const given = answers.filter((answer) => answer !== null);
  const { kind } = question;
  const keys = given.map((answer) => comparingKey(kind, answer));
  const counts = new Map<string, number>();
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  const isWorded = WORDED.has(kind);
  return {
    documents: answers.length,
    stated: kind === "boolean" ? given.filter((answer) => answer === true).length : given.length,
    lengths: SIZED.has(kind)
      ? given.map((answer) => lengthOf(question, answer)).sort((a, b) => a - b)
      : [],
    words: isWorded ? hashed(given.flatMap(wordsOf)) : [],
    values: isWorded ? hashed(keys) : [],
    recurring: isWorded ? keys.filter((key) => counts.get(key)! > 1).length : 0,
    shapes: shapesOf(question, given),
    ...(confidences.length > 0 && { sureness: middleOf(confidences) }),
  };
}

/** The odds that an answer is right are so many times what its place alone says. */
export function likenessOf(question: Question, habits: Habits, value: Normal): number {
  if (question.kind === "boolean") return 1;
  let likeness = SIZED.has(question.kind) ? ofLength(question, habits, value) : 1;
  likeness *= ofShape(question, habits.shapes ?? {}, value);
  if (WORDED.has(question.kind)) {
    likeness *= ofRecurrence(question.kind, habits, value) * ofWords(habits, value);
  }
  return likeness;
}

/** How often a sentence that says it is found where there is one, and none where there is none. */
const SENSITIVITY = 0.85;
const SPECIFICITY = 0.92;
/** Documents that the guess counts as which nobody made: that half of them say it. */
const PRIOR = 4;

/** Of documents in which a sentence says it, those in which another does too: rightly found, and by mistake. */
const SAID_AGAIN = 0.65;
const MISTAKEN_AGAIN = 0.3;

/**
 * How surely it is said, or not said, by what sentences show: the more of the sample's documents say
 * it, the likelier it was missed where it was not found (predictive values, at the prevalence of Rogan &
 * Gladen, "Estimating prevalence from the results of a screening test", 1978).
 *
 * @param sentences that say it; 0 where none does
 */
export function presenceOf({ documents, stated }: Habits, sentences: number): number {
  const apparent = (stated + PRIOR / 2) / (documents + PRIOR);
  const estimate = (apparent + SPECIFICITY - 1) / (SENSITIVITY + SPECIFICITY - 1);
  const saying = Math.min(MOST_SAYING, Math.max(1 - MOST_SAYING, estimate));
  const again = (share: number): number => (sentences > 1 ? share : 1 - share);
  const [right, wrong] =
    sentences > 0
      ? [
          SENSITIVITY * again(SAID_AGAIN) * saying,
          (1 - SPECIFICITY) * again(MISTAKEN_AGAIN) * (1 - saying),
        ]
      : [SPECIFICITY * (1 - saying), (1 - SENSITIVITY) * saying];
  return right / (right + wrong);
}

/** No sample shows that all documents say something, or none does. */
const MOST_SAYING = 0.95;

/** Another value that was found may have been meant: so much the less sure is the one that is given. */
const CHOICE = 0.15;

/** @param candidates values that locators found of which one is right */
export function choiceOf(candidates: number): number {
  return Math.max(1, candidates) ** -CHOICE;
}

/** Documents that the wide guess of lengths counts as. */
const LENGTH_PRIOR = 4;
/** Of logarithms: how near lengths are that are alike, and how far wrong ones may lie. */
const NARROW = 0.25;
const WIDE = 1;
/** A length is told by the same words that the place is judged by. */
const LENGTH_WEIGHT = 0.6;

/** Lengths as a density by kernels (Parzen, 1962) over the sample's; wrong ones lie wide about them. */
function ofLength(question: Question, { lengths }: Habits, value: Normal): number {
  if (lengths.length === 0) return 1;
  const length = Math.log(1 + lengthOf(question, value));
  const density = (width: number): number =>
    lengths.reduce((sum, other) => {
      const distance = (length - Math.log(1 + other)) / width;
      return sum + Math.exp((-distance * distance) / 2) / width;
    }, 0) / lengths.length;
  const wide = Math.max(density(WIDE), Number.MIN_VALUE);
  const n = lengths.length;
  const ratio = (n * (density(NARROW) / wide) + LENGTH_PRIOR) / (n + LENGTH_PRIOR);
  return ratio ** LENGTH_WEIGHT;
}

function middleOf(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) / 2)]!;
}

/** Less sure than this is not given: it would be wrong nine times of ten. */
const LEAST_GIVEN = 0.1;
/** Nor what is less sure by so much than what the sample's answers were by their places. */
const LEAST_SHARE = 0.2;

/** How sure an answer must be to be given at all. */
export function leastSureness({ sureness = 0 }: Habits): number {
  return Math.max(LEAST_GIVEN, LEAST_SHARE * sureness);
}

/** Wrong values recur so much less than right ones: an accident of one document is in no other. */
const RECURS_WRONG = 0.25;
const RECURRENCE_PRIOR = 4;

function ofRecurrence(kind: ValueKind, habits: Habits, value: Normal): number {
  const { recurring, lengths, values } = habits;
  const right = (recurring + 0.5) / (lengths.length + RECURRENCE_PRIOR);
  const wrong = RECURS_WRONG * right;
  const isKnown = new Set(values).has(hashOf(comparingKey(kind, value)));
  return isKnown ? right / wrong : (1 - right) / (1 - wrong);
}

/** Odds for each word that is one letter off a known one, and for each that nobody knows. */
const MISREAD = 0.35;
const UNKNOWN = 0.93;
const MOST_UNKNOWN = 6;
/** Letters of a word that is not like another by accident. */
const FEWEST_LETTERS = 5;

/** A word that is one letter off a known one is likelier misread than new (Church & Gale, 1991). */
function ofWords({ words }: Habits, value: Normal): number {
  const known = new Set(words);
  if (known.size === 0) return 1;
  let [misread, unknown] = [0, 0];
  for (const word of wordsOf(value)) {
    if (known.has(hashOf(word))) continue;
    unknown += 1;
    const isLike =
      word.length >= FEWEST_LETTERS && oneLetterOff(word).some((other) => known.has(hashOf(other)));
    if (isLike) misread += 1;
  }
  return MISREAD ** Math.min(2, misread) * UNKNOWN ** Math.min(MOST_UNKNOWN, unknown);
}

const LONGEST_WORD = 24;

/** Letters alone: numbers differ by their nature. */
function wordsOf(value: Normal): string[] {
  if (typeof value !== "string") return [];
  const plain = value.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  return (plain.match(/\p{L}{2,}/gu) ?? []).map((word) => word.slice(0, LONGEST_WORD));
}

const LETTERS = "abcdefghijklmnopqrstuvwxyz";

function oneLetterOff(word: string): string[] {
  const others: string[] = [];
  for (let at = 0; at <= word.length; at++) {
    const [head, tail] = [word.slice(0, at), word.slice(at)];
    if (tail !== "") others.push(head + tail.slice(1));
    for (const letter of LETTERS) {
      others.push(head + letter + tail);
      if (tail !== "") others.push(head + letter + tail.slice(1));
    }
  }
  return others;
}

/** Of several values, how many; of a code, its characters; else its words. */
function lengthOf({ kind, multiple }: Question, value: Normal): number {
  const text = String(value);
  if (multiple) return text.split(SEVERAL).length;
  if (!WORDED.has(kind)) return comparingKey(kind, text).length;
  return text.match(/[\p{L}\p{N}]+/gu)?.length ?? 0;
}

function hashed(texts: readonly string[]): string[] {
  return [...new Set(texts.map(hashOf))].sort().slice(0, MOST_HASHES);
}

/** 48 bits: a thousand of them against some thousands of others never meet by accident. */
function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("base64url").slice(0, 8);
}
