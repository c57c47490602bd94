/**
 * Records of delimited text (RFC 4180 and what is common beside it), found in bytes.
 *
 * Fields may be quoted with `"`, a doubled quote inside one is a quote, records end at LF or CRLF, or at
 * a lone CR where the first one does, blank lines are skipped, and blanks around an unquoted field are not
 * part of it. Where lines end in LF, a lone CR is text: some writers do not quote fields that hold one.
 * Working on bytes is safe in UTF-8, whose multi-byte characters hold no ASCII byte.
 */

import { DataError } from "../table.ts";

/** One ASCII character each. */
export interface CsvDialect {
  readonly delimiter: string;
  /** Lines that begin with it are passed over; empty = none. */
  readonly comment: string;
  /** Whether the first line declares the delimiter, as `sep=;` does for Excel, and is no record. */
  readonly isDeclared?: boolean;
}

const LF = 10;
const CR = 13;
const SPACE = 32;
const QUOTE = 34;

/** Field i of the record is bytes[starts[i], ends[i]). Returning false ends the scan. */
export type RecordSink = (
  bytes: Uint8Array,
  starts: Int32Array,
  ends: Int32Array,
  fields: number,
) => boolean;

export class CsvScanner {
  readonly #delimiter: number;
  readonly #comment: number;
  readonly #sink: RecordSink;
  #starts = new Int32Array(64);
  /** The end of each field; ~end where the field has doubled quotes still to be made single. */
  #ends = new Int32Array(64);
  #fields = 0;
  #escapes = false;
  /** Where the quoted field that was just read ends, its closing quote included. */
  #resume = 0;
  #passesLine: boolean;
  /** Whether a lone CR ends a record. */
  #endsAtCr = true;
  /** Records given to the sink; the header is one of them. */
  records = 0;
  stopped = false;

  constructor({ delimiter, comment, isDeclared = false }: CsvDialect, sink: RecordSink) {
    this.#passesLine = isDeclared;
    this.#delimiter = delimiter.charCodeAt(0);
    this.#comment = comment === "" ? NO_BYTE : comment.charCodeAt(0);
    this.#sink = sink;
  }

  /**
   * Gives every whole record of bytes[0, length) to the sink and returns how many bytes they took.
   * Doubled quotes are made single in place.
   *
   * @param final whether nothing follows, so that the last record need not end in a line break
   */
  scan(bytes: Uint8Array, length: number, final: boolean): number {
    let at = 0;
    if (this.#passesLine) {
      at = lineEnd(bytes, 0, length);
      if (at < 0) return final ? length : 0;
      this.#passesLine = false;
    }
    for (;;) {
      while (at < length && (bytes[at] === LF || bytes[at] === CR)) at++;
      if (at >= length) return length;
      if (bytes[at] === this.#comment) {
        const end = lineEnd(bytes, at, length);
        if (end < 0) return final ? length : at;
        at = end;
        continue;
      }
      const next = this.#record(bytes, at, length, final);
      if (next < 0) return at;
      at = next;
      this.records++;
      if (this.#escapes) this.#unescape(bytes);
      if (!this.#sink(bytes, this.#starts, this.#ends, this.#fields)) {
        this.stopped = true;
        return at;
      }
    }
  }

  /** Finds the fields of the record at `at`; the byte after its line break, -1 if not all there. */
  #record(bytes: Uint8Array, from: number, length: number, final: boolean): number {
    const delimiter = this.#delimiter;
    let at = from;
    let fields = 0;
    this.#escapes = false;
    for (;;) {
      while (at < length && bytes[at] === SPACE) at++;
      let start = at;
      let end: number;
      if (at < length && bytes[at] === QUOTE) {
        start = at + 1;
        end = this.#closeQuote(bytes, start, length);
        if (end === NOT_CLOSED) {
          if (!final) return -1;
          throw new DataError(
            `A quote that opens in ${this.#here()} is never closed; the file is cut short or a quote is missing.`,
            { row: this.#row() },
          );
        }
        at = this.#resume;
        while (at < length && bytes[at] === SPACE) at++;
      } else {
        while (at < length) {
          const byte = bytes[at];
          if (byte === delimiter || byte === LF) break;
          if (byte === CR && this.#breaksAt(bytes, at, length)) break;
          at++;
        }
        end = at;
        while (end > start && bytes[end - 1] === SPACE) end--;
      }
      if (fields === this.#starts.length) this.#grow();
      this.#starts[fields] = start;
      this.#ends[fields] = end;
      this.#fields = ++fields;
      if (at >= length) return final ? length : -1;
      const byte = bytes[at++];
      if (byte === delimiter) continue;
      if (byte === LF) {
        if (this.records === 0) this.#endsAtCr = false;
        return at;
      }
      if (byte === CR && this.#breaksAt(bytes, at - 1, length)) {
        if (at === length) return final ? at : -1;
        if (this.records === 0) this.#endsAtCr = bytes[at] !== LF;
        return bytes[at] === LF ? at + 1 : at;
      }
      throw new DataError(
        `${this.#here()} has text after the closing quote of field ${fields}; a quote inside a quoted field is written twice.`,
        { row: this.#row() },
      );
    }
  }

  /** At a CR. One that is the last byte there is may still be half of a CRLF. */
  #breaksAt(bytes: Uint8Array, at: number, length: number): boolean {
    return this.#endsAtCr || at + 1 >= length || bytes[at + 1] === LF;
  }

  #closeQuote(bytes: Uint8Array, start: number, length: number): number {
    let doubled = false;
    for (let at = start; at < length; at++) {
      if (bytes[at] !== QUOTE) continue;
      if (at + 1 < length && bytes[at + 1] === QUOTE) {
        doubled = true;
        at++;
        continue;
      }
      this.#resume = at + 1;
      if (doubled) this.#escapes = true;
      return doubled ? ~at : at;
    }
    return NOT_CLOSED;
  }

  #unescape(bytes: Uint8Array): void {
    for (let field = 0; field < this.#fields; field++) {
      if (this.#ends[field] >= 0) continue;
      const end = ~this.#ends[field];
      let to = this.#starts[field];
      for (let from = to; from < end; from++) {
        bytes[to++] = bytes[from];
        if (bytes[from] === QUOTE) from++;
      }
      this.#ends[field] = to;
    }
  }

  #row(): number {
    return Math.max(1, this.records);
  }

  #here(): string {
    return this.records === 0 ? "The header" : `Row ${this.records}`;
  }

  #grow(): void {
    const starts = new Int32Array(this.#starts.length * 2);
    const ends = new Int32Array(this.#ends.length * 2);
    starts.set(this.#starts);
    ends.set(this.#ends);
    this.#starts = starts;
    this.#ends = ends;
  }
}

/** Where the line's break is; -1 where it is not there yet. */
function lineEnd(bytes: Uint8Array, from: number, length: number): number {
  for (let at = from; at < length; at++) if (bytes[at] === LF || bytes[at] === CR) return at;
  return -1;
}

const NO_BYTE = -1;

/** No end of a field: below every ~end of a buffer. */
const NOT_CLOSED = -0x8000_0000;
