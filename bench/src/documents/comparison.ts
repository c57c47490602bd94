/**
 * Whether an answer is the gold value: exact after both are brought to one form, and no nearer. Dates
 * as ISO, amounts as numbers to the cent, durations by their length, names and addresses without
 * case, space and punctuation.
 */

import { read } from "../../../server/src/reading/induction/values/kinds.ts";
import { sameValue } from "../../../server/src/reading/induction/values/same-value.ts";
import {
  type Conventions,
  NEUTRAL_CONVENTIONS,
} from "../../../server/src/reading/induction/values/value.ts";

export type GoldKind =
  | "date"
  | "month-first-date"
  | "amount"
  | "letters"
  | "place"
  | "duration"
  | "names"
  | "yes-no";

export function isSame(kind: GoldKind, answer: unknown, gold: string): boolean {
  switch (kind) {
    case "date":
      return answer === isoDate(gold, NEUTRAL_CONVENTIONS);
    case "month-first-date":
      return answer === isoDate(gold, { ...NEUTRAL_CONVENTIONS, dayFirst: false });
    case "amount":
      return typeof answer === "number" && Math.abs(answer - amount(gold)) < 0.005;
    case "duration":
      return typeof answer === "string" && sameValue("duration", answer, isoLength(gold) ?? gold);
    case "place":
      return letters(placeName(String(answer))) === letters(placeName(gold));
    case "names":
      return sameNames(String(answer), gold);
    case "yes-no":
      return answer === (gold === "Yes");
    case "letters":
      return letters(String(answer)) === letters(gold);
  }
}

function isoDate(written: string, conventions: Conventions): string | null {
  if (/^\d{4}-\d{2}-\d{2}$/.test(written)) return written;
  const value = read("date", written, conventions);
  return typeof value?.normal === "string" ? value.normal : null;
}

function amount(written: string): number {
  return Number(written.replace(/[^\d.-]/g, ""));
}

function isoLength(written: string): string | null {
  const value = read("duration", written, NEUTRAL_CONVENTIONS);
  return typeof value?.normal === "string" ? value.normal : null;
}

export function letters(text: string): string {
  return text
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "");
}

/** `the State of Delaware` is Delaware. */
function placeName(text: string): string {
  return text.replace(/^(?:the )?(?:state|commonwealth|province) of /i, "");
}

/** As sets, whatever the legal form. */
function sameNames(answer: string, gold: string): boolean {
  const [given, wanted] = [answer, gold].map((text) => text.split("; "));
  const within = (names: readonly string[], name: string): boolean =>
    names.some((other) => sameValue("organization", other, name));
  return (
    wanted!.every((name) => within(given!, name)) && given!.every((name) => within(wanted!, name))
  );
}
