/**
 * Tables: rows of figures below each other whose spans keep to columns, with the header lines above
 * them. Told by alignment alone (as in Hassan and Baumgartner, "Table recognition and understanding from
 * PDF files", ICDAR 2007) and told rarely: what is no table stays lines, which lose nothing.
 */

import type { LaidLine } from "./line.ts";
import { type Column, columnOf, overlap, partedByColumns, widened } from "./table-columns.ts";
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
/** Lines with a label and no figures, below each other; lines that go on with a cell above. */
const MAX_LABELS = 2;
const MAX_CONTINUED = 8;
/** Rows of a label and its figure that are a table. */
const MIN_PAIRS = 8;
const MAX_HEADERS = 4;
/** Parts of a header's spans that stand over columns. */
const MIN_ABOVE = 0.6;
const MAX_COLUMNS = 24;

/** Parts of the lines that are tables, in order. @param lines of one region, from top to bottom */
export function tablesIn(lines: readonly LaidLine[]): TablePart[] {
  const tables: TablePart[] = [];
  let start = 0;
  while (start < lines.length) {
    const body = isFirstRow(lines, start) ? bodyFrom(lines, start) : null;
    if (body === null) {
      start += 1;
      continue;
    }
    const headers = headersAbove(lines, body, tables.at(-1)?.to ?? 0);
    const columns = withEmptyColumns(
      body.columns,
      lines.slice(headers.from, headers.from + headers.headerRows),
    );
    const table = { ...body, ...headers, columns };
    if (isTable(lines, table)) tables.push(table);
    start = Math.max(start + 1, body.to);
  }
  return tables;
}

/** A pair right above the header of a table is none of its rows. */
function isFirstRow(lines: readonly LaidLine[], index: number): boolean {
  const line = lines[index]!;
  if (!isRowOfFigures(line)) return false;
  const isHeader = (below: LaidLine): boolean => below.spans.length > 2 && !isRowOfFigures(below);
  return line.spans.length > 2 || !lines.slice(index + 1, index + 3).some(isHeader);
}

type Body = Omit<TablePart, "headerRows">;

function bodyFrom(lines: readonly LaidLine[], from: number): Body {
  let columns: Column[] = [];
  let to = from;
  let [labels, continued] = [0, 0];
  for (let index = from; index < lines.length; index++) {
    const line = lines[index]!;
    const last = lines[index - 1];
    if (index > from && line.baseline - last!.baseline > MAX_LEADING * last!.size) break;
    if (line.spans.length === 1 && !isFigure(line.spans[0]!)) {
      if (continuedColumn(line, columns) === null) labels += 1;
      else continued += 1;
      const isText = isProse(line) && !isLabel(line, columns);
      if (labels > MAX_LABELS || continued > MAX_CONTINUED || isText) break;
      continue;
    }
    const wider = line.spans.length > MAX_COLUMNS ? null : widened(columns, line);
    if (wider === null || wider.length > MAX_COLUMNS) break;
    columns = wider;
    // Rows without figures are the table's only where more rows follow.
    if (line.spans.some(isFigure)) to = index + 1;
    [labels, continued] = [0, 0];
  }
  to = Math.max(to, from + 1);
  // What goes on with the last row's cells, though no row follows.
  while (to < lines.length && goesOn(lines[to - 1]!, lines[to]!, columns)) to += 1;
  return { from, to, columns };
}

/** The column, not the first, that a line of one text goes on in; null for other lines. */
export function continuedColumn(line: LaidLine, columns: readonly Column[]): number | null {
  const [span, more] = line.spans;
  if (more !== undefined || span === undefined || isFigure(span)) return null;
  const column = columnOf(columns, span);
  if (column === 0 || columns.length < 3) return null;
  const next = columns[column + 1];
  const isInside =
    span.left >= columns[column]!.left - span.size && span.right < (next?.left ?? Infinity);
  return isInside ? column : null;
}

function goesOn(last: LaidLine, line: LaidLine, columns: readonly Column[]): boolean {
  return continuedColumn(line, columns) !== null && line.baseline - last.baseline < 2 * last.size;
}

