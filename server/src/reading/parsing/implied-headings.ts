/**
 * Paragraphs that are headings without being marked so: of one short line in bold letters, in capitals,
 * with a number or a colon.
 */

import {
  headingLine,
  isInCapitals,
  isTitleInCapitals,
  isTitleWithColon,
  numberedTitle,
} from "./headings.ts";
import type { Block, Line } from "./normal-form.ts";

export function withImpliedHeadings(blocks: readonly Block[]): Block[] {
  const capitalsSayNothing = isInCapitals(
    blocks.flatMap((block) => (block.kind === "table" ? [] : block.lines.map(headingLine))),
  );
  return blocks.map((block, index): Block => {
    const line = block.kind === "paragraph" && block.lines.length === 1 ? block.lines[0]! : null;
    if (line === null || index === blocks.length - 1) return block;
    const level = impliedLevel(line, capitalsSayNothing);
    return level === null ? block : { kind: "heading", level, lines: [line] };
  });
}

function impliedLevel(line: Line, capitalsSayNothing: boolean): number | null {
  const judged = headingLine(line);
  const numbered = numberedTitle(judged);
  const isBold = line.spans.every(({ bold }) => bold === true);
  if (numbered !== null && (numbered.kind !== "letter" || isBold)) {
    return Math.min(6, numbered.depth + 1);
  }
  if (!capitalsSayNothing && isTitleInCapitals(judged)) return 2;
  const { text, spans } = judged;
  const isShort = spans === 1 && text.length <= 100 && text.split(" ").length <= 12;
  const isTitle = isShort && /\p{L}{2}/u.test(text) && !/[.,;!?]$|:\s?\S/u.test(text);
  if (isBold && isTitle) return 4;
  return isTitleWithColon(judged) ? 4 : null;
}
