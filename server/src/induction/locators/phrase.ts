/**
 * Values in running text: a pattern over one sentence, and in its slot the nearest value of the
 * field's kind. A text, or a name that no recogniser sees, is read up to the clause's end.
 */

import { type DocumentText, lineAt } from "../../parsing/document-text.ts";
import type { Finding } from "../inducer.ts";
import { read } from "../values/read.ts";
import { recognise } from "../values/recognise.ts";
import type { Conventions, TypedValue, ValueKind } from "../values/value.ts";
import { ordered } from "./finding.ts";
import { isTitle } from "./headings.ts";
import type { Locator, Target } from "./locator.ts";
import { namesIn } from "./name-list.ts";
import {
  compilePattern,
  type PhrasePattern,
  runAutomaton,
  sentencesFor,
} from "./phrase-pattern.ts";
import { type Prose, proseOf, type Sentence } from "./sentences.ts";

type PhraseLocator = Extract<Locator, { kind: "phrase" }>;

/** Words between a phrase and its value; a pattern that allows more says so by `...`. */
const WINDOW = 4;
/** Words of a value. */
const LONGEST_VALUE = 14;
/** With words after the slot, the slot may be this long. */
const LONGEST_SLOT = 60;
/** Ends of a slot that are tried. */
const MOST_CLOSINGS = 10;
/** Words of a text that nothing but the clause ends. */
const LONGEST_TEXT = 16;
const MOST_FINDINGS = 60;
/** Places in one sentence where a slot may begin. */
const MOST_SLOTS = 24;

const SURE = 0.9;
/** For each pattern that stands before this one in the locator. */
const LATER_PATTERN = 0.97;
/** For each word between the phrase and its value. */
const FARTHER = 0.98;

/** How much less sure a value is at the end of the document than at its beginning; less than a pattern's step. */
const LATER = 0.025;

/** What a text is read as where nothing of the kind is recognised in it. */
const READ_AS_THEY_STAND: ReadonlySet<ValueKind> = new Set([
  "text",
  "organization",
  "person",
  "identifier",
  "address",
]);

const NAMES: ReadonlySet<ValueKind> = new Set(["organization", "person"]);
/** How sure a name is by its place in an enumeration. */
const LISTED = 0.95;

const compiled = new WeakMap<readonly string[], readonly PhrasePattern[]>();

/** The patterns, compiled once for each list. @throws PatternError */
export function compiledPatterns(patterns: readonly string[]): readonly PhrasePattern[] {
  let known = compiled.get(patterns);
  if (known === undefined) {
    known = patterns.map(compilePattern);
    compiled.set(patterns, known);
  }
  return known;
}

/** One finding for each value; of several values, those of the best place, in the text's order. */
export function locatePhrase(
  content: DocumentText,
  locator: PhraseLocator,
  target: Target,
  conventions: Conventions,
): Finding[] {
  const prose = proseOf(content);
  const groups: Finding[][] = [];
  for (const [rank, pattern] of compiledPatterns(locator.patterns).entries()) {
    for (const number of sentencesFor(pattern, prose)) {
      if (groups.length >= MOST_FINDINGS) break;
      const place = { content, prose, sentence: prose.sentences[number]!, conventions };
      const sureness = SURE * LATER_PATTERN ** rank;
      if (pattern.hasSlot) groups.push(...slots(place, pattern, target, sureness));
      else if (locator.says !== undefined)
        groups.push(...said(place, pattern, locator.says, sureness));
    }
  }
  if (!target.multiple)
    return ordered(
      groups.flatMap(([first]) => first ?? []),
      locator.pick,
    );
  const best = ordered(
    groups.flatMap(([first]) => first ?? []),
    locator.pick,
  )[0];
  return groups.find(([first]) => first?.start === best?.start && first?.end === best?.end) ?? [];
}

interface Place {
  readonly content: DocumentText;
  readonly prose: Prose;
  readonly sentence: Sentence;
  readonly conventions: Conventions;
}

/** A part of the sentence, as word numbers, where the slot's value is looked for. */
interface Slot {
  readonly from: number;
  readonly to: number;
  /** Where the pattern says that the slot may end, `to` first; empty where it does not say. */
  readonly closings: readonly number[];
  /** Whether the value stands at the slot's end, there being no words before it. */
  readonly fromBehind: boolean;
}

