/**
 * Rows of terms over rows of what they name: `Vendor   Ship to` over two addresses, `Flight  Seat  Gate`
 * over a ticket's. That each piece of a line is a term of trade and nothing under it is shows it, where
 * a single document has the row.
 */

import type { DocumentText, PlacedLine } from "../../parsing/document-text.ts";
import { isOfTerms, meaningOf } from "../words/label-concepts.ts";
import { isColumnTitle, statesLabel } from "./label-form.ts";
import { labelKey } from "./label-key.ts";
import { isBeside, isRowUnder } from "./layout.ts";
import { alternatesInFace, stackedRows } from "./stacked-rows.ts";

const rows = new WeakMap<PlacedLine, boolean>();

export function isRowOfTerms(content: DocumentText, index: number): boolean {
  const { lines } = content;
  if (stackedRows(content).labels.has(index)) return true;
  const [line, next] = [lines[index], lines[index + 1]];
  if (line === undefined || next === undefined) return false;
  let isRow = rows.get(line);
  if (isRow === undefined) {
    const areTitles = areTerms(line) || areTitlesOfOneRow(line, next, lines[index + 2]);
    isRow = next.page === line.page && areTitles && !hasTerms(next) && isRowUnder(line, next);
    rows.set(line, isRow);
  }
  return isRow;
}

/** A table's header in words that nobody listed, over a single row with figures in it. */
function areTitlesOfOneRow(
  { spans }: PlacedLine,
  next: PlacedLine,
  after: PlacedLine | undefined,
): boolean {
  const table = spans[0]!.cell?.table;
  if (spans.length < FEWEST_TITLES || next.spans.length !== spans.length) return false;
  if (table === undefined || next.spans[0]!.cell?.table !== table) return false;
  if (after?.spans[0]?.cell?.table === table) return false;
  const figures = next.spans.filter(({ text }) => /\p{N}/u.test(text)).length;
  return figures > 1 && spans.every(({ text, cell }) => cell?.isHeader === true && isTitle(text));
}

const FEWEST_TITLES = 3;
const isTitle = (text: string): boolean => isColumnTitle(text) && !/[:：\p{N}]/u.test(text);

function areTerms({ spans }: PlacedLine): boolean {
  if (spans.length < 2) return false;
  // Of a form's row, `Class  –  Species  ovine`, an answer may be missing; of a header no title is.
  if (spans.some((span, index) => index > 0 && !isBeside(spans[index - 1]!, span))) return false;
  const keys = spans.map(({ text }) => labelKey(text));
  const areWords = spans.every(({ text }) => /^\p{Lu}$/u.test(text) || isColumnTitle(text));
  return (
    areWords &&
    keys.filter(isOfTerms).length >= LEAST_TERMS * spans.length &&
    keys.some((key) => meaningOf(key) !== null)
  );
}

/** Of three titles one may be no term. */
const LEAST_TERMS = 0.66;

/** Whether most pieces are terms, or one has a label in it. */
function hasTerms({ spans }: PlacedLine): boolean {
  if (spans.some(({ text }) => statesLabel(text))) return true;
  return 2 * spans.filter(({ text }) => isOfTerms(labelKey(text))).length >= spans.length;
}

/** Whether a line is pairs of terms and what answers them: `Seat  27E  Gate  C25`. */
export function isRowOfPairs(line: PlacedLine): boolean {
  const { spans } = line;
  if (alternatesInFace(line)) return true;
  if (spans.length < 4 || spans.length % 2 > 0) return false;
  return spans.every(({ text }, index) => isOfTerms(labelKey(text)) === (index % 2 === 0));
}
