/** The line that is a document's title: what is set largest near the top, else its first heading. */

import type { DocumentText, PlacedLine } from "../../parsing/document-text.ts";
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
  const pieces = head
    .filter((line, index) => !isProse(line, lines[index + 1]))
    .flatMap((line) => line.spans.map((span) => ({ line, span })));
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

/** Characters of a line that are looked at: the pattern takes time by the square of them. */
const LONGEST_READ = 400;
const GOES_ON = /[.;]\s*\S*\p{L}{2,}\s.*\p{Ll}{3}/u;

/** Whether a line is of a sentence: it ends one or begins another, or the next line goes on with it. */
function isProse({ text, block }: PlacedLine, next: PlacedLine | undefined): boolean {
  const isSentence = /\p{Ll}[.;,]$/u.test(text) || GOES_ON.test(text.slice(0, LONGEST_READ));
  if (isSentence && text.split(" ").length > 3) return true;
  return next !== undefined && next.block === block && /^\p{Ll}/u.test(next.text);
}

/** Words with capitals, and neither a label nor a form's or a page's number. */
function isTitle(text: string): boolean {
  // A numbered heading is a clause's.
  if (text.length > LONGEST || /[:：]|^\d+(?:\.\d+)*[.)]\s/u.test(text)) return false;
  if (/^\p{Ll}/u.test(text) && text.split(" ").length > 3) return false;
  const letters = text.match(/\p{L}/gu)?.length ?? 0;
  const digits = text.match(/\p{N}/gu)?.length ?? 0;
  return letters >= 4 && digits * 4 <= letters && /\p{Lu}/u.test(text) && !isStop(text);
}
