/**
 * What kind of column texts make, and that column.
 *
 * Inference, in this order: no values → numeric; only true/false → boolean; only times →
 * timestamp; mostly distinct values (more than half of the rows and more than 100), or long ones
 * (over 64 characters in the mean, more than 20 distinct) → text; else categorical.
 */

import type { CategoricalColumn, Column, ColumnKind, TextColumn } from "../table.ts";
import { isPlainBoolean, parseBoolean } from "./boolean-text.ts";
import { liveTexts, refuse, rowCounts, type Texts } from "./distinct-texts.ts";
import { parseCommaNumber, parseNumber } from "./number-text.ts";
import { type BuiltColumn, noValues, withStamps } from "./reading.ts";
import {
  areNumbers,
  type DecimalCommas,
  hasCommaNumbers,
  numbers,
  numeric,
} from "./texts-as-numbers.ts";
import { timestamp } from "./texts-as-times.ts";
import { isDate } from "./timestamp-text.ts";

const TEXT_MIN_DISTINCT = 100;
const LONG_TEXT_UNITS = 64;
const LONG_TEXT_MIN_DISTINCT = 20;
/** A date without anything between its parts; other texts of digits are no times unless declared so. */
const DATE_DIGITS = /^(?:19|20|21)\d{6}$/;

/**
 * What texts make that are neither booleans nor times.
 *
 * @param distinct how many different ones there are
 * @param rows that hold one
 * @param units UTF-16 code units over all rows
 */
export function kindOfTexts(distinct: number, rows: number, units: number): "text" | "categorical" {
  const varied = distinct > TEXT_MIN_DISTINCT && distinct * 2 > rows;
  const long = distinct > LONG_TEXT_MIN_DISTINCT && units > rows * LONG_TEXT_UNITS;
  return varied || long ? "text" : "categorical";
}

/** The column of a kind. @param kind undefined: it is inferred */
export function typed(
  context: Texts,
  kind: ColumnKind | undefined,
  commas: DecimalCommas,
): BuiltColumn {
  switch (kind) {
    case undefined:
      return hasCommaNumbers(context, commas) && areNumbers(context)
        ? numbers(context, parseCommaNumber)
        : inferred(context);
    case "categorical":
      return { column: categorical(context), warnings: [] };
    case "text":
      return { column: text(context), warnings: [] };
    case "boolean":
      return { column: boolean(context), warnings: [] };
    case "numeric": {
      const parse = hasCommaNumbers(context, commas) ? parseCommaNumber : parseNumber;
      return numbers(context, parse);
    }
    case "timestamp":
      return timestamp(context, liveTexts(context), true);
  }
}

function inferred(context: Texts): BuiltColumn {
  const { name, codes, texts, live } = context;
  const values = liveTexts(context);
  if (values.length === 0) {
    return {
      column: { kind: "numeric", name, values: new Float64Array(codes.length).fill(Number.NaN) },
      warnings: [{ message: noValues(name), column: name, of: "inference" }],
    };
  }
  if (values.every(isPlainBoolean)) return { column: boolean(context), warnings: [] };
  const first = values[0].trim();
  if (isDate(first)) {
    const times = timestamp(context, values, false);
    if (times.column.kind === "timestamp") return times;
  }
  if (values.every((value) => DATE_DIGITS.test(value))) {
    const stamped = withStamps({ column: numeric(context, parseNumber), warnings: [] }, {});
    if (stamped.column.kind === "timestamp") return stamped;
  }
  const counts = rowCounts(context);
  let rows = 0;
  let units = 0;
  for (let entry = 0; entry < texts.length; entry++) {
    if (!live[entry]) continue;
    rows += counts[entry];
    units += counts[entry] * texts[entry].length;
  }
  const isText = kindOfTexts(values.length, rows, units) === "text";
  return { column: isText ? text(context) : categorical(context), warnings: [] };
}

export function categorical({ name, codes, texts, live }: Texts): CategoricalColumn {
  if (live.every((alive) => alive)) return { kind: "categorical", name, codes, categories: texts };
  const renumbered = new Int32Array(texts.length);
  const categories: string[] = [];
  for (let entry = 0; entry < texts.length; entry++) {
    renumbered[entry] = live[entry] ? categories.push(texts[entry]) - 1 : -1;
  }
  for (let row = 0; row < codes.length; row++) {
    if (codes[row] >= 0) codes[row] = renumbered[codes[row]];
  }
  return { kind: "categorical", name, codes, categories };
}

function text({ name, codes, texts, live }: Texts): TextColumn {
  const values = new Array<string | null>(codes.length);
  for (let row = 0; row < codes.length; row++) {
    const code = codes[row];
    values[row] = code >= 0 && live[code] ? texts[code] : null;
  }
  return { kind: "text", name, values };
}

function boolean(context: Texts): Column {
  const { name, codes, texts, live } = context;
  const meaning = texts.map((value, entry) => {
    if (!live[entry]) return 255;
    return parseBoolean(value) ?? refuse(context, entry, "boolean (true/false, yes/no, 1/0)");
  });
  const values = new Uint8Array(codes.length);
  for (let row = 0; row < codes.length; row++) {
    values[row] = codes[row] < 0 ? 255 : meaning[codes[row]];
  }
  return { kind: "boolean", name, values };
}
