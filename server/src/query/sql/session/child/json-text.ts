/** The text of a row as it is written, which breaks off where it is longer than an answer may be. */

/** Characters that are gathered before they become bytes: short texts join fast, long ones copy fast. */
const GATHERED = 1 << 16;

/** A row that does not fit. */
export class RowTooLong extends Error {
  override readonly name = "RowTooLong";
}

export class JsonText {
  /** The beginning of the text, where it is long. */
  readonly parts: Buffer[] = [];
  /** What follows it. */
  tail = "";
  readonly #maxBytes: number;
  #partBytes = 0;

  /** @param maxBytes of UTF-8 */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Of all of it. */
  get bytes(): number {
    return this.#partBytes + Buffer.byteLength(this.tail);
  }

  /** @throws RowTooLong where tens of thousands of characters have been gathered that are too many */
  add(text: string): void {
    this.tail += text;
    if (this.tail.length < GATHERED) return;
    this.expect(0);
    const part = Buffer.from(this.tail);
    this.parts.push(part);
    this.#partBytes += part.length;
    this.tail = "";
  }

  /**
   * Says that so many bytes at least will be added, before they are made.
   *
   * @throws RowTooLong where there is no room for them
   */
  expect(bytes: number): void {
    // A character is a byte at least.
    if (this.#partBytes + this.tail.length + bytes > this.#maxBytes) throw new RowTooLong();
  }
}
