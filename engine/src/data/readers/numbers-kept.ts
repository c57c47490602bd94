/**
 * Columns of numbers that are kept as texts, because numbers would lose what tells their values apart:
 * zeros before the digits (`01234` is a code, such as a zip code), or last digits beyond 2^53.
 */

import { shown } from "../shown.ts";
import type { CategoricalColumn, Column, TextColumn } from "../table.ts";
import { LargeIntegers, largeInteger } from "./large-integers.ts";
import { isBeyondDoubles, isCode, parseCommaNumber, parseNumber } from "./number-text.ts";
import type { DataWarning } from "./reading.ts";

/** Of texts, in order: whether they are numbers, and what keeps them from being read as such. */
export class NumberTexts {
  readonly #commas: boolean;
  readonly #large = new LargeIntegers();
  /** The first text that is no number. */
  other: string | null = null;
  /** The first with zeros before its digits. */
  code: string | null = null;
  /** The first integer whose last digits would be lost. */
  lost: string | null = null;

  /** @param commas whether numbers may have a decimal comma, and points between thousands */
  constructor(commas: boolean) {
    this.#commas = commas;
  }

  add(text: string): void {
    const withComma = this.#commas ? parseCommaNumber(text) : Number.NaN;
    const value = Number.isNaN(withComma) ? parseNumber(text) : withComma;
    if (Number.isNaN(value)) this.other ??= text;
    else if (isCode(text)) this.code ??= text;
    else {
      const digits = largeInteger(value === withComma ? text.replaceAll(".", "") : text);
      if (digits !== null && !this.#large.add(digits, value)) this.lost ??= text;
    }
  }

  /** Whether they may be read as numbers. */
  get areNumbers(): boolean {
    return this.other === null && this.code === null && this.lost === null;
  }
}

/** @returns null where the texts are not all numbers, such beyond doubles included */
export function numbersKept(column: Column, commas: boolean): DataWarning | null {
  if (column.kind !== "categorical" && column.kind !== "text") return null;
  const texts = new NumberTexts(commas);
  for (const text of column.kind === "text" ? column.values : column.categories) {
    if (text === null) continue;
    const trimmed = text.trim();
    // What else is to be said of them does not depend on one that no double holds.
    if (isBeyondDoubles(trimmed)) continue;
    texts.add(trimmed);
    if (texts.other !== null) return null;
  }
  const { code, lost } = texts;
  const found = code ?? lost;
  if (found === null) return null;
  const row = firstRow(column, found);
  const { name } = column;
  const kind = column.kind === "text" ? "text" : "categories";
  const what =
    code === null
      ? `integers whose last digits a 64-bit float would lose, first ${found} in row ${row}; it is read as ${kind}, which keeps them distinct`
      : `numbers with leading zeros, as codes have, first ${shown(found)} in row ${row}; it is read as ${kind}`;
  return {
    message: `Column ${shown(name)} has ${what}. Declare its kind as numeric if it is a quantity.`,
    column: name,
    row,
    of: "inference",
  };
}

/** @param row of the first integer whose last digits are lost, from 1; 0 = none */
export function inexactWarnings(name: string, row: number): DataWarning[] {
  if (row === 0) return [];
  const message = `Column ${shown(name)} has integers beyond 2^53, first in row ${row}; their last digits are lost, since it is read as numeric. Read an identifier as categorical.`;
  return [{ message, column: name, row }];
}

/** @param row of the first decimal whose last places are lost, from 1; 0 = none */
export function roundedWarnings(name: string, row: number): DataWarning[] {
  if (row === 0) return [];
  const message = `Column ${shown(name)} has decimals of more digits than a 64-bit float holds, first in row ${row}; they are rounded. Declare its kind as categorical or text to keep all digits.`;
  return [{ message, column: name, row }];
}

function firstRow(column: CategoricalColumn | TextColumn, text: string): number {
  if (column.kind === "text") {
    return column.values.findIndex((value) => value?.trim() === text) + 1;
  }
  return column.codes.indexOf(column.categories.findIndex((each) => each.trim() === text)) + 1;
}
