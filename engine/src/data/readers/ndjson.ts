/**
 * Newline-delimited JSON objects → columns. The columns are the members met, in order of first
 * sight; an absent member and null are missing. Strings are inferred like those of typed formats,
 * a column of numbers is numeric, of true/false boolean; anything mixed is read as its text, and so are
 * integers that numbers would not tell apart, and numbers beyond what a double holds.
 */

import { coerceColumn } from "../coerce.ts";
import { shown } from "../shown.ts";
import { type ColumnKind, DataError } from "../table.ts";
import { type ByteSource, decompressed } from "./byte-source.ts";
import { checkNames, checkWanted } from "./column-names.ts";
import { expectFormat } from "./file-format.ts";
import { Growing } from "./growing.ts";
import { LargeIntegers, largeInteger, losesDecimals } from "./large-integers.ts";
import { isBeyondDoubles } from "./number-text.ts";
import { inexactWarnings, numbersKept, roundedWarnings } from "./numbers-kept.ts";
import { ReadBudget } from "./read-limits.ts";
import {
  type BuiltColumn,
  type DataWarning,
  declaredKind,
  keepsWritten,
  type ReadOptions,
  type TableReading,
  tableOf,
} from "./reading.ts";
import { repeatedMember, writtenMembers } from "./repeated-members.ts";
import { StringColumnBuilder } from "./string-column.ts";
import { differing, mayDiffer } from "./written-cells.ts";

export async function readNdjson(
  source: ByteSource,
  options: ReadOptions = {},
): Promise<TableReading> {
  const budget = new ReadBudget(options.limits, options.spool);
  const columns = new Map<string, JsonColumn>();
  const wanted = options.columns === undefined ? null : new Set(options.columns);
  const limit = options.maxRows ?? Number.POSITIVE_INFINITY;
  let rows = 0;
  let bytes = 0;
  const addLine = (line: string): void => {
    const text = line.trim();
    if (text === "") return;
    const mayBeHalf = SURROGATE.test(text);
    for (const [name, value] of Object.entries(parseObject(text, rows + 1))) {
      let column = columns.get(name);
      if (column === undefined) {
        const kept = wanted === null || wanted.has(name);
        const kind = declaredKind(options, name);
        column = new JsonColumn(name, kept, kind, budget, keepsWritten(options, name));
        columns.set(name, column);
        budget.checkColumns(columns.size);
      }
      column.add(value, rows);
      if (mayBeHalf && typeof value === "string" && !value.isWellFormed()) column.addHalf(rows);
    }
    rows++;
    budget.checkTable(rows, columns.size);
    if (rows % 10_000 === 0) options.onProgress?.({ bytes, rows });
  };
  const chunks = decompressed(source, budget, (count) => {
    bytes += count;
  });
  for await (const some of lines(chunks, (length) => budget.checkRecord(length, rows + 1))) {
    for (const line of some) {
      if (rows >= limit) break;
      addLine(line);
    }
    if (rows >= limit) break;
  }
  if (rows === 0) throw new DataError("The file is empty.");
  checkNames([...columns.keys()]);
  checkWanted([...columns.keys()], options.columns);
  const reading = tableOf(rows, builtColumns(columns, rows, options), options);
  options.onProgress?.({ bytes, rows });
  return reading;
}

function* builtColumns(
  columns: ReadonlyMap<string, JsonColumn>,
  rows: number,
  options: ReadOptions,
): Generator<BuiltColumn> {
  for (const [name, column] of columns) {
    if (!column.kept) continue;
    const built = column.finish(rows);
    const kind = declaredKind(options, name);
    if (kind === undefined) yield built;
    else yield coerced(built, kind, keepsWritten(options, name));
  }
}

function coerced(built: BuiltColumn, kind: ColumnKind, keeps: boolean): BuiltColumn {
  const column = coerceColumn(built.column, kind);
  const isOfTexts = built.column.kind === "categorical" || built.column.kind === "text";
  const isOfStamps = built.column.kind === "timestamp" && built.column.stamp !== undefined;
  if (isOfStamps && kind !== "timestamp") return { column, warnings: [] };
  if (!keeps || !isOfTexts || !mayDiffer(column)) return { ...built, column };
  const texts = coerceColumn(built.column, "categorical");
  if (texts.kind !== "categorical") throw new TypeError("texts are categories");
  return { ...built, column, written: differing(column, texts) };
}

/** A number that was written with more digits than a double holds, or is beyond all of them. */
class WrittenNumber {
  readonly value: number;
  readonly digits: string;
  readonly what: "whole" | "decimal" | "beyond";

  constructor(value: number, digits: string, what: WrittenNumber["what"]) {
    this.value = value;
    this.digits = digits;
    this.what = what;
  }
}

const MANY_DIGITS = /\d[\d.]{15}|\d[eE]\+?\d{3}/;

