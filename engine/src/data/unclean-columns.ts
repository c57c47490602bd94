/**
 * Columns that a few cells keep from being numbers, times or booleans, as dates of the other order do,
 * columns of numbers that are written with signs of currency, percent or separators, or some of which
 * no double holds, and columns of dates in words: they are read as categories or text, and a model learns little from them. So it
 * does of categories that are spelled in several ways. Told, with the first of these cells; never changed.
 */

import { unitOf, unitsOf } from "./numbers-with-units.ts";
import { isPlainBoolean } from "./readers/boolean-text.ts";
import { type DecimalMark, decimalMark, marksSentence } from "./readers/decimal-marks.ts";
import { losesDigits } from "./readers/large-integers.ts";
import { isBeyondDoubles, isCode, parseNumber } from "./readers/number-text.ts";
import { contraryDates, contrarySentence, parseTimestamp } from "./readers/timestamp-text.ts";
import { shown } from "./shown.ts";
import type { CategoricalColumn, Column, TextColumn } from "./table.ts";

/** Cells up to this share are dirt. */
const DIRT_SHARE = 0.2;
/** Of booleans: `true`, `false` and `unknown` may be three categories. */
const BOOLEAN_DIRT_SHARE = 0.05;
/** More dirt than that is one word for unknown, in up to half of the cells, beside many values. */
const WORDS = 5;
const VALUES_BESIDE_WORDS = 20;
/** Cells that may be other than numbers, where most are written with signs or separators. */
const UNWRITTEN_SHARE = 0.05;
const CURRENCY =
  "[$€£¥₹]|(?:AUD|BRL|CAD|CHF|CNY|CZK|DKK|EUR|GBP|HKD|INR|JPY|KRW|MXN|NOK|NZD|PLN|SEK|SGD|USD|ZAR)";
/**
 * A number between signs or codes of currency or percent, with separators of thousands, a decimal comma or both, or with a
 * sign behind it or one that is no hyphen.
 */
const WRITTEN = new RegExp(
  `^[-+−(]?(?:${CURRENCY})?\\s?[-+−]?(?:\\d+|\\d{1,3}(?:[,.'’ \\u00a0\\u202f]\\d{3})+)(?:[.,]\\d+)?\\s?(?:%|${CURRENCY})?[-−)]?$`,
  "u",
);
const MONTH = "(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\\.?";
const DAY = "\\d{1,2}(?:st|nd|rd|th|\\.)?";
const CLOCK = "\\d{1,2}:\\d{2}(?::\\d{2}(?:\\.\\d{1,9})?)?";
/** Days with a month's name, with a year of two digits behind a slash, or with a clock of twelve hours. */
const WRITTEN_TIME = new RegExp(
  `^(?:(?:[a-z]{3,9},?\\s)?(?:${DAY}[ /-]?${MONTH},?[ /-]?(?:\\d{4}|\\d{2})|${MONTH}[ /-]?${DAY},?[ /-]\\d{4}|\\d{4}[ /-]${MONTH}[ /-]${DAY})|\\d{1,2}/\\d{1,2}/\\d{2})(?:,?\\s${CLOCK}(?:\\s?[ap]\\.?m\\.?)?)?$|^\\d{1,4}[-/.]\\d{1,2}[-/.]\\d{1,4},?\\s${CLOCK}\\s?[ap]\\.?m\\.?$`,
  "i",
);
/** Longer texts are neither. */
const WRITTEN_LENGTH = 50;
/** Cells of a text that are looked at before the others. */
const FIRST_CELLS = 2000;

const FORMS: readonly { readonly name: string; reads(text: string): boolean }[] = [
  { name: "numbers", reads: (text) => !Number.isNaN(parseNumber(text)) },
  { name: "times", reads: (text) => !Number.isNaN(parseTimestamp(text, "month-first")) },
  { name: "times", reads: (text) => !Number.isNaN(parseTimestamp(text, "day-first")) },
  // What begins with a month's name, or a year before a slash, may be a code or a span.
  {
    name: "times",
    reads: (text) => /^\d\d?\D/.test(text) && !Number.isNaN(parseTimestamp(text, "abbreviated")),
  },
  { name: "booleans", reads: isPlainBoolean },
];

const LOOKED_FOR = [
  ...FORMS,
  { name: "written numbers", reads: isWritten },
  { name: "numbers with units", reads: (text: string) => unitOf(text) !== null },
  { name: "written times", reads: isWrittenTime },
  { name: "numbers of any size", reads: isOfAnySize },
];

export interface UncleanColumn {
  readonly column: string;
  readonly message: string;
  /** Of the first cell, 1-based. */
  readonly row: number;
}

