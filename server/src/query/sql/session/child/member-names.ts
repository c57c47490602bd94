/** The names of an object's members, byte by byte as a file has them: in a table by their hashes, without a text for each. */

const BACKSLASH = 0x5c;
const FIRST_BYTES = 1024;
const FIRST_PLACES = 16;
/** FNV-1a, 32 bits. */
const [OFFSET_BASIS, PRIME] = [0x811c9dc5, 0x01000193];

export class MemberNames {
  /** One behind another; escapes undone. */
  #bytes = new Uint8Array(FIRST_BYTES);
  #ends: number[] = [];
  #hashes: number[] = [];
  /** Numbers of names from 1, by their hashes; 0 = none. At most half of it is taken. */
  #table = new Int32Array(FIRST_PLACES);
  /** Of the name that is read. */
  #start = 0;
  #end = 0;
  #hash = OFFSET_BASIS;
  #hasEscape = false;

  /** Another object. */
  begin(): void {
    // To empty a large one for each of many small objects would take long.
    if (this.#table.length > FIRST_PLACES) this.#table = new Int32Array(FIRST_PLACES);
    else if (this.#ends.length > 0) this.#table.fill(0);
    this.#ends.length = 0;
    this.#hashes.length = 0;
    this.#end = 0;
  }

  beginName(): void {
    this.#start = this.#end;
    this.#hash = OFFSET_BASIS;
    this.#hasEscape = false;
  }

  /** The next byte of the name, as it is written. */
  add(byte: number): void {
    if (this.#end === this.#bytes.length) {
      const grown = new Uint8Array(2 * this.#end);
      grown.set(this.#bytes);
      this.#bytes = grown;
    }
    this.#bytes[this.#end++] = byte;
    this.#hash = Math.imul(this.#hash ^ byte, PRIME);
    if (byte === BACKSLASH) this.#hasEscape = true;
  }

  /** @returns the name that has been read, where the object has it already */
  endName(): string | null {
    if (this.#hasEscape) this.#undoEscapes();
    const place = this.#placeOf(this.#hash);
    if (this.#table[place] !== 0) return this.#text();
    this.#ends.push(this.#end);
    this.#hashes.push(this.#hash);
    this.#table[place] = this.#ends.length;
    if (2 * this.#ends.length > this.#table.length) this.#grow();
    return null;
  }

  #text(): string {
    return Buffer.from(this.#bytes.subarray(this.#start, this.#end)).toString();
  }

  #undoEscapes(): void {
    let plain: string;
    try {
      plain = String(JSON.parse(`"${this.#text()}"`));
    } catch (error) {
      // DuckDB refuses it.
      if (error instanceof SyntaxError) return;
      throw error;
    }
    this.#end = this.#start;
    this.#hash = OFFSET_BASIS;
    // Some are backslashes themselves by now.
    for (const byte of Buffer.from(plain)) this.add(byte);
  }

  /** Where the name that is read is in the table, or belongs. */
  #placeOf(hash: number): number {
    const mask = this.#table.length - 1;
    let place = hash & mask;
    for (let number = this.#table[place]!; number !== 0; number = this.#table[place]!) {
      if (this.#hashes[number - 1] === hash && this.#isSame(number)) return place;
      place = (place + 1) & mask;
    }
    return place;
  }

  #isSame(number: number): boolean {
    const from = number === 1 ? 0 : this.#ends[number - 2]!;
    const length = this.#ends[number - 1]! - from;
    if (length !== this.#end - this.#start) return false;
    for (let at = 0; at < length; at++) {
      if (this.#bytes[from + at] !== this.#bytes[this.#start + at]) return false;
    }
    return true;
  }

  #grow(): void {
    this.#table = new Int32Array(2 * this.#table.length);
    const mask = this.#table.length - 1;
    for (const [at, hash] of this.#hashes.entries()) {
      let place = hash & mask;
      while (this.#table[place] !== 0) place = (place + 1) & mask;
      this.#table[place] = at + 1;
    }
  }
}
