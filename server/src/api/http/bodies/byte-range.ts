/** Byte ranges of `Range` headers (RFC 9110 §14): one range; several, and other units, are answered with all. */

import type { ByteRange } from "../../../platform/objects/object-store.ts";

const ONE_RANGE = /^bytes=[ \t]*(?:(\d{1,15})-(\d{0,15})|-(\d{1,15}))[ \t]*$/i;

/**
 * @param bytes that there are
 * @returns null where all are to be sent; "beyond" where the range has none of them (416)
 */
export function rangeOf(
  header: string | undefined,
  bytes: number,
): Required<ByteRange> | "beyond" | null {
  const [match, first, last, suffix] = ONE_RANGE.exec(header ?? "") ?? [];
  if (match === undefined) return null;
  if (suffix !== undefined) {
    const length = Math.min(Number(suffix), bytes);
    return length === 0 ? "beyond" : { offset: bytes - length, length };
  }
  const offset = Number(first);
  const end = last === "" || last === undefined ? bytes : Number(last) + 1;
  if (end <= offset && last !== "") return null;
  return offset >= bytes ? "beyond" : { offset, length: Math.min(end, bytes) - offset };
}
