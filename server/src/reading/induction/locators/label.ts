/**
 * Finds values by their labels: in the rest of the line (`Date: 3 May`, `TOTAL  9.00`), under or over
 * the label in its column (a form's box, a header over its value).
 *
 * How sure a finding is falls with what stands in between: words that the label does not have, a
 * label in the middle of a sentence, letters that differ, a line's distance.
 */

import type { DocumentText, PlacedLine } from "../../parsing/document-text.ts";
import type { Finding } from "../inducer.ts";
import { readTally } from "../values/tally.ts";
import type { Conventions, ValueKind } from "../values/value.ts";
import { type Choice, choiceOf } from "./choice.ts";
import { findingOf, firstValue, ordered, readFigure, readStretch } from "./finding.ts";
import { isRowOfPairs, isRowOfTerms } from "./header-row.ts";
import { isKnownLabel, nextKnownLabel } from "./known-labels.ts";
import { isLabelled, isQuestion } from "./label-form.ts";
import { LabelIndex, type LabelMatch } from "./label-index.ts";
import { BOX_NUMBER, isCurrencyWord, labelKey, withoutNumbering } from "./label-key.ts";
import {
  columnNeighbours,
  isBeside,
  isRowUnder,
  showsByForm,
  spanIndexAt,
  stretchOfSpan,
  valuesOf,
  valueThatFills,
  wordsOf,
} from "./layout.ts";
import type { Locator, Target } from "./locator.ts";
import { isNextLabel } from "./next-row.ts";
import { pointedAddress } from "./pointed-address.ts";
import { rangeEnd } from "./range-end.ts";
import { type Segment, segmentAfter } from "./segment.ts";
import { isInBoxLabel, stackedRows } from "./stacked-rows.ts";

type LabelLocator = Extract<Locator, { kind: "label" }>;

interface Compiled {
  readonly labels: LabelIndex;
  readonly except: LabelIndex;
}

const compiled = new WeakMap<LabelLocator, Compiled>();

function compile(locator: LabelLocator): Compiled {
  let known = compiled.get(locator);
  if (known === undefined) {
    known = {
      labels: new LabelIndex(locator.labels),
      except: new LabelIndex(locator.except.map(labelKey)),
    };
    compiled.set(locator, known);
  }
  return known;
}

/** How sure a label is by where it stands in its span. */
const LEADING = 1;
const BEFORE_COLON = 0.9;
/** Of a list, behind a comma and before a figure: `…, DOB 12/03/1970`. */
const LISTED = 0.75;
const MIDDLE = 0.35;
/** After a word of the same breath, `order date:` for `date:`, it is likely another label's end. */
const AFTER_WORD = 0.45;

/** For each word between a label and its value that the label does not have. */
const EXTRA_WORD = 0.72;
/** Behind a label of several words, of values whose form tells them from everything else. */
const EXTRA_WORD_BEFORE_DISTINCT = 0.88;
const DISTINCT: ReadonlySet<ValueKind> = new Set(["date", "phone", "email", "url"]);
const MOST_EXTRA_WORDS = 5;

const EDIT = 0.85;

/** Where the value stands, against one in the rest of the line. */
const BELOW = 0.8;
const ABOVE = 0.6;
const LEFT = 0.8;

/** What a value's form leaves to doubt counts less where a label points at it. */
function pointedAt(certainty: number): number {
  return 0.65 + 0.35 * certainty;
}

const PHRASE = 0.35;
/** Behind `number`, a code in the same breath is as good as behind a colon. */
const NUMBERED = 0.9;

/** A label of several words may go on with how to fill it in: `(print or type name, …)`. */
const MOST_INSTRUCTIONS = 8;
const INSTRUCTED = 0.6;

/** For each value of a number's kind between the label and the value. */
const LATER_VALUE = 0.8;

/** Values behind one label that are looked at. */
const MOST_VALUES = 6;

/** Labels of one document that are followed. */
const MOST_LABELS = 400;
const MOST_LABELS_IN_LINE = 12;

interface Place {
  readonly content: DocumentText;
  readonly index: number;
  readonly line: PlacedLine;
  readonly match: LabelMatch;
  /** Of the line's text, the label's first and the one after its last. */
  readonly from: number;
  readonly to: number;
  readonly sureness: number;
}

