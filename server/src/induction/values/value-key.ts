/** Values as keys: equal for values that mean the same, whatever their case and punctuation. */

import type { Normal } from "./value.ts";

export function valueKey(value: Normal): string {
  if (typeof value !== "string") return String(value);
  const words = value
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
  return words === "" ? value : words;
}
