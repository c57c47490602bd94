/** Which mark stands before the decimals of a number, where its text leaves no doubt. */

import { shown } from "../shown.ts";

export type DecimalMark = "comma" | "point";

/** Decimals that are no group of thousands, or stand behind such groups. */
const POINT = /^[+-]?(?:\d+\.(?:\d{1,2}|\d{4,})|\d{1,3}(?:,\d{3})+\.\d+|0\.\d+|\d{4,}\.\d{3})$/;
const COMMA = /^[+-]?(?:\d+,(?:\d{1,2}|\d{4,})|\d{1,3}(?:\.\d{3})+,\d+|0,\d+|\d{4,},\d{3})$/;

/**
 * The decimal mark of a number as people write it, with or without separators of thousands; null of other texts, and of
 * what may be a whole number as well, such as `1.234` and `1,234`.
 */
export function decimalMark(text: string): DecimalMark | null {
  if (POINT.test(text)) return "point";
  return COMMA.test(text) ? "comma" : null;
}

/** @param first the first cell, from row 1, with a mark */
export function marksSentence(
  column: string,
  cells: Readonly<Record<DecimalMark, number>>,
  first: (mark: DecimalMark) => { readonly text: string; readonly row: number },
): string {
  const [comma, point] = [first("comma"), first("point")];
  const counted = (mark: DecimalMark): string =>
    `${cells[mark]} ${cells[mark] === 1 ? "cell" : "cells"}`;
  return `Column ${shown(column)} has numbers with a decimal comma, such as ${shown(comma.text)} in row ${comma.row} (${counted("comma")}), and numbers with a decimal point, such as ${shown(point.text)} in row ${point.row} (${counted("point")}); write all with a point, and without separators of thousands.`;
}