function slots(
  place: Place,
  pattern: PhrasePattern,
  target: Target,
  sureness: number,
): Finding[][] {
  const { prose, sentence } = place;
  const begins = new Set<number>();
  const ends = new Set<number>();
  if (pattern.before !== null) {
    runAutomaton(pattern.before, prose.words, sentence, 1, (_, end) => begins.add(end));
    if (begins.size === 0) return [];
  }
  if (pattern.after !== null) {
    runAutomaton(pattern.after, prose.words, sentence, -1, (_, end) => ends.add(end));
    if (ends.size === 0) return [];
  }
  const found: Finding[][] = [];
  for (const slot of slotsBetween(sentence, prose, pattern, begins, ends)) {
    const values = valuesIn(place, slot, target).filter(
      ({ start, end }) =>
        pattern.lastWords === null || isName(place.content.text.slice(start, end)),
    );
    const findings = values.map((value) => findingOf(place, slot, value, sureness));
    if (findings.length > 0) found.push(target.multiple ? findings : [findings[0]!]);
  }
  return found;
}

function slotsBetween(
  sentence: Sentence,
  { words }: Prose,
  { before, after, lastWords }: PhrasePattern,
  begins: ReadonlySet<number>,
  ends: ReadonlySet<number>,
): Slot[] {
  if (before === null && after === null) {
    const { to } = sentence;
    let from = to;
    // "Exhibit 10.1 SUPPLY AGREEMENT"
    while (from > sentence.from && !/^\d+\.\d/.test(words[from - 1]!)) from -= 1;
    const isWhole = to - from > 1 && to - from <= LONGEST_TEXT && lastWords?.has(words[to - 1]!);
    return isWhole ? [{ from, to, closings: [to], fromBehind: false }] : [];
  }
  const ascending = (a: number, b: number): number => a - b;
  const closings = [...ends].sort(ascending).filter((to) => lastWords?.has(words[to - 1]!) ?? true);
  // A value that ends in a word of a kind, such as agreement, says which one by more than that word.
  const fewest = lastWords === null ? 1 : 2;
  if (before === null) {
    return closings
      .filter((to) => to >= sentence.from + fewest)
      .slice(0, MOST_SLOTS)
      .map((to) => ({
        from: Math.max(sentence.from, to - WINDOW - LONGEST_VALUE),
        to,
        closings: [],
        fromBehind: true,
      }));
  }
  const slots: Slot[] = [];
  for (const from of [...begins].sort(ascending)) {
    if (slots.length >= MOST_SLOTS) break;
    if (after === null) {
      slots.push({ from, to: sentence.to, closings: [], fromBehind: false });
      continue;
    }
    const own = closings.filter((to) => to >= from + fewest && to <= from + LONGEST_SLOT);
    const to = own[0];
    if (to !== undefined) slots.push({ from, to, closings: own, fromBehind: false });
  }
  return slots.filter(({ from, to }) => to >= from + fewest);
}

/** Offsets are of the document's text. Nearest to the phrase first; of several values, all in order. */
function valuesIn(place: Place, slot: Slot, target: Target): TypedValue[] {
  const { content, prose, conventions } = place;
  const { kind } = target;
  const isClosed = slot.closings.length > 0;
  const start = prose.starts[slot.from]!;
  const placed = (value: TypedValue, from: number): TypedValue => ({
    ...value,
    start: value.start + from,
    end: value.end + from,
  });
  if (NAMES.has(kind) && !slot.fromBehind) {
    const names = listedNames(place, slot, kind);
    if (names.length > 0 || (target.multiple && !isClosed)) return names;
  }
  if (kind !== "text") {
    const isNear = !isClosed && !target.multiple;
    const open = isNear ? Math.min(slot.to, slot.from + WINDOW + LONGEST_VALUE) : slot.to;
    // The shortest slot that holds a value: words that may follow it may be words of the value too.
    for (const to of isClosed ? slot.closings.slice(0, MOST_CLOSINGS) : [open]) {
      // A line's end is a space, so that values are read over it; offsets stay.
      const text = content.text.slice(start, prose.ends[to - 1]!).replaceAll("\n", " ");
      const values = recognise(text, conventions, [kind])
        .filter((value) => value.kind === kind)
        .map((value) => placed(value, start))
        .filter((value) => !isNear || distanceTo(place, slot, value) <= WINDOW);
      if (values.length > 0) return slot.fromBehind ? values.reverse() : values;
    }
  }
  if (!READ_AS_THEY_STAND.has(kind)) return [];
  if (isClosed && slot.to - slot.from > LONGEST_TEXT) return [];
  const text = isClosed
    ? content.text.slice(start, prose.ends[slot.to - 1]!)
    : clause(content, prose, slot);
  const from = slot.fromBehind ? prose.ends[slot.to - 1]! - text.length : start;
  if (NAMES.has(kind) && !/^\p{Lu}/u.test(text)) return [];
  const value = text.trim() === "" ? null : read(kind, text, conventions);
  return value === null ? [] : [placed(value, from)];
}

