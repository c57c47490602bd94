/** Numbers with a unit behind them, such as `0.48 kg`: a column of them is read as categories or text. */

import { shown } from "./shown.ts";

/** A number with or without separators that is no code, and a word behind it, or a sign as of degrees. */
const WITH_UNIT =
  /^[-+−]?(?!0\d)(?:\d+|\d{1,3}(?:[,.'’ \u00a0\u202f]\d{3})+)(?:[.,]\d+)?\s?((?:\p{L}|[°µ"′″])[\p{L}°²³/·^]{0,11}[23]?\.?)$/u;
const ORDINAL = /^(?:st|nd|rd|th)$/i;
const LONGEST = 40;
/** More are names that begin with numbers. */
const MOST_UNITS = 5;
/** Fewer are categories as well. */
const FEWEST_VALUES = 20;
/** Of the cells. */
const LEAST_SHARE = 0.95;

/** Null where the cell is no such number. */
export function unitOf(text: string): string | null {
  if (text.length > LONGEST) return null;
  const unit = WITH_UNIT.exec(text.trim())?.[1];
  return unit === undefined || ORDINAL.test(unit) ? null : unit;
}

export interface CellsOfColumn {
  readonly name: string;
  readonly kind: "categorical" | "text";
  /** Cells by their text. */
  readonly counts: ReadonlyMap<string, number>;
  /** The first with it, 1-based. */
  rowOf(text: string): number;
}

/** Null where the column is none of numbers with units. */
export function unitsOf(
  { name, kind, counts, rowOf }: CellsOfColumn,
  isPlain: (text: string) => boolean,
): { readonly message: string; readonly row: number } | null {
  if (counts.size < FEWEST_VALUES) return null;
  const units = new Set<string>();
  let first: string | null = null;
  let [present, read, written] = [0, 0, 0];
  for (const [text, count] of counts) {
    present += count;
    const unit = unitOf(text);
    if (unit === null) {
      if (isPlain(text)) read += count;
      continue;
    }
    first ??= text;
    units.add(unit);
    if (units.size > MOST_UNITS) return null;
    written += count;
  }
  if (first === null || written < read || written + read < LEAST_SHARE * present) return null;
  const row = rowOf(first);
  const several = units.size > 1;
  const which = several ? `units (${[...units].map(shown).join(", ")})` : "a unit";
  return {
    row,
    message: `Column ${shown(name)} has numbers with ${which} behind them, such as ${shown(first)} in row ${row}; it is treated as ${kind === "text" ? "text" : "categories"}. Write ${several ? "all of them in one unit, and " : ""}the number alone, such as 1234.5, to have the column read as numbers.`,
  };
}
