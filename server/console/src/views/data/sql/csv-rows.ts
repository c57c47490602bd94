/**
 * Rows of a CSV file that comes piece by piece (RFC 4180 with a header, an empty text quoted and a missing
 * value not), kept as the bytes that they are: of a million rows only those that are looked at become texts.
 */

const [QUOTE, COMMA, NEWLINE, RETURN] = [0x22, 0x2c, 0x0a, 0x0d];
/** Rows whose texts are kept; those in view, and some more. */
const KEPT_ROWS = 500;

export class CsvRows {
  #bytes: Uint8Array<ArrayBuffer>;
  #length = 0;
  /** Looked at so far. */
  #seen = 0;
  #isQuoted = false;
  /** Where each record begins, the header first. */
  #starts = new Float64Array(1024);
  #records = 0;
  #start = 0;
  readonly #most: number;
  readonly #texts = new Map<number, readonly (string | null)[]>();

  /**
   * @param bytes that are to come; more may
   * @param most rows; what follows them is left out
   */
  constructor(bytes: number, most: number) {
    this.#bytes = new Uint8Array(Math.max(1024, bytes));
    this.#most = most;
  }

  /** Rows that are here whole, without the header. */
  get rowCount(): number {
    return Math.max(0, this.#records - 1);
  }

  get isFull(): boolean {
    return this.rowCount >= this.#most;
  }

  push(chunk: Uint8Array): void {
    const length = this.#length + chunk.length;
    if (length > this.#bytes.length) {
      const more = new Uint8Array(Math.max(length, this.#bytes.length * 2));
      more.set(this.#bytes.subarray(0, this.#length));
      this.#bytes = more;
    }
    this.#bytes.set(chunk, this.#length);
    this.#length = length;
    this.#scan();
  }

  /** The last record may have no end of its own. */
  end(): void {
    if (this.#start < this.#length) this.#record(this.#length);
  }

  header(): readonly string[] {
    return this.#records === 0 ? [] : this.#read(0).map((name) => name ?? "");
  }

  /** Null where the value is missing, or the row is not here. */
  cell(row: number, column: number): string | null {
    if (row >= this.rowCount) return null;
    const known = this.#texts.get(row);
    if (known !== undefined) return known[column] ?? null;
    const texts = this.#read(row + 1);
    if (this.#texts.size >= KEPT_ROWS) this.#texts.clear();
    this.#texts.set(row, texts);
    return texts[column] ?? null;
  }

  #scan(): void {
    const bytes = this.#bytes;
    let isQuoted = this.#isQuoted;
    let at = this.#seen;
    for (; at < this.#length && !this.isFull; at++) {
      const byte = bytes[at];
      // A quote within quotes is doubled, and so leaves them and comes back.
      if (byte === QUOTE) isQuoted = !isQuoted;
      else if (byte === NEWLINE && !isQuoted) this.#record(at + 1);
    }
    this.#seen = at;
    this.#isQuoted = isQuoted;
  }

  #record(end: number): void {
    if (this.isFull) return;
    if (this.#records + 1 >= this.#starts.length) {
      const more = new Float64Array(this.#starts.length * 2);
      more.set(this.#starts);
      this.#starts = more;
    }
    this.#starts[this.#records] = this.#start;
    this.#records += 1;
    this.#starts[this.#records] = end;
    this.#start = end;
  }

  #read(record: number): readonly (string | null)[] {
    const bytes = this.#bytes;
    let end = this.#starts[record + 1]!;
    while (
      end > this.#starts[record]! &&
      (bytes[end - 1] === NEWLINE || bytes[end - 1] === RETURN)
    ) {
      end -= 1;
    }
    const cells: (string | null)[] = [];
    let start = this.#starts[record]!;
    let isQuoted = false;
    for (let at = start; at <= end; at++) {
      if (at < end && bytes[at] === QUOTE) isQuoted = !isQuoted;
      if (at < end && (isQuoted || bytes[at] !== COMMA)) continue;
      cells.push(textOf(bytes.subarray(start, at)));
      start = at + 1;
    }
    return cells;
  }
}

const decoder = new TextDecoder();

function textOf(bytes: Uint8Array): string | null {
  if (bytes.length === 0) return null;
  const text = decoder.decode(bytes);
  return bytes[0] === QUOTE ? text.slice(1, -1).replaceAll('""', '"') : text;
}
