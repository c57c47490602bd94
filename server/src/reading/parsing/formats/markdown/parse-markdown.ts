/** Markdown (GitHub's, by marked) by way of HTML. HTML in it is read as what it is: markup. */

import { marked } from "marked";
import { DocumentFault } from "../../document-fault.ts";
import type { ParsingLimits } from "../../limits.ts";
import type { ParsedDocument } from "../../normal-form.ts";
import { parseMarkup } from "../html/parse-html.ts";

/** @throws DocumentFault `too_large`, `too_deep` */
export function parseMarkdown(text: string, limits: ParsingLimits): ParsedDocument {
  return parseMarkup(htmlOf(withoutFrontMatter(text)), limits, {
    mediaType: "text/markdown",
    keepsSpaces: false,
  });
}

/** Its reader takes time that grows with the square of a paragraph, in the worst case. */
export const isLongMarkdown = (text: string): boolean =>
  text.length > MAX_CHARACTERS || text.split("\n").some((line) => line.length > MAX_LINE);

const MAX_CHARACTERS = 4_000_000;
const MAX_LINE = 50_000;

function htmlOf(text: string): string {
  if (DEEP_QUOTE.test(text)) throw tooDeep();
  try {
    // Of a line break in the source nothing is lost when it stays one.
    return marked.parse(text, { async: false, gfm: true, breaks: true });
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
    throw tooDeep(cause);
  }
}

const DEEP_QUOTE = /^[ \t]{0,8}(?:>[ \t]{0,8}){50}/mu;

const tooDeep = (cause?: unknown): DocumentFault =>
  new DocumentFault("too_deep", "Quotes or lists are nested too deep.", { cause });

/** Its lines are labels and values: they are a paragraph, not the heading that `---` makes of them. */
function withoutFrontMatter(text: string): string {
  const lines = /^\ufeff?---[ \t]*\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)/u.exec(text);
  return lines === null ? text : `${lines[1]!}\n\n${text.slice(lines[0].length)}`;
}
