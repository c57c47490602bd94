/** How locators make and order what they find. */

import type { PlacedLine } from "../../parsing/document-text.ts";
import type { Finding } from "../inducer.ts";
import { read } from "../values/kinds.ts";
import { unitSymbol } from "../values/units.ts";
import type { Conventions, TypedValue, ValueKind } from "../values/value.ts";
import { type Stretch, showsByForm, valuesOf } from "./layout.ts";
import type { Target } from "./locator.ts";

export type Pick = "first" | "last" | "largest" | "smallest";

/** A value as found in its document; its offsets are of the line's text. */
export function findingOf(line: PlacedLine, value: TypedValue, confidence: number): Finding {
  const { normal, unit } = value;
  let { start, end } = value;
  while (start < end && line.text[start] === " ") start += 1;
  while (end > start && line.text[end - 1] === " ") end -= 1;
  return {
    normal,
    unit,
    text: line.text.slice(start, end),
    start: line.start + start,
    end: line.start + end,
    page: line.page,
    confidence: Math.min(1, Math.max(0, confidence)),
  };
}

const NAMING: ReadonlySet<ValueKind> = new Set(["organization", "person", "place", "text"]);
const MAIL_ADDRESS = /^\s*<?[^\s<>@]{1,64}@[^\s<>@]{1,253}\.\p{L}{2,}>?\s*$/u;

/** What a stretch of a line says as a value of the target's kind. */
export function readStretch(
  { line, start, end }: Stretch,
  target: Target,
  conventions: Conventions,
): TypedValue | null {
  if (target.kind === "identifier" && isOtherValue({ line, start, end }, conventions)) return null;
  const text = line.text.slice(start, end);
  // A letter's `From: a@b.example` beside forms' `From`: whom it names is not said.
  if (NAMING.has(target.kind) && MAIL_ADDRESS.test(text)) return null;
  const value =
    read(target.kind, text, conventions) ?? (target.kind === "identifier" ? codeIn(text) : null);
  if (value === null) return null;
  const placed = { ...value, start: value.start + start, end: value.end + start };
  if (target.kind === "identifier") {
    // `policy excess of £150.00`: what the code was found in is an amount.
    return isOtherValue({ line, start: placed.start, end: placed.end }, conventions)
      ? null
      : withSeries(placed, line, start);
  }
  return target.kind === "organization" ? withFirstWord(placed, line, start) : placed;
}

/**
 * Kinds of which a figure may be written with what it is measured in, or without. Not of shares and
 * money: beside `VAT 7 %` stands an amount, and beside a total a count.
 */
