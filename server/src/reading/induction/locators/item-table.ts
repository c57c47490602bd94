/**
 * Tables whose rows are items (an invoice's lines, a statement's bookings): their columns by what the
 * header calls them, and the rows without sums and headings. A table that goes on over a page with
 * its header again, or with none, is one. What stands alone under a cell goes on with it.
 */

import type { DocumentText, PlacedLine, PlacedSpan } from "../../parsing/document-text.ts";
import { isOfTerms } from "../words/label-concepts.ts";
import { isRowOfPairs } from "./header-row.ts";
import type { ItemColumn, ItemRow, ItemTable } from "./items.ts";
import { isLabelText } from "./label-form.ts";
import { labelKey } from "./label-key.ts";
import { type LineTable, lineTablesOf } from "./line-table.ts";
import { receiptItemsOf } from "./receipt-items.ts";
import { stackedRows } from "./stacked-rows.ts";

/** Tables of one document, and rows of one, that are looked at. */
const MOST_TABLES = 50;
const MOST_ROWS = 2_000;
const FEWEST_COLUMNS = 2;
/** Of fewer, a pair of labels is as likely. */
const FEWEST_TITLES = 2;
/** Of fewer, a name and the last are all. */
const FEWEST_OF_ITEM = 3;

const known = new WeakMap<DocumentText, readonly ItemTable[]>();

export function itemTablesOf(content: DocumentText): readonly ItemTable[] {
  let tables = known.get(content);
  if (tables === undefined) {
    tables = itemsIn(readTables(content));
    if (tables.length === 0) {
      const titled = itemsIn(lineTablesOf(content).map(asReadTable));
      // Prices that add up tell more than titles over a name and a figure, or over codes.
      const bought = titled.some(isNamed) ? null : receiptItemsOf(content);
      tables = bought === null ? titled : [bought];
    }
    known.set(content, tables);
  }
  return tables;
}

function itemsIn(tables: readonly ReadTable[]): ItemTable[] {
  return joinedTables(tables).flatMap((table) => {
    const rows = itemsOf(table.rows.slice(0, MOST_ROWS));
    return rows.length > 0 && table.columns.length >= FEWEST_COLUMNS ? [{ ...table, rows }] : [];
  });
}

/** Whether it has more than a name and a figure, and the names are words. */
function isNamed({ columns, rows }: ItemTable): boolean {
  const named = rows.filter((row) => [...row.values()].some(({ text }) => /\p{L}{3}/u.test(text)));
  return columns.length >= FEWEST_OF_ITEM && named.length === rows.length;
}

interface ReadTable {
  /** Without a header they are none. */
  readonly columns: readonly ItemColumn[];
  readonly rows: readonly ItemRow[];
  readonly width: number;
}

const asReadTable = ({ columns, rows }: LineTable): ReadTable => ({
  columns,
  rows,
  width: columns.length,
});

function readTables(content: DocumentText): ReadTable[] {
  const byTable = new Map<number, PlacedLine[]>();
  const { labels, answers } = stackedRows(content);
  for (const [index, line] of content.lines.entries()) {
    const place = line.spans[0]?.cell ?? null;
    if (place === null || labels.has(index) || answers.has(index)) continue;
    const own = byTable.get(place.table);
    if (own === undefined) {
      if (byTable.size === MOST_TABLES) break;
      byTable.set(place.table, [line]);
    } else if (own.length < MOST_ROWS) own.push(line);
  }
  return [...byTable.values()].map((own) => {
    const titles = own.findLastIndex((line, index) => isTitles(line, own[index + 1]));
    const isHead = ({ spans }: PlacedLine): boolean => spans[0]!.cell!.isHeader;
    // What stands over the items' titles, as an address does, is no part of their table.
    const header = titles < 0 ? own.filter(isHead) : [own[titles]!];
    const below = titles < 0 ? own.filter((line) => !isHead(line)) : own.slice(titles + 1);
    // Titles again are those of a form, whose answers stand below each row of them.
    const end = below.findIndex(({ spans }) => areTitles(spans));
    const body = end < 0 ? below : below.slice(0, end);
    const width = Math.max(...own.map(({ spans }) => endOf(spans.at(-1)!)));
    // A form sets labels and answers in columns as well.
    const isForm = titles < 0 && (own.some(isRowOfPairs) || header.some(statesAnswer));
    const columns = isForm ? [] : columnsOf(header);
    return { columns, rows: body.map(rowOf), width };
  });
}

