/**
 * Reads files out of a zip (APPNOTE.TXT 6.3.10): stored and deflated ones, by the directory at its end. What
 * is inflated is bounded before it is, by the sizes that the model lists, and never beyond them.
 */

import type { ReadModelFile } from "../../src/model/load.ts";
import { ModelFormatError } from "../../src/model/model-format-error.ts";
import { crc32 } from "./crc32.ts";
import { inflating } from "./inflating.ts";

const END = { signature: 0x06054b50, bytes: 22 };
const ENTRY = { signature: 0x02014b50, bytes: 46 };
const LOCAL = { signature: 0x04034b50, bytes: 30 };
/** A comment behind the end of a zip is no longer. */
const MOST_COMMENT = 0xffff;
const STORED = 0;
const DEFLATED = 8;
const ENCRYPTED = 1;
/** Zip64 says so in place of a number; a model has neither as many files nor as many bytes. */
const BEYOND = 0xffffffff;

/** A card with long lists is a few MiB. */
const MOST_DOCUMENT_BYTES = 64 * 2 ** 20;
const DOCUMENT = "model.json";
const FOLDER = "model/";

interface Entry {
  readonly method: number;
  readonly isEncrypted: boolean;
  readonly crc: number;
  readonly packed: number;
  readonly bytes: number;
  readonly at: number;
}

/** @throws {ModelFormatError} for what is no zip, or holds no model */
export function archiveFiles(archive: Uint8Array): ReadModelFile {
  const entries = directoryOf(archive);
  const folder = ["", FOLDER].find((each) => entries.has(each + DOCUMENT));
  if (folder === undefined) {
    throw new ModelFormatError(
      `The archive holds no ${DOCUMENT}, neither at its root nor in ${FOLDER}.`,
    );
  }
  return async (path, listed) => {
    const entry = entries.get(folder + path);
    if (entry === undefined) throw new ModelFormatError(`The archive has no ${path}.`);
    return contents(archive, path, entry, listed ?? null);
  };
}

const viewOf = (bytes: Uint8Array): DataView =>
  new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

const damaged = (what: string): ModelFormatError =>
  new ModelFormatError(`The archive is damaged: ${what}.`);

function directoryOf(archive: Uint8Array): ReadonlyMap<string, Entry> {
  const view = viewOf(archive);
  const end = endOf(view);
  const count = view.getUint16(end + 10, true);
  const entries = new Map<string, Entry>();
  let at = view.getUint32(end + 16, true);
  const decoder = new TextDecoder();
  for (let i = 0; i < count; i++) {
    if (at + ENTRY.bytes > end || view.getUint32(at, true) !== ENTRY.signature) {
      throw damaged("its directory is cut short");
    }
    const [name, extra, comment] = [28, 30, 32].map((place) => view.getUint16(at + place, true));
    const from = at + ENTRY.bytes;
    const next = from + name + extra + comment;
    if (next > end) throw damaged("its directory is cut short");
    entries.set(decoder.decode(archive.subarray(from, from + name)), {
      isEncrypted: (view.getUint16(at + 8, true) & ENCRYPTED) !== 0,
      method: view.getUint16(at + 10, true),
      crc: view.getUint32(at + 16, true),
      packed: view.getUint32(at + 20, true),
      bytes: view.getUint32(at + 24, true),
      at: view.getUint32(at + 42, true),
    });
    at = next;
  }
  return entries;
}

/** Place of the record at the end: the last that the bytes behind it are the comment of. */
function endOf(view: DataView): number {
  const last = view.byteLength - END.bytes;
  for (let at = last; at >= Math.max(0, last - MOST_COMMENT); at--) {
    if (view.getUint32(at, true) !== END.signature) continue;
    if (view.getUint16(at + 20, true) === last - at) return at;
  }
  throw new ModelFormatError("This is no model archive: it is not a zip.");
}

/** @param listed by `model.json`; null of that itself */
async function contents(
  archive: Uint8Array,
  path: string,
  entry: Entry,
  listed: number | null,
): Promise<Uint8Array> {
  const { method, bytes, packed, at, crc } = entry;
  if (entry.isEncrypted) throw new ModelFormatError(`${path} is encrypted in the archive.`);
  if (method !== STORED && method !== DEFLATED) {
    throw new ModelFormatError(
      `${path} is packed by method ${method} in the archive; stored and deflated files are read.`,
    );
  }
  if ([bytes, packed, at].includes(BEYOND)) {
    throw new ModelFormatError(`${path} is a zip64 entry, which models do not need.`);
  }
  if (listed === null ? bytes > MOST_DOCUMENT_BYTES : bytes !== listed) {
    const most = listed === null ? `at most ${MOST_DOCUMENT_BYTES}` : `${listed}`;
    throw new ModelFormatError(
      `${path} is damaged: the archive has ${bytes} bytes of it, where there should be ${most}.`,
    );
  }
  const view = viewOf(archive);
  if (at + LOCAL.bytes > archive.length || view.getUint32(at, true) !== LOCAL.signature) {
    throw damaged(`${path} is not where its directory says`);
  }
  const from = at + LOCAL.bytes + view.getUint16(at + 26, true) + view.getUint16(at + 28, true);
  if (from + packed > archive.length) throw damaged(`${path} is cut short`);
  const raw = archive.subarray(from, from + packed);
  const read = method === STORED ? raw : await inflated(raw, bytes, path);
  if (read.length !== bytes || crc32(read) !== crc) {
    throw new ModelFormatError(`${path} is damaged: its checksum is another.`);
  }
  return read;
}

/** Deflated bytes become at most so many times as many (RFC 1951, §3.2.5: 258 by two bits). */
const MOST_INFLATION = 1032;

/** Never more than `bytes`. */
async function inflated(raw: Uint8Array, bytes: number, path: string): Promise<Uint8Array> {
  // Memory is taken for what can come, not for what the archive says of itself.
  if (bytes > raw.length * MOST_INFLATION) {
    throw new ModelFormatError(
      `${path} is damaged: ${raw.length} bytes cannot inflate to the ${bytes} that the archive says.`,
    );
  }
  const out = new Uint8Array(bytes);
  let length = 0;
  const reader = inflating(raw).getReader();
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      if (length + part.value.length > bytes) {
        await reader.cancel();
        throw new ModelFormatError(
          `${path} is damaged: it inflates to more than the ${bytes} bytes that the archive says.`,
        );
      }
      out.set(part.value, length);
      length += part.value.length;
    }
  } catch (cause) {
    if (cause instanceof ModelFormatError) throw cause;
    throw new ModelFormatError(`${path} is damaged: it cannot be inflated.`, { cause });
  }
  return out.subarray(0, length);
}
