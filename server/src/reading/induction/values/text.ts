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
  // The sign of a figure is its own.
  if (text[start - 1] === "-" && /\d/.test(text[start] ?? "") && !/\S/.test(text[start - 2] ?? " "))
    start -= 1;
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
  const written = text.slice(start, end);
  if (!/[\p{L}\p{N}]/u.test(written)) return null;
  const time = timeOfDay(written);
  if (time !== null) return typedValue("text", start, start + time.length, time.normal, 0.6);
  return typedValue("text", start, end, tidied(text.slice(start, end)), 0.5);
}

/** `16:05 Uhr`, `16 h 05`, `4:05 p.m.` and nothing else. */
const TIME =
  /^((\d{1,2})(?::| ?[hH] ?)(\d{2}))(?: ?(?:(h|hrs?|hours|uhr|uur|heures|horas|ore|o['’]clock)|([ap])\.? ?m)\.?)?$/iu;

/** As `HH:MM`, with how many characters say it; null where the text is something else. */
function timeOfDay(text: string): { readonly normal: string; readonly length: number } | null {
  const match = TIME.exec(text);
  if (match === null) return null;
  const [whole, digits, hour, minute, , half] = match;
  const written = Number(hour);
  if (written > (half === undefined ? 24 : 12) || Number(minute) > 59) return null;
  const hours =
    half === undefined ? written : (written % 12) + (half.toLowerCase() === "p" ? 12 : 0);
  const normal = `${String(hours).padStart(2, "0")}:${minute!}`;
  return { normal, length: half === undefined ? digits!.length : whole.length };
}

export const TEXT: Kind = { find: () => [], read };
