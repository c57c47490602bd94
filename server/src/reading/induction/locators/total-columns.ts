/**
 * Columns of sums: where a table parts its figures by what they are of (funds, segments, regions) and adds
 * them up in a column, a row's figure is that of the sum, and not the nearest to its name.
 */

import type { DocumentText, PlacedLine, PlacedSpan } from "../../parsing/document-text.ts";
import { conceptsOf } from "../words/label-concepts.ts";
import { labelKey } from "./label-key.ts";

const known = new WeakMap<DocumentText, ReadonlyMap<number, number>>();

/** Of each table that has one: the first column of sums behind other figures' columns. */
function totalColumns(content: DocumentText): ReadonlyMap<number, number> {
  let columns = known.get(content);
  if (columns !== undefined) return columns;
  const titles = new Map<number, Map<number, string>>();
  for (const { spans } of content.lines) {
    for (const { cell, text } of spans) {
      if (cell?.isHeader !== true) continue;
      const own = titles.get(cell.table) ?? new Map<number, string>();
      titles.set(cell.table, own.set(cell.column, `${own.get(cell.column) ?? ""} ${text}`));
    }
  }
  columns = new Map(
    [...titles].flatMap(([table, own]): [number, number][] => {
      const inOrder = [...own].sort(([a], [b]) => a - b);
      const total = inOrder.find(([column, title]) => column > 1 && isOfSums(title));
      return total === undefined ? [] : [[table, total[0]]];
    }),
  );
  known.set(content, columns);
  return columns;
}

const isOfSums = (title: string): boolean => conceptsOf(labelKey(title)).includes("total");

/** The row's cell of the table's sums, where other figures stand before it; null where there is none. */
export function sumOfRow(content: DocumentText, { spans }: PlacedLine): PlacedSpan | null {
  const place = spans[0]?.cell ?? null;
  if (place === null || place.isHeader) return null;
  const column = totalColumns(content).get(place.table);
  if (column === undefined) return null;
  const own = spans.find(({ cell }) => cell?.column === column);
  const isFigure = ({ text }: PlacedSpan): boolean => /\d/u.test(text);
  const before = spans.filter(
    (span) => span.cell !== null && span.cell.column > 0 && span.cell.column < column,
  );
  // Of an item's row, what stands before the sum is a count, a price and words: no parts of it.
  const areParts = before.length > 0 && before.every(isPartOfSum);
  return own !== undefined && isFigure(own) && areParts ? own : null;
}

/** A figure as sums are written, a dash, or a sign of a currency. */
const isPartOfSum = ({ text }: PlacedSpan): boolean => /^[^\p{L}%]*$/u.test(text);
