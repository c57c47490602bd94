/**
 * Candidates from running text: words that stand before (or after) a value of one kind in many
 * documents while the value differs, as in `target range for the federal funds rate at …`. The words
 * are found by counting, over documents, the n-grams next to recognised values, and are taken
 * greedily, the most frequent first, longer before shorter, each value once: surface patterns as
 * in Ravichandran and Hovy, "Learning surface text patterns for a question answering system" (2002).
 */

import type { SampleDocument } from "../inducer.ts";
import { labelKey } from "../locators/label-key.ts";
import { locatorSchema } from "../locators/locator.ts";
import { locatePhrase } from "../locators/phrase.ts";
import { runningText } from "../locators/running-text.ts";
import { type Prose, proseOf } from "../locators/sentences.ts";
import { conventionsOf } from "../values/conventions.ts";
import { recognise } from "../values/recognise.ts";
import { comparingKey } from "../values/same-value.ts";
import type { Conventions, ValueKind } from "../values/value.ts";
import type { Mention } from "./mention.ts";

const KINDS: readonly ValueKind[] = [
  "date",
  "money",
  "percent",
  "quantity",
  "duration",
  "place",
  "person",
  "organization",
];
/** Of these, values stand in forms and tables more often than sentences tell them. */
const KINDS_OF_SENTENCES: readonly ValueKind[] = [...KINDS, "number", "identifier", "address"];
/** Characters that are looked at, of one document and of all. */
const LONGEST_TEXT = 60_000;
const LONGEST_SAMPLE = 1_500_000;
const MOST_VALUES = 800;
const SHORTEST = 3;
/** In running text, where each issuer has sentences of its own. */
const SHORTEST_RUNNING = 2;
const LONGEST = 7;
const FEWEST_DOCUMENTS = 2;
const LEAST_SHARE = 0.3;
const LEAST_SHARE_RUNNING = 0.15;
const MOST_PHRASES = 60;
/** A phrase whose values are mostly another's says nothing new. */
const LEAST_NEW = 0.5;
const LEAST_CONTENT_WORDS = 2;
/** Kinds whose values are names, so that a name beside one is another value and no phrase. */
const NAMES: ReadonlySet<ValueKind> = new Set(["person", "organization", "place"]);

const FUNCTION_WORDS = new Set(
  (
    "a an and any are as at be been by can could did do does each either for from had has have he her his i if in into " +
    "is it its may more most must no nor not of on or our per shall she should so some such than that the their them " +
    "then there these they this those through to under until up upon was we were what when where which while who will " +
    "with within without would you your between among about approximately least less during after before other all"
  ).split(" "),
);

interface Seen {
  readonly document: number;
  /** Which of the document's values. */
  readonly value: number;
  readonly key: string;
}

interface Context {
  readonly kind: ValueKind;
  readonly words: readonly string[];
  readonly isBefore: boolean;
  /** Whether it was seen in running text alone. */
  isRunning: boolean;
  readonly seen: Seen[];
  readonly documents: Set<number>;
}

export function phraseCandidates(
  documents: readonly SampleDocument[],
  conventions: Conventions,
): readonly Mention[] {
  const contexts = new Map<string, Context>();
  const length = Math.min(LONGEST_TEXT, Math.floor(LONGEST_SAMPLE / Math.max(1, documents.length)));
  for (const [number, { content }] of documents.entries()) {
    const text = content.text.slice(0, length);
    const own = conventionsOf(content, conventions);
    collect(contexts, number, proseOf(content), text, runningText(content), own);
  }
  const phrases = chosen([...contexts.values()], documents.length);
  return documents.flatMap((document) => {
    const own = conventionsOf(document.content, conventions);
    return phrases.flatMap(({ kind, words, isBefore }): Mention[] => {
      const phrase = words.join(" ");
      const pattern = isBefore ? `${phrase} {value}` : `{value} ${phrase}`;
      const locator = locatorSchema.parse({ kind: "phrase", patterns: [pattern] });
      if (locator.kind !== "phrase") return [];
      const target = { kind, multiple: false, enum: [] };
      const finding = locatePhrase(document.content, locator, target, own)[0];
      if (finding === undefined) return [];
      const label = nameOf(words, isBefore);
      const key = labelKey(label);
      const documentId = document.id;
      return [
        {
          documentId,
          finding,
          origin: "phrase",
          label,
          key,
          kind,
          locator,
          neighbours: [null, null],
        },
      ];
    });
  });
}

function collect(
  contexts: Map<string, Context>,
  document: number,
  prose: Prose,
  text: string,
  isRunning: (offset: number) => boolean,
  conventions: Conventions,
): void {
  const values = recognise(text.replaceAll("\n", " "), conventions, KINDS_OF_SENTENCES)
    .filter(({ kind }) => KINDS_OF_SENTENCES.includes(kind))
    .slice(0, MOST_VALUES);
  let sentence = 0;
  for (const [number, value] of values.entries()) {
    while (
      sentence < prose.sentences.length &&
      prose.ends[prose.sentences[sentence]!.to - 1]! <= value.start
    ) {
      sentence += 1;
    }
    const place = prose.sentences[sentence];
    if (place === undefined) break;
    let first = place.from;
    while (first < place.to && prose.starts[first]! < value.start) first += 1;
    let after = first;
    while (after < place.to && prose.starts[after]! < value.end) after += 1;
    const seen = { document, value: number, key: comparingKey(value.kind, value.normal) };
    const isPhrase = (from: number, to: number): boolean => {
      if (from < place.from || to > place.to || to <= from) return false;
      const words = text.slice(prose.starts[from], prose.ends[to - 1]! + (to === first ? 0 : 2));
      // A label within: no sentence goes on over one. Before the value it may end what is said.
      if (/:/u.test(words)) return false;
      if (!NAMES.has(value.kind)) return true;
      // Capitals within a sentence are names; all capitals are abbreviations.
      return !/\b\p{Lu}\p{Ll}/u.test(text.slice(prose.starts[from], prose.ends[to - 1]));
    };
    const runs = isRunning(value.start);
    if (!runs && !KINDS.includes(value.kind)) continue;
    for (let length = runs ? SHORTEST_RUNNING : SHORTEST; length <= LONGEST; length++) {
      for (const [from, to] of [
        [first - length, first],
        [after, after + length],
      ] as const) {
        if (to > place.to || (to !== first && after === first)) continue;
        if (to !== first && leadsToNext(text, value.end, prose.ends[to - 1]!)) continue;
        const begins = from === place.from ? from + 1 : from;
        if (!isPhrase(begins, to) || from < place.from) continue;
        const isOfText =
          runs && isRunning(prose.starts[from]!) && isRunning(prose.ends[to - 1]! - 1);
        note(contexts, value.kind, prose.words.slice(from, to), to === first, isOfText, seen);
      }
    }
  }
}