function withDigits(this: unknown, _key: string, value: unknown, context?: unknown): unknown {
  if (typeof value !== "number" || Number.isSafeInteger(value)) return value;
  if (typeof context !== "object" || context === null || !("source" in context)) return value;
  const written = String(context.source);
  const digits = largeInteger(written);
  if (digits !== null) return new WrittenNumber(value, digits, "whole");
  if (isBeyondDoubles(written)) return new WrittenNumber(value, written, "beyond");
  return losesDecimals(written, value) ? new WrittenNumber(value, written, "decimal") : value;
}

/** The escape of half of a pair of surrogates, which may stand alone. */
const SURROGATE = /\\u[dD][89a-fA-F]/;

function parseJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  if (!MANY_DIGITS.test(text)) return value;
  try {
    return JSON.parse(text, withDigits);
  } catch (error) {
    // It goes through what is nested by recursion; such a row is refused for its nesting.
    if (error instanceof RangeError) return value;
    throw error;
  }
}

/** What is usually meant by a line that is no object, as a sentence behind another; empty where nothing tells. */
function adviceOf(text: string, row: number): string {
  if (row === 1 && /^\[\s*(?:\{|$)/.test(text)) {
    return " The file is one JSON array: write each of its rows on a line of its own, without brackets around and commas between them.";
  }
  if (row === 1 && text === "{") return " Write each row on one line, without line breaks within.";
  if (/\},$/.test(text)) return " Lines of JSON have no commas between them.";
  if (/[:[,]\s*-?(?:NaN|Infinity)\b/.test(text)) {
    return " JSON has no NaN or Infinity: leave the member out where a number is missing.";
  }
  return "";
}

function parseObject(text: string, row: number): object {
  let value: unknown;
  try {
    value = parseJson(text);
  } catch (cause) {
    throw new DataError(`Row ${row} is not valid JSON: ${shown(text)}.${adviceOf(text, row)}`, {
      row,
      cause,
    });
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new DataError(`Row ${row} is not a JSON object: ${shown(text)}.${adviceOf(text, row)}`, {
      row,
    });
  }
  if (writtenMembers(text) > Object.keys(value).length) refuseRepeated(text, row);
  return value;
}

function refuseRepeated(text: string, row: number): void {
  const path = repeatedMember(text);
  if (path === null) return;
  throw new DataError(
    `Row ${row} has the member ${shown(String(path.at(-1)))} more than once; leave one of them.`,
    { row },
  );
}

/**
 * The lines that each chunk ends, together: to wait for one after the other takes longer than to read a short one.
 *
 * @param checkLine hears of the length of a line that is not at its end yet
 */
async function* lines(
  source: AsyncIterable<Uint8Array>,
  checkLine: (length: number) => void,
): AsyncGenerator<readonly string[]> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  const decode = (chunk?: Uint8Array): string => {
    try {
      return chunk === undefined ? decoder.decode() : decoder.decode(chunk, { stream: true });
    } catch (cause) {
      throw new DataError("The file is not valid UTF-8; save it as UTF-8.", { cause });
    }
  };
  const parts: string[] = [];
  let length = 0;
  let first = true;
  for await (const chunk of source) {
    if (first) expectFormat(chunk, "ndjson");
    first = false;
    const split = decode(chunk).split("\n");
    parts.push(split[0]);
    length += split[0].length;
    checkLine(length);
    const last = split.pop();
    if (split.length === 0 || last === undefined) continue;
    split[0] = parts.join("");
    yield split;
    parts.length = 0;
    parts.push(last);
    length = last.length;
  }
  parts.push(decode());
  yield [parts.join("")];
}

class JsonColumn {
  readonly #name: string;
  readonly kept: boolean;
  #kind: "empty" | "number" | "boolean" | "string" = "empty";
  readonly #numbers: Growing<Float64Array<ArrayBuffer>>;
  readonly #strings: StringColumnBuilder;
  #mixedRow = 0;
  readonly #large = new LargeIntegers();
  #hasLarge = false;
  readonly #wanted: ColumnKind | undefined;
  #inexactRow = 0;
  #halfRow = 0;
  #roundedRow = 0;
  /** Whether it is of strings because numbers would lose digits, or not hold them. */
  #keepsNumbers = false;

  constructor(
    name: string,
    kept: boolean,
    kind: ColumnKind | undefined,
    budget: ReadBudget,
    keepsWritten: boolean,
  ) {
    this.#name = name;
    this.kept = kept;
    this.#wanted = kind;
    this.#numbers = Growing.float64(budget.spool);
    this.#strings = new StringColumnBuilder(name, budget, keepsWritten);
  }

  add(given: unknown, row: number): void {
    if (!this.kept || given === null) return;
    let value: unknown = given;
    if (given instanceof WrittenNumber) {
      value = given.value;
      if (this.#kind === "empty" || this.#kind === "number") {
        if (given.what === "whole") this.#addLarge(given, row);
        else if (given.what === "decimal") this.#addRounded(row);
        else this.#keepNumbers();
      }
    }
    if (typeof value === "object") {
      throw new DataError(
        `Column ${shown(this.#name)} holds ${Array.isArray(value) ? "a list" : "an object"} in row ${row + 1}; a cell must be one value.`,
        { column: this.#name, row: row + 1 },
      );
    }
    const kind = typeof value;
    if (kind !== "number" && kind !== "boolean" && kind !== "string") return;
    if (this.#kind === "empty") this.#kind = kind;
    else if (this.#kind !== kind && this.#kind !== "string") this.#toStrings();
    if (this.#kind === "string") {
      const isMixed = kind !== "string" && !(kind === "number" && this.#keepsNumbers);
      if (isMixed && this.#mixedRow === 0) this.#mixedRow = row + 1;
      this.#strings.addMissing(row - this.#strings.rows);
      this.#strings.addText(given instanceof WrittenNumber ? given.digits : String(value));
    } else {
      this.#numbers.fill(Number.NaN, row - this.#numbers.length);
      this.#numbers.push(Number(value));
    }
  }

  /** Of a text with half of a pair of surrogates, which UTF-8 has no bytes for. */
  addHalf(row: number): void {
    this.#halfRow ||= row + 1;
  }

  finish(rows: number): BuiltColumn {
    const built = this.#finish(rows);
    if (!this.kept || this.#halfRow === 0) return built;
    const row = this.#halfRow;
    const message = `Column ${shown(this.#name)} has half of a surrogate pair, first in row ${row}, which is no character; each is read as "\u{fffd}".`;
    const warning: DataWarning = { message, column: this.#name, row };
    return { ...built, warnings: [...built.warnings, warning] };
  }

  #finish(rows: number): BuiltColumn {
    const name = this.#name;
    if (this.#kind === "number" || this.#kind === "boolean") {
      this.#numbers.fill(Number.NaN, rows - this.#numbers.length);
      const values = this.#numbers.finish();
      if (this.#kind === "number") {
        const warnings = [
          ...inexactWarnings(name, this.#inexactRow),
          ...roundedWarnings(name, this.#roundedRow),
        ];
        return { column: { kind: "numeric", name, values }, warnings };
      }
      const bits = Uint8Array.from(values, (value) => (Number.isNaN(value) ? 255 : value));
      return { column: { kind: "boolean", name, values: bits }, warnings: [] };
    }
    this.#strings.addMissing(rows - this.#strings.rows);
    const inferred = this.#strings.finish(undefined, false);
    // The kind is inferred in any case, and declared ones follow from it.
    const said = inferred.warnings.map(({ of: _, ...warning }) => warning);
    const built = {
      ...inferred,
      warnings: [...said, ...roundedWarnings(name, this.#roundedRow)],
    };
    const kept =
      this.#keepsNumbers && this.#wanted === undefined ? numbersKept(built.column, false) : null;
    if (kept) return { ...built, warnings: [...built.warnings, kept] };
    if (this.#mixedRow === 0) return built;
    const message = `Column ${shown(name)} mixes strings, numbers or booleans (see row ${this.#mixedRow}); it is read as ${built.column.kind}.`;
    return {
      ...built,
      warnings: [...built.warnings, { message, column: name, row: this.#mixedRow }],
    };
  }

  #addLarge({ digits, value }: WrittenNumber, row: number): void {
    this.#hasLarge = true;
    const areApart = this.#large.add(digits, value);
    if (this.#wanted === "numeric") {
      if (!areApart) this.#inexactRow ||= row + 1;
    } else if (!areApart || this.#wanted === "categorical" || this.#wanted === "text") {
      this.#keepNumbers();
    }
  }

  #addRounded(row: number): void {
    if (this.#wanted === "categorical" || this.#wanted === "text") {
      this.#keepNumbers();
    } else this.#roundedRow ||= row + 1;
  }

  /** As they were written. */
  #keepNumbers(): void {
    this.#keepsNumbers = true;
    this.#numbersToStrings();
  }

  #toStrings(): void {
    this.#numbersToStrings();
    this.#mixedRow = this.#strings.rows + 1;
  }

  #numbersToStrings(): void {
    for (const value of this.#numbers.finish()) {
      if (Number.isNaN(value)) this.#strings.addMissing();
      else if (this.#kind === "boolean") this.#strings.addText(String(value === 1));
      else {
        const isLarge = this.#hasLarge && Math.abs(value) > Number.MAX_SAFE_INTEGER;
        const isDigits = isLarge && Number.isFinite(value);
        this.#strings.addText(isDigits ? this.#large.digitsOf(value) : String(value));
      }
    }
    this.#kind = "string";
  }
}
