/**
 * Headings of text that has no mark for them: lines in capitals, lines that end in a colon, and
 * short numbered titles. What capitals mean depends on the document: on a receipt, nothing.
 */

import { type Enumerator, enumeratorOf } from "./enumerators.ts";
import type { Line } from "./normal-form.ts";

/** A line as headings are judged by. */
export interface HeadingLine {
  /** Single spaces between its spans too. */
  readonly text: string;
  readonly spans: number;
}

export function headingLine(line: Line): HeadingLine {
  return { text: line.spans.map((span) => span.text).join(" "), spans: line.spans.length };
}

const MAX_CHARACTERS = 100;
const MAX_WORDS = 12;

/** Whether the text is mostly written in capitals, so that they set nothing apart. */
export function isInCapitals(lines: readonly HeadingLine[]): boolean {
  let capitals = 0;
  let small = 0;
  for (const { text } of lines) {
    // A sample of a long line is as good as all of it.
    for (const character of text.slice(0, 2000)) {
      const lower = character.toLowerCase();
      if (lower === character.toUpperCase()) continue;
      if (character === lower) small += 1;
      else capitals += 1;
    }
  }
  return capitals > small;
}

export function isTitleInCapitals({ text, spans }: HeadingLine): boolean {
  if (spans > 1 || text.length > MAX_CHARACTERS || wordsOf(text).length > MAX_WORDS) return false;
  const letters = text.match(/\p{L}/gu)?.length ?? 0;
  const others = text.match(/[^\p{L}\s]/gu)?.length ?? 0;
  return (
    letters >= 3 &&
    others < letters &&
    !/\p{Ll}/u.test(text) &&
    /\p{Lu}/u.test(text) &&
    !/[,;]$/u.test(text) &&
    !/:\s?\S/u.test(text)
  );
}

/** `Recitals:` alone on its line. */
export function isTitleWithColon({ text, spans }: HeadingLine): boolean {
  return (
    spans === 1 &&
    text.length <= 60 &&
    /^[^:]*\p{L}{2}[^:]*:$/u.test(text) &&
    /^[\p{Lu}\p{Lo}\d(]/u.test(text) &&
    wordsOf(text).length <= 8
  );
}

/** `1. Covenant Not to Compete.`, `ARTICLE II MARKETING`, `2.1 Fees`; null where it is none. */
export function numberedTitle({ text, spans }: HeadingLine): Enumerator | null {
  if (spans > 1 || text.length > MAX_CHARACTERS) return null;
  const enumerator = enumeratorOf(text);
  if (enumerator === null || enumerator.kind === "mark") return null;
  const words = wordsOf(enumerator.rest);
  if (words.length > MAX_WORDS || /[,;]$/u.test(text)) return null;
  if (words.length === 0) return enumerator.kind === "clause" ? enumerator : null;
  // A clause and its number may stand in a sentence: `Section 5 shall`.
  const isTitle =
    isTitleInCapitals({ text: enumerator.rest, spans: 1 }) ||
    words.every(
      (word, index) =>
        /^["“‘'(]*[\p{Lu}\p{Lo}]/u.test(word) || (index > 0 && /^[\p{Ll}&/–—-]{1,4}$/u.test(word)),
    );
  const isSentence = /\.\s/u.test(enumerator.rest);
  return isTitle && !isSentence ? enumerator : null;
}

/** `1. Definitions and interpretation`: a title only where it stands as one. */
export function numberedPhrase({ text, spans }: HeadingLine): Enumerator | null {
  if (spans > 1 || text.length > 60) return null;
  const enumerator = enumeratorOf(text);
  if (enumerator === null || (enumerator.kind !== "number" && enumerator.kind !== "decimal")) {
    return null;
  }
  const isPhrase =
    /^\p{Lu}\p{L}/u.test(enumerator.rest) &&
    !/[.,;:!?\d]/u.test(enumerator.rest) &&
    wordsOf(enumerator.rest).length <= 6;
  return isPhrase ? enumerator : null;
}

/** `Background`, alone between blank lines. */
export function isPhrase({ text, spans }: HeadingLine): boolean {
  return (
    spans === 1 &&
    text.length <= 60 &&
    /^\p{Lu}[^.,;:!?\d]+$/u.test(text) &&
    wordsOf(text).length <= 8
  );
}

const wordsOf = (text: string): string[] => text.split(" ").filter((word) => word !== "");
