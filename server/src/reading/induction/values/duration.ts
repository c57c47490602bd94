/** Durations in ISO 8601: two (2) years is P2Y, 18 months P18M, 2 years and 6 months P2Y6M. */

import { type Kind, typedValue, withoutOverlaps } from "./kind.ts";
import { NUMBER_WORDS_BEFORE_UNITS, numberOfWords } from "./number-words.ts";
import { parseNumeral } from "./numeral.ts";
import { readByFinding } from "./pointed-at.ts";
import type { Conventions, TypedValue } from "./value.ts";

/** By the designator of ISO 8601; `T` marks a part of a day. */
const UNITS: Readonly<Record<string, string>> = {
  Y: "years|year|yrs|yr|jahren|jahre|jahr|années|année|ans|an|jaren|jaar|años|año|anni|anno|anos|ano|lata|lat|rok|roku|tahun",
  M: "months|month|mos|monaten|monate|monat|mois|maanden|maand|meses|mes|mesi|mese|mês|miesięcy|miesiące|miesiąc|bulan",
  W: "weeks|week|wks|wk|wochen|woche|semaines|semaine|weken|semanas|semana|settimane|settimana|tygodni|tygodnie|tydzień|minggu",
  D: "days|day|tagen|tage|tag|jours|jour|dagen|dag|días|día|giorni|giorno|dias|dia|dni|dzień|hari",
  TH: "hours|hour|hrs|hr|stunden|stunde|heures|heure|uren|uur|horas|hora|ore|ora|godzin|godziny|jam",
  TM: "minutes|minute|mins|min|minuten|minuut|minutos|minuto|minuti|minut",
};
const DESIGNATOR: ReadonlyMap<string, string> = new Map(
  Object.entries(UNITS).flatMap(([unit, words]) =>
    words.split("|").map((word) => [word, unit] as const),
  ),
);
const UNIT = [...DESIGNATOR.keys()]
  .sort((a, b) => b.length - a.length || (a < b ? -1 : 1))
  .join("|");
/** Which day is counted: calendar, business. */
const QUALIFIER =
  "(?:(?:full|calendar|business|working|consecutive|complete|whole|additional|successive)[ \\n]{1,2}){0,2}";
const AMOUNT = `(?:(${NUMBER_WORDS_BEFORE_UNITS})[ \\n]{0,2}\\([ ]?(\\d{1,4})[ ]?\\)|(\\d{1,4}(?:[.,]\\d{1,2})?)[ \\n]{0,2}\\([ ]?[\\p{L} -]{2,20}\\)|(\\d{1,4}(?:[.,]\\d{1,2})?)|(${NUMBER_WORDS_BEFORE_UNITS}))`;
const ONE = `${AMOUNT}[-‑ \\n]{0,2}\\(?${QUALIFIER}(${UNIT})\\)?(?:['’]s?)?(?![\\p{L}\\d]|[- ]old|[ ]of[ ]age)`;
const DURATION = new RegExp(`(?<![\\p{L}\\d$€£]|\\d[.,:/-])${ONE}`, "giu");
const JOINT = /^(?:[ \n]{1,2}|,[ \n]{1,2})?(?:and[ \n]|und |et |en |y |e )?$/i;

interface Part {
  readonly start: number;
  readonly end: number;
  readonly amount: number;
  readonly unit: string;
  readonly isSure: boolean;
}

const ORDER = ["Y", "M", "W", "D", "TH", "TM"];

function find(text: string, conventions: Conventions): TypedValue[] {
  const parts: Part[] = [];
  for (const match of text.matchAll(DURATION)) {
    const [whole, words, inParentheses, before, digits, wordsAlone, unit] = match;
    const numeral = inParentheses ?? before ?? digits;
    const amount =
      numeral === undefined
        ? numberOfWords((words ?? wordsAlone)!)
        : parseNumeral(numeral, conventions.decimalComma);
    const designator = DESIGNATOR.get(unit!.toLowerCase());
    if (amount === null || amount === 0 || designator === undefined) continue;
    // 2300 HRS is a time of day; 5.95 / hour are two lines.
    if (designator === "TH" && /^\d{4}$/.test(numeral ?? "")) continue;
    if (/[.,]/.test(numeral ?? "") && whole.includes("\n")) continue;
    const isClosed = whole.endsWith(")") && !whole.slice(whole.lastIndexOf(unit!)).includes("(");
    const isOpen = /\([^()]*$/.test(whole.slice(0, -1));
    const end = match.index + whole.length - (isClosed && !isOpen ? 1 : 0);
    const isSure = unit!.length > 2;
    parts.push({ start: match.index, end, amount, unit: designator, isSure });
  }
  return withoutOverlaps(joined(text, parts));
}

/** Parts that follow each other from longer to shorter units are one duration. */
function joined(text: string, parts: readonly Part[]): TypedValue[] {
  const found: TypedValue[] = [];
  for (let index = 0; index < parts.length; index++) {
    const run = [parts[index]!];
    while (index + 1 < parts.length) {
      const next = parts[index + 1]!;
      const last = run.at(-1)!;
      const isLesser = ORDER.indexOf(next.unit) > ORDER.indexOf(last.unit);
      if (!isLesser || next.start - last.end > 8) break;
      if (!JOINT.test(text.slice(last.end, next.start))) break;
      run.push(next);
      index += 1;
    }
    const certainty = run.every(({ isSure }) => isSure) ? 0.9 : 0.7;
    found.push(typedValue("duration", run[0]!.start, run.at(-1)!.end, iso(run), certainty));
  }
  return found;
}

function iso(parts: readonly Part[]): string {
  let days = "";
  let time = "";
  for (const { amount, unit } of parts) {
    if (unit.startsWith("T")) time += `${amount}${unit.slice(1)}`;
    else days += `${amount}${unit}`;
  }
  return `P${days}${time === "" ? "" : `T${time}`}`;
}

export const DURATION_KIND: Kind = {
  find,
  read: (text, conventions) => readByFinding(find, text, conventions),
};
