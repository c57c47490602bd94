/**
 * Tensors of the Open Inference Protocol v2: as lists in JSON, and as the bytes of its binary extension
 * (little-endian; `BYTES` elements each behind their length as uint32).
 * https://github.com/kserve/open-inference-protocol
 */

export type Cell = string | number | boolean | null;

interface Format {
  /** Of an element; null = each has its own. */
  readonly bytes: number | null;
  read(view: DataView, at: number): Cell;
  write(view: DataView, at: number, value: Cell): void;
  /** Whether a JSON list may hold it. */
  takes(value: unknown): boolean;
}

// JSON has no infinity: one came of a number that no double holds.
const isNumber = (value: unknown): boolean => Number.isFinite(value) || value === null;
// Integers that no double holds come as texts of their digits.
const isInteger = (value: unknown): boolean =>
  Number.isInteger(value) || (typeof value === "string" && /^-?\d+$/.test(value));

const integer = (bytes: number, read: (view: DataView, at: number) => number | bigint): Format => ({
  bytes,
  read: (view, at) => {
    const value = read(view, at);
    const number = Number(value);
    return typeof value === "bigint" && !Number.isSafeInteger(number) ? String(value) : number;
  },
  write: () => {
    throw new RangeError("no answer is made of integers");
  },
  takes: isInteger,
});

const float = (
  bytes: number,
  read: (view: DataView, at: number) => number,
  write: (view: DataView, at: number, value: number) => void,
): Format => ({
  bytes,
  read: (view, at) => {
    const value = read(view, at);
    return Number.isNaN(value) ? null : value;
  },
  write: (view, at, value) => write(view, at, value === null ? Number.NaN : Number(value)),
  takes: isNumber,
});

const FORMATS = {
  BOOL: {
    bytes: 1,
    read: (view, at) => view.getUint8(at) !== 0,
    write: (view, at, value) => view.setUint8(at, value ? 1 : 0),
    takes: (value) => typeof value === "boolean" || value === null,
  },
  UINT8: integer(1, (view, at) => view.getUint8(at)),
  UINT16: integer(2, (view, at) => view.getUint16(at, true)),
  UINT32: integer(4, (view, at) => view.getUint32(at, true)),
  UINT64: integer(8, (view, at) => view.getBigUint64(at, true)),
  INT8: integer(1, (view, at) => view.getInt8(at)),
  INT16: integer(2, (view, at) => view.getInt16(at, true)),
  INT32: integer(4, (view, at) => view.getInt32(at, true)),
  INT64: integer(8, (view, at) => view.getBigInt64(at, true)),
  FP32: float(
    4,
    (view, at) => view.getFloat32(at, true),
    (view, at, value) => view.setFloat32(at, value, true),
  ),
  FP64: float(
    8,
    (view, at) => view.getFloat64(at, true),
    (view, at, value) => view.setFloat64(at, value, true),
  ),
  BYTES: {
    bytes: null,
    read: () => null,
    write: () => undefined,
    takes: (value) => typeof value === "string" || value === null,
  },
} as const satisfies Record<string, Format>;

export type Datatype = keyof typeof FORMATS;
export const DATATYPES = Object.keys(FORMATS) as Datatype[];

/** A tensor that cannot be read; the message says what would be right. */
export class TensorError extends Error {
  override readonly name = "TensorError";
}

/**
 * The elements of a tensor's bytes, in row-major order. NaN is a missing cell; what an empty `BYTES` element is,
 * the model knows.
 *
 * @throws TensorError
 */
export function readTensor(datatype: Datatype, bytes: Uint8Array, count: number): Cell[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const format: Format = FORMATS[datatype];
  if (format.bytes === null) return readTexts(bytes, view, count);
  const size = format.bytes;
  if (bytes.byteLength !== count * size) {
    throw new TensorError(
      `${count} elements of ${datatype} are ${count * size} bytes, not ${bytes.byteLength}`,
    );
  }
  return Array.from({ length: count }, (_, at) => format.read(view, at * size));
}

function readTexts(bytes: Uint8Array, view: DataView, count: number): Cell[] {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  const cells: Cell[] = [];
  let at = 0;
  for (let element = 0; element < count; element++) {
    const end = at + 4 <= bytes.byteLength ? at + 4 + view.getUint32(at, true) : Infinity;
    if (end > bytes.byteLength) {
      throw new TensorError(`the bytes end within element ${element} of ${count}`);
    }
    try {
      cells.push(decoder.decode(bytes.subarray(at + 4, end)));
    } catch {
      throw new TensorError(`element ${element} is not valid UTF-8`);
    }
    at = end;
  }
  if (at !== bytes.byteLength) {
    throw new TensorError(`${count} elements end at byte ${at}, and there are ${bytes.byteLength}`);
  }
  return cells;
}

/**
 * The elements of a tensor's list, which may be nested as its shape is.
 *
 * @throws TensorError
 */
export function readList(datatype: Datatype, data: readonly unknown[], count: number): Cell[] {
  const cells: Cell[] = [];
  const { takes }: Format = FORMATS[datatype];
  const add = (list: readonly unknown[]): void => {
    for (const value of list) {
      if (Array.isArray(value)) add(value);
      else if (takes(value)) cells.push(value as Cell);
      else throw new TensorError(`element ${cells.length} is no ${datatype}`);
    }
  };
  add(data);
  if (cells.length === count) return cells;
  throw new TensorError(`there are ${cells.length} elements, and the shape has ${count}`);
}

/** The bytes of elements. */
export function writeTensor(datatype: Datatype, cells: readonly Cell[]): Uint8Array {
  const format: Format = FORMATS[datatype];
  if (format.bytes === null) {
    return Buffer.concat(
      cells.flatMap((cell) => {
        const text = Buffer.from(String(cell ?? ""));
        const length = Buffer.alloc(4);
        length.writeUInt32LE(text.length);
        return [length, text];
      }),
    );
  }
  const bytes = new Uint8Array(cells.length * format.bytes);
  const view = new DataView(bytes.buffer);
  for (const [at, cell] of cells.entries()) format.write(view, at * format.bytes, cell);
  return bytes;
}
