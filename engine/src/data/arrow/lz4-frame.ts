/**
 * LZ4 frames (the LZ4 project's "Frame Format" 1.6 and "Block Format"), as Arrow compresses its buffers
 * with them. Checksums are passed over: a frame that decodes to another size is refused.
 */

import { ArrowFileError } from "./file-error.ts";

const MAGIC = 0x184d2204;
const VERSION = 1;
const MIN_MATCH = 4;
const UNCOMPRESSED = 0x8000_0000;

/**
 * @param length of what the frame holds, which Arrow writes before it
 * @throws ArrowFileError
 */
export function decompressLz4Frame(source: Uint8Array, length: number): Uint8Array {
  // A byte of a block stands for 255 at most.
  if (length > 255 * source.length) throw damaged("unpacks to fewer bytes than it declares");
  const target = new Uint8Array(length);
  const view = new DataView(source.buffer, source.byteOffset, source.byteLength);
  let at = 0;
  const need = (bytes: number) => {
    if (at + bytes > source.length) throw damaged("ends early");
  };
  need(7);
  if (view.getUint32(0, true) !== MAGIC) throw damaged("does not begin with an LZ4 frame header");
  const flags = view.getUint8(4);
  if (flags >> 6 !== VERSION) throw damaged("has an unknown version");
  const hasBlockChecksum = (flags & 16) !== 0;
  const contentSizeBytes = (flags & 8) !== 0 ? 8 : 0;
  if ((flags & 1) !== 0) throw damaged("needs a dictionary, which is not supported");
  at = 6 + contentSizeBytes + 1;
  let filled = 0;
  for (;;) {
    need(4);
    const size = view.getUint32(at, true);
    at += 4;
    if (size === 0) break;
    const bytes = size % UNCOMPRESSED;
    need(bytes + (hasBlockChecksum ? 4 : 0));
    const block = source.subarray(at, at + bytes);
    if (size >= UNCOMPRESSED) {
      if (filled + bytes > length) throw damaged("unpacks to more bytes than it declares");
      target.set(block, filled);
      filled += bytes;
    } else filled = decompressBlock(block, target, filled);
    at += bytes + (hasBlockChecksum ? 4 : 0);
  }
  if (filled !== length) throw damaged("unpacks to fewer bytes than it declares");
  return target;
}

/** Sequences of literals and of matches with what is already there. */
function decompressBlock(source: Uint8Array, target: Uint8Array, start: number): number {
  let at = 0;
  let filled = start;
  const longLength = (first: number): number => {
    let length = first;
    if (first === 15) {
      let byte: number;
      do {
        if (at >= source.length) throw damaged("ends early");
        byte = source[at++]!;
        length += byte;
      } while (byte === 255);
    }
    return length;
  };
  while (at < source.length) {
    const token = source[at++]!;
    const literals = longLength(token >> 4);
    if (at + literals > source.length) throw damaged("ends early");
    if (filled + literals > target.length) throw damaged("unpacks to more bytes than it declares");
    copyLiterals(source, at, target, filled, literals);
    at += literals;
    filled += literals;
    // The last sequence has no match.
    if (at === source.length) break;
    if (at + 2 > source.length) throw damaged("ends early");
    const offset = source[at]! | (source[at + 1]! << 8);
    at += 2;
    const length = longLength(token & 15) + MIN_MATCH;
    if (offset === 0 || offset > filled) throw damaged("refers to bytes before its beginning");
    if (filled + length > target.length) throw damaged("unpacks to more bytes than it declares");
    copyMatch(target, filled, offset, length);
    filled += length;
  }
  return filled;
}

/** Below this many bytes a loop is faster than a call that copies. */
const SHORT = 48;

function copyLiterals(
  source: Uint8Array,
  at: number,
  target: Uint8Array,
  filled: number,
  length: number,
): void {
  if (length < SHORT) for (let i = 0; i < length; i++) target[filled + i] = source[at + i]!;
  else target.set(source.subarray(at, at + length), filled);
}

/** A match may overlap what it makes: it then repeats its last bytes. */
function copyMatch(target: Uint8Array, filled: number, offset: number, length: number): void {
  const from = filled - offset;
  if (offset >= length && length >= SHORT) target.copyWithin(filled, from, from + length);
  else for (let i = 0; i < length; i++) target[filled + i] = target[from + i]!;
}

function damaged(how: string): ArrowFileError {
  return new ArrowFileError(`a compressed buffer ${how} (LZ4)`);
}
