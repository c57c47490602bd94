/**
 * The headings of a document and the text under each: lines of their own, capitals with a colon
 * (`ANESTHESIA: Local.`), and the headings of clauses that run on in the same line
 * (`12. Governing Law. This Agreement …`), wherever a sentence begins.
 */

import type { DocumentText, PlacedLine } from "../../parsing/document-text.ts";
import { meaningOf } from "../words/label-concepts.ts";
import { labelKey } from "./label-key.ts";
import { isRunningLine, runningLines } from "./running-lines.ts";
import { proseOf } from "./sentences.ts";

export interface Heading {
  /** As written, without its number and colon. */
  readonly title: string;
  readonly key: string;
  /** 1 is the highest. */
  readonly rank: number;
  /** Where the heading begins, with its number. */
  readonly start: number;
  /** The text under it, up to the next heading of its rank or a higher one; may be empty. */
  readonly bodyStart: number;
  readonly bodyEnd: number;
}

type Found = Omit<Heading, "bodyEnd">;

const LONGEST_TITLE = 90;
const MOST_WORDS = 10;
const MOST_HEADINGS = 3_000;

/** A clause's number, and what it is a number of. */
const NUMBERING =
  /^(?:(article|section|clause|item|part|schedule)\s+)?(?:(\d{1,3}(?:\.\d{1,3}){0,3})\.?(?=[\s:)–—-])\)?|([IVXL]{1,6})\.(?=\s)|\(?([A-Za-z]|[ivx]{1,4})[.)](?=\s))[\s:.–—-]*/i;

/** Words that a title writes small. */
const SMALL = new Set(
  "of and the to for in on or by with a an from at as upon not no nor its your per under after before between into".split(
    " ",
  ),
);
const NOT_TITLES = new Set("mr mrs ms dr prof inc ltd corp co st vs page exhibit".split(" "));

const cache = new WeakMap<DocumentText, readonly Heading[]>();

/** In order; made once for each document. */
export function headingsOf(content: DocumentText): readonly Heading[] {
  let headings = cache.get(content);
  if (headings === undefined) {
    headings = readHeadings(content);
    cache.set(content, headings);
  }
  return headings;
}

function readHeadings(content: DocumentText): Heading[] {
  const byStart = new Map<number, Found>();
  const add = (found: Found | null): void => {
    if (found !== null && found.key !== "" && !byStart.has(found.start))
      byStart.set(found.start, found);
  };
  const running = runningLines(content);
  let before: PlacedLine | null = null;
  for (const [index, line] of content.lines.entries()) {
    if (line.kind !== "table" && !isRunningLine(running, line)) {
      const startsBlock = before === null || before.block !== line.block;
      add(
        ofLine(line, startsBlock) ?? ofTerms(line, startsBlock, content.lines[index + 1] ?? null),
      );
    }
    before = line;
  }
  const prose = proseOf(content);
  for (const { from } of prose.sentences) {
    const word = prose.starts[from]!;
    add(
      numbered(content.text, content.text[word - 1] === "(" ? word - 1 : word, content.text.length),
    );
  }
  const found = [...byStart.values()].sort((a, b) => a.start - b.start).slice(0, MOST_HEADINGS);
  return withEnds(found, content.text);
}

/** A heading's text ends where the next of its rank, or of a higher one, begins. */
function withEnds(found: readonly Found[], text: string): Heading[] {
  const headings: Heading[] = [];
  const open: number[] = [];
  const close = (rank: number, end: number): void => {
    while (open.length > 0 && found[open.at(-1)!]!.rank >= rank) {
      const closing = open.pop()!;
      const heading = found[closing]!;
      const bodyStart = Math.min(skipSpace(text, heading.bodyStart), text.length);
      headings[closing] = { ...heading, bodyStart, bodyEnd: trimmedEnd(text, bodyStart, end) };
    }
  };
  for (const [number, heading] of found.entries()) {
    close(heading.rank, heading.start);
    open.push(number);
  }
  close(0, text.length);
  return headings;
}

function trimmedEnd(text: string, start: number, end: number): number {
  let trimmed = Math.max(start, end);
  while (trimmed > start && /\s/.test(text[trimmed - 1]!)) trimmed -= 1;
  return trimmed;
}

