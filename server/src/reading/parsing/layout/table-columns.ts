/** Columns of a table: where the spans of its rows lie below each other. Points. */

import type { LaidLine, LaidSpan } from "./line.ts";
import { lineWith, spanOfWords, wordsOf } from "./spans.ts";

export interface Column {
  readonly left: number;
  readonly right: number;
}

/** What columns become with the line's spans; null where a span would make one of two. */
export function widened(columns: readonly Column[], { spans }: LaidLine): Column[] | null {
  let wider = [...columns];
  for (const span of spans) {
    const met = wider.filter((column) => overlap(column, span) > 0);
    if (met.length > 1) return null;
    const left = Math.min(span.left, ...met.map((column) => column.left));
    const right = Math.max(span.right, ...met.map((column) => column.right));
    wider = [...wider.filter((column) => !met.includes(column)), { left, right }];
  }
  const isApart = new Set(spans.map((span) => columnOf(wider, span))).size === spans.length;
  return isApart ? wider.sort((a, b) => a.left - b.left) : null;
}

/**
 * A header with a span for each column: one that stands over two columns is parted between the words
 * that are best set over each.
 */
export function partedByColumns(line: LaidLine, columns: readonly Column[]): LaidLine {
  let spans = [...line.spans];
  for (const [index, right] of columns.entries()) {
    const left = columns[index - 1];
    if (left === undefined || spans.length >= columns.length) continue;
    spans = spans.flatMap((span) =>
      overlap(span, left) > 0 && overlap(span, right) > 0 ? parted(span, left, right) : span,
    );
  }
  return lineWith(spans) ?? line;
}

function parted(span: LaidSpan, left: Column, right: Column): LaidSpan[] {
  const words = wordsOf(span);
  let best: { spans: LaidSpan[]; misfit: number } | null = null;
  for (let count = 1; count < words.length; count++) {
    const spans = [words.slice(0, count), words.slice(count)].flatMap(spanOfWords);
    const [before, after] = [spans[0]!, spans.at(-1)!];
    const across = Math.max(0, overlap(before, right)) + Math.max(0, overlap(after, left));
    const misfit = misfitOf(before, left) + misfitOf(after, right) + across;
    if (misfit < (best?.misfit ?? 2 * span.size)) best = { spans, misfit };
  }
  return best?.spans ?? [span];
}

/** How far a header is from being set left, right or in the middle of its column. */
function misfitOf(span: Column, column: Column): number {
  const [left, right] = [span.left - column.left, span.right - column.right];
  return Math.min(Math.abs(left), Math.abs(right), Math.abs(left + right) / 2);
}

/** The first column that a span lies in, or is nearest to. */
export function columnOf(columns: readonly Column[], span: Column): number {
  let best = 0;
  for (const [index, column] of columns.entries()) {
    if (overlap(column, span) > overlap(columns[best]!, span)) best = index;
  }
  return best;
}

/** How many columns a span reaches over, at least 1. */
export function reach(columns: readonly Column[], span: LaidSpan): number {
  return Math.max(1, columns.filter((column) => overlap(column, span) > 0.3 * span.size).length);
}

/** Below zero for the distance between them. */
export const overlap = (a: Column, b: Column): number =>
  Math.min(a.right, b.right) - Math.max(a.left, b.left);
