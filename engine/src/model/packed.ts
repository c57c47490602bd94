/**
 * One fitted model as one file: a JSON header and named tensors, little-endian, 16-byte aligned.
 *
 *     "DSTM" | u32 format version | u32 length of the directory | directory (JSON, UTF-8) | tensors
 *
 * Equal models give equal bytes: keys and tensors are written in the order they come.
 */

import type { SavedModel, TensorArray } from "../families/family.ts";
import { ModelFormatError } from "./model-format-error.ts";

const MAGIC = 0x4d545344;
const PACKED_VERSION = 1;
const ALIGNMENT = 16;

const CONSTRUCTORS = {
  f64: Float64Array,
  f32: Float32Array,
  i32: Int32Array,
  u32: Uint32Array,
  u16: Uint16Array,
  u8: Uint8Array,
} as const;

type ElementType = keyof typeof CONSTRUCTORS;

interface TensorEntry {
  readonly name: string;
  readonly type: ElementType;
  readonly length: number;
  readonly offset: number;
}

function elementType(tensor: TensorArray): ElementType {
  if (tensor instanceof Float64Array) return "f64";
  if (tensor instanceof Float32Array) return "f32";
  if (tensor instanceof Int32Array) return "i32";
  if (tensor instanceof Uint32Array) return "u32";
  if (tensor instanceof Uint16Array) return "u16";
  return "u8";
}

const align = (bytes: number): number => Math.ceil(bytes / ALIGNMENT) * ALIGNMENT;

export function packModel(saved: SavedModel): Uint8Array<ArrayBuffer> {
  const entries: TensorEntry[] = [];
  let offset = 0;
  for (const [name, tensor] of Object.entries(saved.tensors)) {
    entries.push({ name, type: elementType(tensor), length: tensor.length, offset });
    offset = align(offset + tensor.byteLength);
  }
  const directory = new TextEncoder().encode(
    JSON.stringify({ header: saved.header, tensors: entries, bytes: offset }),
  );
  const start = align(12 + directory.length);
  const bytes = new Uint8Array(start + offset);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, MAGIC, true);
  view.setUint32(4, PACKED_VERSION, true);
  view.setUint32(8, directory.length, true);
  bytes.set(directory, 12);
  for (const entry of entries) {
    const tensor = saved.tensors[entry.name];
    bytes.set(
      new Uint8Array(tensor.buffer, tensor.byteOffset, tensor.byteLength),
      start + entry.offset,
    );
  }
  return bytes;
}

/** @throws {ModelFormatError} naming `file` and what is wrong with it */
export function unpackModel(bytes: Uint8Array, file: string): SavedModel {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < 12 || view.getUint32(0, true) !== MAGIC) {
    throw new ModelFormatError(`${file} is not a Distillery tensor file.`);
  }
  const version = view.getUint32(4, true);
  if (version > PACKED_VERSION) {
    throw new ModelFormatError(
      `${file} has format ${version}; this version reads formats up to ${PACKED_VERSION}. Update Distillery to load it.`,
    );
  }
  const length = view.getUint32(8, true);
  if (12 + length > bytes.length) throw new ModelFormatError(`${file} is cut short.`);
  const directory = parseDirectory(bytes.subarray(12, 12 + length), file);
  const start = align(12 + length);
  if (start + directory.bytes !== bytes.length) {
    throw new ModelFormatError(
      `${file} has ${bytes.length} bytes where its header says ${start + directory.bytes}; it is damaged.`,
    );
  }
  const tensors: Record<string, TensorArray> = Object.create(null);
  for (const entry of directory.tensors) {
    const TypedArray = CONSTRUCTORS[entry.type];
    const from = start + entry.offset;
    const size = entry.length * TypedArray.BYTES_PER_ELEMENT;
    if (from + size > bytes.length) throw new ModelFormatError(`${file} is damaged.`);
    // Copied, since the file's bytes may not be aligned, nor alone in their buffer.
    const copy = new Uint8Array(size);
    copy.set(bytes.subarray(from, from + size));
    tensors[entry.name] = new TypedArray(copy.buffer);
  }
  return { header: directory.header, tensors };
}

interface Directory {
  readonly header: unknown;
  readonly tensors: readonly TensorEntry[];
  readonly bytes: number;
}

function parseDirectory(bytes: Uint8Array, file: string): Directory {
  let parsed: unknown;
  try {
    parsed = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (cause) {
    throw new ModelFormatError(`${file} has an unreadable header; it is damaged.`, { cause });
  }
  if (!isDirectory(parsed)) throw new ModelFormatError(`${file} has a damaged header.`);
  return parsed;
}

const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 0;

function isDirectory(value: unknown): value is Directory {
  if (typeof value !== "object" || value === null) return false;
  if (!("tensors" in value && "bytes" in value && "header" in value)) return false;
  return (
    isCount(value.bytes) &&
    Array.isArray(value.tensors) &&
    value.tensors.every(
      (entry: Partial<TensorEntry> | null) =>
        entry !== null &&
        typeof entry.name === "string" &&
        typeof entry.type === "string" &&
        Object.hasOwn(CONSTRUCTORS, entry.type) &&
        isCount(entry.length) &&
        isCount(entry.offset),
    )
  );
}
