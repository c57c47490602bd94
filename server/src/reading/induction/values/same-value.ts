/** Whether two values say the same, however they are written. */

import { isoDuration } from "./iso-duration.ts";
import { nameKey, personKey } from "./name-key.ts";
import type { Normal, ValueKind } from "./value.ts";

/** Of numbers: relative, for what binary fractions do to decimals. */
const TOLERANCE = 1e-9;

/**
 * Dates agree where one says only the month of the other; durations by their length; names without
 * legal form, case and punctuation; texts without case, accents and punctuation.
 */
export function sameValue(kind: ValueKind, a: Normal, b: Normal): boolean {
  if (typeof a === "number" && typeof b === "number") {
    return Math.abs(a - b) <= TOLERANCE * Math.max(1, Math.abs(a), Math.abs(b));
  }
  if (typeof a !== "string" || typeof b !== "string") return a === b;
  if (a === b) return true;
  if (kind === "date") {
    return a.length !== b.length && (a.startsWith(b) || b.startsWith(a)) && a !== "" && b !== "";
  }
  if (kind === "duration") {
    const length = isoDuration(a);
    return length !== null && length === isoDuration(b);
  }
  return comparingKey(kind, a) === comparingKey(kind, b);
}

/** What values of a kind are counted and compared by: equal keys, same value. */
export function comparingKey(kind: ValueKind, value: Normal): string {
  if (typeof value !== "string") return String(value);
  if (kind === "organization") return nameKey(value);
  if (kind === "person") return personKey(value);
  if (kind === "identifier" || kind === "phone")
    return value.replace(/[^\p{L}\p{N}]/gu, "").toUpperCase();
  return plain(value);
}

function plain(text: string): string {
  return text
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
}
