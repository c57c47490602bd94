/**
 * Values in running text: a pattern over one sentence, and in its slot the nearest value of the
 * field's kind; or, of a pattern without a slot, what its standing there says.
 */

import { type DocumentText, lineAt } from "../../parsing/document-text.ts";
import type { Finding } from "../inducer.ts";
import type { Conventions, TypedValue } from "../values/value.ts";
import { ordered } from "./finding.ts";
import { isTitle } from "./headings.ts";
import type { Locator, Target } from "./locator.ts";
import {
  compilePattern,
  type PhrasePattern,
  runAutomaton,
  sentencesFor,
} from "./phrase-pattern.ts";
import { type Prose, proseOf, type Sentence } from "./sentences.ts";
import { distanceTo, type Place, type Slot, slotsBetween, valuesIn } from "./slot.ts";

type PhraseLocator = Extract<Locator, { kind: "phrase" }>;

const MOST_FINDINGS = 60;

const SURE = 0.9;
/** For each pattern that stands before this one in the locator. */
const LATER_PATTERN = 0.97;
/** For each word between the phrase and its value. */
const FARTHER = 0.98;

/** How much less sure a value is at the end of the document than at its beginning; less than a pattern's step. */
const LATER = 0.025;

const compiled = new WeakMap<readonly string[], readonly PhrasePattern[]>();

/** The patterns, compiled once for each list. @throws Error for one that is none */
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

/** What ends in a word of a kind names one: `Office Lease`, not `agreement about a lease`. */
function isName(text: string): boolean {
  return !/["“(]/.test(text) && isTitle(text.replace(/\s+/g, " "));
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