export function locateLabel(
  content: DocumentText,
  locator: LabelLocator,
  target: Target,
  conventions: Conventions,
): Finding[] {
  const { labels, except } = compile(locator);
  const pick = locator.pick === "end" ? "first" : locator.pick;
  const findings: Finding[] = [];
  let followed = 0;
  for (const [index, line] of content.lines.entries()) {
    const words = wordsOf(line);
    for (const match of labels.matches(words, MOST_LABELS_IN_LINE)) {
      if (followed === MOST_LABELS) return ordered(findings, pick);
      const place = placeOf(content, index, line, match);
      if (isExcepted(place, except, target, conventions)) continue;
      if (isInAnswer(place, conventions) || isInBoxLabel(content, index, place.to)) continue;
      followed += 1;
      const choice = choiceAt(place, locator);
      if (choice !== null) {
        findings.push(...tickedOf(place, choice, target, conventions));
        continue;
      }
      let found: Finding[] = [];
      if (locator.where.includes("right")) found = toTheRight(place, target, conventions);
      if (found.length === 0 && locator.where.includes("below")) {
        found = inTheColumn(place, 1, labels, target, conventions);
      }
      if (found.length === 0 && locator.where.includes("above")) {
        found = inTheColumn(place, -1, labels, target, conventions);
      }
      if (found.length === 0 && locator.where.includes("left")) {
        found = toTheLeft(place, target, conventions);
      }
      findings.push(
        ...(locator.pick === "end"
          ? found.flatMap((first) => rangeEnd(content, first, conventions) ?? [])
          : found),
      );
    }
  }
  return ordered(findings, pick);
}

function placeOf(content: DocumentText, index: number, line: PlacedLine, match: LabelMatch): Place {
  const words = wordsOf(line);
  const from = words[match.from]!.start;
  const to = words[match.to - 1]!.end;
  const span = line.spans[spanIndexAt(line, from)]!;
  const before = line.text.slice(span.start - line.start, from);
  const sureness = standingOf(before, line.text.slice(to)) * EDIT ** match.edits;
  return { content, index, line, match, from, to, sureness };
}

