/** What is shown of a document: a place in its text, and on its page where the format has places. */

export interface Highlight {
  /** From 1. */
  readonly page: number;
  /** UTF-16 code units of the document's text. */
  readonly start: number;
  readonly end: number;
  /** Left, top, right, bottom in points from the page's top left corner. */
  readonly box: readonly [number, number, number, number] | null;
}

export interface Piece {
  readonly text: string;
  readonly isMarked: boolean;
}

/** Characters of a long text that are shown at once, and before what is highlighted. */
const SHOWN = 200_000;
const BEFORE = 20_000;

/** The part of a text to begin with: its beginning, or what stands around the highlight. */
export function windowOf(
  length: number,
  highlight: Pick<Highlight, "start" | "end"> | null,
): { readonly from: number; readonly to: number } {
  const isNear = highlight === null || highlight.end <= SHOWN;
  const from = isNear ? 0 : Math.max(0, highlight.start - BEFORE);
  return { from, to: Math.min(length, from + SHOWN) };
}

/** The text from one place to another, cut where the highlight begins and ends. */
export function piecesOf(
  text: string,
  { from, to }: { readonly from: number; readonly to: number },
  highlight: Pick<Highlight, "start" | "end"> | null,
): readonly Piece[] {
  const start = Math.min(to, Math.max(from, highlight?.start ?? to));
  const end = Math.min(to, Math.max(start, highlight?.end ?? to));
  return [
    { text: text.slice(from, start), isMarked: false },
    { text: text.slice(start, end), isMarked: true },
    { text: text.slice(end, to), isMarked: false },
  ].filter((piece) => piece.text !== "");
}
