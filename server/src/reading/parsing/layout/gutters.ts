/**
 * Gutters: the white strips that part columns of running text. A strip is followed from line to line as
 * long as no span crosses it (the whitespace separators of Breuel, "Two geometric algorithms for layout
 * analysis", DAS 2002). It parts columns only where both of its sides are prose that is wrapped, or where
 * the lines of one side do not stand beside those of the other: the pairs of a form, addresses that are
 * set beside each other and tables are read along their lines.
 */

import type { LaidLine, LaidSpan } from "./line.ts";
import { isRowOfFigures } from "./table-lines.ts";

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
/** Of a page that a person reads. */
const MAX_LINES = 1500;
/** What each side has at least. */
const MIN_LINES = 4;
const MIN_CHARACTERS = 18;
const MIN_FILL = 0.55;
/** Of the lines of wrapped prose, so many go on with a small letter. */
const MIN_CONTINUED = 0.2;
const MAX_DIGITS = 0.2;
/** Lines of either side that have nothing beside them; parts of all lines that have; changes of side. */
const MIN_MISALIGNED = 2;
const NARROWEST_MISALIGNED = 1;
const MAX_SHARED = 0.4;
const MIN_TURNS = 3;

interface Strip {
  left: number;
  right: number;
  readonly from: number;
}

interface ClosedStrip extends Strip {
  /** The line after its last. */
  readonly to: number;
}

interface Gap {
  readonly left: number;
  readonly right: number;
}

/** That with the most lines, or null. @param lines from top to bottom */
export function widestGutter(lines: readonly LaidLine[]): Gutter | null {
  if (lines.length > MAX_LINES) return null;
  let best: Gutter | null = null;
  let most = 0;
  for (const strip of stripsOf(lines)) {
    for (const gutter of guttersOf(lines, strip)) {
      const count = Math.min(...sidesOf(lines, gutter).map((side) => side.length));
      if (count > most) [best, most] = [gutter, count];
    }
  }
  return best;
}

/** White strips, each as far as nothing crosses it. */
function stripsOf(lines: readonly LaidLine[]): ClosedStrip[] {
  const closed: ClosedStrip[] = [];
  let strips: Strip[] = [];
  for (const [index, line] of lines.entries()) {
    const gaps = gapsOf(line);
    const open: Strip[] = [];
    for (const strip of strips) {
      const rest = narrowed(strip, gaps, NARROWEST * line.size);
      if (rest === null) closed.push({ ...strip, to: index });
      else open.push({ ...strip, ...rest });
    }
    for (const { left, right } of [...gaps.slice(1, -1), ...gapBefore(line, lines[index + 1])]) {
      const isKnown = open.some((strip) => strip.left >= left && strip.right <= right);
      if (!isKnown && open.length < MAX_STRIPS) open.push({ left, right, from: index });
    }
    strips = open;
  }
  return [...closed, ...strips.map((strip) => ({ ...strip, to: lines.length }))];
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

/** Between a line and the next, where they stand beside each other but for their height. */
function gapBefore(line: LaidLine, next: LaidLine | undefined): Gap[] {
  if (next === undefined) return [];
  const gaps = [
    { left: line.right, right: next.left },
    { left: next.right, right: line.left },
  ];
  return gaps.filter(({ left, right }) => right - left > NARROWEST * line.size);
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

/** What the strip parts: columns of prose as a whole, or lines that are misaligned. */
function guttersOf(lines: readonly LaidLine[], strip: ClosedStrip): Gutter[] {
  const { from, to } = strip;
  const middle = (strip.left + strip.right) / 2;
  const prose = trimmed(lines, middle, from, to);
  if (prose !== null && sidesOf(lines, prose).every(isProse)) return [prose];
  return strip.right - strip.left < NARROWEST_MISALIGNED * lines[from]!.size
    ? []
    : misaligned(lines, middle, from, to);
}

const sideOf = ({ left, right }: LaidLine, middle: number): -1 | 0 | 1 =>
  right < middle ? -1 : left > middle ? 1 : 0;

/** From the first to the last line that has something on both sides. */
function trimmed(
  lines: readonly LaidLine[],
  middle: number,
  from: number,
  to: number,
): Gutter | null {
  let [first, last] = [from, to - 1];
  while (first <= last && sideOf(lines[first]!, middle) !== 0) first += 1;
  while (last >= first && sideOf(lines[last]!, middle) !== 0) last -= 1;
  if (last - first + 1 < MIN_LINES) return null;
  // A longer column goes on where the shorter one has ended.
  const leading = (lines[last]!.baseline - lines[first]!.baseline) / (last - first);
  while (last + 1 < to && lines[last + 1]!.baseline - lines[last]!.baseline < 1.6 * leading) {
    last += 1;
  }
  return { middle, from: first, to: last + 1 };
}

/** Parts in which lines of either side take turns: two that have both, below each other, are rows. */
function misaligned(
  lines: readonly LaidLine[],
  middle: number,
  from: number,
  to: number,
): Gutter[] {
  const gutters: Gutter[] = [];
  const hasBoth = (index: number): boolean => sideOf(lines[index]!, middle) === 0;
  const isRow = (index: number): boolean =>
    hasBoth(index) && lines[index]!.spans.length > 2 && isRowOfFigures(lines[index]!);
  const isFar = (index: number): boolean =>
    lines[index + 1]!.baseline - lines[index]!.baseline > 1.5 * lines[index]!.size;
  for (let start = from; start < to; ) {
    let end = start + 1;
    while (end < to && !isRow(end - 1) && !(hasBoth(end - 1) && hasBoth(end))) end += 1;
    const next = end;
    if (isRow(end - 1)) end -= 1;
    // A row at either end belongs to what takes turns only where it stands close to it.
    while (start + 1 < end && hasBoth(start) && isFar(start)) start += 1;
    while (end - 1 > start && hasBoth(end - 1) && isFar(end - 2)) end -= 1;
    const gutter = { middle, from: start, to: end };
    if (takesTurns(lines, gutter)) gutters.push(gutter);
    start = next;
  }
  return gutters;
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
  const left = spans.reduce((least, span) => Math.min(least, span.left), Infinity);
  const right = spans.reduce((most, span) => Math.max(most, span.right), -Infinity);
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

/** Few lines have something on both sides, and those that do not take turns. */
function takesTurns(lines: readonly LaidLine[], { middle, from, to }: Gutter): boolean {
  const sides = lines.slice(from, to).map((line) => sideOf(line, middle));
  const [left, both, right] = [-1, 0, 1].map((side) => sides.filter((of) => of === side).length);
  const single = sides.filter((side) => side !== 0);
  const turns = single.filter((side, index) => index > 0 && side !== single[index - 1]).length;
  return (
    Math.min(left!, right!) >= MIN_MISALIGNED &&
    both! <= MAX_SHARED * sides.length &&
    turns >= MIN_TURNS
  );
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1]!;
}