/** How sure a label is by what its span has before it, and the line behind it. */
function standingOf(before: string, after: string): number {
  if (!/[\p{L}\p{N}]/u.test(before) || BOX_NUMBER.test(before)) return LEADING;
  if (isInList(before, after)) return LISTED;
  const isNamed = /^\s*[#.]*\s*(?:\([^)]{0,12}\)\s*)?[:：]/u.test(after);
  if (!isNamed) return MIDDLE;
  const followsWord = /\p{L}{2,}[\s'’-]*$/u.test(before) && !/\d\S*\s*$/.test(before);
  return followsWord ? AFTER_WORD : BEFORE_COLON;
}

/** `Re: Ann Lee, DOB 12/03/1970`: behind a comma and before a figure. */
const isInList = (before: string, after: string): boolean =>
  /[,;(]\s*$/u.test(before) && /^[\s.#]{1,3}\p{N}/u.test(after);

/** Whether the words stand in another label's answer: `Operator: Valley Aviation School`. */
function isInAnswer({ line, from, to }: Place, conventions: Conventions): boolean {
  const span = line.spans[spanIndexAt(line, from)]!;
  const before = line.text.slice(span.start - line.start, from);
  const colon = before.search(/[:：](?=\s)/u);
  if (colon < 0 || /^[\s.)#]*[:：]/u.test(line.text.slice(to))) return false;
  if (isInList(before, line.text.slice(to))) return false;
  return isKnownLabel(before.slice(0, colon), conventions);
}

/** Whether the words about the label say that it is another. */
function isExcepted(
  { line, from, to }: Place,
  except: LabelIndex,
  { kind }: Target,
  conventions: Conventions,
): boolean {
  const span = line.spans[spanIndexAt(line, from)]!;
  const begin = span.start - line.start;
  const value = showsByForm(kind)
    ? valuesOf(line, kind, conventions).find(({ start }) => start >= to)
    : undefined;
  const end = Math.max(span.end - line.start, value?.start ?? 0);
  const words = wordsOf(line).filter(({ start }) => start >= begin && start < end);
  return except.matches(words).length > 0;
}

/** Boxes behind the label, or on the line under one that stands alone. */
function choiceAt({ content, index, line, to }: Place, { where }: LabelLocator): Choice | null {
  const own = choiceOf(line);
  if (own !== null) return where.includes("right") && to <= own.start ? own : null;
  const below = content.lines[index + 1];
  const isAlone = line.spans.length === 1 && !/[\p{L}\p{N}]/u.test(line.text.slice(to));
  if (!isAlone || !where.includes("below") || below?.page !== line.page) return null;
  const choice = choiceOf(below);
  return choice !== null && below.text.slice(0, choice.start).trim() === "" ? choice : null;
}

function tickedOf(
  { sureness }: Place,
  { ticked }: Choice,
  target: Target,
  conventions: Conventions,
): Finding[] {
  return ticked.flatMap((stretch) => {
    const value = readStretch(stretch, target, conventions);
    return value === null
      ? []
      : [findingOf(stretch.line, value, sureness * pointedAt(value.certainty))];
  });
}

function toTheRight(place: Place, target: Target, conventions: Conventions): Finding[] {
  return showsByForm(target.kind)
    ? shownToTheRight(place, target, conventions)
    : readToTheRight(place, target, conventions);
}

function shownToTheRight(place: Place, { kind }: Target, conventions: Conventions): Finding[] {
  const { content, index, line, match, to, sureness } = place;
  if (isRowOfTerms(content, index)) return [];
  if (kind === "number") {
    const tally = tallyAfter(place, conventions);
    if (tally !== null) return [tally];
  }
  const found: Finding[] = [];
  let factor = sureness;
  const limit = limitOf(place, conventions);
  for (const value of valuesOf(line, kind, conventions)) {
    if (value.start < to) continue;
    if (value.end > limit) break;
    const extra = wordsOf(line).filter(
      ({ start, end, key }) =>
        start >= to && end <= value.start && /\p{L}{2}/u.test(key) && !isCurrencyWord(key),
    ).length;
    if (extra > MOST_EXTRA_WORDS) break;
    const isDistinct = DISTINCT.has(kind) && match.to - match.from > 1;
    const extraWord = isDistinct ? EXTRA_WORD_BEFORE_DISTINCT : EXTRA_WORD;
    if (found.length === MOST_VALUES) break;
    found.push(findingOf(line, value, factor * extraWord ** extra * pointedAt(value.certainty)));
    factor *= LATER_VALUE;
  }
  // `TSH  4.92 mIU/L  0.40 - 4.00`: the figure next to the label is its own, with a unit or without.
  const isFarther =
    found[0] !== undefined && /\S {2}/u.test(line.text.slice(to, found[0].start - line.start));
  const own = found.length === 0 || isFarther ? figureToTheRight(place, kind, conventions) : [];
  return own.length > 0 ? own : found;
}

/** `17 kWh   used this month`: the piece before a label that fills its own. */
function toTheLeft({ line, from, to, sureness }: Place, target: Target, conventions: Conventions) {
  const spanIndex = spanIndexAt(line, from);
  const [before, span] = [line.spans[spanIndex - 1], line.spans[spanIndex]!];
  const isAlone = !/[\p{L}\p{N}]/u.test(line.text.slice(to, span.end - line.start));
  if (before === undefined || sureness < LEADING || !isAlone) return [];
  const value = firstValue(stretchOfSpan(line, before), target, conventions);
  if (value === null) return [];
  return [findingOf(line, value, sureness * LEFT * pointedAt(value.certainty))];
}

/** `17` where others of the sample write `17 kg`, and the other way round. */
function figureToTheRight(place: Place, kind: ValueKind, conventions: Conventions): Finding[] {
  const segment = segmentAfter(place.line, place.to, conventions);
  const value = segment === null ? null : readFigure(segment, kind, conventions);
  if (segment === null || value === null) return [];
  const confidence = place.sureness * segment.sureness * pointedAt(value.certainty);
  return [findingOf(place.line, value, confidence)];
}

/** `Injured: none`, `Injuries: 1 Serious, 2 Minor`. */
function tallyAfter({ line, to, sureness }: Place, conventions: Conventions): Finding | null {
  const segment = segmentAfter(line, to, conventions);
  if (segment === null || !segment.isNamed) return null;
  const value = readTally(line.text.slice(segment.start, segment.end));
  if (value === null) return null;
  const placed = { ...value, start: value.start + segment.start, end: value.end + segment.start };
  return findingOf(line, placed, sureness * segment.sureness * pointedAt(value.certainty));
}

/** Where on its line what the label names ends: at the next label, or at an empty cell. */
function limitOf({ line, to }: Place, conventions: Conventions): number {
  const limit = nextKnownLabel(line, to, conventions) ?? line.text.length;
  const spanIndex = spanIndexAt(line, Math.max(0, to - 1));
  const [span, next] = [line.spans[spanIndex]!, line.spans[spanIndex + 1]];
  const isEmpty = next !== undefined && isForm(line, conventions) && !isBeside(span, next);
  return isEmpty ? Math.min(limit, span.end - line.start) : limit;
}

/** Whether a row holds labels beside their values: an empty cell in it is an empty answer. */
function isForm(line: PlacedLine, conventions: Conventions): boolean {
  return hasOtherLabel(line, 0, conventions);
}

function hasOtherLabel({ spans }: PlacedLine, own: number, conventions: Conventions): boolean {
  return spans.some(({ text }, index) => index !== own && isKnownLabel(text, conventions));
}

function readToTheRight(place: Place, target: Target, conventions: Conventions): Finding[] {
  const { line, match, to, sureness } = place;
  const segment = segmentAfter(line, to, conventions);
  if (segment === null || isHeaderRow(place, segment, conventions)) return [];
  if (target.kind === "identifier" && isOtherCode(place, segment)) return [];
  if (target.kind === "address") {
    const isBeside = spanIndexAt(line, to - 1) !== spanIndexAt(line, segment.start);
    const address = pointedAddress(place.content, place.index, segment, isBeside);
    if (address !== null) {
      const confidence = address.confidence * sureness * segment.sureness;
      return [{ ...address, confidence }];
    }
  }
  const value = readStretch(segment, target, conventions);
  if (value === null) return [];
  // `Time frame, …`: without a colon or a gap, words after a word are a phrase of it.
  const isPhrase = !segment.isNamed && spanIndexAt(line, to) === spanIndexAt(line, segment.start);
  const isOfNumber = match.key.endsWith(" no");
  const isCode =
    target.kind === "identifier" || (isOfNumber && /^[\s.#]*\p{N}/u.test(line.text.slice(to)));
  const isNumbered = isCode && isOfNumber;
  const following = isNumbered ? Math.max(NUMBERED, segment.sureness) : segment.sureness;
  const factor = isPhrase && !isCode ? PHRASE : 1;
  const confidence = sureness * following * factor * pointedAt(value.certainty);
  return [findingOf(line, value, confidence)];
}

/** Whether what stands beside an empty label is another's, with its label: `IBAN:   BIC: RABONL2U`. */
function isOtherCode({ line, to }: Place, { start, end }: Segment): boolean {
  if (spanIndexAt(line, to - 1) === spanIndexAt(line, start)) return false;
  return isLabelled(line.text.slice(start, end));
}

/** Whether label and value are headers over a row of as many values: the value stands below. */
function isHeaderRow(
  { content, index, line, to }: Place,
  segment: Segment,
  conventions: Conventions,
): boolean {
  if (segment.isNamed || spanIndexAt(line, to) === spanIndexAt(line, segment.start)) return false;
  if (isRowOfTerms(content, index)) return true;
  if (isRowOfPairs(line) || stackedRows(content).pairs.has(index)) return false;
  const next = content.lines[index + 1];
  if (next === undefined || !isRowUnder(line, next)) return false;
  const place = line.spans[0]!.cell;
  if (place !== null) {
    // A form of labels beside their values has no header, though its first row may look like one.
    const isAnswer = !isKnownLabel(line.text.slice(segment.start, segment.end), conventions);
    return (
      place.isHeader && !(isAnswer && hasOtherLabel(line, spanIndexAt(line, to - 1), conventions))
    );
  }
  const isWords = line.spans.every(({ text }) => !/\p{N}/u.test(withoutNumbering(text)));
  if (!isWords || !/\p{N}/u.test(next.text)) return false;
  if (line.spans.length > 2 || /\p{N}/u.test(next.spans[spanIndexAt(line, to)]!.text)) return true;
  // Words over words: rows of one kind of value have a header, lines of labels and values do not.
  const after = content.lines[index + 2];
  if (after === undefined || after.spans.length !== 2) return false;
  const value = valueThatFills(next.spans[1]!.text, conventions);
  return value !== null && value.kind === valueThatFills(after.spans[1]!.text, conventions)?.kind;
}

function inTheColumn(
  place: Place,
  step: 1 | -1,
  labels: LabelIndex,
  target: Target,
  conventions: Conventions,
): Finding[] {
  const { content, index, line, match, from, to, sureness } = place;
  const spanIndex = spanIndexAt(line, from);
  const span = line.spans[spanIndex]!;
  // A label has little else in its span: words after it are a sentence's.
  const rest = wordsOf(line).filter(
    ({ start, key }) => start >= to && start < span.end - line.start && !isCurrencyWord(key),
  );
  const isInstruction = sureness === LEADING && match.to - match.from > 2;
  if (rest.length > (isInstruction ? MOST_INSTRUCTIONS : 0)) return [];
  const factor = sureness * (rest.length > 0 ? INSTRUCTED : 1) * (step > 0 ? BELOW : ABOVE);
  for (const stretch of columnNeighbours(content, index, spanIndex, step)) {
    const text = stretch.line.text.slice(stretch.start, stretch.end);
    if (isLabelled(text) || isQuestion(text) || isKnownLabel(text, conventions)) return [];
    if (step > 0 && isNextLabel(line, spanIndex, stretch, text)) return [];
    const words = wordsOf(stretch.line).filter(
      ({ start }) => start >= stretch.start && start < stretch.end,
    );
    if (labels.at(words, 0) !== null) return [];
    if (target.kind === "address" && step > 0) {
      const address = pointedAddress(content, content.lines.indexOf(stretch.line, index), stretch);
      if (address !== null) return [{ ...address, confidence: address.confidence * factor }];
    }
    const value = firstValue(stretch, target, conventions);
    if (value !== null)
      return [findingOf(stretch.line, value, factor * pointedAt(value.certainty))];
    if (!showsByForm(target.kind)) return [];
  }
  return [];
}
