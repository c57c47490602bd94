/**
 * Running text as sentences of words, for patterns over it. Sentence ends are found by rules, as in
 * Grefenstette and Tapanainen, "What is a word, what is a sentence?" (1994): a full stop ends one
 * unless the word before it is an abbreviation, an initial or a list's number, or what follows does
 * not look like a beginning. A sentence goes on over line ends, page breaks and list items that a
 * reader would read through; headers, footers and page numbers that stand in between are left out.
 */

import type { DocumentText, PlacedLine } from "../../parsing/document-text.ts";
import { monthNumber } from "../values/month-names.ts";
import { isRunningLine, runningLines } from "./running-lines.ts";

/** A document's words in order; three arrays of equal length. */
export interface Prose {
  /** Lower case, without accents and `'s`; a number keeps its points; `$ € £ ¥ %` are words. */
  readonly words: readonly string[];
  /** Offsets of the document's text. */
  readonly starts: readonly number[];
  readonly ends: readonly number[];
  readonly sentences: readonly Sentence[];
  /** The sentences that hold a word, ascending. */
  readonly index: ReadonlyMap<string, readonly number[]>;
}

/** A range of words. */
export interface Sentence {
  readonly from: number;
  /** Exclusive. */
  readonly to: number;
}

/** Longer ones are cut, so that whatever looks at pairs of places in a sentence is bounded. */
const LONGEST_SENTENCE = 800;

