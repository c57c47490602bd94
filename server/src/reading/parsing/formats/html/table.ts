/**
 * Tables of markup. One that holds tables, or long text, was made to lay a page out: its cells are read
 * one after the other. A place that a cell of an earlier row takes is an empty cell, so that the cells
 * of a column stand at the same place in every row.
 */

import type { Block, Cell, Line } from "../../normal-form.ts";
import { appearanceOf } from "./appearance.ts";
import { attribute, type Element, isElement, type Parent } from "./tree.ts";

/** What is around a text. */
export interface TextContext {
  readonly isBold: boolean;
  /** Lines and spaces are meant as they are written. */
  readonly keepsLines: boolean;
}

/** How what a cell holds is read. */
type ReadBlocks = (parent: Parent, context: TextContext) => Block[];

interface Around {
  readonly context: TextContext;
  readonly readBlocks: ReadBlocks;
}

interface RawCell {
  readonly blocks: Block[];
  readonly isHeader: boolean;
  readonly columns: number;
  readonly rows: number;
}

interface RawRow {
  readonly cells: RawCell[];
  readonly isInHead: boolean;
}

/** Browsers end at 1,000 and 65,534; no table that is read needs them. */
const MAX_COLUMNS_OF_CELL = 200;
const MAX_ROWS_OF_CELL = 10_000;

const MAX_CELL_CHARACTERS = 2000;

export function tableBlocks(table: Element, context: TextContext, readBlocks: ReadBlocks): Block[] {
  const caption: Block[] = [];
  const rows: RawRow[] = [];
  collectRows(table, false, { context, readBlocks }, caption, rows);
  const filled = rows.filter(({ cells }) => cells.some(({ blocks }) => blocks.length > 0));
  if (filled.length === 0) return caption;
  return [...caption, ...(isLayout(rows) ? layoutBlocks(rows) : [dataTable(rows)])];
}

function collectRows(
  parent: Element,
  isInHead: boolean,
  around: Around,
  caption: Block[],
  rows: RawRow[],
): void {
  for (const node of parent.childNodes) {
    if (!isElement(node) || !appearanceOf(node).isShown) continue;
    if (node.tagName === "caption") caption.push(...around.readBlocks(node, around.context));
    else if (node.tagName === "tr") rows.push({ cells: cellsOf(node, around), isInHead });
    else if (/^t(?:head|body|foot)$/u.test(node.tagName)) {
      collectRows(node, node.tagName === "thead", around, caption, rows);
    }
  }
}

function cellsOf(row: Element, { context, readBlocks }: Around): RawCell[] {
  const isBold = appearanceOf(row).isBold ?? context.isBold;
  return row.childNodes.flatMap((node) => {
    if (!isElement(node) || !/^t[dh]$/u.test(node.tagName)) return [];
    const look = appearanceOf(node);
    if (!look.isShown) return [];
    return {
      blocks: readBlocks(node, { ...context, isBold: look.isBold ?? isBold }),
      isHeader: node.tagName === "th",
      columns: spanOf(node, "colspan", MAX_COLUMNS_OF_CELL),
      rows: spanOf(node, "rowspan", MAX_ROWS_OF_CELL),
    };
  });
}

function spanOf(cell: Element, name: string, most: number): number {
  const number = Number.parseInt(attribute(cell, name) ?? "1", 10);
  return number >= 1 ? Math.min(number, most) : 1;
}

function isLayout(rows: readonly RawRow[]): boolean {
  return (
    rows.every(({ cells }) => cells.filter(({ blocks }) => blocks.length > 0).length < 2) ||
    rows.some(({ cells }) =>
      cells.some(
        ({ blocks }) =>
          blocks.length > 12 ||
          blocks.some(({ kind }) => kind === "table") ||
          charactersOf(blocks) > MAX_CELL_CHARACTERS,
      ),
    )
  );
}

const charactersOf = (blocks: readonly Block[]): number =>
  linesOf(blocks).reduce(
    (sum, { spans }) => sum + spans.reduce((length, { text }) => length + text.length, 0),
    0,
  );

/** Cells of one line each are spans of a line. */
function layoutBlocks(rows: readonly RawRow[]): Block[] {
  return rows.flatMap(({ cells }): Block[] => {
    const filled = cells.filter(({ blocks }) => blocks.length > 0);
    const lines = filled.flatMap(({ blocks }) => linesOf(blocks));
    const isLine =
      filled.length > 1 &&
      lines.length === filled.length &&
      filled.every(({ blocks }) => blocks.length === 1 && blocks[0]!.kind !== "table");
    return isLine
      ? [{ kind: "paragraph", lines: [{ spans: lines.flatMap(({ spans }) => spans) }] }]
      : filled.flatMap(({ blocks }) => blocks);
  });
}

const linesOf = (blocks: readonly Block[]): Line[] =>
  blocks.flatMap((block) => (block.kind === "table" ? [] : block.lines));

function dataTable(rawRows: readonly RawRow[]): Block {
  /** Of each column, how many rows a cell still takes. */
  const taken: number[] = [];
  const rows = rawRows.map(({ cells }): Cell[] => {
    const row: Cell[] = [];
    let column = 0;
    for (const cell of cells) {
      const from = column;
      while ((taken[column] ?? 0) > 0) taken[column++]! -= 1;
      if (column > from) row.push({ lines: [], ...several("columns", column - from) });
      row.push({
        lines: linesOf(cell.blocks),
        ...several("columns", cell.columns),
        ...several("rows", cell.rows),
      });
      for (const end = column + cell.columns; column < end; column++) {
        // Where cells overlap, the later one takes the place.
        taken[column] = cell.rows - 1;
      }
    }
    for (; column < taken.length; column++) if (taken[column]! > 0) taken[column]! -= 1;
    return row;
  });
  return { kind: "table", headerRows: headerRowsOf(rawRows), rows };
}

const several = (name: "columns" | "rows", number: number): Partial<Cell> =>
  number > 1 ? { [name]: number } : {};

/** Rows that are marked as headers; or a first row that looks like one. */
function headerRowsOf(rows: readonly RawRow[]): number {
  const first = rows.findIndex(({ isInHead, cells }) => !isInHead && !cells.every(isHeading));
  if (first > 0) return first;
  if (first < 0) return rows.length > 1 ? 1 : 0;
  const [head, ...others] = rows;
  const cells = head!.cells.filter(({ blocks }) => blocks.length > 0);
  if (cells.length < 2 || others.length === 0) return 0;
  if (cells.every(isBold) && !others.every((row) => row.cells.every(isBold))) {
    return cells.some(hasDigit) ? 0 : 1;
  }
  const isOverNumbers =
    cells.length > 2 &&
    !cells.some(hasDigit) &&
    others.some((row) => row.cells.filter(hasDigit).length * 2 >= row.cells.length);
  return isOverNumbers ? 1 : 0;
}

const isHeading = ({ isHeader, blocks }: RawCell): boolean => isHeader || blocks.length === 0;

const isBold = ({ blocks }: RawCell): boolean =>
  linesOf(blocks).every(({ spans }) => spans.every(({ bold }) => bold === true));

const hasDigit = ({ blocks }: RawCell): boolean =>
  linesOf(blocks).some(({ spans }) => spans.some(({ text }) => /\d/u.test(text)));
