/** A column of texts as times: in which order slashed dates are, and what is lost of finer or far ones. */

import { shown } from "../shown.ts";
import { type Column, DataError } from "../table.ts";
import { areAbbreviatedDates, shortYearWarnings } from "./abbreviated-dates.ts";
import { refuse, spread, type Texts } from "./distinct-texts.ts";
import {
  FINE_TEXTS,
  type FineRows,
  fineWarnings,
  hasMicroseconds,
  isFar,
  isFinerText,
} from "./fine-times.ts";
import type { BuiltColumn, DataWarning } from "./reading.ts";
import { stampTextTime } from "./stamps.ts";
import {
  contraryDates,
  contrarySentence,
  inOtherOrder,
  lastTime,
  parseTimestamp,
  slashedOrder,
} from "./timestamp-text.ts";

const ENCODER = new TextEncoder();

/** The column as times; where that fails, as categories, or an error where times are a must. */
export function timestamp(context: Texts, values: readonly string[], must: boolean): BuiltColumn {
  const { name, codes, texts, live } = context;
  const trimmed = values.map((value) => value.trim());
  const slashed = slashedOrder(trimmed);
  const categories: BuiltColumn = {
    column: { kind: "categorical", name, codes, categories: texts },
    warnings: [],
  };
  const meaning = new Float64Array(texts.length).fill(Number.NaN);
  let zoned = values.length > 0;
  for (let entry = 0; entry < texts.length; entry++) {
    if (!live[entry]) continue;
    const text = texts[entry].trim();
    meaning[entry] = parseTimestamp(text, slashed?.order ?? null);
    zoned &&= lastTime.hasZone;
    if (must && Number.isNaN(meaning[entry])) meaning[entry] = stampTextTime(text);
    if (!Number.isNaN(meaning[entry])) continue;
    if (must) refuseTimes(context, entry);
    return categories;
  }
  const warnings: DataWarning[] = [];
  if (slashed?.order === "abbreviated") {
    const times = Array.from(meaning).filter((_, entry) => live[entry]);
    if (!must && !areAbbreviatedDates(trimmed, times)) return categories;
    warnings.push(...shortYearWarnings(name, trimmed, times));
  }
  const column: Column = {
    kind: "timestamp",
    name,
    values: spread(codes, meaning),
    ...(slashed ? { slashed: slashed.order } : {}),
    ...(slashed?.ambiguous && isEither(trimmed) ? { either: true } : {}),
    ...(zoned ? { zoned } : {}),
  };
  const rowOf = (isFine: (text: string, time: number) => boolean): number => {
    const entry = texts.findIndex((text, at) => live[at] && isFine(text, meaning[at]));
    return entry < 0 ? 0 : codes.indexOf(entry) + 1;
  };
  const inBytes = (is: typeof isFinerText, text: string): boolean => {
    const bytes = ENCODER.encode(text);
    return is(bytes, 0, bytes.length);
  };
  const fine: FineRows = {
    finer: rowOf((text) => inBytes(isFinerText, text)),
    far: rowOf((text, time) => isFar(time) && inBytes(hasMicroseconds, text)),
  };
  warnings.push(...fineWarnings(name, fine, FINE_TEXTS));
  if (!slashed?.ambiguous) return { column, warnings };
  const mark = values[0].includes("-") ? "-" : "/";
  const order = slashed.order === "day-first" ? ["day", "month"] : ["month", "day"];
  return {
    column,
    warnings: [
      ...warnings,
      {
        message: `Column ${shown(name)} has dates like ${shown(values[0])}, which are read as ${[...order, "year"].join(mark)}. Write them as year-month-day to be sure.`,
        column: name,
      },
    ],
  };
}

/** Whether each date in the one order tells that in the other, which zones may forbid. */
function isEither(texts: readonly string[]): boolean {
  return texts.every(
    (text) =>
      inOtherOrder(parseTimestamp(text, "month-first")) === parseTimestamp(text, "day-first"),
  );
}

/** @param entry that is no time, whatever the others are */
function refuseTimes(context: Texts, entry: number): never {
  const { name, codes, texts, live } = context;
  const contrary = contraryDates(texts.filter((_, at) => live[at]));
  if (contrary === null) refuse(context, entry, "a time like 2011-01-31 or 2011-01-31T10:05:00Z");
  const rowOf = (text: string): number => codes.indexOf(texts.indexOf(text)) + 1;
  throw new DataError(contrarySentence(name, contrary, rowOf), {
    column: name,
    row: Math.max(rowOf(contrary.dayFirst), rowOf(contrary.monthFirst)),
  });
}