const WORD = /\d+(?:[.,]\d+)*|[\p{L}\p{M}]+(?:['’]\p{L}+)?|\p{N}|[$€£¥%]/gu;
const MARKS = /\p{M}+/gu;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the range of ASCII
const ASCII = /^[\x00-\x7f]*$/;

const ABBREVIATIONS = new Set(
  (
    "no nos mr mrs ms dr prof hon messrs st ste vs v e g i cf art arts sec sect secs para fig figs ave blvd rd " +
    "dept univ approx est gov gen rep sen rev jan feb mar apr jun jul aug sep sept oct nov dec vol ed pp p " +
    "al seq viz ext tel attn ref cl reg mt ft bldg"
  ).split(" "),
);
/** Abbreviations that often end a sentence too: they do where a beginning follows. */
const ENDING_ABBREVIATIONS = new Set(
  "inc ltd corp co llc lp llp plc jr sr esq etc bros bhd sdn gmbh pty u s".split(" "),
);
const BEGINNINGS = new Set(
  (
    "the this these those that each every all any no in on at if it its we our you your he she his her they their " +
    "such upon either neither both for to from by as when where while with without except unless subject " +
    "notwithstanding however there a an no nothing voting information company distributor"
  ).split(" "),
);

const cache = new WeakMap<DocumentText, Prose>();

/** The document's sentences; made once for each document. */
export function proseOf(content: DocumentText): Prose {
  let prose = cache.get(content);
  if (prose === undefined) {
    prose = readProse(content);
    cache.set(content, prose);
  }
  return prose;
}

/** A word as patterns and documents are compared. */
export function foldWord(written: string): string {
  const lower = written.toLowerCase();
  const plain = ASCII.test(lower) ? lower : lower.normalize("NFKD").replace(MARKS, "");
  const apostrophe = plain.search(/['’]/);
  if (apostrophe < 0) return plain;
  const rest = plain.slice(apostrophe + 1);
  return rest === "s" ? plain.slice(0, apostrophe) : plain.slice(0, apostrophe) + rest;
}

/** The words of a text with their offsets. */
export function* wordsOf(text: string): Generator<{ word: string; start: number; end: number }> {
  for (const match of text.matchAll(WORD)) {
    yield { word: foldWord(match[0]), start: match.index, end: match.index + match[0].length };
  }
}

function readProse(content: DocumentText): Prose {
  const { text } = content;
  const running = runningLines(content);
  const words: string[] = [];
  const starts: number[] = [];
  const ends: number[] = [];
  const sentences: Sentence[] = [];
  let from = 0;
  const close = (): void => {
    if (words.length > from) sentences.push({ from, to: words.length });
    from = words.length;
  };
  let previous: PlacedLine | null = null;
  for (const line of content.lines) {
    if (isRunningLine(running, line)) continue;
    let first = true;
    for (const { word, start, end } of wordsOf(line.text)) {
      const at = line.start + start;
      const last = words.length - 1;
      if (last >= from) {
        const ended =
          first && previous !== null && previous !== line
            ? endsBetween(text, previous, line, ends[last]!, at)
            : false;
        const gap = { text, wordEnd: ends[last]!, nextStart: at };
        const isNumber = last === from;
        if (ended || endsSentence(gap, words[last]!, word, isNumber)) close();
      }
      first = false;
      words.push(word);
      starts.push(at);
      ends.push(line.start + end);
      if (words.length - from >= LONGEST_SENTENCE) close();
    }
    if (!first) previous = line;
  }
  close();
  return { words, starts, ends, sentences, index: indexOf(words, sentences) };
}

interface Gap {
  readonly text: string;
  readonly wordEnd: number;
  readonly nextStart: number;
}

/** What stands between two words is long only where a document is odd; that much of it is read. */
const LONGEST_GAP = 60;

/** @param opens whether the word before is the first of its sentence, such as a clause's number */
function endsSentence(
  { text, wordEnd, nextStart }: Gap,
  word: string,
  next: string,
  opens: boolean,
): boolean {
  const between = text.slice(wordEnd, Math.min(nextStart, wordEnd + LONGEST_GAP));
  const stop = /[.?!;]/.exec(between);
  if (stop === null || !/\s/.test(between)) return false;
  if (stop[0] === ";") return false;
  // Acme Corporation. ("Acme") …
  if (/\(\s*["“‘]\s*$/.test(between)) return false;
  const initial = text[nextStart]!;
  const looksLikeBeginning =
    /[\p{Lu}\p{Lt}\p{N}$€£¥]/u.test(initial) ||
    /["“‘•●\-*]|\((?!\s*["“‘])/.test(between.slice(stop.index));
  if (!looksLikeBeginning) return false;
  if (stop[0] !== ".") return true;
  // A point after a bracket or a quote ends what it encloses, whatever the word.
  if (stop.index > 0) return true;
  if (/["”’)]/.test(between[1] ?? "") && !ENDING_ABBREVIATIONS.has(word)) return true;
  if (opens && /^(\d+(\.\d+)*|[ivxl]+|[a-z])$/.test(word)) return false;
  if (ENDING_ABBREVIATIONS.has(word)) return BEGINNINGS.has(next) && /\p{Lu}/u.test(initial);
  // `am 5. Mai 2020`
  if (/^\d{1,2}$/.test(word) && next !== "may" && monthNumber(next) !== null) return false;
  // `Industriestr. 8`
  if (ABBREVIATIONS.has(word) || /\p{L}{2}str$/u.test(word)) return false;
  const isInitial = word.length === 1 && /\p{Lu}/u.test(text[wordEnd - 1]!);
  return !isInitial;
}

/** Whether a sentence ends at the end of a line, there being no full stop. */
function endsBetween(
  text: string,
  before: PlacedLine,
  after: PlacedLine,
  wordEnd: number,
  nextStart: number,
): boolean {
  if (before.kind === "table" || after.kind === "table")
    return before.block !== after.block || before.kind === "table";
  if (before.block === after.block)
    return before.kind === "heading" ? false : isHeadingLine(before.text);
  const opens = /[:,]\s*$/.test(before.text);
  if ((before.kind === "heading" && !opens) || after.kind === "heading") return true;
  const tail = text.slice(wordEnd, before.end).trimEnd();
  const goesOn = /[,;:\-–—]$/.test(tail) || (tail === "" && /\p{Ll}/u.test(text[nextStart]!));
  if (goesOn) return false;
  return !/\b(and|or|of|the|to|by|in|with|for|a|an)$/i.test(
    text.slice(Math.max(0, wordEnd - 5), wordEnd),
  );
}

/** A short line all in capitals, within a block of lines. */
function isHeadingLine(line: string): boolean {
  return (
    line.length <= 80 && /\p{Lu}{3}/u.test(line) && !/\p{Ll}/u.test(line) && !/[,;]\s*$/.test(line)
  );
}

function indexOf(words: readonly string[], sentences: readonly Sentence[]): Map<string, number[]> {
  const index = new Map<string, number[]>();
  for (const [number, { from, to }] of sentences.entries()) {
    for (let place = from; place < to; place++) {
      const word = words[place]!;
      const places = index.get(word);
      if (places === undefined) index.set(word, [number]);
      else if (places.at(-1) !== number) places.push(number);
    }
  }
  return index;
}
