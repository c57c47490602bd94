/** What lines are to a table: rows of figures, rows that may be headers, lines that end it. */

import type { LaidLine, LaidSpan } from "./line.ts";

/** Letters right before figures are a currency's where cents or thousands follow: `WOC31014` is a code. */
const FIGURE =
  /^[(+–—-]?\s?(?:[A-Z]{3}(?:\s|(?=\d{1,3}[.,]))|EUR|USD|GBP|CHF|[$€£¥₹])?\s?[(+–—-]?\s?\d[\d.,'’ ]*(?:%|[$€£¥₹]|[A-Z]{3})?\s?\)?(?:%|\s[A-Z]{3}|\s?[$€£¥₹])?$/u;
const NOTHING = /^(?:[–—-]{1,2}|[$€£¥₹]\s?[–—-]|n\/?a|nil)$/iu;
const YEAR = /^(?:FY)?(?:19|20)\d\d[*)]?$/u;

/** An amount, a count, a share, or a dash in their place. */
export const isFigure = ({ text }: LaidSpan): boolean => FIGURE.test(text) || NOTHING.test(text);

const isYear = ({ text }: LaidSpan): boolean => YEAR.test(text);

/** A label, or a text, and at least one figure; years are no figures. */
export function isRowOfFigures({ spans }: LaidLine): boolean {
  return (
    spans.length > 1 && spans.some((span, index) => index > 0 && isFigure(span) && !isYear(span))
  );
}

export function isRowOfYears({ spans }: LaidLine): boolean {
  return (
    spans.length > 0 && spans.some(isYear) && spans.every((span) => !isFigure(span) || isYear(span))
  );
}

/** A line of running text. */
export function isProse({ spans, text }: LaidLine): boolean {
  return spans.length === 1 && text.length > 70;
}
