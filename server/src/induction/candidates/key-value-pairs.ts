/**
 * Labels with their values as layouts pair them: `Label: value`, a label and a value that a gap
 * parts, words that a typed value follows, and rows of labels over rows of values.
 */

import type { DocumentText, PlacedLine } from "../../parsing/document-text.ts";
import { labelKey, withoutNumbering } from "../locators/label-key.ts";
import { columnNeighbours, type Stretch, valueThatFills } from "../locators/layout.ts";
import { recognise } from "../values/recognise.ts";
import type { Conventions } from "../values/value.ts";
import { statedValue } from "./stated-value.ts";

export interface Pair {
  readonly label: string;
  readonly value: Stretch;
  readonly where: "right" | "below";
  /** 0 to 1: how surely the one names the other. */
  readonly sureness: number;
}

const COLON = 0.9;
const COLON_BELOW = 0.75;
const GAP = 0.7;
const GAP_AND_TEXT = 0.5;
const SAME_SPAN = 0.6;
const HEADER = 0.6;

const LONGEST_LABEL = 48;
const MOST_LABEL_WORDS = 7;

/** Spans of a line that are pairs of labels and values rather than a table's columns. */
const MOST_SPANS = 4;

/** `Label:`, also in the middle of a span; times and addresses on the web have colons too. */
const LABEL_AND_COLON = /(?:^|[\s(])(\p{L}[^:：\n]{0,47}?)\s*[:：](?!\/\/|\d\d\b)/gu;

/** The last words before a colon that can be a label, when more stands before it. */
const LAST_WORDS = /(?:\p{L}[\p{L}.#/'’-]*\s+){0,2}\p{L}[\p{L}.#/'’-]*$/u;

/** All pairs of a line, in its order. */
export function pairsOf(content: DocumentText, index: number, conventions: Conventions): Pair[] {
  const line = content.lines[index]!;
  const pairs: Pair[] = [];
  for (const [spanIndex, span] of line.spans.entries()) {
    const colons = [...span.text.matchAll(LABEL_AND_COLON)];
    if (colons.length > 0) {
      pairs.push(...colonPairs(content, index, spanIndex, colons));
    } else {
      const pair =
        gapPair(line, content.lines[index + 1], spanIndex, conventions) ??
        wordsAndValue(line, spanIndex, conventions);
      if (pair !== null) pairs.push(pair);
    }
  }
  return pairs.length > 0 ? pairs : headerPairs(content, index, conventions);
}

/** Whether a text can be what something is called. */
export function isLabel(text: string): boolean {
  if (text.length > LONGEST_LABEL || !/\p{L}{2}/u.test(text)) return false;
  const key = labelKey(text);
  if (key === "" || key.split(" ").length > MOST_LABEL_WORDS) return false;
  const digits = text.match(/\p{N}/gu)?.length ?? 0;
  return digits <= 2 || digits / text.length < 0.2;
}

function colonPairs(
  content: DocumentText,
  index: number,
  spanIndex: number,
  colons: readonly RegExpExecArray[],
): Pair[] {
  const line = content.lines[index]!;
  const span = line.spans[spanIndex]!;
  const base = span.start - line.start;
  const pairs: Pair[] = [];
  for (const [order, colon] of colons.entries()) {
    // Behind another pair's value, only the last words are the label.
    const written = order === 0 ? colon[1]! : (LAST_WORDS.exec(colon[1]!)?.[0] ?? "");
    if (!isLabel(written)) continue;
    const from = base + colon.index + colon[0].length;
    const next = colons[order + 1];
    const nextLabel = next === undefined ? "" : (LAST_WORDS.exec(next[1]!)?.[0] ?? "");
    const to =
      next === undefined
        ? base + span.text.length
        : base + next.index + next[0].indexOf(next[1]!) + next[1]!.length - nextLabel.length;
    const value = trimmed(line, from, to);
    if (value !== null) {
      pairs.push({ label: written, value, where: "right", sureness: COLON });
      continue;
    }
    if (next !== undefined) continue;
    const beside = line.spans[spanIndex + 1];
    if (beside !== undefined) {
      if (/[:：]/u.test(beside.text)) continue;
      const stretch = trimmed(line, beside.start - line.start, beside.end - line.start);
      if (stretch !== null) {
        pairs.push({ label: written, value: stretch, where: "right", sureness: COLON });
      }
      continue;
    }
    const [below] = columnNeighbours(content, index, spanIndex, 1);
    if (below !== undefined && !/[:：]/u.test(textOf(below))) {
      pairs.push({ label: written, value: below, where: "below", sureness: COLON_BELOW });
    }
  }
  return pairs;
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
  if (next === undefined || line.spans.length > MOST_SPANS || !isLabel(span.text)) return null;
  if (/\p{N}/u.test(span.text.replace(/\(?[\p{N}.,]+\s?%\)?/gu, ""))) return null;
  const value = trimmed(line, next.start - line.start, next.end - line.start);
  if (value === null) return null;
  if (/\p{N}/u.test(next.text) && valueThatFills(next.text, conventions) !== null) {
    return { label: span.text, value, where: "right", sureness: GAP };
  }
  // Over a value, the label is its header and what stands beside it another.
  const isOverValue = below?.spans.length === 2 && /\p{N}/u.test(below.spans[0]!.text);
  return spanIndex === 0 && line.spans.length === 2 && !isOverValue && isShortAnswer(next.text)
    ? { label: span.text, value, where: "right", sureness: GAP_AND_TEXT }
    : null;
}

/** `Fuel type  Diesel`: a few words alone; that many documents write the same label shows the rest. */
function isShortAnswer(text: string): boolean {
  return text.length <= LONGEST_LABEL && text.split(" ").length <= MOST_LABEL_WORDS;
}

/** `Sub Total RM8.60`: a few words, then a value that ends the span. */
function wordsAndValue(line: PlacedLine, spanIndex: number, conventions: Conventions): Pair | null {
  const span = line.spans[spanIndex]!;
  if (span.text.length > 2 * LONGEST_LABEL || !/\p{N}/u.test(span.text)) return null;
  const last = recognise(span.text, conventions).at(-1);
  if (last === undefined || last.kind === "number" || last.start === 0) return null;
  if (/[\p{L}\p{N}]/u.test(span.text.slice(last.end))) return null;
  const label = span.text.slice(0, last.start).trim();
  if (!isLabel(label) || labelKey(label).split(" ").length > 4) return null;
  const base = span.start - line.start;
  const value = { line, start: base + last.start, end: base + last.end };
  return { label, value, where: "right", sureness: SAME_SPAN };
}

/** A row of words over a row of as many values. */
function headerPairs(content: DocumentText, index: number, conventions: Conventions): Pair[] {
  const line = content.lines[index]!;
  const count = line.spans.length;
  if (count > 8 || !line.spans.every(({ text }) => isHeader(text))) return [];
  const next = content.lines[index + 1];
  if (next === undefined || next.page !== line.page) return [];
  // One word over one line is anything; a row over a row is not.
  if (count < 2 || next.spans.length < 2) return [];
  // Rows of values after the first make it a table, which has columns and no labels.
  const after = content.lines[index + 2];
  if (after !== undefined && after.spans.length === next.spans.length && count > 2) return [];
  const pairs: Pair[] = [];
  let typed = 0;
  for (const [spanIndex, span] of line.spans.entries()) {
    const [below] = columnNeighbours(content, index, spanIndex, 1);
    if (below === undefined || below.line !== next) continue;
    const kind = statedValue(textOf(below), conventions)?.kind ?? "text";
    if (kind !== "text") typed += 1;
    pairs.push({ label: span.text, value: below, where: "below", sureness: HEADER });
  }
  return typed * 2 >= pairs.length ? pairs : [];
}

/** Words alone, behind a number of their own. */
function isHeader(text: string): boolean {
  return isLabel(text) && !/\p{N}/u.test(withoutNumbering(text));
}

function textOf({ line, start, end }: Stretch): string {
  return line.text.slice(start, end);
}

function trimmed(line: PlacedLine, from: number, to: number): Stretch | null {
  const text = line.text.slice(from, to);
  const start = /^[\s.:：=#*|]*/u.exec(text)![0].length;
  const kept = text.slice(start).trimEnd();
  return kept === "" ? null : { line, start: from + start, end: from + start + kept.length };
}
