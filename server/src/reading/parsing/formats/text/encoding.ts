/**
 * Bytes as text: a byte order mark says what they are; else UTF-8 if they are valid in it; else what
 * their frequencies look like (chardet), of which only a part is read.
 */

import { isUtf8 } from "node:buffer";
import { analyse } from "chardet";

/** Bytes that the guess is made from. */
const SAMPLE_BYTES = 64 << 10;

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
  return markedEncoding(bytes) ?? (isUtf8(bytes) ? "utf-8" : guessedEncoding(bytes));
}

/** Of a byte order mark, or of the zeros that every second byte of Latin text in UTF-16 is. */
export function markedEncoding(bytes: Uint8Array): string | null {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return "utf-8";
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return "utf-16le";
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return "utf-16be";
  const sample = bytes.subarray(0, 512);
  if (sample.length < 8) return null;
  const zeros = [0, 0];
  for (const [index, byte] of sample.entries()) if (byte === 0) zeros[index % 2]! += 1;
  const half = sample.length / 2;
  if (zeros[0]! < 0.05 * half && zeros[1]! > 0.7 * half) return "utf-16le";
  if (zeros[1]! < 0.05 * half && zeros[0]! > 0.7 * half) return "utf-16be";
  return null;
}

/** Guesses that are taken, with the standard's name for them; Latin-1 is never meant to the letter. */
const GUESSES: ReadonlyMap<string, string> = new Map([
  ["ISO-8859-1", "windows-1252"],
  ["ISO-8859-2", "iso-8859-2"],
  ["ISO-8859-5", "iso-8859-5"],
  ["ISO-8859-6", "iso-8859-6"],
  ["ISO-8859-7", "iso-8859-7"],
  ["ISO-8859-8", "iso-8859-8"],
  ["ISO-8859-9", "windows-1254"],
  ["windows-1250", "windows-1250"],
  ["windows-1251", "windows-1251"],
  ["windows-1252", "windows-1252"],
  ["windows-1253", "windows-1253"],
  ["windows-1254", "windows-1254"],
  ["windows-1255", "windows-1255"],
  ["windows-1256", "windows-1256"],
  ["KOI8-R", "koi8-r"],
  ["Shift_JIS", "shift_jis"],
  ["EUC-JP", "euc-jp"],
  ["EUC-KR", "euc-kr"],
  ["GB18030", "gb18030"],
  ["Big5", "big5"],
]);

/** The likeliest guess, unless words have signs in them with it, and fewer with another. */
function guessedEncoding(bytes: Uint8Array): string {
  const sample = sampleOf(bytes);
  let best = "windows-1252";
  let fewest = Number.POSITIVE_INFINITY;
  for (const { name } of analyse(sample)) {
    const encoding = GUESSES.get(name);
    if (encoding === undefined) continue;
    const signs = signsInWords(new TextDecoder(encoding).decode(sample));
    if (signs < fewest) [best, fewest] = [encoding, signs];
    if (fewest === 0) break;
  }
  return best;
}

/**
 * What no language writes: a sign between two letters, or before a word's small first letter, and a
 * byte that no character is. Few letters of Polish or Croatian are told from Latin-1 by their frequency.
 */
const SIGN_IN_WORD =
  /(?<=\p{L})[¡-©¬®-´¶¸¹»-¿×÷](?=\p{L})|(?<![\p{L}\p{N}])[¢-©¬®-±´¶¸¹¾×÷](?=\p{Ll})|\ufffd/gu;

const signsInWords = (text: string): number => text.match(SIGN_IN_WORD)?.length ?? 0;

/** From a little before the first byte that is not ASCII. */
function sampleOf(bytes: Uint8Array): Uint8Array {
  let first = 0;
  while (first < bytes.length && bytes[first]! < 0x80) first += 1;
  const start = Math.max(0, first - 1024);
  return bytes.subarray(start, start + SAMPLE_BYTES);
}
