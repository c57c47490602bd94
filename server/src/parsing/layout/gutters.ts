/**
 * Gutters: the white strips that part columns of running text. A strip is followed from line to line as
 * long as no span crosses it (the whitespace separators of Breuel, "Two geometric algorithms for layout
 * analysis", DAS 2002), and parts columns only where both of its sides are prose that is wrapped: the
 * pairs of a form, addresses beside each other and tables are read along their lines.
 */

import type { LaidLine, LaidSpan } from "./line.ts";

export interface Gutter {
  /** Where a span lies on its left or its right. */
  readonly middle: number;
  /** Lines that it runs through: the first, and the one after the last. */
  readonly from: number;
  readonly to: number;
}

/** In sizes of the letters. */
const NARROWEST = 0.8;
/** Followed at a time; a page of more is a table. */
const MAX_STRIPS = 24;
/** What each side has at least. */
const MIN_LINES = 4;
const MIN_CHARACTERS = 18;
const MIN_FILL = 0.55;
/** Of the lines of wrapped prose, so many go on with a small letter. */
const MIN_CONTINUED = 0.2;
const MAX_DIGITS = 0.2;

interface Strip {
  left: number;
  right: number;
  readonly from: number;
}

interface Gap {
  readonly left: number;
  readonly right: number;
}

/** That with the most lines, or null. @param lines from top to bottom */
export function widestGutter(lines: readonly LaidLine[]): Gutter | null {
  let best: { gutter: Gutter; lines: number } | null = null;
  const close = (strip: Strip, to: number): void => {
    const gutter = trimmed(lines, strip, to);
    if (gutter === null) return;
    const count = Math.min(
      ...sidesOf(lines, gutter).map((side) => (isProse(side) ? side.length : 0)),
    );
    if (count > 0 && (best === null || count > best.lines)) best = { gutter, lines: count };
  };
  let strips: Strip[] = [];
  for (const [index, line] of lines.entries()) {
    const gaps = gapsOf(line);
    const open: Strip[] = [];
    for (const strip of strips) {
      const rest = narrowed(strip, gaps, NARROWEST * line.size);
      if (rest === null) close(strip, index);
      else open.push({ ...strip, ...rest });
    }
    for (const { left, right } of gaps.slice(1, -1)) {
      const isKnown = open.some((strip) => strip.left >= left && strip.right <= right);
      if (!isKnown && open.length < MAX_STRIPS) open.push({ left, right, from: index });
    }
    strips = open;
  }
  for (const strip of strips) close(strip, lines.length);
  return (best as { gutter: Gutter } | null)?.gutter ?? null;
}

/** Between the spans, and what lies beyond the first and the last. */
function gapsOf({ spans }: LaidLine): Gap[] {
  const gaps: Gap[] = [];
  let left = -Infinity;
  for (const span of spans) {
    gaps.push({ left, right: span.left });
    left = span.right;
  }
  gaps.push({ left, right: Infinity });
  return gaps;
}

function narrowed(strip: Gap, gaps: readonly Gap[], least: number): Gap | null {
  let widest: Gap | null = null;
  for (const gap of gaps) {
    const left = Math.max(gap.left, strip.left);
    const right = Math.min(gap.right, strip.right);
    if (right - left < least) continue;
    if (widest === null || right - left > widest.right - widest.left) widest = { left, right };
  }
  return widest;
}

/** From the first to the last line that has something on both sides. */
function trimmed(lines: readonly LaidLine[], strip: Strip, to: number): Gutter | null {
  const middle = (strip.left + strip.right) / 2;
  const hasBoth = ({ left, right }: LaidLine): boolean => left < middle && right > middle;
  let [first, last] = [strip.from, to - 1];
  while (first <= last && !hasBoth(lines[first]!)) first += 1;
  while (last >= first && !hasBoth(lines[last]!)) last -= 1;
  if (last - first + 1 < MIN_LINES) return null;
  // A longer column goes on where the shorter one has ended.
  const leading = (lines[last]!.baseline - lines[first]!.baseline) / (last - first);
  while (last + 1 < to && lines[last + 1]!.baseline - lines[last]!.baseline < 1.6 * leading) {
    last += 1;
  }
  return { middle, from: first, to: last + 1 };
}

/** The spans of each line on the left, and on the right; lines without any are left out. */
function sidesOf(lines: readonly LaidLine[], { middle, from, to }: Gutter): LaidSpan[][][] {
  const within = lines.slice(from, to);
  return [true, false].map((isLeft) =>
    within
      .map(({ spans }) => spans.filter((span) => span.left < middle === isLeft))
      .filter((spans) => spans.length > 0),
  );
}

/** Lines of text that fill their column and go on from one to the next. */
function isProse(lines: readonly (readonly LaidSpan[])[]): boolean {
  if (lines.length < MIN_LINES) return false;
  const spans = lines.flat();
  const text = spans.map((span) => span.text).join("");
  const left = Math.min(...spans.map((span) => span.left));
  const right = Math.max(...spans.map((span) => span.right));
  const filled = lines.map((line) =>
    line.reduce((sum, span) => sum + (span.right - span.left) / (right - left), 0),
  );
  const continued = lines.filter(([first]) => /^["“‘'(]?[\p{Ll}\p{Lo}]/u.test(first!.text));
  const digits = text.match(/\p{N}/gu)?.length ?? 0;
  return (
    text.length >= MIN_CHARACTERS * spans.length &&
    median(filled) >= MIN_FILL &&
    continued.length >= MIN_CONTINUED * lines.length &&
    digits <= MAX_DIGITS * text.length
  );
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1]!;
}
