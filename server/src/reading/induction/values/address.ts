/**
 * Postal addresses, over several lines: a house and its street, a postcode and its town, and the
 * lines between and around them that are made like an address's.
 */

import {
  canBegin,
  hasPostcode,
  hasShortPostcode,
  hasStreet,
  isAddressLike,
  isPlaceName,
  isStop,
  mayBegin,
} from "./address-words.ts";
import { type Kind, typedValue } from "./kind.ts";
import { hasStrongForm, LEGAL_FORM } from "./legal-forms.ts";
import { type Segment, segmentsOf } from "./segments.ts";
import { trimmedExtent } from "./text.ts";
import type { TypedValue } from "./value.ts";

/** A house with a street of no known word is an address only where a letterhead can be. */
const HEAD_LINES = 12;
const MOST_LINES = 7;
const LONGEST_LINE = 120;

function find(text: string): TypedValue[] {
  const columns = byPlace(segmentsOf(text));
  const found: TypedValue[] = [];
  for (const column of columns.values()) found.push(...addressesIn(column));
  found.sort((a, b) => a.start - b.start);
  // A column's address spans what stands beside it, which then is no address of its own.
  let end = -1;
  return found.filter((value) => {
    if (value.start < end) return false;
    end = value.end;
    return true;
  });
}

/** Pieces that stand first on their lines, second on them, and so on. */
function byPlace(segments: readonly Segment[]): Map<number, Segment[]> {
  const columns = new Map<number, Segment[]>();
  for (const segment of segments) {
    if (segment.place > 3) continue;
    const column = columns.get(segment.place);
    if (column === undefined) columns.set(segment.place, [segment]);
    else column.push(segment);
  }
  return columns;
}

function addressesIn(column: readonly Segment[]): TypedValue[] {
  const found: TypedValue[] = [];
  let from = 0;
  while (from < column.length) {
    const run = runFrom(column, from);
    const value = addressOf(run);
    if (value !== null) found.push(value);
    from += Math.max(1, run.length);
  }
  return found;
}

/** The address-like pieces from one on, on lines that follow each other. */
function runFrom(column: readonly Segment[], from: number): Segment[] {
  const run: Segment[] = [];
  let hasEnded = false;
  for (let index = from; index < column.length && run.length < MOST_LINES; index++) {
    const segment = column[index]!;
    const { text } = segment;
    const last = run.at(-1);
    if (last !== undefined && segment.line - last.line > 1) break;
    if (text.length > LONGEST_LINE || (last === undefined && !mayBegin(text)) || isStop(text))
      break;
    const goesOn = hasEnded
      ? isTail(text) || (last!.text.endsWith(",") && isPart(text) && !/\d/.test(text))
      : isAddressLike(text) ||
        (last?.text.endsWith(",") === true && isPart(text)) ||
        (last !== undefined && /\d{5}[.,]?$/.test(last.text) && isPart(text)) ||
        ((last !== undefined || HOUSE_LAST.test(text)) && isBridge(segment, column[index + 1]));
    if (!goesOn || (last === undefined ? !opens(text) : isFirm(text))) break;
    run.push(segment);
    // 40000 / SHAH ALAM: the town is on the next line.
    hasEnded ||= (hasPostcode(text) || hasShortPostcode(text)) && !/\d{5}[.,]?$/.test(text);
  }
  return run;
}

/** Whether an address begins on the line, maybe behind a label or a company's name. */
function opens(text: string): boolean {
  const lead = leadOf(text);
  const rest = text.slice(lead);
  return canBegin(rest) && (lead === 0 || isAddressLike(rest));
}

