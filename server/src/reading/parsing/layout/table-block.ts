/** A table's lines as rows of cells. */

import type { Block, Cell } from "../normal-form.ts";
import { asLine, type LaidLine } from "./line.ts";
import { type Column, columnOf, partedByColumns, reach } from "./table-columns.ts";
import { continuedColumn, type TablePart } from "./tables.ts";

/** @param lines of the region that the table is a part of */
export function tableBlock(lines: readonly LaidLine[], table: TablePart): Block {
  const { from, to, headerRows, columns } = table;
  const rows: Cell[][] = [];
  for (let index = from; index < to; index++) {
    // Titles above the last of the headers may be those of several columns.
    const isNaming = index === from + headerRows - 1;
    const line = isNaming ? partedByColumns(lines[index]!, columns) : lines[index]!;
    const above = index > from + headerRows ? continuedCell(rows.at(-1)!, line, columns) : null;
    if (above === null) rows.push(cellsOf(line, columns));
    else above.lines.push(asLine(line));
  }
  return { kind: "table", headerRows, rows };
}

/** The cell of the row above that the line goes on with, or null. */
function continuedCell(
  above: readonly Cell[],
  line: LaidLine,
  columns: readonly Column[],
): Cell | null {
  const column = continuedColumn(line, columns);
  if (column === null) return null;
  let first = 0;
  for (const cell of above) {
    if (first === column) return cell.lines.length > 0 ? cell : null;
    first += cell.columns ?? 1;
  }
  return null;
}

function cellsOf(line: LaidLine, columns: readonly Column[]): Cell[] {
  const cells: Cell[] = [];
  let column = 0;
  for (const span of line.spans) {
    const at = Math.max(column, columnOf(columns, span));
    const content = asLine({ ...line, spans: [span] });
    const last = cells.at(-1);
    if (at >= columns.length && last !== undefined) {
      // Spans of a header that stand in one column.
      last.lines.push(content);
      continue;
    }
    for (; column < at; column++) cells.push({ lines: [] });
    const width = Math.max(1, Math.min(reach(columns, span), columns.length - at));
    cells.push({ lines: [content], ...(width > 1 ? { columns: width } : {}) });
    column = at + width;
  }
  for (; column < columns.length; column++) cells.push({ lines: [] });
  return cells;
}
