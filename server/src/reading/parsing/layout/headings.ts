/** Which lines are headings: larger or bolder than the body, numbered titles, titles in capitals. */

import { isTitleInCapitals, numberedTitle } from "../headings.ts";
import type { LaidLine } from "./line.ts";
import { HEADING_RATIO, type PageStyle } from "./page.ts";

export interface HeadingCandidate {
  readonly line: LaidLine;
  /** More than a line's space lies above it. */
  readonly isApart: boolean;
  /** And below it. */
  readonly isAlone: boolean;
}

const MAX_CHARACTERS = 120;
const CLEARLY_LARGER = 1.35;
const SURE = 0.8;
const MAX_WORDS = 14;

/** 1 to 6, or null. */
export function headingLevel(
  { line, isApart, isAlone }: HeadingCandidate,
  style: PageStyle,
): number | null {
  if (!mayBeTitle(line)) return null;
  const sizes = style.headingSizes;
  const ratio = line.size / style.bodySize;
  // Larger letters without weight may be all of a letter's address.
  if (ratio >= (line.bold || isAlone ? HEADING_RATIO : CLEARLY_LARGER)) {
    const rank = sizes.findIndex((size) => line.size >= size - 0.26);
    return Math.min(6, (rank < 0 ? sizes.length : rank) + 1);
  }
  const judged = { text: line.text, spans: line.spans.length };
  const numbered = isApart ? numberedTitle(judged) : null;
  const below = Math.min(3, sizes.length) + 1;
  if (line.bold && !style.isBold) return Math.min(6, below + (numbered?.depth ?? 1) - 1);
  if (numbered !== null && numbered.kind !== "letter" && isAlone) {
    return Math.min(6, below + numbered.depth - 1);
  }
  return isAlone && isTitleInCapitals(judged) ? below : null;
}

/** Words, no pair of a label and its value, no sentence that goes on. */
function mayBeTitle({ text, spans }: LaidLine): boolean {
  if (spans.length > 1 || text.length > MAX_CHARACTERS) return false;
  // What letters were guessed from may be of any size.
  if ((spans[0]!.confidence ?? 1) < SURE) return false;
  if (text.split(" ").length > MAX_WORDS || /[,;]$/u.test(text) || /:\s?\S/u.test(text))
    return false;
  const letters = text.match(/\p{L}/gu)?.length ?? 0;
  const digits = text.match(/\p{N}/gu)?.length ?? 0;
  return letters >= 3 && digits < letters && /^["“‘'([]*[\p{Lu}\p{Lo}\p{N}§•]/u.test(text);
}
