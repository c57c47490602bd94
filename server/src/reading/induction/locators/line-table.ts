/**
 * Tables of items that no parser made one: a row of titles over lines whose pieces stand in its columns,
 * as plain text is set with spaces. A figure in each line and nothing but words in the titles show it.
 */

import type { DocumentText, PlacedLine, PlacedSpan } from "../../parsing/document-text.ts";
import { conceptsOf, isOfTerms } from "../words/label-concepts.ts";
import type { ItemColumn, ItemRow } from "./items.ts";
import { isLabelText, statesLabel } from "./label-form.ts";
import { labelKey } from "./label-key.ts";
import { isNoItem } from "./receipt-items.ts";

export interface LineTable {
  readonly columns: readonly ItemColumn[];
  readonly rows: readonly ItemRow[];
}

const MOST_COLUMNS = 12;
const MOST_ROWS = 2_000;
/** Of fewer columns a sum fills all, as an item does. */
const FEWEST_TELLING = 3;
/** Of the titles, those that are terms of trade. */
const LEAST_TERMS = 0.5;
/** Lines without a figure that go on with a row above. */
const MOST_CONTINUED = 3;

const RULE = /^[\s\-=_|+~*.·–—]+$/u;
const FIGURE =
  /^[-(+]?(?:\p{Sc}|[A-Z]{3})?\s?[-(]?\d[\d.,'’\s]*(?:\s?(?:\p{Sc}|%|[\p{L}²³]{1,4}\.?))?\)?$/u;

/** In the order of their titles. */
export function lineTablesOf({ lines }: DocumentText): LineTable[] {
  const tables: LineTable[] = [];
  for (let index = 0; index < lines.length; index += 1) {
    if (!isTitles(lines[index]!)) continue;
    const titles = lines[index]!;
    const rows = rowsBelow(lines, index);
    if (rows.length === 0) continue;
    const columns = titles.spans.map(({ text }, column) => ({
      column,
      header: text.trim(),
      key: labelKey(text),
    }));
    tables.push({ columns, rows: rows.map(({ row }) => row) });
    index = rows.at(-1)!.index;
  }
  return tables;
}

function isTitles({ spans }: PlacedLine): boolean {
  if (spans.length < 2 || spans.length > MOST_COLUMNS || spans[0]!.cell !== null) return false;
  const areWords = spans.every(({ text }) => isLabelText(text) && !/[\p{N}:：]/u.test(text));
  if (!areWords) return false;
  const keys = spans.map(({ text }) => labelKey(text));
  const terms = keys.filter(isOfTerms).length;
  return terms >= LEAST_TERMS * spans.length && keys.some((key) => conceptsOf(key).some(isOfItem));
}

/** What a column of items is about: a table without one sums up taxes or payments. */
const OF_ITEMS: ReadonlySet<string> = new Set(
  "item description quantity price unit purpose service balance debit package".split(" "),
);
const isOfItem = (concept: string): boolean => OF_ITEMS.has(concept);

interface PlacedRow {
  readonly index: number;
  readonly row: ItemRow;
}

function rowsBelow(lines: readonly PlacedLine[], at: number): PlacedRow[] {
  const titles = lines[at]!;
  const rows: PlacedRow[] = [];
  let block: number | null = null;
  let continued = 0;
  for (let index = at + 1; index < lines.length && rows.length < MOST_ROWS; index += 1) {
    const line = lines[index]!;
    if (line.spans[0]!.cell !== null) break;
    if (RULE.test(line.text)) continue;
    // Behind a blank line only a full row is one more of them.
    if (block !== null && line.block !== block && line.spans.length < titles.spans.length) break;
    const row = rowOf(line, titles);
    if (row === null) {
      const goesOn = line.spans.length === 1 && rows.length > 0 && line.block === block;
      continued += 1;
      if (!goesOn || continued > MOST_CONTINUED || statesLabel(line.text)) break;
      const last = rows.at(-1)!;
      if (!isNamed(last.row) && !isNoItem(line.text)) {
        rows.splice(-1, 1, { index, row: named(last.row, line, titles) });
        continue;
      }
      rows.push({ index, row: new Map([[0, cellOf(line.spans[0]!, line)]]) });
      continue;
    }
    const isFull = row.size === titles.spans.length && row.size >= FEWEST_TELLING;
    if (!isFull && isNoItem(line.spans[0]!.text)) break;
    continued = 0;
    rows.push({ index, row });
    block = line.block;
  }
  while (rows.length > 0 && rows.at(-1)!.row.size === 1) rows.pop();
  return rows;
}

const isNamed = (row: ItemRow): boolean =>
  [...row.values()].some(({ text }) =>
    /\p{L}{2}/u.test(text.replace(/(?<![\d.,])[\d.,]+\s*\p{L}{1,3}$/u, "")),
  );

/** A row of a code and figures alone, with its name, which stands on the line below. */
function named(row: ItemRow, line: PlacedLine, { spans }: PlacedLine): ItemRow {
  const column = spans.findIndex(({ text }) =>
    conceptsOf(labelKey(text)).some((concept) => NAMING.has(concept)),
  );
  return new Map(row).set(Math.max(0, column), cellOf(line.spans[0]!, line));
}

const NAMING: ReadonlySet<string> = new Set(["item", "description"]);

/** Null for a line without a figure, or with two pieces in one column. */
function rowOf(line: PlacedLine, titles: PlacedLine): ItemRow | null {
  const { spans } = line;
  if (spans.length < 2 || spans.length > titles.spans.length) return null;
  if (!spans.some(({ text }, index) => index > 0 && FIGURE.test(text))) return null;
  if (spans.some(({ text }) => /[:：]\s*$/u.test(text))) return null;
  const isFull = spans.length === titles.spans.length;
  const row = new Map<number, ReturnType<typeof cellOf>>();
  for (const [index, span] of spans.entries()) {
    const column = isFull ? index : nearestColumn(span, titles);
    if (row.has(column)) return null;
    row.set(column, cellOf(span, line));
  }
  return row;
}

const cellOf = ({ text, start, end }: PlacedSpan, { page }: PlacedLine) => ({
  text,
  start,
  end,
  page,
});

/** The title over the piece, or whose left or right end is nearest to its own. */
function nearestColumn(span: PlacedSpan, { spans }: PlacedLine): number {
  const own = extentOf(span);
  let [best, least] = [0, Number.POSITIVE_INFINITY];
  for (const [index, title] of spans.entries()) {
    const other = extentOf(title);
    const misfit = Math.min(Math.abs(own[0] - other[0]), Math.abs(own[1] - other[1]));
    if (misfit < least) [best, least] = [index, misfit];
  }
  return best;
}

function extentOf({ box, column = 0, text }: PlacedSpan): readonly [number, number] {
  return box === null ? [column, column + text.length] : [box[0], box[2]];
}
