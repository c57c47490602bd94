/**
 * The line of place and day under a letter or over signatures, as most of Europe writes it: `Bremen, den
 * 27.10.2021`, `Fait à Rouen, le 8 septembre 2022`, `En Valencia, a 12 de marzo de 2021`, `Leeds, 3 May 2021`.
 * The place is another in each document, so no words of it can be learned.
 */

import type { DocumentText, PlacedLine } from "../../parsing/document-text.ts";
import type { Finding } from "../inducer.ts";
import type { Conventions } from "../values/value.ts";
import { findingOf } from "./finding.ts";
import { valuesOf } from "./layout.ts";
import type { Target } from "./locator.ts";

const SURENESS = 0.75;
/** Lines that are looked at, from the beginning and from the end. */
const MOST_LINES = 60;
const LONGEST = 110;

const NAME = "\\p{Lu}[\\p{L}\\p{M}'’.-]{1,24}(?: [\\p{L}\\p{M}'’.-]{1,24}){0,4}";
const DAY_WORD = "(?:den|dem|le|lì|li|il|a|el|on|the|op|am|em|aos|dnia|dn\\.|this|día)";
/** `Fait en deux exemplaires à`, `Done at`, `En`. */
const MADE =
  "(?:\\p{Lu}\\p{L}{2,12}(?: \\p{Ll}[\\p{L}\\p{M}]*){0,3} (?:à|at|in|en|te|zu|a|em|w) |(?:In|En|Te|At|A|À|Em|W) )?";
const BEFORE = new RegExp(
  `^\\s*${MADE}(?!(?:${DAY_WORD})(?!\\p{L}))(${NAME})(?:\\s?,\\s*(?:${DAY_WORD}\\s+){0,2}|\\s+(?:den|le|lì|el día)\\s+)$`,
  "u",
);
/** `Montag, den 3. Mai`: a day and no place, in the languages that dates are read in. */
const WEEKDAY =
  /(?:day|tag|woch|abend|di|vendredi|samedi|dimanche|lunes|martes|jueves|viernes|sábado|domingo|dag|feira|ì|sabato|domenica)$/iu;

export function locateDateline(
  { lines }: DocumentText,
  { kind }: Target,
  conventions: Conventions,
): Finding[] {
  if (kind !== "date") return [];
  const ends =
    lines.length <= 2 * MOST_LINES
      ? lines
      : [...lines.slice(0, MOST_LINES), ...lines.slice(-MOST_LINES)];
  return ends.flatMap((line) => dateOf(line, conventions) ?? []);
}

function dateOf(line: PlacedLine, conventions: Conventions): Finding | null {
  if (line.text.length > LONGEST || !/\p{N}/u.test(line.text)) return null;
  for (const span of line.spans) {
    const from = span.start - line.start;
    const value = valuesOf(line, "date", conventions).find(
      ({ start, end }) => start >= from && end <= from + span.text.length,
    );
    if (value === undefined) continue;
    const before = BEFORE.exec(line.text.slice(from, value.start));
    if (before === null || WEEKDAY.test(before[1]!)) continue;
    if (/[\p{L}\p{N}]/u.test(line.text.slice(value.end, from + span.text.length))) continue;
    return findingOf(line, value, SURENESS * value.certainty);
  }
  return null;
}
