/**
 * Labels with their values as layouts pair them: `Label: value`, a label and a value that a gap
 * parts, words that a typed value follows, and rows of labels over rows of values. A value ends where
 * the next label begins, and a label is nobody's value: where a cell is empty, there is no pair.
 */

import type { DocumentText, PlacedLine } from "../../parsing/document-text.ts";
import { type Choice, choiceOf } from "../locators/choice.ts";
import { isRowOfPairs, isRowOfTerms } from "../locators/header-row.ts";
import { isKnownLabel } from "../locators/known-labels.ts";
import {
  behindList,
  inlineLabels,
  isColumnTitle,
  isLabelText,
  LABEL_AND_COLON,
  LONGEST_LABEL,
} from "../locators/label-form.ts";
import { BOX_LABEL, labelKey, labelWords, withoutNumbering } from "../locators/label-key.ts";
import {
  columnNeighbours,
  isBeside,
  isCaption,
  type Stretch,
  stretchOfSpan,
  textOfStretch,
  valueThatFills,
} from "../locators/layout.ts";
import { isListedLabel, untilListed } from "../locators/segment.ts";
import { stackedRows } from "../locators/stacked-rows.ts";
import { hasStreetOrPostcode } from "../values/address-words.ts";
import { dayRange, withoutOpening } from "../values/day-range.ts";
import { recognise } from "../values/recognise.ts";
import { isTimeOfDay } from "../values/time-of-day.ts";
import type { Conventions } from "../values/value.ts";
import { isLinkingWord } from "../words/content-words.ts";
import { meaningOf } from "../words/label-concepts.ts";
import { statedValue } from "./stated-value.ts";

export interface Pair {
  readonly label: string;
  readonly value: Stretch;
  readonly where: "right" | "below" | "above" | "left";
  /** 0 to 1: how surely the one names the other. */
  readonly sureness: number;
}

const COLON = 0.9;
const COLON_BELOW = 0.75;
const GAP = 0.7;
const GAP_AND_TEXT = 0.5;
const SAME_SPAN = 0.6;
const HEADER = 0.6;

/** Spans of a line that are pairs of labels and values rather than a table's columns. */
const MOST_SPANS = 4;

