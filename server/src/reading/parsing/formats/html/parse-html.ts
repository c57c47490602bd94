/** HTML, and what was made HTML, as a document of one page. Nothing that it names is loaded. */

import { asOneLine } from "../../characters.ts";
import {
  headingLine,
  isInCapitals,
  isTitleInCapitals,
  isTitleWithColon,
  numberedTitle,
} from "../../headings.ts";
import type { ParsingLimits } from "../../limits.ts";
import type { Block, Line, ParsedDocument } from "../../normal-form.ts";
import { htmlBlocks } from "./html-blocks.ts";
import { isElement, markupTree, type Parent, textIn } from "./tree.ts";

export interface MarkupOptions {
  readonly mediaType: string;
  /** Spaces and tabs are meant as they are written. */
  readonly keepsSpaces: boolean;
}

const HTML: MarkupOptions = { mediaType: "text/html", keepsSpaces: false };

/** @throws DocumentFault `too_large`, `too_deep` */
export function parseMarkup(
  html: string,
  limits: ParsingLimits,
  options: MarkupOptions = HTML,
): ParsedDocument {
  const tree = markupTree(html, limits);
  const context = { isBold: false, keepsLines: options.keepsSpaces };
  const blocks = withImpliedHeadings(htmlBlocks(tree, context));
  return {
    version: 1,
    mediaType: options.mediaType,
    title: titleElement(tree) ?? firstTitle(blocks),
    pages: [{ number: 1, width: null, height: null, blocks }],
    warnings: [],
  };
}

/** `html > head > title`. */
function titleElement(tree: Parent): string | null {
  let place = tree;
  for (const name of ["html", "head", "title"]) {
    const next = place.childNodes.find((node) => isElement(node) && node.tagName === name);
    if (next === undefined || !isElement(next)) return null;
    place = next;
  }
  return asOneLine(textIn(place)) || null;
}

function firstTitle(blocks: readonly Block[]): string | null {
  for (const block of blocks.slice(0, 6)) {
    if (block.kind !== "heading" || block.level > 2) continue;
    return block.lines.flatMap(({ spans }) => spans.map(({ text }) => text)).join(" ");
  }
  return null;
}

/**
 * Paragraphs that are headings without being marked so: of one short line in bold letters, in capitals,
 * with a number or a colon.
 */
function withImpliedHeadings(blocks: readonly Block[]): Block[] {
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
