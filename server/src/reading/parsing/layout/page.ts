/** A page laid out: its lines in reading order, and what all pages of a document have in common. */

import type { LaidLine } from "./line.ts";

export interface LaidPage {
  /** From 1. */
  readonly number: number;
  /** Points, as it is read. */
  readonly width: number;
  readonly height: number;
  /** Columns and what lies between them, as they are read; the lines of each from top to bottom. */
  readonly regions: readonly (readonly LaidLine[])[];
  /** Text that runs otherwise than the page's: up its side, or across it. */
  readonly apart: readonly (readonly LaidLine[])[];
}

export interface PageStyle {
  /** Points; of most letters. */
  readonly bodySize: number;
  /** From one baseline to the next within a paragraph, in sizes of the letters. */
  readonly leading: number;
  /** Most of the text is bold, so that it sets nothing apart. */
  readonly isBold: boolean;
  /** Sizes of letters that are headings, the largest first. */
  readonly headingSizes: readonly number[];
}

/** Larger than the body by so much is a heading's size. */
export const HEADING_RATIO = 1.15;
const MAX_HEADING_SIZES = 4;

export function styleOf(pages: readonly LaidPage[]): PageStyle {
  const sizes = new Map<number, number>();
  const leadings = new Map<number, number>();
  let [bold, letters] = [0, 0];
  for (const page of pages) {
    for (const lines of page.regions) {
      for (const [index, line] of lines.entries()) {
        for (const span of line.spans) {
          add(sizes, halves(span.size), span.text.length);
          letters += span.text.length;
          if (span.bold) bold += span.text.length;
        }
        const last = lines[index - 1];
        // Lines of text, not the rows of forms.
        if (last === undefined || line.spans.length + last.spans.length > 2) continue;
        const leading = (line.baseline - last.baseline) / line.size;
        if (leading < 3 && Math.abs(line.size - last.size) < 0.1 * line.size) {
          add(
            leadings,
            Math.round(leading * 20) / 20,
            Math.min(line.text.length, last.text.length),
          );
        }
      }
    }
  }
  const bodySize = most(sizes) ?? 10;
  const headingSizes = [...sizes.keys()]
    .filter((size) => size >= HEADING_RATIO * bodySize)
    .sort((a, b) => b - a)
    .slice(-MAX_HEADING_SIZES);
  return {
    bodySize,
    leading: Math.max(1, most(leadings) ?? 1.2),
    isBold: bold > 0.5 * letters,
    headingSizes,
  };
}

function add(counts: Map<number, number>, key: number, count: number): void {
  counts.set(key, (counts.get(key) ?? 0) + count);
}

/** The key with the highest count; of equals the smallest. */
function most(counts: ReadonlyMap<number, number>): number | null {
  let best: number | null = null;
  for (const [key, count] of [...counts].sort(([a], [b]) => a - b)) {
    if (best === null || count > counts.get(best)!) best = key;
  }
  return best;
}

const halves = (size: number): number => Math.round(size * 2) / 2;
