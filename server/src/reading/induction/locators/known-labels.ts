/**
 * The labels that a sample's documents share (`Conventions.labels`), as a locator needs them: where
 * in a line the next one begins, and whether a text is one and therefore nobody's value.
 */

import type { PlacedLine } from "../../parsing/document-text.ts";
import type { Conventions } from "../values/value.ts";
import { LabelIndex } from "./label-index.ts";
import { BOX_NUMBER, labelKey } from "./label-key.ts";
import { spanIndexAt, wordsOf } from "./layout.ts";

interface Known {
  readonly keys: ReadonlySet<string>;
  readonly index: LabelIndex;
}

const known = new WeakMap<Conventions, Known>();

function knownOf(conventions: Conventions): Known {
  let labels = known.get(conventions);
  if (labels === undefined) {
    const keys = conventions.labels ?? [];
    labels = { keys: new Set(keys), index: new LabelIndex(keys) };
    known.set(conventions, labels);
  }
  return labels;
}

/** Whether the text, its numbering and colon aside, is what the documents call something. */
export function isKnownLabel(text: string, conventions: Conventions): boolean {
  const { keys } = knownOf(conventions);
  return keys.size > 0 && keys.has(labelKey(text));
}

/** Whether a line begins with a known label and its colon, or is one. */
export function opensWithLabel(line: PlacedLine, conventions: Conventions): boolean {
  const { keys, index } = knownOf(conventions);
  if (keys.size === 0) return false;
  const first = line.spans[0]!;
  if (isKnownLabel(first.text, conventions)) return true;
  const words = wordsOf(line);
  const match = index.at(words, 0);
  if (match === null || match.edits > 0) return false;
  return COLON_NEXT.test(line.text.slice(words[match.to - 1]!.end));
}

const COLON_NEXT = /^[\s.)#]{0,3}[:：](?!\/\/|\d\d(?!\d))/u;

/**
 * Where the next known label begins behind an offset of the line's text: one with a colon, or one
 * that opens a piece of the line. Null where there is none. What goes on from the offset without a
 * colon, a gap or a number is still the label that ends there: `Supplies (excl. GST): 30.28`.
 *
 * @param isValue whether a value begins at the offset, so that nothing of a label is left
 */
export function nextKnownLabel(
  line: PlacedLine,
  offset: number,
  conventions: Conventions,
  isValue = false,
): number | null {
  const { keys, index } = knownOf(conventions);
  if (keys.size === 0) return null;
  const words = wordsOf(line);
  let isBroken = isValue;
  let end = offset;
  for (let at = 0; at < words.length; at += 1) {
    const { start } = words[at]!;
    if (start < offset) continue;
    isBroken ||= /[:：=|]| {2}/u.test(line.text.slice(end, start));
    const match = index.at(words, at);
    if (match !== null && match.edits === 0) {
      const last = words[match.to - 1]!.end;
      const span = line.spans[spanIndexAt(line, start)]!;
      const begin = span.start - line.start;
      const opens = start === begin || BOX_NUMBER.test(line.text.slice(begin, start));
      const isAlone = !/[\p{L}\p{N}]/u.test(line.text.slice(last, span.end - line.start));
      const fills = opens && (isAlone || keys.has(labelKey(span.text)));
      const isNamed = COLON_NEXT.test(line.text.slice(last));
      if (isBroken && (isNamed || fills)) return opens ? begin : start;
    }
    isBroken ||= /\p{N}/u.test(words[at]!.key);
    end = words[at]!.end;
  }
  return null;
}