/** @param rows of the table that are looked at; null = all */
export function uncleanColumns(
  columns: readonly Column[],
  rows: Uint32Array | null = null,
): UncleanColumn[] {
  return columns.flatMap((column) => {
    if (column.kind !== "categorical" && column.kind !== "text") return [];
    const unclean =
      uncleanColumn(column, rows) ??
      (column.kind === "categorical" ? spelledAlike(column, rows) : null);
    return unclean ? [unclean] : [];
  });
}

function uncleanColumn(
  column: CategoricalColumn | TextColumn,
  rows: Uint32Array | null,
): UncleanColumn | null {
  const counts = new Map<string, number>();
  let present = 0;
  for (const [text] of cellsOf(column, rows)) {
    counts.set(text, (counts.get(text) ?? 0) + 1);
    present++;
    if (present === FIRST_CELLS && !LOOKED_FOR.some((form) => share(form, counts) >= 0.4)) {
      return null;
    }
  }
  const contrary = contraryColumn(column, rows, counts, present);
  if (contrary !== null) return contrary;
  const marks = contraryMarks(column, rows, counts, present);
  if (marks !== null) return marks;
  const beyond = numbersBeyondDoubles(column, rows, counts);
  if (beyond !== null) return beyond;
  const written =
    writtenNumbers(column, rows, counts, present) ??
    numbersWithUnits(column, rows, counts) ??
    writtenTimes(column, rows, counts, present);
  if (written !== null) return written;
  for (const form of FORMS) {
    const others = new Set<string>();
    let dirty = 0;
    for (const [text, count] of counts) {
      if (form.reads(text.trim())) continue;
      others.add(text);
      dirty += count;
    }
    if (dirty === 0) continue;
    // Without the others they would be texts all the same.
    if (form.name === "numbers" && [...counts.keys()].some(staysText)) continue;
    if (!isDirt({ form: form.name, dirty, present, others, values: counts.size - others.size })) {
      continue;
    }
    for (const [text, row] of cellsOf(column, rows)) {
      if (!others.has(text)) continue;
      const kind = column.kind === "text" ? "text" : "categories";
      const one = dirty === 1;
      const which = one
        ? `1 cell of ${present} that is no ${form.name.slice(0, -1)} (`
        : `${dirty} cells of ${present} that are no ${form.name} (first `;
      const them = one ? "it" : "them";
      return {
        column: column.name,
        row: row + 1,
        message: `Column ${shown(column.name)} has ${which}${shown(text)} in row ${row + 1}); it is treated as ${kind}. Clean ${them}, or leave ${them} empty, to have the column read as ${form.name}.`,
      };
    }
  }
  return null;
}

/** What is said of a column whose cells would be numbers if they were written plainly; null where they would not. */
export function writtenNumbersOf(column: Column, rows: Uint32Array | null): string | null {
  if (column.kind !== "categorical" && column.kind !== "text") return null;
  const counts = new Map<string, number>();
  let present = 0;
  for (const [text] of cellsOf(column, rows)) {
    counts.set(text, (counts.get(text) ?? 0) + 1);
    present++;
  }
  const unclean =
    writtenNumbers(column, rows, counts, present) ?? numbersWithUnits(column, rows, counts);
  return unclean?.message ?? null;
}

/** Categories that case or white space alone tells apart. */
function spelledAlike(column: CategoricalColumn, rows: Uint32Array | null): UncleanColumn | null {
  // Hardly any column has some, which its categories tell before its cells are gone over.
  if (new Set(column.categories.map(plainSpelling)).size === column.categories.length) return null;
  const cells = new Map<string, { count: number; readonly row: number }>();
  for (const [text, row] of cellsOf(column, rows)) {
    const known = cells.get(text);
    if (known) known.count++;
    else cells.set(text, { count: 1, row });
  }
  const spellings = new Map<string, [string, { readonly count: number; readonly row: number }][]>();
  for (const each of cells) {
    const plain = plainSpelling(each[0]);
    const alike = spellings.get(plain);
    if (alike) alike.push(each);
    else spellings.set(plain, [each]);
  }
  const several = [...spellings.values()].filter(({ length }) => length > 1);
  if (several.length === 0) return null;
  const [first] = several;
  const [usual, ...others] = first.toSorted(([, a], [, b]) => b.count - a.count || a.row - b.row);
  const told = ([text, { count }]: (typeof first)[number]): string =>
    `${shown(text)} (${count} ${count === 1 ? "cell" : "cells"})`;
  const named = others.slice(0, 2).map(told).join(", ");
  const more = several.length === 1 ? "" : `; so have ${several.length - 1} more of its categories`;
  const [[, { row }]] = others;
  return {
    column: column.name,
    row: row + 1,
    message: `Column ${shown(column.name)} has a category in several spellings that case or spaces alone tell apart: ${told(usual)}, and ${named}, first in row ${row + 1}${more}. Each is taken for a category of its own. Spell them alike to have them taken for one.`,
  };
}

