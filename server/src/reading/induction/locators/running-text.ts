/** Which lines of a document are sentences that run on, and no boxes, labels, titles or columns. */

import type { DocumentText, PlacedLine } from "../../parsing/document-text.ts";

/** Words of a line: of one that ends a sentence, and of any. */
const FEWEST_WORDS = 4;
const FEWEST_OF_ANY = 7;
/** Of the words, those in small letters. */
const LEAST_SMALL = 0.4;

/** Whether the offset is in running text. */
export function runningText({ lines }: DocumentText): (offset: number) => boolean {
  const running: PlacedLine[] = [];
  let before: PlacedLine | null = null;
  for (const line of lines) {
    if (line.kind === "table" || line.spans.length > 1) continue;
    before = (before !== null && goesOn(before, line)) || isSentence(line.text) ? line : null;
    if (before !== null) running.push(before);
  }
  return (offset) => {
    let [low, high] = [0, running.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (running[middle]!.end < offset) low = middle + 1;
      else high = middle;
    }
    return low < running.length && running[low]!.start <= offset;
  };
}

/** Into the last words of a paragraph. */
function goesOn(before: PlacedLine, line: PlacedLine): boolean {
  return before.block === line.block && !/[.!?:]$/u.test(before.text.trimEnd());
}

function isSentence(text: string): boolean {
  const words = text.match(/(?<![\p{L}\p{N}])\p{L}[\p{L}\p{M}'’-]*/gu) ?? [];
  const fewest = /[.!?]["”»)]?\s*$/u.test(text) ? FEWEST_WORDS : FEWEST_OF_ANY;
  if (words.length < fewest) return false;
  return words.filter((word) => /^\p{Ll}/u.test(word)).length >= LEAST_SMALL * words.length;
}
