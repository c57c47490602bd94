/** Lines of a page as they are laid, before they are a document's. Points. */

import type { Box, Line, Span } from "../normal-form.ts";
import { fromRightToLeft, isRightToLeft } from "./direction.ts";
import type { GlyphRun } from "./glyph-run.ts";

export interface LaidSpan {
  readonly text: string;
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
  readonly size: number;
  readonly bold: boolean;
  readonly confidence: number | null;
  /** What it was joined of, where columns of a table may part it again; from left to right. */
  readonly runs: readonly GlyphRun[];
}

export interface LaidLine {
  /** From left to right; at least one. */
  readonly spans: readonly LaidSpan[];
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
  readonly baseline: number;
  /** Of the last of several lines that are one row of cells. */
  readonly lastBaseline?: number;
  /** Of most of its letters. */
  readonly size: number;
  /** All of it is. */
  readonly bold: boolean;
  /** Its spans with a space between them. */
  readonly text: string;
}

/** Its spans in the order in which they are read. */
export function asLine({ spans, text }: LaidLine): Line {
  const read = isRightToLeft(text) ? fromRightToLeft(spans) : spans;
  return { spans: read.map(asSpan) };
}

function asSpan(span: LaidSpan): Span {
  const box: Box = [
    hundredths(span.left),
    hundredths(span.top),
    hundredths(span.right),
    hundredths(span.bottom),
  ];
  return {
    text: span.text,
    box,
    size: hundredths(span.size),
    ...(span.bold ? { bold: true } : {}),
    ...(span.confidence === null ? {} : { confidence: hundredths(span.confidence) }),
  };
}

const hundredths = (value: number): number => Math.round(value * 100) / 100;
