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

export const textOfStretch = ({ line, start, end }: Stretch): string => line.text.slice(start, end);

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

/** Whether each piece of the next line stands under one of this line's own, as a row under its header. */
export function isRowUnder(line: PlacedLine, next: PlacedLine): boolean {
  if (next.spans.length === line.spans.length) return true;
  if (line.spans.length < 3 || next.spans.length < 2) return false;
  const under = line.spans.map((_, index) => inColumn(line, index, next));
  return next.spans.every((span) => under.filter((other) => other === span).length === 1);
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
  if (span.box !== null) return underneath(line, span, other);
  if (line.spans.length === 1 && span.column === undefined) return other.spans[0] ?? null;
  if (other.spans.length === line.spans.length) return other.spans[spanIndex]!;
  // Written in columns, a row with an empty cell has fewer pieces than its header.
  return underneath(line, span, other);
}

/** A caption is so much nearer to what it stands under than to what follows it. */
const CAPTION_GAP = 0.6;

/**
 * Whether a line names what stands over it, as under the blanks of a form or a certificate: each of
 * its pieces stands under one of the line above, nearer to it than to the line below, and no larger.
 */
export function isCaption({ lines }: DocumentText, index: number): boolean {
  const [above, line, below] = [lines[index - 1], lines[index]!, lines[index + 1]];
  if (above === undefined || above.page !== line.page || line.spans[0]!.cell !== null) return false;
  if (line.spans.length > above.spans.length) return false;
  const gap = gapBetween(above, line);
  if (gap === null || gap > FARTHEST_HEIGHTS * heightOf(above) || /[:：]/u.test(line.text))
    return false;
  const next = below === undefined || below.page !== line.page ? null : gapBetween(line, below);
  if (next !== null && gap > CAPTION_GAP * next) return false;
  return line.spans.every((span) => {
    const over = underneath(line, span, above);
    return over !== null && over.size !== null && span.size !== null && span.size < over.size;
  });
}

/** Points from the one line's letters down to the other's, or null. */
function gapBetween(upper: PlacedLine, lower: PlacedLine): number | null {
  const ends = upper.spans.flatMap(({ box }) => (box === null ? [] : [box[3]]));
  const begins = lower.spans.flatMap(({ box }) => (box === null ? [] : [box[1]]));
  if (ends.length === 0 || begins.length === 0) return null;
  return Math.max(0, Math.min(...begins) - Math.max(...ends));
}

/** Points from the top of the line's letters to their bottom. */
function heightOf({ spans }: PlacedLine): number {
  return Math.max(0, ...spans.map(({ box }) => (box === null ? 0 : box[3] - box[1])));
}

type Extent = readonly [from: number, to: number];

/** From where to where a piece stands on its line: by the page's places, else by its characters. */
function extentOf({ box, column, text }: PlacedSpan): Extent | null {
  if (box !== null) return [box[0], box[2]];
  return column === undefined ? null : [column, column + text.length];
}

function sharedBy(a: PlacedSpan, b: PlacedSpan): number {
  const [one, two] = [extentOf(a), extentOf(b)];
  if (one === null || two === null) return 0;
  return Math.max(0, Math.min(one[1], two[1]) - Math.max(one[0], two[0]));
}

/** A piece alone at the margin has no column written, though those of other lines have. */
function placedAs(candidate: PlacedSpan, beside: PlacedSpan, { spans }: PlacedLine): PlacedSpan {
  const isAtMargin = candidate.box === null && candidate.column === undefined && spans.length === 1;
  return isAtMargin && beside.column !== undefined ? { ...candidate, column: 0 } : candidate;
}

/** The piece of the other line that shares most of the span's column, and is no other column's. */
function underneath(line: PlacedLine, span: PlacedSpan, other: PlacedLine): PlacedSpan | null {
  let best: PlacedSpan | null = null;
  let most = 0;
  for (const candidate of other.spans) {
    const shared = sharedBy(span, placedAs(candidate, span, other));
    if (shared > most) [best, most] = [candidate, shared];
  }
  return best !== null && isTaken(line, span, best) ? null : best;
}

/**
 * Whether the piece belongs to another column of the line: it covers more of that one, or as much and
 * begins there. A long value reaches under the next header, whose own cell is empty.
 */
function isTaken(line: PlacedLine, span: PlacedSpan, piece: PlacedSpan): boolean {
  const covered = (header: PlacedSpan): number => {
    const extent = extentOf(header);
    return extent === null ? 0 : sharedBy(header, piece) / Math.max(1e-9, extent[1] - extent[0]);
  };
  const own = covered(span);
  return line.spans.some((header) => {
    if (header === span) return false;
    const others = covered(header);
    return others > own || (others === own && own > 0 && header.start < span.start);
  });
}
