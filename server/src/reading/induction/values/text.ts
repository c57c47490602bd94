/** Tidied text: what is left where a value is of no stricter kind. */

import { type Kind, typedValue } from "./kind.ts";
import type { TypedValue } from "./value.ts";

/** Longer passages are cut at a word: a value of a row is no chapter. */
const LONGEST = 2_000;

/** One space for any run of white space, no marks at the ends that belong to a label or a list. */
export function tidied(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

/** Offsets of what remains without white space, colons, stars and rules at the ends. */
export function trimmedExtent(text: string): readonly [number, number] {
  let start = 0;
  let end = text.length;
  while (start < end && /[\s:;,*|_=~•·–—-]/.test(text[start]!)) start += 1;
  while (end > start && /[\s:;,*|_=~•·–—-]/.test(text[end - 1]!)) end -= 1;
  return [start, end];
}

function read(text: string): TypedValue | null {
  const [start, trimmedEnd] = trimmedExtent(text);
  let end = trimmedEnd;
  if (end - start > LONGEST) {
    const space = text.lastIndexOf(" ", start + LONGEST);
    end = space > start ? space : start + LONGEST;
  }
  if (!/[\p{L}\p{N}]/u.test(text.slice(start, end))) return null;
  return typedValue("text", start, end, tidied(text.slice(start, end)), 0.5);
}

export const TEXT: Kind = { find: () => [], read };