const FIGURES: ReadonlySet<ValueKind> = new Set(["number", "quantity"]);
/** A number, and what may be its unit: no date, no code, no count of something. */
const FIGURE = /^([-+−]?\d[\d.,'’\u00a0\u202f]*)(?:\s?([^\s\d]\S{0,5}))?$/u;
/** Its form alone does not show the kind: the label does. */
const FIGURE_CERTAINTY = 0.5;

/** A stretch that is a figure alone, as one of the kind, though its form is another's. */
export function readFigure(
  { line, start, end }: Stretch,
  kind: ValueKind,
  conventions: Conventions,
): TypedValue | null {
  if (!FIGURES.has(kind)) return null;
  const text = line.text.slice(start, end);
  const trimmed = text.trim();
  const [, figure, unit] = FIGURE.exec(trimmed) ?? [];
  const symbol = unit === undefined ? null : unitSymbol(unit);
  if (figure === undefined || (unit !== undefined && symbol === null)) return null;
  const value = read("number", figure, conventions);
  if (value === null) return null;
  const begin = start + (text.length - text.trimStart().length);
  return {
    ...value,
    kind,
    unit: kind === "quantity" ? symbol : null,
    start: begin + value.start,
    end: begin + value.end,
    certainty: FIGURE_CERTAINTY,
  };
}

/** Letters of a series before a number of parts: `F 1234/12` is the invoice's number, not `1234/12`. */
const SERIES = /^[#*\s]*(\p{Lu}{1,4}) $/u;

/** A code of two pieces is as surely delimited as one that has no form. */
function withSeries(value: TypedValue, line: PlacedLine, from: number): TypedValue {
  const series = SERIES.exec(line.text.slice(from, value.start))?.[1];
  if (series === undefined || !String(value.normal).includes("/")) return value;
  const start = value.start - series.length - 1;
  const certainty = Math.min(value.certainty, CODE_CERTAINTY);
  return { ...value, start, normal: `${series} ${value.normal}`, certainty };
}

/** A short piece with a digit in it, letters before it included: `FT 2021/12`, `F2021-0045`. */
const CODE =
  /^[#*\s]*((?:\p{Lu}{1,4} )?[\p{L}\p{N}/._-]{0,24}\p{N}[\p{L}\p{N}/._-]{0,24})(?=$|[\s,;)])/u;
const CODE_CERTAINTY = 0.35;

/** Pointed at, what begins with a code is one, whatever its form. */
function codeIn(text: string): TypedValue | null {
  const match = CODE.exec(text);
  if (match === null) return null;
  const code = match[1]!.replace(/[/._-]+$/, "");
  const start = match[0].length - match[1]!.length;
  return {
    kind: "identifier",
    start,
    end: start + code.length,
    normal: code,
    unit: null,
    certainty: CODE_CERTAINTY,
  };
}

/** Pointed at, a name begins where the text does, though its first word has no capital. */
function withFirstWord(value: TypedValue, line: PlacedLine, start: number): TypedValue {
  const before = line.text.slice(start, value.start);
  if (!/^\p{L}[\p{L}\d.&-]*\s$/u.test(before)) return value;
  return { ...value, start, normal: `${before}${value.normal}` };
}

/** Amounts, shares and days are no codes, though they have digits. */
function isOtherValue({ line, start, end }: Stretch, conventions: Conventions): boolean {
  const most = 0.6 * (end - start);
  return OTHER_KINDS.some((kind) =>
    valuesOf(line, kind, conventions).some(
      (value) =>
        value.certainty >= 0.8 &&
        // A month alone, 2021/12, is as well a number of that year.
        (kind !== "date" || String(value.normal).length === DAY) &&
        Math.min(value.end, end) - Math.max(value.start, start) > most,
    ),
  );
}

/** Letters of YYYY-MM-DD. */
const DAY = 10;

const OTHER_KINDS = ["money", "percent", "date"] as const;

/** Findings of one locator in one document that are kept, the best. */
const MOST_FINDINGS = 300;

/** Findings this near the surest, as a share of its confidence, are chosen among by `pick`. */
const ALIKE = 0.75;

/** By how much a finding that was not picked is less sure than the one before it. */
const NEXT = 0.9;

/**
 * Best first. Among those about as sure as the surest, `pick` decides; each is less sure than the
 * one before it, and a stretch of text is found once.
 */
export function ordered(findings: readonly Finding[], pick: Pick): Finding[] {
  const surest = findings.reduce((most, { confidence }) => Math.max(most, confidence), 0);
  const isAlike = ({ confidence }: Finding) => confidence >= ALIKE * surest;
  const sorted = [...findings].sort(
    (a, b) =>
      Number(isAlike(b)) - Number(isAlike(a)) ||
      (isAlike(a) ? picked(a, b, pick) : 0) ||
      b.confidence - a.confidence ||
      a.start - b.start ||
      a.end - b.end,
  );
  const once: Finding[] = [];
  const seen = new Set<string>();
  let ceiling = 1;
  for (const finding of sorted) {
    const place = `${finding.start} ${finding.end}`;
    if (seen.has(place)) continue;
    if (once.length === MOST_FINDINGS) break;
    seen.add(place);
    const confidence = Math.min(finding.confidence, ceiling);
    once.push({ ...finding, confidence });
    ceiling = confidence * NEXT;
  }
  return once;
}

function picked(a: Finding, b: Finding, pick: Pick): number {
  if (pick === "last") return b.start - a.start;
  if (pick === "first") {
    // Surer ones first: a label that was read exactly before one that was guessed at.
    return b.confidence - a.confidence || a.start - b.start;
  }
  const [x, y] = [a.normal, b.normal];
  const order = typeof x === "number" && typeof y === "number" ? x - y : x < y ? -1 : x > y ? 1 : 0;
  return pick === "largest" ? -order : order;
}

/** The first value of the kind in a stretch, or a figure that is all of it. */
export function firstValue(
  stretch: Stretch,
  target: Target,
  conventions: Conventions,
): TypedValue | null {
  if (!showsByForm(target.kind)) return readStretch(stretch, target, conventions);
  return (
    valuesOf(stretch.line, target.kind, conventions).find(
      ({ start, end }) => start >= stretch.start && end <= stretch.end,
    ) ?? readFigure(stretch, target.kind, conventions)
  );
}