/** The last words before a colon that can be a label, when more stands before it. */
const LAST_WORDS = /(?:\p{L}[\p{L}.#/'’-]*\s+){0,2}\p{L}[\p{L}.#/'’-]*$/u;

/** All pairs of a line, in its order. */
export function pairsOf(content: DocumentText, index: number, conventions: Conventions): Pair[] {
  const line = content.lines[index]!;
  if (isRowOfAnswers(content, index, conventions)) return [];
  if (isRowOfTerms(content, index - 1) && !isTableHeader(content, index - 1)) return [];
  const isStacked = stackedRows(content).labels.has(index);
  if (!isStacked && index + 1 < content.lines.length && isCaption(content, index + 1)) return [];
  const choice = choiceOf(line);
  if (choice !== null) return choicePairs(content, index, choice);
  if (isStacked) return stackedPairs(content, index);
  if (isCaption(content, index)) return captionPairs(content, index, conventions);
  if (isRowOfTerms(content, index)) return headerPairs(content, index, conventions);
  const before = figureBefore(line, conventions);
  if (before !== null) return [before];
  if (
    isRowOfPairs(line) ||
    stackedRows(content).pairs.has(index) ||
    isRowOfKnownPairs(line, conventions)
  ) {
    return alternatingPairs(line);
  }
  const pairs: Pair[] = [];
  for (const [spanIndex, span] of line.spans.entries()) {
    const colons = [...span.text.matchAll(LABEL_AND_COLON)];
    pairs.push(...listedPairs(line, spanIndex, conventions));
    if (colons.length > 0) {
      pairs.push(...colonPairs(content, index, spanIndex, colons, conventions));
    } else {
      const pair =
        gapPair(line, content.lines[index + 1], spanIndex, conventions) ??
        wordsAndValue(line, spanIndex, conventions);
      if (pair !== null) pairs.push(pair);
    }
  }
  return pairs.length > 0 ? pairs : headerPairs(content, index, conventions);
}

/** Whether the documents know each second piece, and no other, for a label. */
const isRowOfKnownPairs = ({ spans }: PlacedLine, conventions: Conventions): boolean =>
  spans.length >= 4 &&
  spans.length % 2 === 0 &&
  spans.every(({ text }, index) => isKnownLabel(text, conventions) === (index % 2 === 0));

/** Each second piece answers the one before it. */
function alternatingPairs(line: PlacedLine): Pair[] {
  return line.spans.flatMap((span, index): Pair[] => {
    const answer = line.spans[index + 1];
    if (index % 2 > 0 || answer === undefined || !isBeside(span, answer)) return [];
    const value = stretchOfSpan(line, answer);
    return [{ label: span.text, value, where: "right", sureness: GAP }];
  });
}

/** Whether what stands in a line answers the labels over it, and nothing in it is a label. */
function isRowOfAnswers(content: DocumentText, index: number, conventions: Conventions): boolean {
  const [above, line] = [content.lines[index - 1], content.lines[index]!];
  if (above === undefined || above.page !== line.page || above.spans.length < 2) return false;
  return (
    line.spans.length <= above.spans.length &&
    above.spans.every(({ text }) => isKnownLabel(text, conventions)) &&
    !line.spans.some(({ text }) => isKnownLabel(text, conventions) || /[:：]/u.test(text))
  );
}

function colonPairs(
  content: DocumentText,
  index: number,
  spanIndex: number,
  matches: readonly RegExpExecArray[],
  conventions: Conventions,
): Pair[] {
  const line = content.lines[index]!;
  const span = line.spans[spanIndex]!;
  const base = span.start - line.start;
  const pairs: Pair[] = [];
  const colons = labelsBefore(matches, isOpen(line, spanIndex), conventions);
  for (const [order, { written, end }] of colons.entries()) {
    if (!isLabelText(written)) continue;
    const from = base + end;
    const next = colons[order + 1];
    const to = next === undefined ? base + span.text.length : base + next.start;
    const value = trimmed(line, from, from + untilListed(line.text.slice(from, to), conventions));
    if (value !== null) {
      pairs.push({ label: written, value, where: "right", sureness: COLON });
      continue;
    }
    if (next !== undefined) continue;
    const beside = line.spans[spanIndex + 1];
    // Of labels side by side, each has its answer below.
    if (beside !== undefined && !/[:：]\s*$/u.test(beside.text)) {
      if (!isBeside(span, beside) || isAnotherLabel(beside.text, conventions)) continue;
      const stretch = trimmed(line, beside.start - line.start, beside.end - line.start);
      if (stretch !== null) {
        pairs.push({ label: written, value: stretch, where: "right", sureness: COLON });
      }
      continue;
    }
    const [below] = columnNeighbours(content, index, spanIndex, 1);
    if (below !== undefined && mayAnswerFromBelow(below, conventions)) {
      pairs.push({ label: written, value: below, where: "below", sureness: COLON_BELOW });
    }
  }
  return pairs;
}

interface Written {
  readonly written: string;
  /** Offsets of the span: the label's first, and the one after its colon. */
  readonly start: number;
  readonly end: number;
}

/**
 * The label before each colon of a span. Behind another pair's value only the last words are the
 * label: those that the documents know, or a few.
 *
 * @param isAnswer whether the span answers a label before it, so that its first colon may be its own
 */
function labelsBefore(
  colons: readonly RegExpExecArray[],
  isAnswer: boolean,
  conventions: Conventions,
): Written[] {
  return colons.flatMap((colon, order): Written[] => {
    const words = order === 0 ? colon[1]! : behindList(colon[1]!);
    const start = colon.index + colon[0].lastIndexOf(words);
    const end = colon.index + colon[0].length;
    const known = knownEnding(words, conventions);
    if (known !== null)
      return [{ written: known, start: start + words.length - known.length, end }];
    // `Conducted under:  Part 91: General`
    if (isAnswer && order === 0 && hasKnownLabels(conventions) && !namesThing(words)) return [];
    const written = order === 0 ? words : (LAST_WORDS.exec(words)?.[0] ?? "");
    // `Conducted under: Part 91: General`
    if (written === "") return [];
    return [{ written, start: start + words.length - written.length, end }];
  });
}

/** The longest known label that the text ends with. */
function knownEnding(text: string, conventions: Conventions): string | null {
  if (!hasKnownLabels(conventions)) return null;
  for (const { start } of labelWords(text)) {
    const ending = text.slice(start);
    if (isKnownLabel(ending, conventions)) return ending;
  }
  return null;
}

const hasKnownLabels = ({ labels = [] }: Conventions): boolean => labels.length > 0;

/** Whether the piece before ends with a colon, and this one may answer it. */
function isOpen(line: PlacedLine, spanIndex: number): boolean {
  const before = line.spans[spanIndex - 1];
  return before !== undefined && /[:：]\s*$/u.test(before.text);
}

/** Whether a piece beside an open label begins another label's pair, or is one. */
function isAnotherLabel(text: string, conventions: Conventions): boolean {
  if (isKnownLabel(text, conventions)) return true;
  const [colon] = text.matchAll(LABEL_AND_COLON);
  if (colon === undefined) return false;
  if (colon.index === 0 && namesThing(colon[1]!)) return true;
  return hasKnownLabels(conventions) ? knownEnding(colon[1]!, conventions) !== null : true;
}

/** Whether a text is made of terms and about something: `Your order`. */
const namesThing = (text: string): boolean => meaningOf(labelKey(text)) !== null;

function mayAnswerFromBelow({ line, start, end }: Stretch, conventions: Conventions): boolean {
  return !isAnotherLabel(line.text.slice(start, end), conventions);
}

/** `TOTAL  9.00`: words, a gap, and a span that is a value by its form. */
function gapPair(
  line: PlacedLine,
  below: PlacedLine | undefined,
  spanIndex: number,
  conventions: Conventions,
): Pair | null {
  const span = line.spans[spanIndex]!;
  const next = line.spans[spanIndex + 1];
  if (next === undefined || !isLabelText(span.text) || !isBeside(span, next)) return null;
  const words = withoutNumbering(span.text).replace(/\(?[\p{N}.,]+\s?%\)?/gu, "");
  if (/\p{N}/u.test(words)) return null;
  // Two addresses side by side.
  if (hasStreetOrPostcode(span.text)) return null;
  if (isKnownLabel(next.text, conventions)) return null;
  const value = trimmed(line, next.start - line.start, next.end - line.start);
  if (value === null) return null;
  // Of a form's row of labels and answers, the documents know the labels.
  const isKnown = isKnownLabel(span.text, conventions);
  if (line.spans.length > MOST_SPANS && !isKnown) return null;
  if (/\p{N}/u.test(next.text) && valueThatFills(next.text, conventions) !== null) {
    return { label: span.text, value, where: "right", sureness: GAP };
  }
  if (!isShortAnswer(next.text)) return null;
  const answer: Pair = { label: span.text, value, where: "right", sureness: GAP_AND_TEXT };
  if (isKnown && span.cell !== null) return answer;
  // Over a value, the label is its header and what stands beside it another.
  const isOverValue =
    below?.spans.length === 2 && /\p{N}/u.test(withoutNumbering(below.spans[0]!.text));
  return spanIndex === 0 && line.spans.length === 2 && !isOverValue ? answer : null;
}

/** `DOB 12/03/1970, NHS No. 943 476 5919`: terms before figures in a list; of several, a few words are enough. */
function listedPairs(line: PlacedLine, spanIndex: number, conventions: Conventions): Pair[] {
  const span = line.spans[spanIndex]!;
  const base = span.start - line.start;
  const listed = inlineLabels(span.text);
  const isList = listed.length > 1;
  return listed.flatMap(({ label, start, from, to }): Pair[] => {
    if (start === 0 && !isList) return [];
    if (!isListedLabel(label, conventions) && !(isList && areFewWords(label))) return [];
    const value = trimmed(line, base + from, base + to);
    return value === null ? [] : [{ label, value, where: "right", sureness: SAME_SPAN }];
  });
}

const MOST_LISTED_WORDS = 3;

/** `white count`, and no `in the spring of`. */
function areFewWords(label: string): boolean {
  const words = labelKey(label).split(" ");
  return words.length <= MOST_LISTED_WORDS && !words.some(isLinkingWord) && isLabelText(label);
}

const MOST_ANSWER_WORDS = 7;

/** `Fuel type  Diesel`: a few words alone; that many documents write the same label shows the rest. */
function isShortAnswer(text: string): boolean {
  return text.length <= LONGEST_LABEL && text.split(" ").length <= MOST_ANSWER_WORDS;
}

/** `Sub Total RM8.60`, `Period 3 May to 2 June 2023`: a few words, then a value that ends the span. */
function wordsAndValue(line: PlacedLine, spanIndex: number, conventions: Conventions): Pair | null {
  const span = line.spans[spanIndex]!;
  if (span.text.length > 2 * LONGEST_LABEL || !/\p{N}/u.test(span.text)) return null;
  const values = recognise(span.text, conventions);
  const last = values.at(-1);
  if (last === undefined || last.kind === "number" || last.start === 0) return null;
  const behind = span.text.slice(last.end);
  const isTimed = last.kind === "date" && isTimeOfDay(behind);
  if (!isTimed && /[\p{L}\p{N}]/u.test(behind)) return null;
  const before = values.at(-2);
  const isRange =
    before !== undefined &&
    before.start > 0 &&
    dayRange(span.text.slice(before.start, last.end), conventions) !== null;
  const from = isRange ? before.start : last.start;
  const written = span.text.slice(0, from).trim();
  const label = isRange ? withoutOpening(written) : written;
  if (!isLabelText(label) || labelKey(label).split(" ").length > 4) return null;
  const base = span.start - line.start;
  const value = { line, start: base + from, end: base + last.end };
  return { label, value, where: "right", sureness: SAME_SPAN };
}

/** Ticked boxes behind a label, or on the line under one. */
function choicePairs(content: DocumentText, index: number, { start, ticked }: Choice): Pair[] {
  const line = content.lines[index]!;
  const [value] = ticked;
  if (value === undefined) return [];
  const before = line.text.slice(0, start).replace(/[\s:：.?_-]+$/u, "");
  const above = content.lines[index - 1];
  const isAbove = before === "" && above?.page === line.page && above.spans.length === 1;
  const label = isAbove ? above.text.replace(/[\s:：.?]+$/u, "") : before;
  if (!isLabelText(label)) return [];
  return [{ label, value, where: isAbove ? "below" : "right", sureness: COLON }];
}

/** `17 kWh   used this month`: a figure, and a known label for it. */
function figureBefore(line: PlacedLine, conventions: Conventions): Pair | null {
  const [figure, label, ...others] = line.spans;
  if (figure === undefined || label === undefined || others.length > 0) return null;
  if (figure.cell !== null || !/\p{N}/u.test(figure.text) || /[:：]/u.test(line.text)) return null;
  if (/\p{N}/u.test(label.text) || !isKnownLabel(label.text, conventions)) return null;
  if (isKnownLabel(figure.text, conventions)) return null;
  if (valueThatFills(figure.text, conventions) === null) return null;
  return { label: label.text, value: stretchOfSpan(line, figure), where: "left", sureness: GAP };
}

/** Known labels under what they name. */
function captionPairs(content: DocumentText, index: number, conventions: Conventions): Pair[] {
  return content.lines[index]!.spans.flatMap((span, spanIndex): Pair[] => {
    if (!isKnownLabel(span.text, conventions)) return [];
    const [above] = columnNeighbours(content, index, spanIndex, -1);
    if (above === undefined || isKnownLabel(textOfStretch(above), conventions)) return [];
    return [{ label: span.text, value: above, where: "above", sureness: HEADER }];
  });
}

/** The labels of a form's boxes and their answers. */
function stackedPairs(content: DocumentText, index: number): Pair[] {
  const line = content.lines[index]!;
  const next = content.lines[index + 1]!;
  return line.spans.flatMap((span, spanIndex): Pair[] => {
    const [below] = columnNeighbours(content, index, spanIndex, 1);
    if (below === undefined || below.line !== next) return [];
    return [{ label: span.text, value: below, where: "below", sureness: GAP }];
  });
}

/** A row of words over a row of as many values. */
function headerPairs(content: DocumentText, index: number, conventions: Conventions): Pair[] {
  const line = content.lines[index]!;
  const count = line.spans.length;
  if (count > 8 || !line.spans.every(({ text }) => isColumnTitle(text))) return [];
  const next = content.lines[index + 1];
  if (next === undefined || next.page !== line.page) return [];
  const isOfTerms = isRowOfTerms(content, index);
  const isRowOfLabels =
    isOfTerms || line.spans.every(({ text }) => isKnownLabel(text, conventions));
  // One word over one line is anything; a row over a row is not.
  if (count < 2 || (next.spans.length < 2 && !isRowOfLabels)) return [];
  const isForm =
    isRowOfLabels && content.lines[index + 2]?.spans.every(({ text }) => isColumnTitle(text));
  if (isTableHeader(content, index) && isForm !== true) return [];
  const pairs: Pair[] = [];
  let typed = 0;
  for (const [spanIndex, span] of line.spans.entries()) {
    const [below] = columnNeighbours(content, index, spanIndex, 1);
    if (below === undefined || below.line !== next) continue;
    if (isKnownLabel(textOfStretch(below), conventions)) continue;
    // `e Employee's name   Ann Lee` over `5 Wages   900.00`: each line is a pair.
    if (BOX_LABEL.test(textOfStretch(below)) && isColumnTitle(textOfStretch(below))) return [];
    const kind = statedValue(textOfStretch(below), conventions)?.kind ?? "text";
    if (kind !== "text") typed += 1;
    pairs.push({ label: span.text, value: below, where: "below", sureness: HEADER });
  }
  return isRowOfLabels || typed * 2 >= pairs.length ? pairs : [];
}

/** Whether rows of values after the first make it a table, which has columns and no labels. */
function isTableHeader(content: DocumentText, index: number): boolean {
  if (stackedRows(content).labels.has(index)) return false;
  const [line, next, after] = [0, 1, 2].map((step) => content.lines[index + step]);
  if (line === undefined || next === undefined || after === undefined) return false;
  if (after.spans.length !== next.spans.length) return false;
  const isOfTerms = isRowOfTerms(content, index);
  return isOfTerms ? hasFigure(next) && hasFigure(after) : line.spans.length > 2;
}

/** Whether one of its pieces is a figure and no more. */
function hasFigure({ spans }: PlacedLine): boolean {
  return spans.some(({ text }) => /^[-(]?\p{Sc}?\s?\d[\d.,\s]*(?:\p{Sc}|%)?\)?$/u.test(text));
}

function trimmed(line: PlacedLine, from: number, to: number): Stretch | null {
  const text = line.text.slice(from, to);
  const start = /^[\s.:：=#*|]*/u.exec(text)![0].length;
  const kept = text.slice(start).trimEnd();
  return kept === "" ? null : { line, start: from + start, end: from + start + kept.length };
}
