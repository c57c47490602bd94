/**
 * Verification of Arrow IPC metadata before anything decodes it.
 *
 * The flatbuffers runtime reads whatever offsets and lengths the bytes say, so damaged metadata
 * could send a decoder through billions of entries. Here every table, vector and string that the
 * decoder will visit is checked to lie within its buffer; field numbers and sizes are those of
 * the format's Message.fbs, Schema.fbs and File.fbs.
 */

/** Bytes of a scalar; a string; a vector of `each`-byte items; tables of a shape. */
type FieldShape =
  | number
  | "string"
  | { readonly each: number }
  | { readonly table: () => TableShape }
  | { readonly tables: () => TableShape };
type TableShape = readonly FieldShape[];

const keyValue: TableShape = ["string", "string"];
const metadata: FieldShape = { tables: () => keyValue };
const anyType: TableShape = [];
const dictionaryEncoding: TableShape = [8, { table: () => anyType }, 1, 2];
const field: TableShape = [
  "string",
  1,
  1,
  { table: () => anyType },
  { table: () => dictionaryEncoding },
  { tables: () => field },
  metadata,
];
const schema: TableShape = [2, { tables: () => field }, metadata, { each: 8 }];
const recordBatch: TableShape = [
  8,
  { each: 16 },
  { each: 16 },
  { table: () => anyType },
  { each: 8 },
];
const dictionaryBatch: TableShape = [8, { table: () => recordBatch }, 1];
const footer: TableShape = [2, { table: () => schema }, { each: 24 }, { each: 24 }, metadata];
/** By the number of the message's header type. */
const headers: readonly (TableShape | undefined)[] = [
  undefined,
  schema,
  dictionaryBatch,
  recordBatch,
];

const MAX_DEPTH = 64;
const MAX_TABLES = 1_000_000;

export class ArrowMetadataError extends Error {
  override readonly name = "ArrowMetadataError";
}

class Verifier {
  readonly view: DataView;
  #tables = 0;

  constructor(bytes: Uint8Array) {
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  root(): number {
    return this.#indirect(0);
  }

  /** Checks the table at `at` and all it holds. */
  table(at: number, shape: TableShape, depth = 0): void {
    this.#tables++;
    if (depth > MAX_DEPTH || this.#tables > MAX_TABLES) this.#fail();
    for (const [index, kind] of shape.entries()) {
      const place = this.place(at, index, typeof kind === "number" ? kind : 4);
      if (place < 0 || typeof kind === "number") continue;
      const target = this.#indirect(place);
      if (kind === "string") this.#vector(target, 1);
      else if ("each" in kind) this.#vector(target, kind.each);
      else if ("table" in kind) this.table(target, kind.table(), depth + 1);
      else {
        const count = this.#vector(target, 4);
        for (let i = 0; i < count; i++) {
          this.table(this.#indirect(target + 4 + 4 * i), kind.tables(), depth + 1);
        }
      }
    }
    // A table without fields of interest still needs a sound head.
    if (shape.length === 0) this.place(at, 0, 1);
  }

  /** Where field `index` of the table at `at` lies; -1 where it is absent. */
  place(at: number, index: number, size: number): number {
    this.#within(at, 4);
    const fields = at - this.view.getInt32(at, true);
    this.#within(fields, 4);
    const fieldsSize = this.view.getUint16(fields, true);
    const tableSize = this.view.getUint16(fields + 2, true);
    this.#within(fields, fieldsSize);
    this.#within(at, tableSize);
    if (4 + 2 * index + 2 > fieldsSize) return -1;
    const offset = this.view.getUint16(fields + 4 + 2 * index, true);
    if (offset === 0) return -1;
    if (offset + size > tableSize) this.#fail();
    return at + offset;
  }

  /** The table that field `index` points to; -1 where it is absent. */
  target(at: number, index: number): number {
    const place = this.place(at, index, 4);
    return place < 0 ? -1 : this.#indirect(place);
  }

  /** A 64-bit field as a number; 0 where it is absent. */
  long(at: number, index: number): number {
    const place = this.place(at, index, 8);
    return place < 0 ? 0 : this.longAt(place);
  }

  longAt(place: number): number {
    this.#within(place, 8);
    const value = Number(this.view.getBigInt64(place, true));
    if (!Number.isSafeInteger(value) || value < 0) this.#fail();
    return value;
  }

  #indirect(place: number): number {
    this.#within(place, 4);
    return place + this.view.getUint32(place, true);
  }

  #vector(at: number, each: number): number {
    this.#within(at, 4);
    const count = this.view.getUint32(at, true);
    this.#within(at + 4, count * each);
    return count;
  }

  #within(at: number, size: number): void {
    if (at < 0 || at + size > this.view.byteLength) this.#fail();
  }

