/**
 * A column of texts under construction: dictionary-coded bytes, and at the end the decision what
 * kind of column they make.
 *
 * Inference, in this order: no values → numeric; only true/false → boolean; only times →
 * timestamp; mostly distinct values (more than half of the rows and more than 100), or long ones
 * (over 64 characters in the mean, more than 20 distinct) → text; else categorical.
 */

import { shown } from "../shown.ts";
import {
  type CategoricalColumn,
  type Column,
  type ColumnKind,
  DataError,
  type TextColumn,
} from "../table.ts";
import { areAbbreviatedDates, shortYearWarnings } from "./abbreviated-dates.ts";
import { isPlainBoolean, parseBoolean } from "./boolean-text.ts";
import { ByteDictionary } from "./byte-dictionary.ts";
import { decimalMark, doubtSentence, isThousands, PointDoubt } from "./decimal-marks.ts";
import {
  FINE_TEXTS,
  type FineRows,
  fineWarnings,
  hasMicroseconds,
  isFar,
  isFinerText,
} from "./fine-times.ts";
import { Growing } from "./growing.ts";
import { losesDecimals } from "./large-integers.ts";
import { isMissingText } from "./missing.ts";
import { isCode, parseCommaNumber, parseNumber } from "./number-text.ts";
import { NumberTexts, roundedWarnings } from "./numbers-kept.ts";
import type { ReadBudget } from "./read-limits.ts";
import { type BuiltColumn, type DataWarning, noValues, withStamps } from "./reading.ts";
import { stampTextTime } from "./stamps.ts";
import {
  contraryDates,
  contrarySentence,
  inOtherOrder,
  isDate,
  parseTimestamp,
  slashedOrder,
} from "./timestamp-text.ts";
import { differing, mayDiffer } from "./written-cells.ts";

const TEXT_MIN_DISTINCT = 100;
const LONG_TEXT_UNITS = 64;
const LONG_TEXT_MIN_DISTINCT = 20;
/** A date without anything between its parts; other texts of digits are no times unless declared so. */
const DATE_DIGITS = /^(?:19|20|21)\d{6}$/;

/**
 * What texts make that are neither booleans nor times.
 *
 * @param distinct how many different ones there are
 * @param rows that hold one
 * @param units UTF-16 code units over all rows
 */
export function kindOfTexts(distinct: number, rows: number, units: number): "text" | "categorical" {
  const varied = distinct > TEXT_MIN_DISTINCT && distinct * 2 > rows;
  const long = distinct > LONG_TEXT_MIN_DISTINCT && units > rows * LONG_TEXT_UNITS;
  return varied || long ? "text" : "categorical";
}

/** One for all columns: a table may have thousands. */
const DECODER = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const ENCODER = new TextEncoder();

/** Of a text's numbers: none have decimal commas, some may, or those of other columns do. */
export type DecimalCommas = "none" | "possible" | "elsewhere";

export class StringColumnBuilder {
  readonly #name: string;
  readonly #dictionary = new ByteDictionary();
  readonly #codes: Growing<Int32Array<ArrayBuffer>>;
  readonly #budget: ReadBudget;
  readonly #keepsWritten: boolean;
  #scratch = new Uint8Array(0);

  /** @param keepsWritten whether the column comes with its cells as they were written */
  constructor(name: string, budget: ReadBudget, keepsWritten = false) {
    this.#name = name;
    this.#budget = budget;
    this.#codes = Growing.int32(budget.spool);
    this.#keepsWritten = keepsWritten;
  }

  get rows(): number {
    return this.#codes.length;
  }

  addMissing(count = 1): void {
    this.#codes.fill(-1, count);
  }

  addBytes(bytes: Uint8Array, start: number, end: number): void {
    const before = this.#dictionary.size;
    const code = this.#dictionary.add(bytes, start, end);
    if (code === before) this.#check(bytes, start, end);
    this.#codes.push(code);
  }

  addText(text: string): void {
    this.#codes.push(this.intern(text));
  }