/** `68, heart rate 64`: words behind a comma and before a figure name that one. */
const leadsToNext = (text: string, end: number, to: number): boolean =>
  /^[^\s\p{L}]*[,;]/u.test(text.slice(end, end + 8)) &&
  /^[\s:=]{1,3}\p{N}/u.test(text.slice(to, to + 4));

function note(
  contexts: Map<string, Context>,
  kind: ValueKind,
  words: readonly string[],
  isBefore: boolean,
  isRunning: boolean,
  seen: Seen,
): void {
  if (words.some((word) => /[\d$€£¥%]/.test(word)) || !isNaming(words, isRunning)) return;
  if (!isRunning && (words.length < SHORTEST || !KINDS.includes(kind))) return;
  const key = `${kind} ${isBefore ? "<" : ">"} ${words.join(" ")}`;
  const known = contexts.get(key);
  if (known === undefined) {
    const documents = new Set([seen.document]);
    contexts.set(key, { kind, words, isBefore, isRunning, seen: [seen], documents });
  } else {
    known.isRunning &&= isRunning;
    known.seen.push(seen);
    known.documents.add(seen.document);
  }
}

function isNaming(words: readonly string[], isRunning: boolean): boolean {
  return new Set(words.filter(isContentWord)).size >= (isRunning ? 1 : LEAST_CONTENT_WORDS);
}

export function isContentWord(word: string): boolean {
  return word.length > 2 && !FUNCTION_WORDS.has(word);
}

/** Of numbers and codes the same few are boilerplate: a post code, an article. */
const fewestDifferent = (kind: ValueKind): number => (KINDS.includes(kind) ? 2 : 3);

/** Most frequent first; those whose values vary and are not another phrase's. */
function chosen(contexts: readonly Context[], documents: number): Context[] {
  const fewest = ({ isRunning }: Context): number =>
    Math.max(FEWEST_DOCUMENTS, (isRunning ? LEAST_SHARE_RUNNING : LEAST_SHARE) * documents);
  const frequent = contexts
    .filter((context) => context.documents.size >= fewest(context))
    .filter(({ seen, kind }) => new Set(seen.map(({ key }) => key)).size >= fewestDifferent(kind))
    .sort(
      (a, b) =>
        b.documents.size - a.documents.size ||
        b.words.length - a.words.length ||
        Number(b.isBefore) - Number(a.isBefore) ||
        (a.words.join(" ") < b.words.join(" ") ? -1 : 1),
    );
  const taken = new Set<string>();
  const phrases: Context[] = [];
  for (const context of frequent) {
    if (phrases.length === MOST_PHRASES) break;
    const places = context.seen.map(({ document, value }) => `${document} ${value}`);
    const fresh = places.filter((place) => !taken.has(place));
    if (fresh.length < LEAST_NEW * places.length) continue;
    for (const place of places) taken.add(place);
    phrases.push(context);
  }
  return phrases;
}

/** Words that a name has. */
const MOST_NAMING = 4;

/** The words nearest the value, without the function words at their ends. */
export function nameOf(words: readonly string[], isBefore: boolean): string {
  const own = withoutEnds(words);
  if (own.length <= MOST_NAMING) return own.join(" ");
  return withoutEnds(isBefore ? own.slice(-MOST_NAMING) : own.slice(0, MOST_NAMING)).join(" ");
}

function withoutEnds(words: readonly string[]): readonly string[] {
  const isNaming = (word: string): boolean => isContentWord(word) && !isLinkingForeign(word);
  const from = words.findIndex(isNaming);
  return from < 0 ? words : words.slice(from, words.findLastIndex(isNaming) + 1);
}

const isLinkingForeign = (word: string): boolean => LINKING_ELSEWHERE.has(word);

/** An article, a preposition, an auxiliary, in any of the languages. */
export const isFunctionWord = (word: string): boolean =>
  FUNCTION_WORDS.has(word) || isLinkingForeign(word);

/** Of the languages that documents are read in besides English: articles, prepositions, auxiliaries. */
const LINKING_ELSEWHERE = new Set(
  (
    "der die das den dem des ein eine einer eines einem einen und oder von vom zum zur mit fur aus bei uber ist sind wird werden wurde sich nach bis " +
    "le la les un une du de des et ou a au aux par pour dans sur avec est sont sera qui que " +
    "el los las una del al y o en por para con es son sera se " +
    "il lo gli i uno della dei nel per e di da viene sono " +
    "os as um uma do da dos das em no na por com ate " +
    "het een van voor met op bij is zijn wordt te " +
    "och av den det ett en som ar med till pa for att w z na do oraz jest sie dnia"
  ).split(" "),
);
