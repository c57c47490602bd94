/** A text that is a value and nothing else: what a person gives as an answer, of which no word may be lost. */

import { read } from "./kinds.ts";
import type { Conventions, TypedValue, ValueKind } from "./value.ts";

/** Beside a day: it takes nothing from it. */
const BESIDE_DATE =
  /^T(?=\d)|\d{1,2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?: ?[ap]\.?m\.?)?|(?<![\p{L}])(?:gmt|utc|z|(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?)(?!\p{L})|[+-]\d{2}:?\d{2}$/giu;

/** Letters, digits, and marks that say something: a sign of a currency, a minus, a parenthesis. */
const SAYS_MORE = /[\p{L}\p{N}\p{S}()−–-]/u;

/**
 * The value that the text is, as `read` reads it where a document is pointed at; null where something
 * stands beside it, as an unknown currency beside an amount, or a second date.
 */
export function readWhole(
  kind: ValueKind,
  text: string,
  conventions: Conventions,
): TypedValue | null {
  const value = read(kind, text, conventions);
  if (value === null) return null;
  const beside = [text.slice(0, value.start), text.slice(value.end)].map((rest) =>
    kind === "date" ? rest.replace(BESIDE_DATE, "") : rest,
  );
  return beside.some((rest) => SAYS_MORE.test(rest)) ? null : value;
}

/** As `readWhole`; the unit is that which is written, and not what goes without saying. */
export function readWholeAsWritten(
  kind: ValueKind,
  text: string,
  conventions: Conventions,
): TypedValue | null {
  const value = readWhole(kind, text, conventions);
  if (kind !== "money" || value === null) return value;
  const isWritten = (read(kind, text, { ...conventions, currency: null })?.unit ?? null) !== null;
  return isWritten ? value : { ...value, unit: null };
}
