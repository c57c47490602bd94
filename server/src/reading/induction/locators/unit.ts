/** Finds the unit that a document's values are written in, by the vote of all that it writes. */

import type { DocumentText, PlacedLine } from "../../parsing/document-text.ts";
import type { Finding } from "../inducer.ts";
import { CURRENCY_BEFORE, currencyOf } from "../values/currencies.ts";
import { findMoney } from "../values/money.ts";
import type { Conventions } from "../values/value.ts";
import { valuesOf } from "./layout.ts";
import type { Locator } from "./locator.ts";

type UnitLocator = Extract<Locator, { kind: "unit" }>;

/** A currency without an amount, as heads of columns have it: `AMOUNT (RM)`, `Total EUR`. */
const ALONE = new RegExp(
  `(?<![\\p{L}\\d.])(?:${CURRENCY_BEFORE})(?![\\p{L}\\d])(?! ?[-\\d])`,
  "gu",
);

/** Votes of a unit beside a value, and of one by itself. */
const BESIDE = 3;
const BY_ITSELF = 1;

/** How sure a unit is that all that is written agrees on, and how sure by a single vote. */
const UNANIMOUS = 0.95;
const SINGLE = 0.7;

interface Vote {
  readonly line: PlacedLine;
  readonly start: number;
  readonly end: number;
  votes: number;
}

/** At most one finding: the unit with the most votes, where it is first written. */
export function locateUnit(
  content: DocumentText,
  { of }: UnitLocator,
  conventions: Conventions,
): Finding[] {
  const units = new Map<string, Vote>();
  let all = 0;
  const vote = (unit: string, line: PlacedLine, start: number, end: number, votes: number) => {
    const known = units.get(unit);
    if (known === undefined) units.set(unit, { line, start, end, votes });
    else known.votes += votes;
    all += votes;
  };
  for (const line of content.lines) {
    const values =
      of === "money" ? findMoney(line.text, conventions) : valuesOf(line, of, conventions);
    for (const { unit, start, end } of values) {
      if (unit !== null) vote(unit, line, start, end, BESIDE);
    }
    if (of !== "money") continue;
    for (const { 0: written, index } of line.text.matchAll(ALONE)) {
      const unit = currencyOf(written, conventions.currency);
      if (unit !== null) vote(unit, line, index, index + written.length, BY_ITSELF);
    }
  }
  const [best] = [...units].sort(([, a], [, b]) => b.votes - a.votes);
  if (best === undefined) return [];
  const [unit, { line, start, end, votes }] = best;
  const share = votes / all;
  return [
    {
      normal: unit,
      unit: null,
      text: line.text.slice(start, end),
      start: line.start + start,
      end: line.start + end,
      page: line.page,
      confidence: share * (votes > 1 ? UNANIMOUS : SINGLE),
    },
  ];
}
