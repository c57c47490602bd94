/** Where a label stands on its line, and how sure that makes it. */

import type { DocumentText, PlacedLine } from "../../parsing/document-text.ts";
import type { Conventions } from "../values/value.ts";
import { isKnownLabel } from "./known-labels.ts";
import type { LabelIndex, LabelMatch } from "./label-index.ts";
import { BOX_NUMBER } from "./label-key.ts";
import { showsByForm, spanIndexAt, valuesOf, wordsOf } from "./layout.ts";
import type { Target } from "./locator.ts";

/** How sure a label is by where it stands in its span. */
export const LEADING = 1;
const BEFORE_COLON = 0.9;
/** Of a list, behind a comma and before a figure: `…, DOB 12/03/1970`. */
const LISTED = 0.75;
const MIDDLE = 0.35;
/** After a word of the same breath, `order date:` for `date:`, it is likely another label's end. */
const AFTER_WORD = 0.45;

const EDIT = 0.85;

export interface Place {
  readonly content: DocumentText;
  readonly index: number;
  readonly line: PlacedLine;
  readonly match: LabelMatch;
  /** Of the line's text, the label's first and the one after its last. */
  readonly from: number;
  readonly to: number;
  readonly sureness: number;
}

export function placeOf(
  content: DocumentText,
  index: number,
  line: PlacedLine,
  match: LabelMatch,
): Place {
  const words = wordsOf(line);
  const from = words[match.from]!.start;
  const to = words[match.to - 1]!.end;
  const span = line.spans[spanIndexAt(line, from)]!;
  const before = line.text.slice(span.start - line.start, from);
  const sureness = standingOf(before, line.text.slice(to)) * EDIT ** match.edits;
  return { content, index, line, match, from, to, sureness };
}

/** How sure a label is by what its span has before it, and the line behind it. */
function standingOf(before: string, after: string): number {
  if (!/[\p{L}\p{N}]/u.test(before) || BOX_NUMBER.test(before)) return LEADING;
  if (isInList(before, after)) return LISTED;
  const isNamed = /^\s*[#.]*\s*(?:\([^)]{0,12}\)\s*)?[:：]/u.test(after);
  if (!isNamed) return MIDDLE;
  const followsWord = /\p{L}{2,}[\s'’-]*$/u.test(before) && !/\d\S*\s*$/.test(before);
  return followsWord ? AFTER_WORD : BEFORE_COLON;
}

/** `Re: Ann Lee, DOB 12/03/1970`: behind a comma, or where a sentence begins, and before a figure. */
const isInList = (before: string, after: string): boolean =>
  /[,;(]\s*$|[.:]\s+$/u.test(before) && /^[\s.#]{1,3}\p{N}/u.test(after);

/** Whether the words stand in another label's answer: `Operator: Valley Aviation School`. */
export function isInAnswer({ line, from, to }: Place, conventions: Conventions): boolean {
  const span = line.spans[spanIndexAt(line, from)]!;
  const before = line.text.slice(span.start - line.start, from);
  const colon = before.search(/[:：](?=\s)/u);
  if (colon < 0 || /^[\s.)#]*[:：]/u.test(line.text.slice(to))) return false;
  if (isInList(before, line.text.slice(to))) return false;
  return isKnownLabel(before.slice(0, colon), conventions);
}

/** Whether the words about the label say that it is another. */
export function isExcepted(
  { line, from, to }: Place,
  except: LabelIndex,
  { kind }: Target,
  conventions: Conventions,
): boolean {
  const span = line.spans[spanIndexAt(line, from)]!;
  const begin = span.start - line.start;
  const value = showsByForm(kind)
    ? valuesOf(line, kind, conventions).find(({ start }) => start >= to)
    : undefined;
  const end = Math.max(span.end - line.start, value?.start ?? 0);
  const words = wordsOf(line).filter(({ start }) => start >= begin && start < end);
  return except.matches(words).length > 0;
}

/** What a value's form leaves to doubt counts less where a label points at it. */
export function pointedAt(certainty: number): number {
  return 0.65 + 0.35 * certainty;
}
