/**
 * What stands around a value where it was seen, in the terms that locators are written in: the label
 * before or above it, its row and column in a table, the heading over it, the words about it.
 */

import { type DocumentText, lineAt, type PlacedLine } from "../../../parsing/document-text.ts";
import { headingsOf } from "../../locators/headings.ts";
import { labelKey } from "../../locators/label-key.ts";
import { columnNeighbours, spanIndexAt } from "../../locators/layout.ts";
import { proseOf } from "../../locators/sentences.ts";
import type { Place } from "../verify/quote-finder.ts";

export interface Contexts {
  /** As written, nearest first. */
  readonly right: readonly string[];
  readonly below: readonly string[];
  readonly cell: { readonly row: string; readonly column: string | null } | null;
  readonly heading: string | null;
  /** Words of the sentence before and after the value, as patterns write them. */
  readonly before: readonly string[];
  readonly after: readonly string[];
}

const LONGEST_LABEL_WORDS = 6;
const WORDS_BEFORE = 6;
const WORDS_AFTER = 4;

export function contextsOf(content: DocumentText, place: Place): Contexts {
  const line = lineAt(content, place.start);
  const index = content.lines.indexOf(line);
  const spanIndex = spanIndexAt(line, place.start - line.start);
  return {
    right: labelsBefore(line, spanIndex, place.start),
    below: labelsAbove(content, index, spanIndex),
    cell: cellOf(content, line, spanIndex),
    heading: headingOver(content, place.start),
    ...wordsAround(content, place),
  };
}

/** The words of its own span before the value, else the spans before it. */
function labelsBefore(line: PlacedLine, spanIndex: number, start: number): string[] {
  const span = line.spans[spanIndex]!;
  const own = line.text.slice(span.start - line.start, start - line.start);
  const others = line.spans.slice(0, spanIndex).map(({ text }) => text);
  // Of "Invoice no.: 12 Date: 3 May" the label is what stands behind the last colon but its own.
  const texts = [...others, ...own.split(/(?<=[:：])\s+(?=\p{L})/u)];
  return texts.filter(isLabel).reverse();
}

function labelsAbove(content: DocumentText, lineIndex: number, spanIndex: number): string[] {
  return columnNeighbours(content, lineIndex, spanIndex, -1)
    .map(({ line, start, end }) => line.text.slice(start, end))
    .filter(isLabel);
}

/** A few words without a clause's punctuation. */
function isLabel(text: string): boolean {
  const key = labelKey(text);
  return (
    !/[,;()]\s/u.test(text) && /\p{L}{2}/u.test(key) && key.split(" ").length <= LONGEST_LABEL_WORDS
  );
}

function cellOf(content: DocumentText, line: PlacedLine, spanIndex: number): Contexts["cell"] {
  const { cell } = line.spans[spanIndex]!;
  const first = line.spans[0]!;
  if (cell === null || spanIndex === 0 || !isLabel(first.text)) return null;
  const header = content.lines
    .filter((other) => other.spans[0]?.cell?.table === cell.table)
    .flatMap(({ spans }) => spans)
    .find((span) => span.cell?.column === cell.column && span.cell.row < cell.row);
  const column = header !== undefined && isLabel(header.text) ? header.text : null;
  return { row: first.text, column };
}

/** The nearest heading whose text holds the place. */
function headingOver(content: DocumentText, start: number): string | null {
  const over = headingsOf(content).filter(
    (each) => each.bodyStart <= start && start < each.bodyEnd,
  );
  const title = over.at(-1)?.title;
  return title !== undefined && isLabel(title) ? title : null;
}

function wordsAround(content: DocumentText, place: Place): Pick<Contexts, "before" | "after"> {
  const { words, starts, ends, sentences } = proseOf(content);
  const first = firstAtLeast(ends, place.start + 1);
  const last = firstAtLeast(starts, place.end) - 1;
  const sentence = sentences.find(({ from, to }) => from <= first && first < to);
  if (sentence === undefined || last < first) return { before: [], after: [] };
  const pieces = words.map(patternWord);
  return {
    before: pieces.slice(Math.max(sentence.from, first - WORDS_BEFORE), first),
    after: pieces.slice(last + 1, Math.min(sentence.to, last + 1 + WORDS_AFTER)),
  };
}

/** Numbers differ from document to document. */
const patternWord = (word: string): string => (/^\d/.test(word) ? "#" : word);

/** First index whose value is at least the one sought. */
function firstAtLeast(values: readonly number[], sought: number): number {
  let low = 0;
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[middle]! < sought) low = middle + 1;
    else high = middle;
  }
  return low;
}
