/**
 * Finds what a model quoted in the document that it was shown, at its true offsets. A quote holds
 * where it is the same but for spaces, invisible characters and the shape of quotation marks and
 * dashes, which models do not repeat faithfully; anything else is not in the document.
 */

import { isInvisible } from "../spotlight/visible.ts";

export interface Place {
  readonly start: number;
  readonly end: number;
}

const SAME: Readonly<Record<string, string>> = {
  "‘": "'",
  "’": "'",
  "‚": "'",
  "“": '"',
  "”": '"',
  "„": '"',
  "–": "-",
  "—": "-",
  "‐": "-",
  "‑": "-",
  "−": "-",
};
const SPACE = /\s/u;
const WORD = /[\p{L}\p{N}]/u;

/** A text as it is compared, and where each of its code units stands in the text itself. */
interface Plain {
  readonly text: string;
  /** One longer than `text`. */
  readonly offsets: Int32Array;
}

export class QuoteFinder {
  readonly #plain: Plain;

  constructor(text: string) {
    this.#plain = plain(text);
  }

  /** Where the quote stands first within the place, as whole words; null where it does not. */
  find(quote: string, within?: Place): Place | null {
    const { text, offsets } = this.#plain;
    const sought = plain(quote.trim()).text.trim();
    if (sought === "") return null;
    let at = within === undefined ? 0 : lowerBound(offsets, within.start);
    const last = within === undefined ? text.length : lowerBound(offsets, within.end);
    for (;;) {
      at = text.indexOf(sought, at);
      if (at < 0 || at + sought.length > last) return null;
      if (!splitsWord(text, at) && !splitsWord(text, at + sought.length)) {
        return { start: offsets[at]!, end: offsets[at + sought.length - 1]! + 1 };
      }
      at += 1;
    }
  }
}

/** Whether the place before this code unit lies inside a word or a number. */
function splitsWord(text: string, at: number): boolean {
  return at > 0 && at < text.length && WORD.test(text[at - 1]!) && WORD.test(text[at]!);
}

function plain(text: string): Plain {
  const offsets = new Int32Array(text.length + 1);
  const pieces: string[] = [];
  let length = 0;
  let offset = 0;
  let wasSpace = false;
  for (const character of text) {
    const isSpace = SPACE.test(character);
    if (isSpace ? !wasSpace : !isInvisible(character)) {
      pieces.push(isSpace ? " " : (SAME[character] ?? character));
      for (let unit = 0; unit < character.length; unit++) offsets[length++] = offset + unit;
    }
    // An invisible character between two spaces does not part them.
    if (isSpace || !isInvisible(character)) wasSpace = isSpace;
    offset += character.length;
  }
  offsets[length] = text.length;
  return { text: pieces.join(""), offsets: offsets.subarray(0, length + 1) };
}

/** First index whose offset is at least the one sought. */
function lowerBound(offsets: Int32Array, sought: number): number {
  let low = 0;
  let high = offsets.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (offsets[middle]! < sought) low = middle + 1;
    else high = middle;
  }
  return low;
}
