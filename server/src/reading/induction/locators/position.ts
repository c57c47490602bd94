/**
 * Finds values by where they stand, when nothing names them: the organization that heads a letter,
 * the title, the largest amount, the first date.
 */

import type { DocumentText, PlacedLine } from "../../parsing/document-text.ts";
import type { Finding } from "../inducer.ts";
import { recognise } from "../values/recognise.ts";
import type { Conventions, TypedValue } from "../values/value.ts";
import { findAddressBlocks } from "./address-block.ts";
import { findingOf, ordered, readStretch } from "./finding.ts";
import { showsByForm, valuesOf } from "./layout.ts";
import { findLetterhead } from "./letterhead.ts";
import type { Locator, Target } from "./locator.ts";
import { findTitle } from "./title.ts";

type PositionLocator = Extract<Locator, { kind: "position" }>;

/** Share of a page's lines that is its top or bottom, and how many at least and at most. */
const PART = 0.3;
const FEWEST_LINES = 8;
const MOST_LINES = 25;

/** How sure a place alone is of what stands there. */
const PLACED = 0.7;

export function locatePosition(
  content: DocumentText,
  { region, pick }: PositionLocator,
  target: Target,
  conventions: Conventions,
): Finding[] {
  const lines = linesOf(content, region);
  if (target.kind === "organization" && (region === "top" || region === "title")) {
    return findLetterhead(content, conventions);
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
  return page.slice(0, partOf(page.length));
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