const plainSpelling = (text: string): string => text.trim().replace(/\s+/gu, " ").toLowerCase();

/** Numbers all, some of which no double holds, however many these are. */
function numbersBeyondDoubles(
  column: CategoricalColumn | TextColumn,
  rows: Uint32Array | null,
  counts: ReadonlyMap<string, number>,
): UncleanColumn | null {
  for (const text of counts.keys()) if (!isOfAnySize(text) || staysText(text)) return null;
  let cells = 0;
  for (const [text, count] of counts) if (isBeyondDoubles(text.trim())) cells += count;
  for (const [text, row] of cellsOf(column, rows)) {
    if (!isBeyondDoubles(text.trim())) continue;
    const kind = column.kind === "text" ? "text" : "categories";
    const which = cells === 1 ? "a number" : `${cells} numbers`;
    const them = cells === 1 ? "it" : "them";
    return {
      column: column.name,
      row: row + 1,
      message: `Column ${shown(column.name)} has ${which} beyond what a double holds (${cells === 1 ? "" : "first "}${shown(text)} in row ${row + 1}); it is treated as ${kind}. Correct ${them}, leave ${them} empty or write the column in a larger unit, within 1.7e308 either way of 0, to have it read as numbers.`,
    };
  }
  return null;
}

function isOfAnySize(text: string): boolean {
  const trimmed = text.trim();
  return !Number.isNaN(parseNumber(trimmed)) || isBeyondDoubles(trimmed);
}

/** Numbers that only their signs or separators keep from being read as such. */
function writtenNumbers(
  column: CategoricalColumn | TextColumn,
  rows: Uint32Array | null,
  counts: ReadonlyMap<string, number>,
  present: number,
): UncleanColumn | null {
  if (counts.size < VALUES_BESIDE_WORDS || [...counts.keys()].some(staysText)) return null;
  let plain = 0;
  let written = 0;
  for (const [text, count] of counts) {
    if (FORMS[0].reads(text.trim())) plain += count;
    else if (isWritten(text)) written += count;
  }
  if (written < plain || plain + written < (1 - UNWRITTEN_SHARE) * present) return null;
  for (const [text, row] of cellsOf(column, rows)) {
    if (FORMS[0].reads(text.trim()) || !isWritten(text)) continue;
    const kind = column.kind === "text" ? "text" : "categories";
    return {
      column: column.name,
      row: row + 1,
      message: `Column ${shown(column.name)} has numbers that are written with signs or separators, such as ${shown(text)} in row ${row + 1}; it is treated as ${kind}. Write them plainly, such as 1234.5, to have the column read as numbers.`,
    };
  }
  return null;
}

function numbersWithUnits(
  column: CategoricalColumn | TextColumn,
  rows: Uint32Array | null,
  counts: ReadonlyMap<string, number>,
): UncleanColumn | null {
  const { name, kind } = column;
  const rowOf = (wanted: string): number => {
    for (const [text, row] of cellsOf(column, rows)) if (text === wanted) return row + 1;
    return 0;
  };
  const found = unitsOf({ name, kind, counts, rowOf }, (text) => FORMS[0].reads(text.trim()));
  return found && { column: name, ...found };
}

/** Times, most of which are written as they are not read. */
function writtenTimes(
  column: CategoricalColumn | TextColumn,
  rows: Uint32Array | null,
  counts: ReadonlyMap<string, number>,
  present: number,
): UncleanColumn | null {
  if (counts.size < VALUES_BESIDE_WORDS) return null;
  let plain = 0;
  let written = 0;
  for (const [text, count] of counts) {
    if (isTime(text)) plain += count;
    else if (isWrittenTime(text)) written += count;
  }
  if (written === 0 || plain + written < (1 - UNWRITTEN_SHARE) * present) return null;
  for (const [text, row] of cellsOf(column, rows)) {
    if (isTime(text) || !isWrittenTime(text)) continue;
    const kind = column.kind === "text" ? "text" : "categories";
    return {
      column: column.name,
      row: row + 1,
      message: `Column ${shown(column.name)} has times that are written in a form which is not read, such as ${shown(text)} in row ${row + 1}; it is treated as ${kind}. Write them as 2011-01-31 or 2011-01-31T15:05:00 to have the column read as times.`,
    };
  }
  return null;
}

const isTime = (text: string): boolean =>
  FORMS.some(({ name, reads }) => name === "times" && reads(text.trim()));

