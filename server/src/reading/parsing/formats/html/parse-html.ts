/** HTML, and what was made HTML, as a document of one page. Nothing that it names is loaded. */

import { asOneLine } from "../../characters.ts";
import { withImpliedHeadings } from "../../implied-headings.ts";
import type { ParsingLimits } from "../../limits.ts";
import type { Block, ParsedDocument } from "../../normal-form.ts";
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
