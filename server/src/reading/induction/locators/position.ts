/**
 * Finds values by where they stand, when nothing names them: the organization that heads a letter,
 * the title, the largest amount, the first date.
 */

import type { DocumentText, PlacedLine } from "../../parsing/document-text.ts";
import type { Finding } from "../inducer.ts";
import { isStop } from "../values/address-words.ts";
import { recognise } from "../values/recognise.ts";
import type { Conventions, TypedValue } from "../values/value.ts";
import { findAddressBlocks } from "./address-block.ts";
import { findingOf, ordered, readStretch } from "./finding.ts";
import { type Stretch, showsByForm, stretchOfSpan, valuesOf } from "./layout.ts";
import { findLetterhead } from "./letterhead.ts";
import type { Locator, Target } from "./locator.ts";
import { findRecipients } from "./recipient.ts";

type PositionLocator = Extract<Locator, { kind: "position" }>;

/** Share of a page's lines that is its top or bottom, and how many at least and at most. */
const PART = 0.3;
const FEWEST_LINES = 8;
const MOST_LINES = 25;

/** Lines in which a document names whose it is. */
const HEAD_LINES = 3;

/** How sure a place alone is of what stands there. */
const PLACED = 0.7;

export function locatePosition(
  content: DocumentText,
  { region, pick, isByForm = false }: PositionLocator,
  target: Target,
  conventions: Conventions,
): Finding[] {
  if (region === "recipient") return findRecipients(content, target, conventions);
  const lines = linesOf(content, region);
  if (target.kind === "organization" && (region === "top" || region === "title")) {
    return findLetterhead(content, conventions, isByForm);
  }
  if (target.kind === "address") return findAddressBlocks(content, lines, conventions);
  if (region === "title") {
    const title = findTitle(content);
    const value = title === null ? null : readStretch(title, target, conventions);
    return title === null || value === null ? [] : [findingOf(title.line, value, placed(value))];
  }
  if (target.kind === "text") return firstLine(lines, target, conventions);
  const findings = lines.flatMap((line) => {
    const values = showsByForm(target.kind)
      ? valuesOf(line, target.kind, conventions)
      : recognise(line.text, conventions, [target.kind]);
    return values.map((value) => findingOf(line, value, placed(value)));
  });
  return ordered(findings, pick);
}

function placed({ certainty }: TypedValue): number {
  return PLACED * (0.5 + 0.5 * certainty);
}

function linesOf({ lines }: DocumentText, region: PositionLocator["region"]): PlacedLine[] {
  if (region === "anywhere") return [...lines];
  if (region === "bottom") {
    const last = lines.at(-1)?.page;
    const page = lines.filter((line) => line.page === last);
    return page.slice(-partOf(page.length));
  }
  const first = lines[0]?.page;
  const page = lines.filter((line) => line.page === first);
  return page.slice(0, region === "head" ? HEAD_LINES : partOf(page.length));
}

function partOf(count: number): number {
  return Math.min(MOST_LINES, Math.max(FEWEST_LINES, Math.ceil(PART * count)));
}

function firstLine(
  lines: readonly PlacedLine[],
  target: Target,
  conventions: Conventions,
): Finding[] {
  for (const line of lines) {
    const stretch = { line, start: 0, end: line.text.length };
    const value = readStretch(stretch, target, conventions);
    if (value !== null) return [findingOf(line, value, placed(value))];
  }
  return [];
}

/** Lines among which a title stands. */
const HEAD = 25;

/** Letters by which one must be larger to be what is set largest. */
const LARGER = 1.08;

const LONGEST = 120;

function findTitle({ lines }: DocumentText): Stretch | null {
  const page = lines[0]?.page;
  const head = lines.slice(0, HEAD).filter((line) => line.page === page);
  const pieces = head
    .filter((line, index) => !isProse(line, lines[index + 1]))
    // A row of a table is a label and its value, or what columns are called.
    .filter(({ kind, spans }) => kind !== "table" || spans.length === 1)
    .flatMap((line) => line.spans.map((span) => ({ line, span })));
  const fit = pieces.filter(({ line, span }) =>
    isTitle(withoutCode(span.text), line.kind === "heading"),
  );
  let largest: (typeof fit)[number] | null = null;
  for (const piece of fit) {
    const size = piece.span.size;
    if (size !== null && size > LARGER * (largest?.span.size ?? 0)) largest = piece;
  }
  const smallest = fit.reduce((least, { span }) => Math.min(least, span.size ?? 0), Infinity);
  const isLarger = largest !== null && smallest * LARGER < (largest.span.size ?? 0);
  const heading = fit.find(({ line }) => line.kind === "heading");
  const title = (isLarger ? largest : null) ?? heading ?? fit[0];
  if (title === undefined) return null;
  const stretch = stretchOfSpan(title.line, title.span);
  const { text } = title.span;
  return { ...stretch, start: stretch.start + text.length - withoutCode(text).length };
}

/** `[INC0012345] Slow queries`: what a title is filed under is none of it. */
const withoutCode = (text: string): string =>
  text.replace(/^\s*[[(]?(?=[\p{L}-]{0,8}\d)[\p{L}\d/-]{4,24}(?:[\])]|\s?[:–—-](?=\s))\s*/u, "");

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
function isTitle(text: string, isHeading: boolean): boolean {
  // A numbered heading is a clause's.
  if (text.length > LONGEST || /^\d+(?:\.\d+)*[.)]\s/u.test(text)) return false;
  if (/[:：]/u.test(text) && !isHeading) return false;
  if (/^\p{Ll}/u.test(text) && text.split(" ").length > 3) return false;
  const letters = text.match(/\p{L}/gu)?.length ?? 0;
  const digits = text.match(/\p{N}/gu)?.length ?? 0;
  return letters >= 4 && digits * 4 <= letters && /\p{Lu}/u.test(text) && !isStop(text);
}
