/**
 * A parsed document as one text with places: what recognisers and locators read, and what evidence
 * points into. Lines end with "\n"; spans of a line are two spaces apart, so that a gap shows in the
 * text as it does on the page. Offsets are UTF-16 code units of `text`.
 */

import type { Block, Box, Cell, ParsedDocument, Span } from "./normal-form.ts";

/** Between the spans of a line. */
export const GAP = "  ";

export interface TablePlace {
  /** Which of the document's tables, from 0. */
  readonly table: number;
  readonly row: number;
  readonly column: number;
  /** How many columns it takes, 1 or more: what stands beside it is in `column + columns`. */
  readonly columns: number;
  readonly isHeader: boolean;
}

export interface PlacedSpan {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  readonly box: Box | null;
  /** Characters from the margin; absent where the format knows no columns, or the line has no gap. */
  readonly column?: number;
  readonly bold: boolean;
  /** Points, or null. */
  readonly size: number | null;
  /** How surely it was recognised, 0 to 1; absent where it was not read optically. */
  readonly confidence?: number;
  /** Where the span is a table's cell. */
  readonly cell: TablePlace | null;
}

/** A line as it is read; of a table, a row or a line of one, whose cells are its spans. */
export interface PlacedLine {
  readonly start: number;
  /** Without the line's end. */
  readonly end: number;
  readonly text: string;
  /** From 1. */
  readonly page: number;
  /** Which of the document's blocks, from 0. */
  readonly block: number;
  readonly kind: Block["kind"];
  readonly spans: readonly PlacedSpan[];
}

export interface DocumentText {
  readonly text: string;
  readonly lines: readonly PlacedLine[];
  readonly pages: number;
}

interface Piece {
  readonly span: Span;
  readonly cell: TablePlace | null;
}

export function documentText(document: ParsedDocument): DocumentText {
  const lines: PlacedLine[] = [];
  let offset = 0;
  let block = 0;
  let table = 0;
  const place = (pieces: readonly Piece[], page: number, kind: Block["kind"]): void => {
    const start = offset;
    const spans = pieces.map(({ span, cell }) => {
      const { text, box, bold = false, size = null, confidence, column } = span;
      const placed = { start: offset, end: offset + text.length, text, box, bold, size, cell };
      offset = placed.end + GAP.length;
      return {
        ...placed,
        ...(confidence === undefined ? {} : { confidence }),
        ...(column === undefined ? {} : { column }),
      };
    });
    const last = spans.at(-1);
    if (last === undefined) return;
    const text = spans.map((span) => span.text).join(GAP);
    lines.push({ start, end: last.end, text, page, block, kind, spans });
    offset = last.end + 1;
  };
  for (const page of document.pages) {
    for (const content of page.blocks) {
      if (content.kind === "table") {
        const { headerRows, rows } = content;
        for (const [row, cells] of rows.entries()) {
          const isHeader = row < headerRows;
          const isOfItems = headerRows > 0 && rows.length - headerRows > 1;
          for (const part of isOfItems ? [cells] : linesOfRow(cells)) {
            place(rowPieces(part, { table, row, isHeader }), page.number, "table");
          }
        }
        table += 1;
      } else {
        for (const { spans } of content.lines) {
          place(
            spans.map((span) => ({ span, cell: null })),
            page.number,
            content.kind,
          );
        }
      }
      block += 1;
    }
  }
  const text = lines.map((line) => line.text).join("\n");
  return { text, lines, pages: document.pages.length };
}

/** Longer lines of a cell, and more of them, are prose that goes on. */
const LONGEST_CELL_LINE = 80;
const MOST_CELL_LINES = 10;

/**
 * A row as it is seen where its cells have short lines of their own, such as those of an address: the
 * first line of each, then the second. What is wrapped on a page goes on, and is one line.
 */
function linesOfRow(cells: readonly Cell[]): Cell[][] {
  const isProse = cells.some(({ lines }) =>
    lines.some(
      ({ spans }) =>
        spans.some(({ box }) => box !== null) ||
        spans.reduce((length, { text }) => length + text.length, 0) > LONGEST_CELL_LINE,
    ),
  );
  const most = Math.max(1, ...cells.map(({ lines }) => lines.length));
  if (isProse || most === 1 || most > MOST_CELL_LINES) return [[...cells]];
  return Array.from({ length: most }, (_, index) =>
    cells.map((cell) => ({ ...cell, lines: cell.lines.slice(index, index + 1) })),
  );
}

/** One piece for each cell that is not empty. */
function rowPieces(cells: readonly Cell[], place: Omit<TablePlace, "column" | "columns">): Piece[] {
  const pieces: Piece[] = [];
  let column = 0;
  for (const cell of cells) {
    const spans = cell.lines.flatMap((line) => line.spans);
    const first = spans[0];
    const columns = cell.columns ?? 1;
    if (first !== undefined) {
      const sure = spans.flatMap(({ confidence }) => confidence ?? []);
      const span = {
        ...first,
        text: spans.map(({ text }) => text).join(" "),
        box: around(spans),
        ...(sure.length === 0 ? {} : { confidence: Math.min(...sure) }),
      };
      pieces.push({ span, cell: { ...place, column, columns } });
    }
    column += columns;
  }
  return pieces;
}

/** The smallest box that holds the spans' boxes. */
function around(spans: readonly Span[]): Box | null {
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const { box } of spans) {
    if (box === null) return null;
    left = Math.min(left, box[0]);
    top = Math.min(top, box[1]);
    right = Math.max(right, box[2]);
    bottom = Math.max(bottom, box[3]);
  }
  return [left, top, right, bottom];
}

/** The line that holds the offset. @throws RangeError beyond the text */
export function lineAt({ lines }: DocumentText, offset: number): PlacedLine {
  let low = 0;
  let high = lines.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (lines[middle]!.start <= offset) low = middle;
    else high = middle - 1;
  }
  const line = lines[low];
  if (line === undefined || offset < 0 || offset > lines.at(-1)!.end) {
    throw new RangeError(`offset ${offset} is not in the document`);
  }
  return line;
}
