/** Addresses as blocks of lines in one column: from a house or a street to a postcode with its town. */

import type { DocumentText, PlacedLine, PlacedSpan } from "../../parsing/document-text.ts";
import type { Finding } from "../inducer.ts";
import { tidyAddress } from "../values/address.ts";
import { hasPostcode, hasStreet, isAddressLike, isStop } from "../values/address-words.ts";
import { recognise } from "../values/recognise.ts";
import type { Conventions } from "../values/value.ts";

const MOST_LINES = 7;
const LONGEST_LINE = 90;
const MOST_BLOCKS = 20;

/** How sure a block is by what it holds. */
const STREET_AND_POSTCODE = 0.85;
const STREET = 0.6;
const POSTCODE = 0.45;
const LATER = 0.8;

/** A name of this certainty is a company's, whatever street words are in it. */
const SURE_NAME = 0.6;
/** One with a legal form, which may have digits as well. */
const LEGAL_NAME = 0.85;

interface Part {
  readonly line: PlacedLine;
  readonly span: Extent;
}

/** A span, or several that are one. */
type Extent = Pick<PlacedSpan, "start" | "end" | "text" | "box">;

/** Whether a line reads like a part of an address. */
export function isAddressLine(text: string): boolean {
  return text.length <= LONGEST_LINE && !isStop(text) && (isAddressLike(text) || hasPlace(text));
}

/** The blocks among the lines, first first. */
export function findAddressBlocks(
  content: DocumentText,
  lines: readonly PlacedLine[],
  conventions: Conventions,
): Finding[] {
  const findings: Finding[] = [];
  let index = 0;
  while (index < lines.length && findings.length < MOST_BLOCKS) {
    const block = blockFrom(lines, index, conventions);
    const sureness = surenessOf(block);
    if (sureness > 0) findings.push(findingOf(content, block, sureness * LATER ** findings.length));
    index += Math.max(1, sureness > 0 ? block.length : 1);
  }
  return findings;
}

function blockFrom(
  lines: readonly PlacedLine[],
  index: number,
  conventions: Conventions,
): readonly Part[] {
  const line = lines[index]!;
  const block: Part[] = [];
  const spanIndex = line.spans.findIndex(({ text }) => isAddressLine(text));
  const begun = line.spans[spanIndex];
  const span = begun?.box === null ? withRest(line, spanIndex) : begun;
  if (span === undefined || span === null || isName(span.text, conventions)) return block;
  block.push({ line, span });
  for (const [offset, next] of lines.slice(index + 1, index + MOST_LINES).entries()) {
    const part = inColumn(span, spanIndex, next);
    if (part === null || next.page !== line.page) break;
    const after = lines[index + 2 + offset];
    const following = after === undefined ? null : inColumn(span, spanIndex, after);
    if (!goesOn(block.at(-1)!.span.text, part.text, following?.text ?? null)) break;
    block.push({ line: next, span: part });
  }
  return block;
}

function goesOn(before: string, text: string, after: string | null): boolean {
  if (text.length > LONGEST_LINE || isStop(text) || /^\(.*\)$|^[*-]/.test(text)) {
    return false;
  }
  if (isAddressLine(text)) return true;
  const isWords = /^[\p{L}\d .,'’&()/-]{3,50}$/u.test(text) && /\p{L}{3}/u.test(text);
  if (!isWords) return false;
  return (
    /(?:,|\b\d{4,6})\s*$/.test(before) || (after !== null && !isStop(after) && hasPostcode(after))
  );
}

/** A town behind its postcode, wherever the commas are. */
function hasPlace(text: string): boolean {
  return /(?:^|[\s,.])\d{5},? ?\p{Lu}[\p{L} ]{2,}/u.test(text) && !/\d{6}|\d\.\d{2}$/.test(text);
}

function isName(text: string, conventions: Conventions): boolean {
  const bare = text.replace(/\s*\(?\d{4,}-?\w?\)?\s*$/, "");
  const [name] = recognise(bare, conventions, ["organization"]);
  if (name === undefined || name.end - name.start < 0.6 * bare.length) return false;
  return name.certainty >= (/\d/.test(bare) ? LEGAL_NAME : SURE_NAME);
}

function surenessOf(block: readonly Part[]): number {
  const streets = block.some(({ span }) => hasStreet(span.text));
  const postcodes = block.some(({ span }) => hasPostcode(span.text) || hasPlace(span.text));
  if (streets && postcodes) return STREET_AND_POSTCODE;
  if (streets) return STREET;
  const isWhole = block.length > 1 || /\d.*[,–-]\s*\d{4,5}\b/u.test(block[0]?.span.text ?? "");
  return postcodes && isWhole ? POSTCODE : 0;
}

function inColumn(first: Extent, spanIndex: number, line: PlacedLine): Extent | null {
  const { box } = first;
  if (box === null) return withRest(line, Math.min(spanIndex, line.spans.length - 1));
  return (
    line.spans.find((span) => span.box !== null && span.box[0] < box[2] && span.box[2] > box[0]) ??
    null
  );
}

/** Where a comma ends the span, the next one goes on. */
function withRest(line: PlacedLine, spanIndex: number): Extent | null {
  const span = line.spans[spanIndex];
  if (span === undefined) return null;
  let { end, text } = span;
  for (const next of line.spans.slice(spanIndex + 1)) {
    if (!text.endsWith(",") || isStop(next.text)) break;
    end = next.end;
    text = `${text} ${next.text}`;
  }
  return { start: span.start, end, text, box: span.box };
}

function findingOf(content: DocumentText, block: readonly Part[], confidence: number): Finding {
  const first = block[0]!;
  // Evidence is one stretch of the text: beside another column, the first line alone.
  const isAlone = block.every(({ line }) => line.spans.length === 1 || line.spans[0]!.box === null);
  const start = first.span.start;
  const written = content.text.slice(start, isAlone ? block.at(-1)!.span.end : first.span.end);
  const text = written.replace(/[\s,;]+$/, "");
  return {
    normal: tidyAddress(block.map(({ span }) => span.text)),
    unit: null,
    text,
    start,
    end: start + text.length,
    page: first.line.page,
    confidence,
  };
}
