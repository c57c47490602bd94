/** Finds values in the rest of a label's line: `Date: 3 May`, `TOTAL  9.00`. */

import type { PlacedLine, PlacedSpan } from "../../parsing/document-text.ts";
import type { Finding } from "../inducer.ts";
import { readTally } from "../values/tally.ts";
import type { Conventions, TypedValue, ValueKind } from "../values/value.ts";
import { findingOf, readFigure, readStretch } from "./finding.ts";
import { isRowOfPairs, isRowOfTerms } from "./header-row.ts";
import { isKnownLabel, nextKnownLabel } from "./known-labels.ts";
import { isLabelled } from "./label-form.ts";
import { isCurrencyWord, withoutNumbering } from "./label-key.ts";
import { type Place, pointedAt } from "./label-place.ts";
import {
  isBeside,
  isRowUnder,
  showsByForm,
  spanIndexAt,
  valuesOf,
  valueThatFills,
  wordsOf,
} from "./layout.ts";
import type { Target } from "./locator.ts";
import { pointedAddress } from "./pointed-address.ts";
import { type Segment, segmentAfter } from "./segment.ts";
import { stackedRows } from "./stacked-rows.ts";
import { sumOfRow } from "./total-columns.ts";

/** For each word between a label and its value that the label does not have. */
const EXTRA_WORD = 0.72;
/** Behind a label of several words, of values whose form tells them from everything else. */
const EXTRA_WORD_BEFORE_DISTINCT = 0.88;
const DISTINCT: ReadonlySet<ValueKind> = new Set(["date", "phone", "email", "url"]);
const MOST_EXTRA_WORDS = 5;

const PHRASE = 0.35;
/** Behind `number`, a code in the same breath is as good as behind a colon. */
const NUMBERED = 0.9;

/** For each value of a number's kind between the label and the value. */
const LATER_VALUE = 0.8;

/** Values behind one label that are looked at. */
const MOST_VALUES = 6;

export function toTheRight(place: Place, target: Target, conventions: Conventions): Finding[] {
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
  const sum = to <= line.spans[0]!.end - line.start ? sumOfRow(content, line) : null;
  for (const value of sumFirst(line, sum, valuesOf(line, kind, conventions))) {
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
    sum === null &&
    found[0] !== undefined &&
    /\S {2}/u.test(line.text.slice(to, found[0].start - line.start));
  const own = found.length === 0 || isFarther ? figureToTheRight(place, kind, conventions) : [];
  return own.length > 0 ? own : found;
}

/** The row's values, that of its sum before its parts; in their order where there is none. */
function sumFirst(
  line: PlacedLine,
  sum: PlacedSpan | null,
  values: readonly TypedValue[],
): readonly TypedValue[] {
  if (sum === null) return values;
  const isSum = ({ start }: TypedValue): boolean =>
    start >= sum.start - line.start && start < sum.end - line.start;
  return [...values.filter(isSum), ...values.filter((value) => !isSum(value))];
}

/** `17` where others of the sample write `17 kg`, and the other way round. */
function figureToTheRight(place: Place, kind: ValueKind, conventions: Conventions): Finding[] {
  const segment = segmentAfter(place.line, place.to, conventions);
  if (segment === null) return [];
  const value =
    readFigure(segment, kind, conventions) ?? readFigure(firstOfList(segment), kind, conventions);
  if (value === null) return [];
  const confidence = place.sureness * segment.sureness * pointedAt(value.certainty);
  return [findingOf(place.line, value, confidence)];
}

/** `64, temperature 37.1. No complaints`: the stretch up to what parts its first piece from the others. */
function firstOfList(segment: Segment): Segment {
  const { line, start, end } = segment;
  const length = line.text.slice(start, end).search(/[,;](?!\p{N})|\.(?!\p{N})/u);
  return length <= 0 ? segment : { ...segment, end: start + length };
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