/** Hoofdweg 12: a street of no known word, its house after it. */
const HOUSE_LAST = /^\p{Lu}[\p{L} .'’-]{2,40} \d{1,5}(?:[ -]?[A-Za-z])?,?$/u;

/** A short line in an address's midst that only what follows shows to be a part of it. */
function isBridge({ text, line }: Segment, next: Segment | undefined): boolean {
  if (next === undefined || next.line - line > 1 || isStop(next.text)) return false;
  return isPart(text) && (hasPostcode(next.text) || hasShortPostcode(next.text));
}

/** Short, with a capital or a number first: made like an address's part. */
function isPart(text: string): boolean {
  return /^[(]?[\p{Lu}\d][\p{L}\d .,'’()/&-]{1,40}$/u.test(text) && !isFirm(text);
}

/** After the postcode only a town's, state's or country's name, or the street where it comes last. */
function isTail(text: string): boolean {
  if (hasPostcode(text) || /^\d/.test(text)) return false;
  return isPlaceName(text) || (hasStreet(text) && !isFirm(text));
}

/** How far a label and a company's name go that stand before an address on its first line. */
function leadOf(text: string): number {
  const label = /^(?!(?:lot )?no\b)[\p{L} ./]{2,30}:\s*/iu.exec(text)?.[0].length ?? 0;
  const lead = Math.max(label, firmEnd(text));
  return lead + /^[\s,;-]*/.exec(text.slice(lead))![0].length;
}

function isFirm(text: string): boolean {
  return firmEnd(text) > 0;
}

/** Where a company's name ends in a line; 0 where none does. `KG.BATU` is a village. */
function firmEnd(text: string): number {
  let end = 0;
  for (const match of text.matchAll(LEGAL_FORM)) {
    const after = match.index + match[0].length;
    if (match.index > 2 && hasStrongForm(match[0]) && /^(?:[,;(\s]|$)/.test(text.slice(after))) {
      end = after;
    }
  }
  return end;
}

function addressOf(run: readonly Segment[]): TypedValue | null {
  const [first] = run;
  const last = run.at(-1);
  if (first === undefined || last === undefined) return null;
  const streets = run.some(({ text }) => hasStreet(text));
  const postcodes = run.some(
    ({ text }) => hasPostcode(text) || (streets && hasShortPostcode(text)),
  );
  const isHouse =
    run.length > 1 && first.line < HEAD_LINES && /^\d{1,5}[A-Za-z]?, /.test(first.text);
  if (!streets && !isHouse && !(postcodes && run.length > 1)) return null;
  const isAlone = run.length === 1 && !postcodes;
  const lead = leadOf(first.text);
  if (lead >= first.text.length) return null;
  const start = first.start + lead;
  const texts = run.map(({ text }, index) =>
    index === 0 ? text.slice(start - first.start) : text,
  );
  const [, trimmed] = trimmedExtent(last.text);
  const normal = tidyAddress(texts);
  const certainty = streets && postcodes ? 0.9 : isAlone ? 0.5 : 0.65;
  return typedValue("address", start, last.start + trimmed, normal, certainty);
}

/** On one line, its parts apart by a comma. */
export function tidyAddress(lines: readonly string[]): string {
  return lines
    .map((line) =>
      line
        .replace(/\s+/g, " ")
        .replace(/ ?,(?=\S)/g, ", ")
        .replace(/[\s,;]+$/, "")
        .trim(),
    )
    .filter((line) => line !== "")
    .join(", ")
    .replace(/ ,/g, ",");
}

const LABEL = /^[^:\d]{1,40}:\s*(?=\S)/;

export const ADDRESS: Kind = {
  find,
  read(text) {
    const head = text.slice(0, 600);
    const found = find(head);
    const best = found.find(({ certainty }) => certainty >= 0.65) ?? found[0];
    if (best !== undefined) return best;
    const [start, end] = trimmedExtent(head);
    const label = LABEL.exec(head.slice(start, end))?.[0].length ?? 0;
    const from = start + label;
    const lines = head.slice(from, end).split(/\n| {2,}/);
    const letters = head.slice(from, end).match(/\p{L}/gu)?.length ?? 0;
    if (letters < 5 || lines.length > MOST_LINES || end - from > 300) return null;
    const certainty = /\d/.test(head.slice(from, end)) ? 0.4 : 0.25;
    return typedValue("address", from, end, tidyAddress(lines), certainty);
  },
};
