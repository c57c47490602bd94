/** The stretch of a line that a label names: up to the next label, or to the gap that ends it. */

import type { PlacedLine } from "../../parsing/document-text.ts";
import type { Conventions } from "../values/value.ts";
import { meaningOf } from "../words/label-concepts.ts";
import { isKnownLabel, nextKnownLabel } from "./known-labels.ts";
import { inlineLabels } from "./label-form.ts";
import { labelKey } from "./label-key.ts";
import { isBeside, type Stretch, spanIndexAt } from "./layout.ts";

export interface Segment extends Stretch {
  /** 0 to 1: how surely it is what the label names. */
  readonly sureness: number;
  /** A colon says that it is. */
  readonly isNamed: boolean;
}

const COLON = 1;
const EXTRA_WORD = 0.8;
const NEXT_SPAN = 0.9;
/** `Invoice 123`: words may follow a word without being its value. */
const SAME_SPAN = 0.7;

/** Words that a label may go on with before its colon, e.g. `Name of company (print):`. */
const LONGEST_REST = 40;

/** A mark that is set apart and stands before a figure is its sign: `Flash point: -14 °C`. */
const SEPARATORS = /^-?(?:[\s.:：?=#*>|)\]_]|-(?!\p{N}))*/u;

/** `Word word:` within what follows a label: the next one begins there. */
const NEXT_LABEL = /\s\p{L}[\p{L}.#/']{0,20}(?: \p{L}[\p{L}.#/']{0,20})?\s?[:：](?:\s|$)/u;

/** What follows an offset of the line's text that a label ends at; null where nothing does. */
export function segmentAfter(
  line: PlacedLine,
  offset: number,
  conventions: Conventions,
): Segment | null {
  const spanIndex = spanIndexAt(line, Math.max(0, offset - 1));
  const span = line.spans[spanIndex]!;
  const limit = nextKnownLabel(line, offset, conventions) ?? line.text.length;
  const spanEnd = Math.min(limit, span.end - line.start);
  const rest = line.text.slice(offset, spanEnd);
  const colon = rest.slice(0, LONGEST_REST).search(/[:：](?!\d\d)/u);
  const begin = offset + (colon >= 0 ? colon + 1 : 0);
  const inSpan = trimmed(
    line,
    begin,
    begin + untilListed(line.text.slice(begin, spanEnd), conventions),
  );
  if (inSpan !== null) {
    const extra = colon > 0 ? (rest.slice(0, colon).match(/\p{L}{2,}/gu)?.length ?? 0) : 0;
    const isNamed = colon >= 0;
    return { ...inSpan, sureness: isNamed ? COLON * EXTRA_WORD ** extra : SAME_SPAN, isNamed };
  }
  for (const next of line.spans.slice(spanIndex + 1)) {
    const inNext = trimmed(line, next.start - line.start, Math.min(limit, next.end - line.start));
    if (inNext === null) {
      if (next.start - line.start >= limit) return null;
      continue;
    }
    // A span that is a label of its own, or stands behind an empty cell: the value is not here.
    if (/[:：]\s*$|^\(?\d{1,2}[.,)]\s+\p{L}/u.test(next.text)) return null;
    if (!isBeside(span, next) || isKnownLabel(next.text, conventions)) return null;
    const isNamed = /[:：]\s*$/u.test(span.text);
    return { ...inNext, sureness: isNamed ? COLON : NEXT_SPAN, isNamed };
  }
  return null;
}

/** `Ann Lee, DOB 12/03/1970`: where a list goes on with another label and its figure. */
export function untilListed(text: string, conventions: Conventions): number {
  const listed = inlineLabels(text).find(
    ({ label, start }) => start > 0 && isListedLabel(label, conventions),
  );
  return listed === undefined
    ? text.length
    : text.slice(0, listed.start).replace(/[\s,;(]+$/u, "").length;
}

/** Whether words within a list are a label: terms that name a thing, or what the documents call one. */
export const isListedLabel = (label: string, conventions: Conventions): boolean =>
  meaningOf(labelKey(label)) !== null || isKnownLabel(label, conventions);

function trimmed(line: PlacedLine, from: number, to: number): Stretch | null {
  const text = line.text.slice(from, Math.max(from, to));
  const start = SEPARATORS.exec(text)?.[0].length ?? 0;
  const next = NEXT_LABEL.exec(text.slice(start));
  const cut = next === null || next.index === 0 ? text.length : start + next.index;
  const kept = text.slice(start, cut).trimEnd();
  return kept === "" ? null : { line, start: from + start, end: from + start + kept.length };
}
