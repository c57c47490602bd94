/**
 * Tables: rows of figures below each other whose spans keep to columns, with the header lines above
 * them. Told by alignment alone (as in Hassan and Baumgartner, "Table recognition and understanding from
 * PDF files", ICDAR 2007) and told rarely: what is no table stays lines, which lose nothing.
 */

import type { Block, Cell } from "../normal-form.ts";
import { asLine, type LaidLine } from "./line.ts";
import { type Column, columnOf, overlap, reach, widened } from "./table-columns.ts";
import { isFigure, isProse, isRowOfFigures, isRowOfYears } from "./table-lines.ts";

export interface TablePart {
  /** Lines: the first, and the one after the last. */
  readonly from: number;
  readonly to: number;
  readonly headerRows: number;
  readonly columns: readonly Column[];
}

/** From one row to the next, in sizes of the letters. */
const MAX_LEADING = 4;
/** Labels without figures, below each other. */
const MAX_LABELS = 2;
const MAX_HEADERS = 4;
const MAX_COLUMNS = 24;

/** Parts of the lines that are tables, in order. @param lines of one region, from top to bottom */
export function tablesIn(lines: readonly LaidLine[]): TablePart[] {
  const tables: TablePart[] = [];
  let start = 0;
  while (start < lines.length) {
    const body = isRowOfFigures(lines[start]!) ? bodyFrom(lines, start) : null;
    if (body === null) {
      start += 1;
      continue;
    }
    const from = headersAbove(lines, body, tables.at(-1)?.to ?? 0);
    const table = { ...body, from, headerRows: headerRows(lines, from, body) };
    if (isTable(lines, table)) tables.push(table);
    start = Math.max(start + 1, body.to);
  }
  return tables;
}

export function tableBlock(lines: readonly LaidLine[], table: TablePart): Block {
  const rows = lines.slice(table.from, table.to).map((line) => cellsOf(line, table.columns));
  return { kind: "table", headerRows: table.headerRows, rows };
}

type Body = Omit<TablePart, "headerRows">;

function bodyFrom(lines: readonly LaidLine[], from: number): Body {
  let columns: Column[] = [];
  let to = from;
  let labels = 0;
  for (let index = from; index < lines.length; index++) {
    const line = lines[index]!;
    const last = lines[index - 1];
    if (index > from && line.baseline - last!.baseline > MAX_LEADING * last!.size) break;
    if (line.spans.length === 1 && !isFigure(line.spans[0]!)) {
      labels += 1;
      if (labels > MAX_LABELS || isProse(line)) break;
      continue;
    }
    const wider = widened(columns, line);
    if (wider === null || wider.length > MAX_COLUMNS) break;
    columns = wider;
    to = index + 1;
    labels = 0;
  }
  return { from, to: Math.max(to, from + 1), columns };
}

/** The first of the lines above the body that name its columns. */
function headersAbove(lines: readonly LaidLine[], body: Body, least: number): number {
  let first = body.from;
  while (first > least && body.from - first < MAX_HEADERS) {
    const [line, below] = [lines[first - 1]!, lines[first]!];
    if (below.baseline - line.baseline > 2.5 * below.size || isProse(line)) break;
    const named = line.spans.every((span) => body.columns.some((column) => overlap(column, span) > 0));
    const isBeside = line.left > body.columns[0]!.right;
    if (!named || (line.spans.length < 2 && !isBeside)) break;
    if (isRowOfFigures(line) && !isRowOfYears(line)) break;
    first -= 1;
  }
  return first;
}

function headerRows(lines: readonly LaidLine[], from: number, body: Body): number {
  return lines.slice(from, body.to).findIndex(isRowOfFigures);
}

function isTable(lines: readonly LaidLine[], { from, to, headerRows, columns }: TablePart): boolean {
  const rows = lines.slice(from + headerRows, to).filter((line) => line.spans.length > 1);
  const filled = rows.reduce((sum, { spans }) => sum + spans.length, 0);
  if (columns.length < 2 || filled < 0.5 * rows.length * columns.length) return false;
  const header = lines[from + headerRows - 1];
  if (columns.length > 3 && headerRows > 0 && header!.spans.length >= columns.length - 1) return true;
  if (columns.length > 2) return rows.length >= 3;
  // A label and its figure: a form's pairs look alike, and are better lines.
  const figures = rows.flatMap(({ spans }) => spans.slice(1));
  const isAligned = spread(figures.map(({ right }) => right)) < 0.5 * figures[0]!.size;
  return (
    rows.length >= 5 &&
    isAligned &&
    figures.every(isFigure) &&
    !rows.some(({ spans }) => spans[0]!.text.endsWith(":"))
  );
}

function cellsOf(line: LaidLine, columns: readonly Column[]): Cell[] {
  const cells: Cell[] = [];
  let column = 0;
  for (const span of line.spans) {
    const at = Math.max(column, columnOf(columns, span));
    for (; column < at; column++) cells.push({ lines: [] });
    const width = Math.min(reach(columns, span), columns.length - at);
    const content = asLine({ ...line, spans: [span] });
    cells.push({ lines: [content], ...(width > 1 ? { columns: width } : {}) });
    column = at + Math.max(1, width);
  }
  for (; column < columns.length; column++) cells.push({ lines: [] });
  return cells;
}

const spread = (values: readonly number[]): number => Math.max(...values) - Math.min(...values);