function isWrittenTime(text: string): boolean {
  return text.length <= WRITTEN_LENGTH && WRITTEN_TIME.test(text.trim());
}

/** Codes that begin with zeros are none. */
function isWritten(text: string): boolean {
  if (text.length > WRITTEN_LENGTH) return false;
  const trimmed = text.trim();
  return WRITTEN.test(trimmed) && !isCode(trimmed.replace(/^[^\d]+/, "").replace(/[.,].*$/, ""));
}

/** Dates that are read in one order and dates that are read in the other, and little else. */
function contraryColumn(
  column: CategoricalColumn | TextColumn,
  rows: Uint32Array | null,
  counts: ReadonlyMap<string, number>,
  present: number,
): UncleanColumn | null {
  const contrary = contraryDates(counts.keys());
  if (contrary === null) return null;
  let dates = 0;
  let dayFirst = 0;
  let monthFirst = 0;
  for (const [text, count] of counts) {
    const isDayFirst = !Number.isNaN(parseTimestamp(text.trim(), "day-first"));
    const isMonthFirst = !Number.isNaN(parseTimestamp(text.trim(), "month-first"));
    if (isDayFirst || isMonthFirst) dates += count;
    if (isDayFirst && !isMonthFirst) dayFirst += count;
    if (isMonthFirst && !isDayFirst) monthFirst += count;
  }
  if (dates < (1 - DIRT_SHARE) * present) return null;
  const rowOf = (wanted: string): number => {
    for (const [text, row] of cellsOf(column, rows)) if (text === wanted) return row + 1;
    return 0;
  };
  const kind = column.kind === "text" ? "text" : "categories";
  return {
    column: column.name,
    row: rowOf(dayFirst < monthFirst ? contrary.dayFirst : contrary.monthFirst),
    message: `${contrarySentence(column.name, contrary, rowOf)} Until then it is treated as ${kind}.`,
  };
}

/** Numbers with a decimal comma, and numbers with a decimal point, and little else. */
function contraryMarks(
  column: CategoricalColumn | TextColumn,
  rows: Uint32Array | null,
  counts: ReadonlyMap<string, number>,
  present: number,
): UncleanColumn | null {
  const cells: Record<DecimalMark, number> = { comma: 0, point: 0 };
  let numbers = 0;
  for (const [text, count] of counts) {
    const mark = decimalMark(text.trim());
    if (mark !== null) cells[mark] += count;
    if (mark !== null || FORMS[0].reads(text.trim()) || isWritten(text)) numbers += count;
  }
  if (cells.comma === 0 || cells.point === 0 || numbers < (1 - DIRT_SHARE) * present) return null;
  const first = (wanted: DecimalMark): { text: string; row: number } => {
    for (const [text, row] of cellsOf(column, rows)) {
      if (decimalMark(text.trim()) === wanted) return { text, row: row + 1 };
    }
    return { text: "", row: 0 };
  };
  const kind = column.kind === "text" ? "text" : "categories";
  return {
    column: column.name,
    row: first(cells.comma < cells.point ? "comma" : "point").row,
    message: `${marksSentence(column.name, cells, first)} Until then it is treated as ${kind}.`,
  };
}

function staysText(text: string): boolean {
  const trimmed = text.trim();
  return (isCode(trimmed) && !Number.isNaN(parseNumber(trimmed))) || losesDigits(trimmed);
}

function isDirt(found: {
  readonly form: string;
  readonly dirty: number;
  readonly present: number;
  readonly others: ReadonlySet<string>;
  readonly values: number;
}): boolean {
  const { form, dirty, present, others, values } = found;
  if (dirty * 2 > present) return false;
  if (form === "booleans") return dirty === 1 || dirty <= BOOLEAN_DIRT_SHARE * present;
  if (dirty <= DIRT_SHARE * present) return true;
  return others.size <= WORDS && values >= VALUES_BESIDE_WORDS;
}

function share(form: (typeof FORMS)[number], counts: ReadonlyMap<string, number>): number {
  let [regular, all] = [0, 0];
  for (const [text, count] of counts) {
    all += count;
    if (form.reads(text.trim())) regular += count;
  }
  return regular / all;
}

/** The texts that are there, each with its row. */
function* cellsOf(
  column: CategoricalColumn | TextColumn,
  rows: Uint32Array | null,
): Generator<readonly [text: string, row: number]> {
  const count = rows?.length ?? (column.kind === "text" ? column.values : column.codes).length;
  for (let i = 0; i < count; i++) {
    const row = rows === null ? i : rows[i];
    const text =
      column.kind === "text" ? column.values[row] : (column.categories[column.codes[row]] ?? null);
    if (text !== null) yield [text, row];
  }
}
