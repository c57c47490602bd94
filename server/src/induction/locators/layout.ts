/**
 * A document as locators read it: the label words of each line and the values in it, worked out once
 * a document and kept as long as the document is.
 */

import type { DocumentText, PlacedLine, PlacedSpan } from "../../parsing/document-text.ts";
import { recognise } from "../values/recognise.ts";
import type { Conventions, TypedValue, ValueKind } from "../values/value.ts";
import { type LabelWord, labelWords } from "./label-key.ts";

/** Kinds that show by their form wherever they stand; the others are read where a label points. */
const SHOWN_BY_FORM: ReadonlySet<ValueKind> = new Set([
  "date",
  "money",
  "number",
  "percent",
  "quantity",
  "duration",
  "phone",
  "email",
  "url",
]);

export function showsByForm(kind: ValueKind): boolean {
  return SHOWN_BY_FORM.has(kind);
}

const words = new WeakMap<PlacedLine, readonly LabelWord[]>();

/** No label stands farther behind in a line than this. */
const MOST_SPANS = 60;
const LONGEST_SPAN = 2_000;

/** The line's label words; offsets are of the line's text. */
export function wordsOf(line: PlacedLine): readonly LabelWord[] {
  let known = words.get(line);
  if (known === undefined) {
    // Words run on over no gap: each span is read by itself.
    known = line.spans.slice(0, MOST_SPANS).flatMap(({ text, start }) =>
      labelWords(text.slice(0, LONGEST_SPAN)).map((word) => ({
        key: word.key,
        start: word.start + start - line.start,
        end: word.end + start - line.start,
      })),
    );
    words.set(line, known);
  }
  return known;
}

const values = new WeakMap<
  PlacedLine,
  WeakMap<Conventions, Map<ValueKind, readonly TypedValue[]>>
>();

/** The line's values of a kind that shows by its form, in their order; offsets of the line's text. */
export function valuesOf(
  line: PlacedLine,
  kind: ValueKind,
  conventions: Conventions,
): readonly TypedValue[] {
  let byConventions = values.get(line);
  if (byConventions === undefined) {
    byConventions = new WeakMap();
    values.set(line, byConventions);
  }
  let byKind = byConventions.get(conventions);
  if (byKind === undefined) {
    byKind = new Map();
    byConventions.set(conventions, byKind);
  }
  let known = byKind.get(kind);
  if (known === undefined) {
    known = recognise(line.text, conventions, [kind]);
    byKind.set(kind, known);
  }
  return known;
}

/** The first value in a text, where it is at least half of it. */
export function valueThatFills(text: string, conventions: Conventions): TypedValue | null {
  const [first] = recognise(text, conventions);
  return first !== undefined && first.end - first.start >= 0.5 * text.length ? first : null;
}

/** Index of the span that holds the offset of the line's text, or the last that begins before it. */
export function spanIndexAt(line: PlacedLine, offset: number): number {
  let index = 0;
  while (index + 1 < line.spans.length && line.spans[index + 1]!.start - line.start <= offset) {
    index += 1;
  }
  return index;
}

/** Whether nothing stands between two pieces of a line, a table's empty cell neither. */
export function isBeside({ cell }: PlacedSpan, next: PlacedSpan): boolean {
  if (cell === null || next.cell === null) return true;
  return next.cell.column <= cell.column + cell.columns;
}

/** A stretch of one line's text. */
export interface Stretch {
  readonly line: PlacedLine;
  readonly start: number;
  readonly end: number;
}

export function stretchOfSpan(line: PlacedLine, span: PlacedSpan): Stretch {
  return { line, start: span.start - line.start, end: span.end - line.start };
}

/** Lines by which a value may stand away from its label. */
const FARTHEST = 3;

/** Heights of a line by which a value may stand away from its label. */
const FARTHEST_HEIGHTS = 4;

/**
 * What stands under (or over) a span, nearest first: the span of a line near by that shares its
 * column on the page or in the table; without positions, the span of equal place in a line of as
 * many, or the next line where the span is alone in its own.
 */
export function columnNeighbours(
  { lines }: DocumentText,
  lineIndex: number,
  spanIndex: number,
  step: 1 | -1,
): Stretch[] {
  const line = lines[lineIndex]!;
  const span = line.spans[spanIndex]!;
  const found: Stretch[] = [];
  for (let distance = 1; distance <= FARTHEST; distance += 1) {
    const other = lines[lineIndex + step * distance];
    if (other === undefined || other.page !== line.page) break;
    const below = inColumn(line, spanIndex, other);
    if (below === null) {
      if (span.box === null) break;
      continue;
    }
    if (span.box !== null && below.box !== null) {
      const height = Math.max(4, span.box[3] - span.box[1]);
      const gap = step > 0 ? below.box[1] - span.box[3] : span.box[1] - below.box[3];
      if (gap > FARTHEST_HEIGHTS * height) break;
    }
    found.push(stretchOfSpan(other, below));
  }
  return found;
}

function inColumn(line: PlacedLine, spanIndex: number, other: PlacedLine): PlacedSpan | null {
  const span = line.spans[spanIndex]!;
  const place = span.cell;
  if (place !== null) {
    return (
      other.spans.find(
        ({ cell }) => cell !== null && cell.table === place.table && cell.column === place.column,
      ) ?? null
    );
  }
  const { box } = span;
  if (box !== null) {
    let best: PlacedSpan | null = null;
    let most = 0;
    for (const candidate of other.spans) {
      if (candidate.box === null) continue;
      const shared = Math.min(box[2], candidate.box[2]) - Math.max(box[0], candidate.box[0]);
      if (shared > most) [best, most] = [candidate, shared];
    }
    return best;
  }
  if (line.spans.length === 1) return other.spans[0] ?? null;
  return other.spans.length === line.spans.length ? other.spans[spanIndex]! : null;
}
