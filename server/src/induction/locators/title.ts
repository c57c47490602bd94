/** The line that is a document's title: what is set largest near the top, else its first heading. */

import type { DocumentText } from "../../parsing/document-text.ts";
import { isStop } from "../values/address-words.ts";
import { type Stretch, stretchOfSpan } from "./layout.ts";

/** Lines among which a title stands. */
const HEAD = 25;

/** Letters by which one must be larger to be what is set largest. */
const LARGER = 1.08;

const LONGEST = 120;

export function findTitle({ lines }: DocumentText): Stretch | null {
  const page = lines[0]?.page;
  const head = lines.slice(0, HEAD).filter((line) => line.page === page);
  const pieces = head.flatMap((line) => line.spans.map((span) => ({ line, span })));
  const fit = pieces.filter(({ span }) => isTitle(span.text));
  let largest: (typeof fit)[number] | null = null;
  for (const piece of fit) {
    const size = piece.span.size;
    if (size !== null && size > LARGER * (largest?.span.size ?? 0)) largest = piece;
  }
  const smallest = fit.reduce((least, { span }) => Math.min(least, span.size ?? 0), Infinity);
  const isLarger = largest !== null && smallest * LARGER < (largest.span.size ?? 0);
  const heading = fit.find(({ line }) => line.kind === "heading");
  const title = (isLarger ? largest : null) ?? heading ?? fit[0];
  return title === undefined ? null : stretchOfSpan(title.line, title.span);
}

/** Words with capitals, and neither a label nor a form's or a page's number. */
function isTitle(text: string): boolean {
  if (text.length > LONGEST || /[:：]/u.test(text)) return false;
  const letters = text.match(/\p{L}/gu)?.length ?? 0;
  const digits = text.match(/\p{N}/gu)?.length ?? 0;
  return letters >= 4 && digits * 4 <= letters && /\p{Lu}/u.test(text) && !isStop(text);
}
