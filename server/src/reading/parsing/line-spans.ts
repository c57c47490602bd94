/**
 * A line of characters as spans: what stands two spaces, or a tab, apart are different things, except
 * where wide spaces are a habit of typing (after a sentence, after the number of an item) or an accident
 * (in a paragraph that is one long line).
 */

import { CLAUSE_NUMBER, ENUMERATOR } from "./enumerators.ts";
import type { Line } from "./normal-form.ts";

interface Piece {
  readonly words: string[];
  /** White space before it. */
  readonly gap: string;
  /** Characters before it, a tab as far as its stop. */
  readonly column: number;
}

/** Words of a line that may be a paragraph, and how many of them each of its pieces has. */
const PROSE_WORDS = 40;
const PROSE_WORDS_OF_PIECE = 6;

/**
 * None for a line without characters; several for a paragraph whose former line ends show as wide gaps
 * after sentences.
 */
export function linesOf(text: string): Line[] {
  const pieces = piecesOf(withoutLeaders(text));
  if (pieces.length === 0) return [];
  return isProse(pieces)
    ? proseLines(pieces).map((words) => ({ spans: [{ text: words.join(" "), box: null }] }))
    : [lineOf(joinedPieces(pieces))];
}

/** `Peso .......... 12 kg`: dots that lead from one column to the next; to a page's number lead those of contents. */
const LEADERS = /(?<=[\p{L}\p{N})]\s?)\.{5,}(?=\s{0,40}[^\s.])(?!\s{0,40}\d{1,3}\s*$)/gu;

function withoutLeaders(text: string): string {
  return text.includes(".....") ? text.replace(LEADERS, ({ length }) => " ".repeat(length)) : text;
}

function lineOf(pieces: readonly Piece[]): Line {
  const spans = pieces.map(({ words, column }) => {
    const span = { text: words.join(" "), box: null };
    return pieces.length === 1 && column < INDENTED ? span : { ...span, column };
  });
  return { spans };
}

/** Characters from the margin from which on a piece alone stands in a column. */
const INDENTED = 12;

/** Places from one stop of a tab to the next. */
const TAB = 8;

/** Words between gaps. */
function piecesOf(text: string): Piece[] {
  const pieces: Piece[] = [];
  let end = 0;
  let column = 0;
  for (const { 0: word, index } of text.matchAll(/\S+/gu)) {
    const gap = text.slice(end, index);
    for (const space of gap)
      column = space === "\t" ? (Math.floor(column / TAB) + 1) * TAB : column + 1;
    const last = pieces.at(-1);
    if (last === undefined || isWide(gap)) pieces.push({ words: [word], gap, column });
    else last.words.push(word);
    column += word.length;
    end = index + word.length;
  }
  return pieces;
}

const isWide = (gap: string): boolean => gap.length > 1 || gap === "\t";

function isProse(pieces: readonly Piece[]): boolean {
  const words = pieces.reduce((sum, piece) => sum + piece.words.length, 0);
  return words >= PROSE_WORDS && words >= PROSE_WORDS_OF_PIECE * pieces.length;
}

function proseLines(pieces: readonly Piece[]): string[][] {
  const lines: string[][] = [];
  for (const { words, gap } of pieces) {
    const last = lines.at(-1);
    const isBreak = gap.length > 2 && /[.:;!?]["”’')\]]*$/u.test(last?.at(-1) ?? "");
    // A number is no line.
    const isNumber = last?.length === 1 && ENUMERATOR.test(last[0]!);
    if (last === undefined || (isBreak && !isNumber)) lines.push([...words]);
    else for (const word of words) last.push(word);
  }
  return lines;
}

function joinedPieces(written: readonly Piece[]): Piece[] {
  const pieces = withClauseNumber(written);
  const joined: Piece[] = [];
  for (const [index, piece] of pieces.entries()) {
    const last = joined.at(-1);
    const goesOn =
      last !== undefined && (endsSentence(last, piece) || (index === 1 && isNumberOf(pieces)));
    if (goesOn) last.words.push(...piece.words);
    else joined.push({ ...piece, words: [...piece.words] });
  }
  return joined;
}

/** Two spaces after a full stop, as typists learned it. */
function endsSentence(last: Piece, next: Piece): boolean {
  return (
    next.gap.length === 2 &&
    !next.gap.includes("\t") &&
    last.words.length > 3 &&
    /[.?!]["”’')\]]*$/u.test(last.words.at(-1)!) &&
    /^["“‘'([]*\p{L}/u.test(next.words[0]!)
  );
}

/** `1.02  Prices. All prices …`: of a row with numbers in other columns, the number is a column. */
function isNumberOf([first, ...others]: readonly Piece[]): boolean {
  const number = first?.words.join(" ") ?? "";
  return (
    (ENUMERATOR.test(number) || (others.length === 1 && CLAUSE_NUMBER.test(number))) &&
    others.every(({ words }) => /\p{L}/u.test(words.join("")))
  );
}

/** `ARTICLE  II`. */
function withClauseNumber(pieces: readonly Piece[]): readonly Piece[] {
  const [word, number, ...others] = pieces;
  if (word?.words.length !== 1 || number === undefined) return pieces;
  const isClause = CLAUSE_NUMBER.test(`${word.words[0]!} ${number.words[0]!}`);
  return isClause ? [{ ...word, words: [...word.words, ...number.words] }, ...others] : pieces;
}
