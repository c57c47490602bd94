/** Plain text as a document: lines as they stand, form feeds as pages. */

import { seenCharacters } from "../../characters.ts";
import { withoutBorders } from "../../drawn-boxes.ts";
import { headingLine, isInCapitals } from "../../headings.ts";
import {
  PARSING_LIMITS,
  type ParsingLimits,
  requireNodesWithin,
  requirePagesWithin,
} from "../../limits.ts";
import { linesOf } from "../../line-spans.ts";
import type { Block, Page, ParsedDocument } from "../../normal-form.ts";
import { type TextLine, type TextStyle, textBlocks } from "./text-blocks.ts";
import { withWrappedCells } from "./wrapped-rows.ts";

/** Line ends of all systems, and Unicode's. */
const LINE_END = /\r\n|[\n\r\v\u0085\u2028\u2029]/u;

/** @throws DocumentFault `too_large`, `too_many_pages` */
export function parsePlainText(
  text: string,
  limits: ParsingLimits = PARSING_LIMITS,
): ParsedDocument {
  requireWithin(text, limits);
  const pages = seenCharacters(text)
    .split("\f")
    .map((page): TextLine[] => withoutBorders(page.split(LINE_END)).flatMap(textLines));
  // A form feed ends a page; what ends the last begins none.
  if (pages.length > 1 && pages.at(-1)!.every((line) => line === null)) pages.pop();
  const style = styleOf(pages.flat());
  const parsed = pages.map(
    (lines, index): Page => ({
      number: index + 1,
      width: null,
      height: null,
      blocks: textBlocks(withWrappedCells(lines), style),
    }),
  );
  return {
    version: 1,
    mediaType: "text/plain",
    title: titleOf(parsed[0]?.blocks ?? []),
    pages: parsed,
    warnings: [],
  };
}

/** Counted before anything is made of them. */
function requireWithin(text: string, limits: ParsingLimits): void {
  let pages = 1;
  let parts = 1;
  let spaces = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    const isBreak = code > 0x08 && code < 0x0e;
    if (code === 0x0c) pages += 1;
    spaces = code === 0x20 ? spaces + 1 : 0;
    if (isBreak || spaces === 2) parts += 1;
  }
  requirePagesWithin(pages, limits);
  requireNodesWithin(parts, "lines and columns", limits);
}

/** Lines that were one in the file are paragraphs. */
function textLines(written: string): TextLine[] {
  const lines = linesOf(written);
  if (lines.length === 0) return [null];
  return lines.flatMap((line, index) => (index === 0 ? [line] : [null, line]));
}

function styleOf(lines: readonly TextLine[]): TextStyle {
  const judged = lines.flatMap((line) => (line === null ? [] : headingLine(line)));
  const lengths = judged.map(({ text }) => text.length).sort((a, b) => a - b);
  const width = lengths[Math.floor(0.9 * lengths.length)] ?? 0;
  // Shorter lines are no wrapped prose; longer ones are whole paragraphs on a line.
  const median = lengths[lengths.length >> 1] ?? 0;
  const isWrapped = width >= 50 && width <= 200 && median > 0.6 * width;
  return { isInCapitals: isInCapitals(judged), width: isWrapped ? width : 0 };
}

/** A heading that the text begins with. */
function titleOf(blocks: readonly Block[]): string | null {
  for (const block of blocks.slice(0, 4)) {
    if (block.kind !== "heading" || block.level > 2) continue;
    return block.lines.flatMap(({ spans }) => spans.map(({ text }) => text)).join(" ");
  }
  return null;
}
