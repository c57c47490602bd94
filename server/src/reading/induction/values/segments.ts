/** A text's pieces that stand apart on their lines: a line's spans, as `documentText` writes them. */

export interface Segment {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  /** From 0, lines that are not empty. */
  readonly line: number;
  /** Which of its line's pieces, from 0. */
  readonly place: number;
}

const PIECE = /\S+(?:[ \t]\S+)*/g;

/** In reading order. */
export function segmentsOf(text: string): Segment[] {
  const segments: Segment[] = [];
  let offset = 0;
  let line = 0;
  for (const written of text.split("\n")) {
    let place = 0;
    for (const { 0: piece, index } of written.matchAll(PIECE)) {
      const start = offset + index;
      segments.push({ start, end: start + piece.length, text: piece, line, place });
      place += 1;
    }
    if (place > 0) line += 1;
    offset += written.length + 1;
  }
  return segments;
}

/** The first piece that says more than a label, without the label that stands before it in it. */
export function firstBeyondLabel(
  text: string,
): { readonly start: number; readonly text: string } | null {
  for (const segment of segmentsOf(text)) {
    const label = /^[^:]{1,40}:\s*/.exec(segment.text)?.[0].length ?? 0;
    const rest = segment.text.slice(label);
    if (rest !== "") return { start: segment.start + label, text: rest };
  }
  return null;
}
