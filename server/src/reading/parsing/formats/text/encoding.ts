/**
 * Bytes as text: a byte order mark says what they are; else UTF-8 if they are valid in it; else what
 * their words look like, of which only a part is read.
 */

import { isUtf8 } from "node:buffer";
import { guessEncoding, markedEncoding } from "@distillery/engine/csv";

export interface DecodedText {
  readonly text: string;
  /** A label of the WHATWG Encoding Standard. */
  readonly encoding: string;
}

export function decodeText(bytes: Uint8Array): DecodedText {
  const encoding = encodingOf(bytes);
  return { text: new TextDecoder(encoding).decode(bytes), encoding };
}

function encodingOf(bytes: Uint8Array): string {
  return shownEncoding(bytes) ?? (isUtf8(bytes) ? "utf-8" : guessEncoding(bytes));
}

/** Of a byte order mark, or of the zeros that every second byte of Latin text in UTF-16 is. */
export function shownEncoding(bytes: Uint8Array): string | null {
  const marked = markedEncoding(bytes);
  if (marked !== null) return marked;
  const sample = bytes.subarray(0, 512);
  if (sample.length < 8) return null;
  const zeros = [0, 0];
  for (const [index, byte] of sample.entries()) if (byte === 0) zeros[index % 2]! += 1;
  const half = sample.length / 2;
  if (zeros[0]! < 0.05 * half && zeros[1]! > 0.7 * half) return "utf-16le";
  if (zeros[1]! < 0.05 * half && zeros[0]! > 0.7 * half) return "utf-16be";
  return null;
}
