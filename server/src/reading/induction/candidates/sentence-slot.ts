/**
 * Candidates from letters that are written from one text: where sentences of several documents say the
 * same words before and behind a place, and other words in it, what differs is a value, though no
 * recogniser knows its kind (`is engaged as Site Engineer with effect from`). The alignment of wrapper induction
 * (Crescenzi, Mecca and Merialdo, "RoadRunner", 2001) within sentences, by counting n-grams.
 */

import type { DocumentText } from "../../parsing/document-text.ts";
import type { SampleDocument } from "../inducer.ts";
import { labelKey } from "../locators/label-key.ts";
import { locatorSchema } from "../locators/locator.ts";
import { locatePhrase } from "../locators/phrase.ts";
import { runningText } from "../locators/running-text.ts";
import { proseOf, wordsOf } from "../locators/sentences.ts";
import { conventionsOf } from "../values/conventions.ts";
import { monthNumber } from "../values/month-names.ts";
import type { Conventions, ValueKind } from "../values/value.ts";
import type { Mention } from "./mention.ts";
import { isContentWord, isFunctionWord, nameOf } from "./phrase.ts";
import { statedValue } from "./stated-value.ts";

/** Words before a slot, in which it is looked up; as many as say the same are taken then. */
const WORDS_BEFORE = 3;
const MOST_BEFORE = 7;
const WORDS_AFTER = 2;
/** Of a slot, at most. */
const LONGEST_SLOT = 8;
/** Of an address: more are a code in groups. */
const MOST_FIGURES = 2;
/** Of a value among the words before a slot. */
const MOST_VALUE_WORDS = 6;
const FEWEST_DOCUMENTS = 3;
const LEAST_SHARE = 0.15;
/** Of the documents that say the words before, those that end the slot alike. */
const LEAST_CLOSED = 0.75;
/** Of few values half differ, and of many this many. */
const LEAST_DIFFERENT = 0.5;
const FEWEST_DIFFERENT = 3;
/** Of the words of their sentences, those that most of them have: of one text, not of one phrase in many. */
const LEAST_ALIKE = 0.75;
/** Words of a sentence before a slot, and from it on, that are compared. */
const REACH = 12;
const MOST_SLOTS = 30;
const LONGEST_SAMPLE = 1_500_000;
const LONGEST_TEXT = 60_000;
/** A slot ends there; commas stand in names and addresses. */
const CLAUSE_END = /[;:()[\]“”"„]/u;

/** Names are as often none that a recogniser knows. */
const READ_AS_TEXTS: ReadonlySet<ValueKind> = new Set([
  "text",
  "person",
  "organization",
  "place",
  "address",
]);

/** A word, or a value that shows by its form and may be another in each document. */
interface Unit {
  /** As documents are compared: all values are one. */
  readonly key: string;
  readonly isValue: boolean;
  /** A value that is no part of a name or an address. */
  readonly isWhole: boolean;
  /** Whether it stands in running text. */
  readonly runs: boolean;
  /** Whether marks that end a clause stand before it. */
  readonly opensClause: boolean;
  readonly written: string;
}

/** Where a document first says the words before a slot. */
interface Opening {
  readonly document: number;
  readonly units: readonly Unit[];
  /** The unit at which the slot begins. */
  readonly at: number;
}

interface OpenSlot {
  readonly before: readonly Unit[];
  readonly openings: readonly Opening[];
}

/** Words behind a slot; none: the clause's end. */
interface Closing {
  readonly after: readonly Unit[];
  readonly support: number;
  readonly length: number;
}

export function sentenceSlotCandidates(
  documents: readonly SampleDocument[],
  conventions: Conventions,
): readonly Mention[] {
  const needed = Math.max(FEWEST_DOCUMENTS, Math.ceil(LEAST_SHARE * documents.length));
  const mentions: Mention[] = [];
  const taken = new Set<string>();
  let slots = 0;
  for (const open of openSlots(documents, needed)) {
    if (slots === MOST_SLOTS) break;
    const { openings } = open;
    const closing = closingOf(openings);
    if (closing === null || closing.support < Math.max(needed, LEAST_CLOSED * openings.length)) {
      continue;
    }
    if (alikeness(openings) < LEAST_ALIKE) continue;
    const found = mentionsOf(documents, conventions, widened(open), closing.after);
    const values = found.map(({ finding }) => finding.text.toLowerCase());
    // `to leave 8 King Road`: the same slot behind `leave` and behind the number.
    const places = found.map(({ documentId, finding }) => `${documentId} ${finding.end}`);
    const isTaken = 2 * places.filter((place) => taken.has(place)).length > places.length;
    if (found.length < needed || isTaken || !areDifferent(values) || !areThings(values)) continue;
    slots += 1;
    for (const place of places) taken.add(place);
    mentions.push(...found);
  }
  return mentions;
}

/** None where the words before name nothing. */
function mentionsOf(
  documents: readonly SampleDocument[],
  conventions: Conventions,
  before: readonly Unit[],
  after: readonly Unit[],
): Mention[] {
  const words = before.flatMap(({ key, isValue }) => (isValue ? [] : [key]));
  const label = nameOf(words, true);
  const pattern = [...before.map(patternOf), "{value}", ...after.map(patternOf)].join(" ");
  const locator = locatorSchema.parse({ kind: "phrase", patterns: [pattern] });
  if (locator.kind !== "phrase" || !words.some(isContentWord)) return [];
  return documents.flatMap((document): Mention[] => {
    const own = conventionsOf(document.content, conventions);
    const target = { kind: "text" as const, multiple: false, enum: [] };
    const finding = locatePhrase(document.content, locator, target, own)[0];
    const stated = finding && statedValue(finding.text, own);
    if (!finding || !stated || !READ_AS_TEXTS.has(stated.kind)) return [];
    return [
      {
        ...{ origin: "phrase", documentId: document.id, label, key: labelKey(label), kind: "text" },
        ...{ locator, finding, neighbours: [null, null] },
      },
    ];
  });
}

/** A value is any few words. */
const patternOf = ({ key, isValue }: Unit): string => (isValue ? `...${MOST_VALUE_WORDS}` : key);

/** Names and figures differ less than what sentences say in other words. */
function areDifferent(values: readonly string[]): boolean {
  const different = new Set(values).size;
  return different >= Math.min(FEWEST_DIFFERENT, LEAST_DIFFERENT * values.length) && different > 1;
}

/** Not what a sentence is held together by: `and construed`, `of which together`. */
function areThings(values: readonly string[]): boolean {
  const things = values.filter((value) => {
    const words = [...wordsOf(value)].map(({ word }) => word);
    return ![words[0], words.at(-1)].some((word) => word === undefined || isFunctionWord(word));
  });
  return 2 * things.length > values.length;
}

/** In most documents first. */
function openSlots(documents: readonly SampleDocument[], needed: number): OpenSlot[] {
  const longest = Math.min(
    LONGEST_TEXT,
    Math.floor(LONGEST_SAMPLE / Math.max(1, documents.length)),
  );
  const byWords = new Map<string, { before: readonly Unit[]; openings: Map<number, Opening> }>();
  for (const [document, { content }] of documents.entries()) {
    for (const units of sentencesOf(content, longest)) {
      for (let at = WORDS_BEFORE; at < units.length; at++) {
        const before = units.slice(at - WORDS_BEFORE, at);
        if (units[at]!.isWhole || before[0]!.isValue || !before.every(({ runs }) => runs)) continue;
        const key = before.map((unit) => unit.key).join(" ");
        const opening = { document, units, at };
        const known = byWords.get(key);
        if (known === undefined) {
          byWords.set(key, { before, openings: new Map([[document, opening]]) });
        } else if (!known.openings.has(document)) known.openings.set(document, opening);
      }
    }
  }
  return [...byWords]
    .map(([key, { before, openings }]) => ({ key, before, openings: [...openings.values()] }))
    .filter(
      ({ openings }) =>
        openings.length >= needed &&
        areDifferent(openings.map(({ units, at }) => units[at]!.written)),
    )
    .sort((a, b) => b.openings.length - a.openings.length || (a.key < b.key ? -1 : 1));
}

/** Its sentences. */
function sentencesOf(content: DocumentText, longest: number): Unit[][] {
  const { words, starts, ends, sentences } = proseOf(content);
  const isRunning = runningText(content);
  return sentences.flatMap(({ from, to }) => {
    if (ends[to - 1]! > longest) return [];
    const units: Unit[] = [];
    for (let word = from; word < to; ) {
      const start = starts[word]!;
      const value = valueWords(words, word, to);
      const end = word + Math.max(1, value);
      const written = words.slice(word, end).join(" ");
      const between = word === from ? "" : content.text.slice(ends[word - 1], start);
      units.push({
        key: value > 0 ? "#" : written,
        isValue: value > 0,
        isWhole: value > 0 && !/^\d{1,4}$/.test(written),
        runs: isRunning(start),
        opensClause: CLAUSE_END.test(between),
        written,
      });
      word = end;
    }
    return [units];
  });
}

/** How many words a figure, an amount or a date has that begins there; 0 where none does. */
function valueWords(words: readonly string[], from: number, to: number): number {
  const isFigure = (at: number): boolean => at < to && /[\p{N}$€£¥%]/u.test(words[at]!);
  const isMonth = (at: number): boolean => at < to && monthNumber(words[at]!) !== null;
  if (!isFigure(from) && !(isMonth(from) && isFigure(from + 1))) return 0;
  let end = from + 1;
  while (end < to) {
    // `3 de marzo de 2021`
    const joins = JOINS_DATES.has(words[end]!) && (isMonth(end + 1) || isMonth(end - 1));
    if (isFigure(end) || isMonth(end)) end += 1;
    else if (joins && (isFigure(end + 1) || isMonth(end + 1))) end += 2;
    else break;
  }
  return end - from;
}

const JOINS_DATES: ReadonlySet<string> = new Set(["de", "of", "del"]);

/** The share of the words around a slot that most of its sentences have, in the mean. */
function alikeness(openings: readonly Opening[]): number {
  const sentences = openings.map(
    ({ units, at }) =>
      new Set(units.slice(Math.max(0, at - REACH), at + REACH).map(({ key }) => key)),
  );
  const having = new Map<string, number>();
  for (const words of sentences) {
    for (const word of words) having.set(word, (having.get(word) ?? 0) + 1);
  }
  const most = sentences.length / 2;
  const shares = sentences.map((words) => {
    const alike = [...words].filter((word) => having.get(word)! > most).length;
    return alike / words.size;
  });
  return shares.reduce((sum, share) => sum + share, 0) / shares.length;
}

/** What most of the slots end before: of what as many do, what comes first. */
function closingOf(openings: readonly Opening[]): Closing | null {
  const closings = new Map<string, { after: readonly Unit[]; support: number; length: number }>();
  for (const { units, at } of openings) {
    const seen = new Set<string>();
    const note = (after: readonly Unit[], length: number): void => {
      const key = after.map((unit) => unit.key).join(" ");
      if (seen.has(key)) return;
      seen.add(key);
      const known = closings.get(key);
      if (known === undefined) closings.set(key, { after, support: 1, length });
      else {
        known.support += 1;
        known.length += length;
      }
    };
    let figures = 0;
    for (let end = at + 1; end <= Math.min(units.length, at + LONGEST_SLOT); end++) {
      const last = units[end - 1]!;
      if (last.isValue) figures += 1;
      if (last.isWhole || figures > MOST_FIGURES) break;
      const after = units.slice(end, end + WORDS_AFTER);
      if (after.length > 0 && !after.some(({ isValue }) => isValue)) note(after, end - at);
      if (units[end]?.opensClause ?? true) {
        note([], end - at);
        break;
      }
    }
  }
  const [best] = [...closings.values()].sort(
    (a, b) =>
      b.support - a.support ||
      b.after.length - a.after.length ||
      a.length / a.support - b.length / b.support,
  );
  return best ?? null;
}

/** With the words that all say before those. */
function widened({ before, openings }: OpenSlot): readonly Unit[] {
  const wide = [...before];
  for (let back = before.length + 1; back <= MOST_BEFORE; back++) {
    const units = openings.map(({ units: own, at }) => own[at - back]);
    const [first] = units;
    if (first === undefined || !first.runs || units.some((unit) => unit?.key !== first.key)) break;
    wide.unshift(first);
  }
  return wide[0]!.isValue ? wide.slice(1) : wide;
}