function ofLine(line: PlacedLine, startsBlock: boolean): Found | null {
  const { text, start, end } = line;
  const found = numbered(text, 0, text.length);
  if (found !== null) return { ...found, start, bodyStart: start + found.bodyStart };
  const colon = text.indexOf(":");
  const titled = (title: string, rank: number, bodyStart: number): Found => {
    return { title, key: labelKey(title), rank, start, bodyStart: start + bodyStart };
  };
  if (colon > 0 && colon <= LONGEST_TITLE) {
    const title = text.slice(0, colon).trim();
    const rest = text.slice(colon + 1);
    if (isTitle(title) && isCapitals(title)) return titled(title, 2, skipSpace(text, colon + 1));
    const isLabel = startsBlock && isTitle(title) && wordCount(title) <= 5;
    if (isLabel || (rest.trim() === "" && isTitle(title)))
      return titled(title, 4, skipSpace(text, colon + 1));
  }
  if (
    line.kind === "heading" ||
    (text.length <= LONGEST_TITLE && isCapitals(text) && isTitle(text))
  ) {
    if (text.length > 2 * LONGEST_TITLE || !/\p{L}{2}/u.test(text)) return null;
    return titled(text.replace(/[:.\s]+$/, ""), 1, end - start);
  }
  if (!startsBlock) return null;
  const stop = /\.\s+(?=\p{Lu})/u.exec(text.slice(0, LONGEST_TITLE));
  if (stop === null) return null;
  const title = text.slice(0, stop.index);
  if (!isTitle(title) || wordCount(title) > 6 || title.length < 4) return null;
  return titled(title, 3, stop.index + stop[0].length);
}

/** A line that no other shares its block with, a term of trade and no more: `Berufserfahrung`. */
function ofTerms(line: PlacedLine, startsBlock: boolean, next: PlacedLine | null): Found | null {
  const { text, start, end } = line;
  if (!startsBlock || line.spans.length > 1 || next === null || next.block === line.block) {
    return null;
  }
  if (text.length > LONGEST_TITLE || !/^\p{Lu}/u.test(text)) return null;
  const key = labelKey(text);
  return meaningOf(key) === null ? null : { title: text, key, rank: 1, start, bodyStart: end };
}

/** A numbered heading that begins at the offset. Offsets are of `text`. */
function numbered(text: string, at: number, limit: number): Found | null {
  const slice = text.slice(at, Math.min(limit, at + LONGEST_TITLE + 30));
  const numbering = NUMBERING.exec(slice);
  if (numbering === null) return null;
  const rest = slice.slice(numbering[0].length);
  const stop = /[.:](?=\s|$)|\s[–—-](?=\s)|[–—]|\n|\s{2,}|$/.exec(rest);
  if (stop === null || (stop[0] === "" && at + slice.length < limit)) return null;
  const title = rest.slice(0, stop.index).trim();
  if (!isTitle(title)) return null;
  const bodyStart = skipSpace(text, at + numbering[0].length + stop.index + stop[0].length);
  return { title, key: labelKey(title), rank: rankOf(numbering), start: at, bodyStart };
}

function rankOf([, unit, number, roman]: RegExpExecArray): number {
  if (unit !== undefined && /^(article|part)$/i.test(unit)) return 1;
  if (number !== undefined) {
    const parts = number.split(".").filter((part) => Number(part) !== 0);
    return Math.min(4, 1 + Math.max(1, parts.length));
  }
  return roman === undefined ? 5 : 2;
}

/** Words with capitals, but for the small ones; no sentence. */
export function isTitle(text: string): boolean {
  if (text.length < 3 || text.length > LONGEST_TITLE) return false;
  const words = text.match(/[\p{L}\p{M}][\p{L}\p{M}'’]*/gu) ?? [];
  if (words.length === 0 || words.length > MOST_WORDS || !/^["“'(]?\p{Lu}/u.test(text))
    return false;
  if (words.length === 1 && (NOT_TITLES.has(text.toLowerCase()) || text.length < 4)) return false;
  const digits = text.match(/\p{N}/gu)?.length ?? 0;
  if (digits > text.length / 4) return false;
  return words.every((word) => /^\p{Lu}/u.test(word) || SMALL.has(word.toLowerCase()));
}

function isCapitals(text: string): boolean {
  return /\p{Lu}{2}/u.test(text) && !/\p{Ll}/u.test(text);
}

function wordCount(text: string): number {
  return text.split(/\s+/).length;
}

function skipSpace(text: string, at: number): number {
  let place = at;
  while (place < text.length && /\s/.test(text[place]!)) place += 1;
  return place;
}
