/**
 * Names of companies and other bodies: the capitalised words before a legal form, lines with a word
 * of business in them, and lines in capitals at a document's head.
 */

import { isBusinessWord, isLabelWord } from "./business-words.ts";
import { type Kind, typedValue, withoutOverlaps } from "./kind.ts";
import { hasStrongForm, LEGAL_FORM } from "./legal-forms.ts";
import { nameBefore, type Stretch } from "./name-walk.ts";
import { type Segment, segmentsOf } from "./segments.ts";
import type { TypedValue } from "./value.ts";

/** Where a letterhead can be. */
const HEAD_LINES = 5;
const LONGEST_LINE = 70;

function find(text: string): TypedValue[] {
  const segments = segmentsOf(text);
  const found = [...namedByForm(text, segments), ...namedByLine(segments)];
  return withoutOverlaps(found);
}

function organization(text: string, { start, end }: Stretch, certainty: number): TypedValue {
  return typedValue("organization", start, end, tidyName(text.slice(start, end)), certainty);
}

/** Spaces and punctuation as print has them: `BOOK TA .K(TAMAN DAYA)` is `BOOK TA. K (TAMAN DAYA)`. */
export function tidyName(name: string): string {
  return name
    .replace(/\s+/g, " ")
    .replace(/ ([.,])(?=\p{L})/gu, "$1 ")
    .replace(/ ([.,;])/g, "$1")
    .replace(/(\S)\(/g, "$1 (")
    .replace(/\( /g, "(")
    .replace(/ \)/g, ")")
    .replace(/ {2,}/g, " ")
    .trim();
}

function namedByForm(text: string, segments: readonly Segment[]): TypedValue[] {
  const found: TypedValue[] = [];
  let index = 0;
  let previousEnd = 0;
  for (const match of text.matchAll(LEGAL_FORM)) {
    const [start, end] = [match.index, match.index + match[0].length];
    if (start < previousEnd) continue;
    while (index + 1 < segments.length && segments[index]!.end <= start) index += 1;
    const segment = segments[index]!;
    const whole = wholeCapitals(segment, end);
    const name = whole ?? nameBefore(text, { start, end }, previousEnd);
    if (name === null || name.start < previousEnd) continue;
    const isSure = match.groups?.["weak"] === undefined || hasStrongForm(match[0]);
    found.push(organization(text, name, isSure ? 0.92 : 0.6));
    previousEnd = name.end;
  }
  return found;
}

/** A line in capitals that ends in the form is the name as a whole. */
function wholeCapitals({ text, start, end }: Segment, formEnd: number): Stretch | null {
  const isToEnd = end - formEnd <= 1 || /^[.,)\s]*$/.test(text.slice(formEnd - start));
  if (!isToEnd || text.length > LONGEST_LINE || text.includes(":")) return null;
  if (!isInCapitals(text) || / (?:AND|BETWEEN|BY|WITH) /.test(text)) return null;
  if (text.split(" ").some(isLabelWord)) return null;
  const trimmed = text.replace(/[,;*]+$/, "").length;
  const lead = /^[*"“'‘\-–. ]*/.exec(text)![0].length;
  return trimmed > lead ? { start: start + lead, end: start + trimmed } : null;
}

function isInCapitals(text: string): boolean {
  const letters = text.match(/\p{L}/gu)?.length ?? 0;
  const small = text.match(/\p{Ll}/gu)?.length ?? 0;
  return letters >= 3 && small <= letters * 0.1;
}

function namedByLine(segments: readonly Segment[]): TypedValue[] {
  const found: TypedValue[] = [];
  for (const { text, start, line, place } of segments) {
    if (text.length > LONGEST_LINE || text.length < 3) continue;
    const certainty = certaintyOfLine(text, line, place);
    if (certainty === 0) continue;
    const lead = /^[*"“'‘\-–. ]*/.exec(text)![0].length;
    const trail = /[*"”'’\-–,; ]*$/.exec(text)![0].length;
    if (text.length - trail - lead < 3) continue;
    const extent = { start: lead, end: text.length - trail };
    const value = organization(text, extent, certainty);
    found.push({ ...value, start: value.start + start, end: value.end + start });
  }
  return found;
}

function certaintyOfLine(text: string, line: number, place: number): number {
  const words = text.match(/[\p{L}\p{N}'’]+/gu) ?? [];
  if (words.length === 0 || words.length > 8 || /[:%=@_]|\d{5}/.test(text)) return 0;
  const digits = text.match(/\d/g)?.length ?? 0;
  if (digits * 3 > text.length || words.some(isLabelWord)) return 0;
  const isNamed = isInCapitals(text) || isCapitalised(words);
  if (!isNamed) return 0;
  if (words.length > 1 && words.some(isBusinessWord)) return line < HEAD_LINES ? 0.7 : 0.5;
  if (line >= HEAD_LINES || place > 0 || digits > 3 || /,/.test(text)) return 0;
  return isInCapitals(text) ? 0.4 : words.length > 1 ? 0.3 : 0;
}

function isCapitalised(words: readonly string[]): boolean {
  return words.every((word) => /^[\p{Lu}\p{N}]/u.test(word) || JOINERS.has(word));
}

const JOINERS = new Set("and of de la le du des di und et en y e i der van von".split(" "));
const LABEL = /^[^:]{1,40}:\s*(?=\S)/;

export const ORGANIZATION: Kind = {
  find,
  read(text) {
    let best: TypedValue | null = null;
    for (const value of namedByForm(text.slice(0, 600), segmentsOf(text.slice(0, 600)))) {
      if (best === null || value.certainty > best.certainty) best = value;
    }
    return best ?? readLine(text);
  },
};

/** Without a sign of a company, the first line's piece, if it can be a name. */
function readLine(text: string): TypedValue | null {
  const [segment] = segmentsOf(text.slice(0, 600));
  if (segment === undefined) return null;
  const label = LABEL.exec(segment.text)?.[0].length ?? 0;
  const name = segment.text.slice(label).replace(/["“”]/g, " ");
  const lead = /^[\s*'‘\-–.,]*/.exec(name)![0].length;
  const trail = /(?:\s*\([^()]{0,40}\))?[\s*'’\-–,;:(]*$/.exec(name)![0].length;
  const extent = { start: lead, end: name.length - trail };
  const words = name.slice(lead, extent.end).match(/\p{L}+/gu) ?? [];
  const small = words.filter((word) => /^\p{Ll}/u.test(word) && word.length > 3).length;
  if (words.join("").length < 2 || name.length > 120 || words.length > 12) return null;
  if (small > words.length / 2) return null;
  const value = organization(name, extent, words.some(isBusinessWord) ? 0.5 : 0.35);
  const offset = segment.start + label;
  return { ...value, start: value.start + offset, end: value.end + offset };
}
