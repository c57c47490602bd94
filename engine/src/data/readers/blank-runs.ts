/**
 * Text whose columns are separated by runs of blanks, as R's `write.table` and programs that align their
 * columns write it: whether a text is so, and the same text with tabs in place of the runs.
 */

import { CsvScanner } from "./csv-scanner.ts";
import { isMissingText } from "./missing.ts";
import { parseCommaNumber, parseNumber } from "./number-text.ts";

/** What stands for runs of blanks where a delimiter is named. */
export const BLANKS = " ";

const TAB = 9;
const LF = 10;
const CR = 13;
const SPACE = 32;
const QUOTE = 34;

export interface BlankDialect {
  /** Lines that begin with it are passed over; empty = none. */
  readonly comment: string;
  /** Whether the header has no name for the first column, which is that of the rows' names. */
  readonly hasRowNames: boolean;
}

/** Puts one tab in place of each run of blanks and tabs between fields, and none at the ends of lines. */
export class BlankRuns {
  readonly #comment: number;
  #place: "line" | "comment" | "field" | "quoted" | "closed" | "between" = "line";
  /** Whether the first record is still to be given an empty first name. */
  #lacksName: boolean;

  constructor({ comment, hasRowNames }: BlankDialect) {
    this.#comment = comment === "" ? -1 : comment.charCodeAt(0);
    this.#lacksName = hasRowNames;
  }

  /** @param bytes of UTF-8, that follow those which were given before */
  withTabs(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
    const written = new Uint8Array(bytes.length + 1);
    let length = 0;
    for (const byte of bytes) {
      if (this.#place === "quoted") {
        if (byte === QUOTE) this.#place = "closed";
      } else if (byte === LF || byte === CR) {
        this.#place = "line";
      } else if (this.#place === "comment") {
        // As it is.
      } else if (byte === SPACE || byte === TAB) {
        if (this.#place !== "line") this.#place = "between";
        continue;
      } else if (this.#place === "line" && byte === this.#comment) {
        this.#place = "comment";
      } else if (this.#place === "line" || this.#place === "between") {
        if (this.#place === "between" || this.#lacksName) written[length++] = TAB;
        this.#lacksName = false;
        this.#place = byte === QUOTE ? "quoted" : "field";
      } else {
        this.#place = this.#place === "closed" && byte === QUOTE ? "quoted" : "field";
      }
      written[length++] = byte;
    }
    return written.subarray(0, length);
  }
}

/** Fewer tell nothing: the header is one of them. */
const LEAST_RECORDS = 3;

/**
 * How a text is written whose columns are separated by runs of blanks; null where it may as well be texts of
 * one column. It is taken for columns where all records have as many fields, one of these is a number in each,
 * and there are three or more, or runs of several blanks; a number whose thousands are set apart is one field.
 *
 * @param head of a UTF-8 text that no other delimiter separates
 * @param final whether it is all of it
 */
export function blankDialect(
  head: Uint8Array,
  final: boolean,
  comments: readonly string[],
): BlankDialect | null {
  for (const comment of comments) {
    const records = recordsOf(head, final, comment);
    const [header, row] = records;
    if (records.length < LEAST_RECORDS || header === undefined || row === undefined) continue;
    const rows = records.slice(1);
    const count = row.length;
    const hasRowNames = count === header.length + 1;
    if (count !== header.length && !hasRowNames) continue;
    if (rows.some(({ length }) => length !== count)) continue;
    const isApart = /[^\s][ \t]{2,}[^\s]/.test(new TextDecoder().decode(head));
    if (count < (isApart && !hasRowNames ? 2 : 3)) continue;
    if (rows.every((cells) => cells.slice(1).every((cell) => /^\d{3}$/.test(cell)))) continue;
    if (row.some((_, column) => areNumbers(rows.map((cells) => cells[column])))) {
      return { comment, hasRowNames };
    }
  }
  return null;
}

function recordsOf(head: Uint8Array, final: boolean, comment: string): string[][] {
  const decoder = new TextDecoder();
  const records: string[][] = [];
  const scanner = new CsvScanner({ delimiter: "\t", comment }, (bytes, starts, ends, fields) => {
    const cells = Array.from({ length: fields }, (_, field) =>
      decoder.decode(bytes.subarray(starts[field], ends[field])),
    );
    return records.push(cells) > 0;
  });
  const text = new BlankRuns({ comment, hasRowNames: false }).withTabs(head);
  try {
    scanner.scan(text, text.length, final);
  } catch {
    // Broken quotes: what stands before them is no proof of columns.
    return [];
  }
  return records;
}

const isNumber = (text: string): boolean =>
  !Number.isNaN(parseNumber(text)) || !Number.isNaN(parseCommaNumber(text));

function areNumbers(cells: readonly string[]): boolean {
  const values = cells.filter((cell) => !isMissingText(cell));
  return values.length > 0 && values.every(isNumber);
}