/** What ends in a word of a kind names one: `Office Lease`, not `agreement about a lease`. */
function isName(text: string): boolean {
  return !/["“(]/.test(text) && isTitle(text.replace(/\s+/g, " "));
}

/** The names of an enumeration that begins where the slot does. */
function listedNames({ content, prose }: Place, slot: Slot, kind: ValueKind): TypedValue[] {
  const start = prose.starts[slot.from]!;
  return namesIn(content.text.slice(start, prose.ends[slot.to - 1]!)).map((name) => {
    const at = { start: start + name.start, end: start + name.end };
    const normal = content.text.slice(at.start, at.end).replace(/\s+/g, " ");
    return { kind, ...at, normal, unit: null, certainty: LISTED };
  });
}

/** Words between the phrase and the value. */
function distanceTo({ prose }: Place, slot: Slot, value: TypedValue): number {
  let distance = 0;
  if (slot.fromBehind) {
    for (let word = slot.to - 1; word >= slot.from && prose.starts[word]! >= value.end; word--) {
      distance += 1;
    }
  } else {
    for (let word = slot.from; word < slot.to && prose.ends[word]! <= value.start; word++) {
      distance += 1;
    }
  }
  return distance;
}

/** From the slot's beginning up to what ends a clause; with `fromBehind`, backward. */
function clause(
  { text }: DocumentText,
  { words, starts, ends }: Prose,
  { from, to, fromBehind }: Slot,
): string {
  const breaks = /[,;:.()“”"[\]]/;
  if (fromBehind) {
    let first = to - 1;
    while (
      first > from &&
      to - first < LONGEST_TEXT &&
      !breaks.test(text.slice(ends[first - 1], starts[first])) &&
      !/^\d+\.\d/.test(words[first - 1]!)
    ) {
      first -= 1;
    }
    return text.slice(starts[first], ends[to - 1]);
  }
  let last = from;
  while (
    last + 1 < to &&
    last - from < LONGEST_TEXT &&
    !breaks.test(text.slice(ends[last], starts[last + 1]))
  ) {
    last += 1;
  }
  return text.slice(starts[from], ends[last]);
}

function findingOf(place: Place, slot: Slot, value: TypedValue, sureness: number): Finding {
  const { content } = place;
  const distance = distanceTo(place, slot, value);
  const later = LATER * (value.start / Math.max(1, content.text.length));
  return {
    normal: value.normal,
    unit: value.unit,
    text: content.text.slice(value.start, value.end),
    start: value.start,
    end: value.end,
    page: lineAt(content, value.start).page,
    confidence: sureness * (0.6 + 0.4 * value.certainty) * FARTHER ** distance * (1 - later),
  };
}

/** A pattern without a slot: where it stands, the field has the value that the locator says. */
function said(
  { content, prose, sentence }: Place,
  { before }: PhrasePattern,
  says: string,
  sureness: number,
): Finding[][] {
  const match = firstMatch(before, prose, sentence);
  if (match === null) return [];
  return [[{ ...spanOf(content, prose, match), normal: says, unit: null, confidence: sureness }]];
}

/** The match that ends first in the sentence. */
export function firstMatch(
  automaton: PhrasePattern["before"],
  prose: Prose,
  sentence: Sentence,
): Sentence | null {
  let first: Sentence | null = null;
  if (automaton === null) return null;
  runAutomaton(automaton, prose.words, sentence, 1, (from, to) => {
    if (to > from) first ??= { from, to };
  });
  return first;
}

/** Where words stand. */
export function spanOf(
  content: DocumentText,
  { starts, ends }: Prose,
  { from, to }: Sentence,
): Pick<Finding, "text" | "start" | "end" | "page"> {
  const start = starts[from]!;
  const end = ends[to - 1]!;
  return { text: content.text.slice(start, end), start, end, page: lineAt(content, start).page };
}
