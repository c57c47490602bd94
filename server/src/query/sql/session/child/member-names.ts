/**
 * The names of an object's members, byte by byte as a file has them. Objects of a file mostly have the same names in
 * the same order, so that a name is looked up only where it is not the one that comes next.
 */

/** So many names of one depth are remembered: more are keys of a map, which come but once. */
const REMEMBERED = 10_000;
const BACKSLASH = 0x5c;

interface KnownName {
  /** As it is written. */
  readonly bytes: Uint8Array;
  readonly text: string;
}

export class MemberNames {
  /** Of earlier objects, in the order in which they came first. */
  #known: KnownName[] = [];
  #places = new Map<string, number>();
  /** The place of the known name that may come next: all before it are the object's, or left out. */
  #next = 0;
  /** Places of the object's names, as long as they are in the known order. */
  #ordered: number[] = [];
  /** The object's names, where they are not. */
  #others: Set<string> | null = null;
  /** Of the name that is read: bytes that the known one has too, or all where one differs. */
  #same = 0;
  #differing: number[] | null = null;

  /** Another object. */
  begin(): void {
    if (this.#known.length > REMEMBERED) {
      this.#known = [];
      this.#places = new Map();
    }
    this.#next = 0;
    this.#ordered = [];
    this.#others = null;
    this.beginName();
  }

  beginName(): void {
    this.#same = 0;
    this.#differing = null;
  }

  /** The next byte of the name, as it is written. */
  add(byte: number): void {
    if (this.#differing !== null) this.#differing.push(byte);
    else if (this.#known[this.#next]?.bytes[this.#same] === byte) this.#same++;
    else this.#differing = [...this.#begun(), byte];
  }

  /** @returns the name that has been read, where the object has it already */
  endName(): string | null {
    const expected = this.#known[this.#next];
    if (this.#differing === null && this.#same === expected?.bytes.length) {
      return this.#place(this.#next, expected.text);
    }
    const bytes = Uint8Array.from(this.#differing ?? this.#begun());
    const text = textOf(bytes);
    let place = this.#places.get(text);
    if (place === undefined) {
      place = this.#known.push({ bytes, text }) - 1;
      this.#places.set(text, place);
    }
    return this.#place(place, text);
  }

  #begun(): Uint8Array {
    return this.#known[this.#next]?.bytes.subarray(0, this.#same) ?? new Uint8Array();
  }

  #place(place: number, text: string): string | null {
    if (this.#others === null && place >= this.#next) {
      this.#ordered.push(place);
      this.#next = place + 1;
      return null;
    }
    this.#others ??= new Set(this.#ordered.map((at) => this.#known[at]!.text));
    if (this.#others.has(text)) return text;
    this.#others.add(text);
    return null;
  }
}

function textOf(bytes: Uint8Array): string {
  const written = Buffer.from(bytes).toString();
  if (!bytes.includes(BACKSLASH)) return written;
  try {
    return String(JSON.parse(`"${written}"`));
  } catch (error) {
    // DuckDB refuses it.
    if (error instanceof SyntaxError) return written;
    throw error;
  }
}