/** The lines above the body that name its columns, and labels of its first rows between. */
function headersAbove(
  lines: readonly LaidLine[],
  { from, columns }: Body,
  least: number,
): Pick<TablePart, "from" | "headerRows"> {
  const isNear = (index: number): boolean => {
    if (index <= least) return false;
    const distance = lines[index]!.baseline - lines[index - 1]!.baseline;
    // Rows may stand apart from their header, whose own lines do not.
    return distance < (index === from ? MAX_LEADING : 2.5) * lines[index]!.size;
  };
  let labels = from;
  while (isNear(labels) && from - labels < MAX_LABELS && isLabel(lines[labels - 1]!, columns)) {
    labels -= 1;
  }
  let first = labels;
  while (isNear(first) && labels - first < MAX_HEADERS && isHeader(lines[first - 1]!, columns)) {
    first -= 1;
  }
  return first < labels ? { from: first, headerRows: labels - first } : { from, headerRows: 0 };
}

/** One text, in the first column alone. */
const isLabel = (line: LaidLine, columns: readonly Column[]): boolean =>
  line.spans.length === 1 && line.right < (columns[1]?.left ?? 0) && line.left < columns[0]!.right;

function isHeader(line: LaidLine, columns: readonly Column[]): boolean {
  if (isProse(line) || (isRowOfFigures(line) && !isRowOfYears(line))) return false;
  const above = line.spans.filter((span) => columns.some((column) => overlap(column, span) > 0));
  const isNamed = above.length >= MIN_ABOVE * line.spans.length;
  // Dates and years may stand over the figures alone.
  return isNamed && (line.spans.length > 1 || line.left > columns[0]!.right);
}

/** With columns that only the header knows: no row has anything in them. */
function withEmptyColumns(
  columns: readonly Column[],
  headers: readonly LaidLine[],
): readonly Column[] {
  const fullest = headers.reduce<LaidLine | null>(
    (a, b) => (a !== null && a.spans.length >= b.spans.length ? a : b),
    null,
  );
  if (fullest === null || fullest.spans.length <= columns.length) return columns;
  const apart = fullest.spans.filter((span) =>
    columns.every((column) => overlap(column, span) <= 0),
  );
  return [...columns, ...apart.map(({ left, right }) => ({ left, right }))].sort(
    (a, b) => a.left - b.left,
  );
}

function isTable(lines: readonly LaidLine[], table: TablePart): boolean {
  const { from, to, headerRows, columns } = table;
  const body = lines.slice(from + headerRows, to);
  const rows = body.filter((line) => line.spans.length > 1);
  const rowsOfFigures = rows.filter(isRowOfFigures).length;
  const filled = rows.reduce((sum, { spans }) => sum + spans.length, 0);
  if (columns.length < 2 || filled < 0.5 * rows.length * columns.length) return false;
  const header = headerRows > 0 ? partedByColumns(lines[from + headerRows - 1]!, columns) : null;
  const isNamed = header !== null && header.spans.length >= columns.length - 1;
  if (columns.length > 3 && isNamed) return true;
  if (header === null && arePairs(rows, columns)) return false;
  if (columns.length > 2) return rows.length >= 3 && rowsOfFigures >= 2;
  // A label and its figure: a form's pairs look alike, and are better lines.
  const figures = rows.flatMap(({ spans }) => spans.slice(1));
  const isAligned = spread(figures.map(({ right }) => right)) < 0.5 * figures[0]!.size;
  return (
    rows.length >= MIN_PAIRS &&
    isAligned &&
    figures.every(isFigure) &&
    !rows.some(({ spans }) => spans[0]!.text.endsWith(":"))
  );
}

/** Labels stand right of figures: pairs of them, beside each other. */
function arePairs(rows: readonly LaidLine[], columns: readonly Column[]): boolean {
  const labels = columns.map(() => 0);
  const figures = columns.map(() => 0);
  for (const span of rows.flatMap(({ spans }) => spans)) {
    const counts = isFigure(span) ? figures : labels;
    counts[columnOf(columns, span)]! += 1;
  }
  const isLabels = columns.map((_, column) => labels[column]! > figures[column]!);
  return isLabels.some((is, column) => is && column > 0 && !isLabels[column - 1]);
}

function spread(values: readonly number[]): number {
  const least = values.reduce((a, b) => Math.min(a, b), Infinity);
  return values.reduce((a, b) => Math.max(a, b), -Infinity) - least;
}