  #fail(): never {
    throw new ArrowMetadataError("what it says of its columns and rows contradicts itself");
  }
}

/**
 * Checks one encapsulated message and gives the length of the body that follows it.
 *
 * @throws ArrowMetadataError
 */
export function verifyMessage(bytes: Uint8Array): number {
  const verifier = new Verifier(bytes);
  const message = verifier.root();
  verifier.table(message, [2, 1, { table: () => anyType }, 8, metadata]);
  const typePlace = verifier.place(message, 1, 1);
  const type = typePlace < 0 ? 0 : verifier.view.getUint8(typePlace);
  const header = verifier.target(message, 2);
  const shape = headers[type];
  if (header < 0 || shape === undefined) {
    throw new ArrowMetadataError("it holds a message of an unknown kind");
  }
  verifier.table(header, shape);
  const bodyLength = verifier.long(message, 3);
  const batch =
    shape === recordBatch ? header : shape === dictionaryBatch ? verifier.target(header, 1) : -1;
  if (batch >= 0) verifyLengths(verifier, batch, bodyLength);
  return bodyLength;
}

/** A row takes a bit of some column's body at least; only null columns have no body at all. */
function verifyLengths(verifier: Verifier, batch: number, bodyLength: number): void {
  const most = bodyLength === 0 ? 0x7fff_ffff : bodyLength * 8;
  const nodes = verifier.target(batch, 1);
  const count = nodes < 0 ? 0 : verifier.view.getUint32(nodes, true);
  let longest = verifier.long(batch, 0);
  for (let i = 0; i < count; i++) {
    longest = Math.max(longest, verifier.longAt(nodes + 4 + 16 * i));
    verifier.longAt(nodes + 12 + 16 * i);
  }
  if (longest > most) throw new ArrowMetadataError("a batch promises more rows than it holds");
}

/**
 * Checks the footer of an Arrow file and the messages of all its blocks.
 *
 * @throws ArrowMetadataError
 */
export function verifyFile(bytes: Uint8Array): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const cut = () => new ArrowMetadataError("its footer is missing");
  if (bytes.length < 20 || String.fromCharCode(...bytes.subarray(-6)) !== "ARROW1") throw cut();
  const size = view.getInt32(bytes.length - 10, true);
  if (size <= 0 || size > bytes.length - 18) throw cut();
  const verifier = new Verifier(bytes.subarray(bytes.length - 10 - size, bytes.length - 10));
  const root = verifier.root();
  verifier.table(root, footer);
  for (const index of [2, 3]) {
    const blocks = verifier.target(root, index);
    const count = blocks < 0 ? 0 : verifier.view.getUint32(blocks, true);
    for (let i = 0; i < count; i++) {
      const offset = verifier.longAt(blocks + 4 + 24 * i);
      if (offset + 8 > bytes.length) throw cut();
      const marked = view.getInt32(offset, true) === -1;
      const start = offset + (marked ? 8 : 4);
      const length = view.getInt32(start - 4, true);
      if (length <= 0 || start + length > bytes.length) throw cut();
      const body = verifyMessage(bytes.subarray(start, start + length));
      if (start + length + body > bytes.length) throw cut();
    }
  }
}