  /** The code of a text, for `addCode`. */
  intern(text: string): number {
    if (this.#scratch.length < text.length * 3) this.#scratch = new Uint8Array(text.length * 3);
    const { written } = ENCODER.encodeInto(text, this.#scratch);
    const before = this.#dictionary.size;
    const code = this.#dictionary.add(this.#scratch, 0, written);
    if (code === before) this.#check(this.#scratch, 0, written);
    return code;
  }

  /** The code of a text in UTF-8, for `addCode`. */
  internBytes(bytes: Uint8Array): number {
    const before = this.#dictionary.size;
    const code = this.#dictionary.add(bytes, 0, bytes.length);
    if (code === before) this.#check(bytes, 0, bytes.length);
    return code;
  }

  addCode(code: number): void {
    this.#codes.push(code);
  }

  /**
   * @param kind what the column must be, or undefined to infer it
   * @param tokensAreMissing whether the texts of `MISSING_TOKENS` are missing values
   * @param commas whether numbers may have a decimal comma, and whether other columns do
   */
  finish(
    kind: ColumnKind | undefined,
    tokensAreMissing: boolean,
    commas: DecimalCommas = "none",
  ): BuiltColumn {
    const codes = this.#codes.finish();
    const texts: string[] = [];
    const live: boolean[] = [];
    const parsed = kind === "numeric" || kind === "boolean" || kind === "timestamp";
    for (let entry = 0; entry < this.#dictionary.size; entry++) {
      const text = DECODER.decode(this.#dictionary.bytes(entry));
      texts.push(text);
      live.push(!((tokensAreMissing || parsed) && isMissingText(text.trim())));
    }
    const context: Texts = { name: this.#name, codes, texts, live };
    const built = typed(context, kind, commas);
    if (!this.#keepsWritten || !mayDiffer(built.column)) return built;
    return { ...built, written: differing(built.column, categorical(context)) };
  }

  /** Whether all texts are numbers, one of which has a decimal comma that is no separator of thousands. */
  get showsCommas(): boolean {
    let hasComma = false;
    for (let entry = 0; entry < this.#dictionary.size; entry++) {
      const text = DECODER.decode(this.#dictionary.bytes(entry)).trim();
      if (isMissingText(text)) continue;
      if (Number.isNaN(parseCommaNumber(text))) return false;
      hasComma ||= decimalMark(text) === "comma";
    }
    return hasComma;
  }

  #check(bytes: Uint8Array, start: number, end: number): void {
    this.#budget.addText(end - start, this.#name, this.rows + 1);
    let ascii = true;
    for (let i = start; i < end; i++) {
      if (bytes[i] === 0) {
        throw new DataError(
          `Column ${shown(this.#name)} has a NUL byte in row ${this.rows + 1}, which no text of a dataset may have; the file is not text or is damaged, or the column holds bytes. SQL takes it out: replace(${shown(this.#name)}, chr(0), '').`,
          { column: this.#name, row: this.rows + 1 },
        );
      }
      if (bytes[i] > 127) ascii = false;
    }
    if (ascii) return;
    try {
      DECODER.decode(bytes.subarray(start, end));
    } catch (cause) {
      throw new DataError(
        `Column ${shown(this.#name)} is not valid UTF-8 in row ${this.rows + 1}; save the file as UTF-8.`,
        { column: this.#name, row: this.rows + 1, cause },
      );
    }
  }
}

interface Texts {
  readonly name: string;
  readonly codes: Int32Array<ArrayBuffer>;
  readonly texts: readonly string[];
  readonly live: readonly boolean[];
}

function typed(context: Texts, kind: ColumnKind | undefined, commas: DecimalCommas): BuiltColumn {
  switch (kind) {
    case undefined:
      return hasCommaNumbers(context, commas) && areNumbers(context)
        ? numbers(context, parseCommaNumber)
        : inferred(context);
    case "categorical":
      return { column: categorical(context), warnings: [] };
    case "text":
      return { column: text(context), warnings: [] };
    case "boolean":
      return { column: boolean(context), warnings: [] };
    case "numeric": {
      const parse = hasCommaNumbers(context, commas) ? parseCommaNumber : parseNumber;
      return numbers(context, parse);
    }
    case "timestamp":
      return timestamp(context, liveTexts(context), true);
  }
}

function liveTexts({ texts, live }: Texts): string[] {
  return texts.filter((_, entry) => live[entry]);
}

function inferred(context: Texts): BuiltColumn {
  const { name, codes, texts, live } = context;
  const values = liveTexts(context);
  if (values.length === 0) {
    return {
      column: { kind: "numeric", name, values: new Float64Array(codes.length).fill(Number.NaN) },
      warnings: [{ message: noValues(name), column: name, of: "inference" }],
    };
  }
  if (values.every(isPlainBoolean)) return { column: boolean(context), warnings: [] };
  const first = values[0].trim();
  if (isDate(first)) {
    const times = timestamp(context, values, false);
    if (times.column.kind === "timestamp") return times;
  }
  if (values.every((value) => DATE_DIGITS.test(value))) {
    const stamped = withStamps({ column: numeric(context, parseNumber), warnings: [] }, {});
    if (stamped.column.kind === "timestamp") return stamped;
  }
  const counts = new Uint32Array(texts.length);
  for (const code of codes) if (code >= 0) counts[code]++;
  let rows = 0;
  let units = 0;
  for (let entry = 0; entry < texts.length; entry++) {
    if (!live[entry]) continue;
    rows += counts[entry];
    units += counts[entry] * texts[entry].length;
  }
  const isText = kindOfTexts(values.length, rows, units) === "text";
  return { column: isText ? text(context) : categorical(context), warnings: [] };
}

function categorical({ name, codes, texts, live }: Texts): CategoricalColumn {
  if (live.every((alive) => alive)) return { kind: "categorical", name, codes, categories: texts };
  const renumbered = new Int32Array(texts.length);
  const categories: string[] = [];
  for (let entry = 0; entry < texts.length; entry++) {
    renumbered[entry] = live[entry] ? categories.push(texts[entry]) - 1 : -1;
  }
  for (let row = 0; row < codes.length; row++) {
    if (codes[row] >= 0) codes[row] = renumbered[codes[row]];
  }
  return { kind: "categorical", name, codes, categories };
}

function text({ name, codes, texts, live }: Texts): TextColumn {
  const values = new Array<string | null>(codes.length);
  for (let row = 0; row < codes.length; row++) {
    const code = codes[row];
    values[row] = code >= 0 && live[code] ? texts[code] : null;
  }
  return { kind: "text", name, values };
}

function refuse({ name, codes, texts }: Texts, entry: number, what: string): never {
  const row = codes.indexOf(entry) + 1;
  throw new DataError(
    `Column ${shown(name)} should be ${what}, but row ${row} holds ${shown(texts[entry])}.`,
    { column: name, row },
  );
}

/** @param entry that is no time, whatever the others are */
function refuseTimes(context: Texts, entry: number): never {
  const { name, codes, texts, live } = context;
  const contrary = contraryDates(texts.filter((_, at) => live[at]));
  if (contrary === null) refuse(context, entry, "a time like 2011-01-31 or 2011-01-31T10:05:00Z");
  const rowOf = (text: string): number => codes.indexOf(texts.indexOf(text)) + 1;
  throw new DataError(contrarySentence(name, contrary, rowOf), {
    column: name,
    row: Math.max(rowOf(contrary.dayFirst), rowOf(contrary.monthFirst)),
  });
}

function boolean(context: Texts): Column {
  const { name, codes, texts, live } = context;
  const meaning = texts.map((value, entry) => {
    if (!live[entry]) return 255;
    return parseBoolean(value) ?? refuse(context, entry, "boolean (true/false, yes/no, 1/0)");
  });
  const values = new Uint8Array(codes.length);
  for (let row = 0; row < codes.length; row++) {
    values[row] = codes[row] < 0 ? 255 : meaning[codes[row]];
  }
  return { kind: "boolean", name, values };
}

function spread(codes: Int32Array, meaning: Float64Array): Float64Array {
  const values = new Float64Array(codes.length);
  for (let row = 0; row < codes.length; row++) {
    values[row] = codes[row] < 0 ? Number.NaN : meaning[codes[row]];
  }
  return values;
}

/** Whether every value is a number that may have a comma, and one has; or has points as such of other columns do. */
function hasCommaNumbers(context: Texts, commas: DecimalCommas): boolean {
  if (commas === "none") return false;
  const values = liveTexts(context);
  if (values.some((value) => value.includes(","))) {
    return values.every((value) => !Number.isNaN(parseCommaNumber(value.trim())));
  }
  if (commas !== "elsewhere" || !values.some((value) => value.includes("."))) return false;
  return values.every((value) => isThousands(value.trim()) && !isCode(value.trim()));
}

/** Whether nothing tells their values apart that numbers with commas would lose. */
function areNumbers(context: Texts): boolean {
  const texts = new NumberTexts(true);
  for (const text of liveTexts(context)) texts.add(text.trim());
  return texts.areNumbers;
}

/** As numbers, with a warning where they lose places. */
function numbers(context: Texts, parse: (text: string) => number): BuiltColumn {
  const { name, codes, texts, live } = context;
  const column = numeric(context, parse);
  const isRounded = texts.map((value, entry) => {
    if (!live[entry]) return false;
    const written = value.trim();
    const plain =
      parse === parseCommaNumber ? written.replaceAll(".", "").replace(",", ".") : written;
    return losesDecimals(plain, parse(written));
  });
  const row = codes.findIndex((code) => code >= 0 && isRounded[code]) + 1;
  const doubts = parse === parseCommaNumber ? doubtfulPoints(context) : [];
  return { column, warnings: [...roundedWarnings(name, row), ...doubts] };
}

function doubtfulPoints({ name, codes, texts, live }: Texts): DataWarning[] {
  const counts = new Uint32Array(texts.length);
  for (const code of codes) if (code >= 0) counts[code]++;
  const points = new PointDoubt();
  for (let entry = 0; entry < texts.length; entry++) {
    // Rows are looked for where one is to be said.
    if (live[entry]) points.add(texts[entry].trim(), entry, counts[entry]);
  }
  const hasComma = texts.some((text, entry) => live[entry] && text.includes(","));
  const doubt = points.finish(hasComma ? "column" : "file");
  if (doubt === null) return [];
  const row = codes.indexOf(doubt.first.row) + 1;
  const message = `Column ${shown(name)} ${doubtSentence(doubt, `in row ${row}`)}.`;
  return [{ message, column: name, row }];
}

function numeric(context: Texts, parse: (text: string) => number): Column {
  const meaning = Float64Array.from(context.texts, (value, entry) => {
    if (!context.live[entry]) return Number.NaN;
    const number = parse(value.trim());
    return Number.isNaN(number) ? refuse(context, entry, "numeric") : number;
  });
  return { kind: "numeric", name: context.name, values: spread(context.codes, meaning) };
}

const encoder = new TextEncoder();

/** Whether each date in the one order tells that in the other, which zones may forbid. */
function isEither(texts: readonly string[]): boolean {
  return texts.every(
    (text) =>
      inOtherOrder(parseTimestamp(text, "month-first")) === parseTimestamp(text, "day-first"),
  );
}

/** The column as times; where that fails, as categories, or an error where times are a must. */
function timestamp(context: Texts, values: readonly string[], must: boolean): BuiltColumn {
  const { name, codes, texts, live } = context;
  const trimmed = values.map((value) => value.trim());
  const slashed = slashedOrder(trimmed);
  const categories: BuiltColumn = {
    column: { kind: "categorical", name, codes, categories: texts },
    warnings: [],
  };
  const meaning = new Float64Array(texts.length).fill(Number.NaN);
  for (let entry = 0; entry < texts.length; entry++) {
    if (!live[entry]) continue;
    const text = texts[entry].trim();
    meaning[entry] = parseTimestamp(text, slashed?.order ?? null);
    if (must && Number.isNaN(meaning[entry])) meaning[entry] = stampTextTime(text);
    if (!Number.isNaN(meaning[entry])) continue;
    if (must) refuseTimes(context, entry);
    return categories;
  }
  const warnings: DataWarning[] = [];
  if (slashed?.order === "abbreviated") {
    const times = Array.from(meaning).filter((_, entry) => live[entry]);
    if (!must && !areAbbreviatedDates(trimmed, times)) return categories;
    warnings.push(...shortYearWarnings(name, trimmed, times));
  }
  const column: Column = {
    kind: "timestamp",
    name,
    values: spread(codes, meaning),
    ...(slashed ? { slashed: slashed.order } : {}),
    ...(slashed?.ambiguous && isEither(trimmed) ? { either: true } : {}),
  };
  const rowOf = (isFine: (text: string, time: number) => boolean): number => {
    const entry = texts.findIndex((text, at) => live[at] && isFine(text, meaning[at]));
    return entry < 0 ? 0 : codes.indexOf(entry) + 1;
  };
  const inBytes = (is: typeof isFinerText, text: string): boolean => {
    const bytes = encoder.encode(text);
    return is(bytes, 0, bytes.length);
  };
  const fine: FineRows = {
    finer: rowOf((text) => inBytes(isFinerText, text)),
    far: rowOf((text, time) => isFar(time) && inBytes(hasMicroseconds, text)),
  };
  warnings.push(...fineWarnings(name, fine, FINE_TEXTS));
  if (!slashed?.ambiguous) return { column, warnings };
  const mark = values[0].includes("-") ? "-" : "/";
  const order = slashed.order === "day-first" ? ["day", "month"] : ["month", "day"];
  return {
    column,
    warnings: [
      ...warnings,
      {
        message: `Column ${shown(name)} has dates like ${shown(values[0])}, which are read as ${[...order, "year"].join(mark)}. Write them as year-month-day to be sure.`,
        column: name,
      },
    ],
  };
}
