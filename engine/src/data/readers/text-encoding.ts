/**
 * Texts of any common encoding as UTF-8: UTF-8 and UTF-16 with or without a byte order mark, and
 * Windows-1252, which holds ISO 8859-1 (the Encoding Standard reads `latin1` as it, too). A text that
 * is ASCII up to its first other byte is of the encoding that this byte and what follows speak for.
 */

import { isAscii, isUtf8 } from "node:buffer";

export type TextEncoding = "utf-8" | "utf-16le" | "utf-16be" | "windows-1252";

/** Bytes that are looked at before an encoding is chosen. */
const WINDOW_BYTES = 65_536;

/**
 * The text's chunks as UTF-8, without a byte order mark. UTF-8 is given on as it is: what is broken in
 * it is for its reader to find, who knows the row.
 *
 * @param onEncoding hears of the encoding once it is known; not at all where the text is ASCII
 */
export async function* asUtf8(
  source: AsyncIterable<Uint8Array>,
  onEncoding: (encoding: TextEncoding) => void = () => {},
): AsyncGenerator<Uint8Array> {
  const chunks = source[Symbol.asyncIterator]();
  try {
    let held = await window(chunks, new Uint8Array(0));
    let encoding = markedEncoding(held) ?? wideEncoding(held);
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
      encoding = speaksForUtf8(held) ? "utf-8" : "windows-1252";
    }
    onEncoding(encoding);
    yield* encoding === "utf-8" ? plain(held, chunks) : decoded(held, chunks, encoding);
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
function markedEncoding(head: Uint8Array): TextEncoding | null {
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
  encoding: TextEncoding,
): AsyncGenerator<Uint8Array> {
  const decoder = new TextDecoder(encoding);
  const encoder = new TextEncoder();
  yield encoder.encode(decoder.decode(head, { stream: true }));
  for (let next = await rest.next(); !next.done; next = await rest.next()) {
    yield encoder.encode(decoder.decode(next.value, { stream: true }));
  }
  yield encoder.encode(decoder.decode());
}
