/**
 * A line of characters as spans: what stands two spaces, or a tab, apart are different things, except
 * where two spaces are a habit of typing (after a sentence, after the number of an item).
 */

import { ENUMERATOR } from "./enumerators.ts";
import type { Line } from "./normal-form.ts";

interface Piece {
  readonly words: string[];
  /** White space before it. */
  readonly gap: string;
}

/** Null for a line without characters. */
export function lineOf(text: string): Line | null {
  const pieces = joinedPieces(piecesOf(text));
  if (pieces.length === 0) return null;
  return { spans: pieces.map(({ words }) => ({ text: words.join(" "), box: null })) };
}

/** Words between gaps. */
function piecesOf(text: string): Piece[] {
  const pieces: Piece[] = [];
  let end = 0;
  for (const { 0: word, index } of text.matchAll(/\S+/gu)) {
    const gap = text.slice(end, index);
    const last = pieces.at(-1);
    if (last === undefined || isWide(gap)) pieces.push({ words: [word], gap });
    else last.words.push(word);
    end = index + word.length;
  }
  return pieces;
}

const isWide = (gap: string): boolean => gap.length > 1 || gap === "\t";

function joinedPieces(pieces: readonly Piece[]): Piece[] {
  const joined: Piece[] = [];
  for (const piece of pieces) {
    const last = joined.at(-1);
    if (last !== undefined && (endsSentence(last, piece) || isNumberOf(last, joined, pieces))) {
      last.words.push(...piece.words);
    } else {
      joined.push({ ...piece, words: [...piece.words] });
    }
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

/** `1.02  Prices. All prices …`: of a row with more columns, the number is a column. */
function isNumberOf(last: Piece, joined: readonly Piece[], pieces: readonly Piece[]): boolean {
  if (joined.length !== 1 || last.words.length !== 1 || !ENUMERATOR.test(last.words[0]!)) {
    return false;
  }
  const others = pieces.slice(1);
  return others.every((piece, index) => index === 0 || endsSentence(others[index - 1]!, piece));
}
