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

/** A point before three digits: among decimal commas it stands between thousands, or is a decimal point after all. */
const EITHER = /^[+-]?[1-9]\d{0,2}\.\d{3}$/;
/** What points stand for where a comma or another point follows. */
const GROUPED = /\.\d{3}[.,]/;

/** Points that could all stand between thousands, which none does in a whole number of four digits and more. */
const THOUSANDS = /^[+-]?(?:\d{1,3}|[1-9]\d{0,2}(?:\.\d{3})+)$/;

/** Whether a number is a whole one if its points stand between thousands, as in files with decimal commas. */
export const isThousands = (text: string): boolean => THOUSANDS.test(text);

/** Cells of which only their column tells that their point is none of decimals. */
export interface DoubtfulPoints {
  /** Which has the decimal commas that they stand among. */
  readonly among: "column" | "file";
  readonly first: { readonly text: string; readonly row: number };
  readonly cells: number;
}

/** Among the numbers of a column with decimal commas, those whose point may stand before decimals all the same. */
export class PointDoubt {
  #first: DoubtfulPoints["first"] | null = null;
  #cells = 0;
  #isShown = false;

  /** @param row of its first cell, from 1 @param cells that have the text */
  add(text: string, row: number, cells = 1): void {
    if (GROUPED.test(text)) this.#isShown = true;
    if (!EITHER.test(text)) return;
    this.#first ??= { text, row };
    this.#cells += cells;
  }

  /** Null where there are none, or another cell shows that points stand between thousands. */
  finish(among: DoubtfulPoints["among"] = "column"): DoubtfulPoints | null {
    if (this.#first === null || this.#isShown) return null;
    return { among, first: this.#first, cells: this.#cells };
  }
}

/** @param place of the first, such as `in row 3` @returns without the column, and without a point at its end */
export function doubtSentence({ among, first, cells }: DoubtfulPoints, place: string): string {
  const number = first.text.replaceAll(".", "");
  const comma = first.text.replace(".", ",");
  const others = cells === 1 ? "" : ` and ${cells - 1} more like it`;
  if (among === "file") {
    return `has ${shown(first.text)} ${place}${others}, read as ${number}: other columns have decimal commas, and no cell shows whether such points stand between thousands, as 1.234.567 would; if they are decimal points, write ${shown(comma)}`;
  }
  return `has numbers with a decimal comma, and ${shown(first.text)} ${place}${others}, read as ${number}: no cell shows whether such points stand between thousands, as 1.234,5 would; if they are decimal points, write ${shown(comma)}`;
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
