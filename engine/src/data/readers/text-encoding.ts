/**
 * Texts of any encoding of the Encoding Standard as UTF-8. Where nobody says which it is, a byte order
 * mark does, or the zeros of UTF-16. A text that is ASCII up to its first other byte is of the encoding
 * that this byte and what follows speak for (`encoding/guess.ts`).
 */

import { isAscii, isUtf8 } from "node:buffer";
import { shown } from "../shown.ts";
import { DataError } from "../table.ts";
import { guessEncoding } from "./encoding/guess.ts";

/** A name of the Encoding Standard, as `TextDecoder` gives it. */
export type TextEncoding = string;

export interface FoundEncoding {
  readonly encoding: TextEncoding;
  /** Neither declared nor marked, and neither UTF-8 nor UTF-16. */
  readonly isGuess: boolean;
}

export interface EncodingOptions {
  /** Any label of the Encoding Standard, such as `koi8-r` or `Shift_JIS`; absent = found out. */
  readonly encoding?: string | undefined;
  /** Hears of the encoding once it is known; not at all where the text is ASCII and nobody declared it. */
  readonly onEncoding?: ((found: FoundEncoding) => void) | undefined;
}

/**
 * The standard's name for a label.
 *
 * @throws DataError where it knows none such
 */
export function encodingNamed(label: string): TextEncoding {
  try {
    return new TextDecoder(label).encoding;
  } catch (cause) {
    throw new DataError(
      `${shown(label)} is no encoding that is known. Known are those of the Encoding Standard, such as utf-8, windows-1251, koi8-r, shift_jis, euc-kr, gb18030, big5 and iso-8859-2.`,
      { cause },
    );
  }
}

/** Bytes that are looked at before an encoding is chosen. */
const WINDOW_BYTES = 65_536;

/**
 * The text's chunks as UTF-8, without a byte order mark. UTF-8 is given on as it is: what is broken in
 * it is for its reader to find, who knows the row.
 *
 * @throws DataError where the encoding is not known, or the bytes are not of the one that was declared
 */
export async function* asUtf8(
  source: AsyncIterable<Uint8Array>,
  { encoding: label, onEncoding = () => {} }: EncodingOptions = {},
): AsyncGenerator<Uint8Array> {
  const declared = label === undefined ? null : encodingNamed(label);
  const chunks = source[Symbol.asyncIterator]();
  try {
    let held = await window(chunks, new Uint8Array(0));
    let encoding = markedEncoding(held) ?? declared ?? wideEncoding(held);
    let isGuess = false;
    while (encoding === null) {
      if (isAscii(held)) {
        if (held.length > 0) yield held;
        const next = await chunks.next();
        if (next.done) return;
        held = next.value;
        continue;
      }
      const first = held.findIndex((byte) => byte > 127);
      if (first > 0) yield held.subarray(0, first);
      held = await window(chunks, held.subarray(first));
      isGuess = !speaksForUtf8(held);
      encoding = isGuess ? guessEncoding(held) : "utf-8";
    }
    onEncoding({ encoding, isGuess });
    const decoder = new TextDecoder(encoding, { fatal: declared !== null });
    yield* encoding === "utf-8" ? plain(held, chunks) : decoded(held, chunks, decoder);
  } finally {
    await chunks.return?.(undefined);
  }
}

/** At least a window of bytes, where there are so many. */
async function window(chunks: AsyncIterator<Uint8Array>, start: Uint8Array): Promise<Uint8Array> {
  const parts = [start];
  let size = start.length;
  while (size < WINDOW_BYTES) {
    const next = await chunks.next();
    if (next.done) break;
    parts.push(next.value);
    size += next.value.length;
  }
  return parts.length === 1 ? start : Buffer.concat(parts);
}

/** By its byte order mark. */
export function markedEncoding(head: Uint8Array): TextEncoding | null {
  if (head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf) return "utf-8";
  if (head[0] === 0xff && head[1] === 0xfe) return "utf-16le";
  return head[0] === 0xfe && head[1] === 0xff ? "utf-16be" : null;
}

/** Of the bytes, those that are zero in UTF-16: digits, delimiters and line breaks in any script. */
const WIDE_SHARE = 0.15;
/** Of the other bytes of pairs, those that are zero, for one of the former: U+4E00, U+3000, some emoji. */
const STRAY_SHARE = 0.25;

/** UTF-16 without a mark. */
function wideEncoding(head: Uint8Array): TextEncoding | null {
  const length = Math.min(head.length, WINDOW_BYTES) & ~1;
  let even = 0;
  let odd = 0;
  for (let at = 0; at < length; at += 2) {
    if (head[at] === 0) even++;
    if (head[at + 1] === 0) odd++;
  }
  const some = length * WIDE_SHARE;
  if (odd > some && even < odd * STRAY_SHARE) return "utf-16le";
  return even > some && odd < even * STRAY_SHARE ? "utf-16be" : null;
}

/** Damaged UTF-8 has more characters that are whole; in another encoding hardly any pair is one. */
function speaksForUtf8(bytes: Uint8Array): boolean {
  if (isUtf8(bytes)) return true;
  const text = new TextDecoder("utf-8").decode(bytes, { stream: true });
  let whole = 0;
  let broken = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === 0xfffd) broken++;
    else if (unit > 127) whole++;
  }
  return whole > broken || broken === 0;
}

async function* plain(
  head: Uint8Array,
  rest: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  let text = head;
  // Files that were put behind each other, or saved anew by programs that add one, have several.
  while (markedEncoding(text) === "utf-8") text = text.subarray(3);
  yield text;
  for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value;
}

async function* decoded(
  head: Uint8Array,
  rest: AsyncIterator<Uint8Array>,
  decoder: TextDecoder,
): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  let bytes = 0;
  const text = (chunk?: Uint8Array): Uint8Array => {
    try {
      return encoder.encode(chunk ? decoder.decode(chunk, { stream: true }) : decoder.decode());
    } catch (cause) {
      throw new DataError(
        `The file was said to be ${decoder.encoding}, but has bytes that are none of its characters, behind the first ${bytes}. Leave the encoding out to have it found out.`,
        { cause },
      );
    } finally {
      bytes += chunk?.length ?? 0;
    }
  };
  yield text(head);
  for (let next = await rest.next(); !next.done; next = await rest.next()) yield text(next.value);
  yield text();
}