/** Whether a term has a figure or a code beside it, as no two titles have: `Delivery note   DN-78422`. */
function statesAnswer({ spans }: PlacedLine): boolean {
  return spans.some(({ text }, index) => {
    const beside = spans[index + 1]?.text ?? "";
    return /\p{N}{3}/u.test(beside) && areTerms(text) && !areTerms(beside);
  });
}

const areTerms = (text: string): boolean => isOfTerms(labelKey(text));

/** Whether a row is of terms alone, over one with a figure. */
function isTitles({ spans }: PlacedLine, next: PlacedLine | undefined): boolean {
  if (next === undefined || next.spans.length < 2) return false;
  const hasTerms = next.spans.every(({ text }) => isOfTerms(labelKey(text)));
  return (
    areTitles(spans) &&
    !hasTerms &&
    next.spans.slice(1).some(({ text }) => /^\D{0,4}\d/u.test(text))
  );
}

const areTitles = (spans: readonly PlacedSpan[]): boolean =>
  spans.length >= FEWEST_TITLES &&
  spans.every(({ text }) => isLabelText(text) && isOfTerms(labelKey(text)));

const endOf = ({ cell }: PlacedSpan): number => cell!.column + cell!.columns;

/** A header on several lines goes on with a small letter; else the line next to the rows names them. */
function columnsOf(header: readonly PlacedLine[]): ItemColumn[] {
  const texts = new Map<number, string>();
  for (const { text, cell } of header.flatMap(({ spans }) => spans)) {
    if (cell === null || cell.columns > 1) continue;
    const above = texts.get(cell.column);
    texts.set(
      cell.column,
      above !== undefined && /^\p{Ll}/u.test(text) ? `${above} ${text}` : text,
    );
  }
  return [...texts].flatMap(([column, text]) =>
    isLabelText(text) ? [{ column, header: text, key: labelKey(text) }] : [],
  );
}

function rowOf({ spans, page }: PlacedLine): ItemRow {
  return new Map(
    spans.map(({ cell, text, start, end }) => [cell!.column, { text, start, end, page }]),
  );
}

/** Parts of one table, which follow each other. */
function joinedTables(tables: readonly ReadTable[]): ReadTable[] {
  const joined: ReadTable[] = [];
  for (const table of tables) {
    const last = joined.at(-1);
    const goesOn =
      last !== undefined &&
      last.columns.length > 0 &&
      (table.columns.length === 0
        ? table.width === last.width && isNextPage(last, table)
        : haveEqualHeaders(last, table));
    if (goesOn) joined.splice(-1, 1, { ...last, rows: [...last.rows, ...table.rows] });
    else joined.push(table);
  }
  return joined;
}

function isNextPage(last: ReadTable, table: ReadTable): boolean {
  const [before, after] = [pageOf(last.rows.at(-1)), pageOf(table.rows[0])];
  return before !== null && after === before + 1;
}

function pageOf(row: ItemRow | undefined): number | null {
  const [cell] = row?.values() ?? [];
  return cell?.page ?? null;
}

function haveEqualHeaders({ columns: a }: ReadTable, { columns: b }: ReadTable): boolean {
  return a.length === b.length && a.every(({ key }, index) => key === b[index]!.key);
}

/** The rows that are items: more than half as full as the fullest, and none of the sums at the end. */
function itemsOf(rows: readonly ItemRow[]): ItemRow[] {
  const fullest = Math.max(0, ...rows.map(({ size }) => size));
  const items: ItemRow[] = [];
  for (const row of rows) {
    const last = items.at(-1);
    if (row.size > 1 && row.size * 2 > fullest) items.push(row);
    else if (row.size === 1 && last !== undefined) items.splice(-1, 1, continued(last, row));
  }
  while (items.length > 1 && isSum(items.at(-1)!, items[0]!)) items.pop();
  return items;
}

/** Whether nothing is said but a name and the last column, or the first column alone is left out. */
function isSum(row: ItemRow, first: ItemRow): boolean {
  const columns = [...first.keys()];
  const [name, last] = [columns[0]!, columns.at(-1)!];
  if (row.size >= first.size || columns.length < FEWEST_OF_ITEM) return false;
  return !row.has(name) || [...row.keys()].every((column) => column === name || column === last);
}

/** The row with a text that stands alone below one of its cells, as a long description does. */
function continued(row: ItemRow, below: ItemRow): ItemRow {
  const longer = new Map(row);
  for (const [column, { text }] of below) {
    const cell = row.get(column);
    if (cell === undefined || !/\p{L}/u.test(cell.text)) continue;
    longer.set(column, { ...cell, text: `${cell.text} ${text}` });
  }
  return longer;
}
