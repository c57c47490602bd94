/** A column of texts as numbers, with a decimal point or a decimal comma. */

import { shown } from "../shown.ts";
import type { Column } from "../table.ts";
import { doubtSentence, isThousands, PointDoubt } from "./decimal-marks.ts";
import { liveTexts, refuse, rowCounts, spread, type Texts } from "./distinct-texts.ts";
import { losesDecimals } from "./large-integers.ts";
import { isCode, parseCommaNumber } from "./number-text.ts";
import { NumberTexts, roundedWarnings } from "./numbers-kept.ts";
import type { BuiltColumn, DataWarning } from "./reading.ts";

/** Of a text's numbers: none have decimal commas, some may, or those of other columns do. */
export type DecimalCommas = "none" | "possible" | "elsewhere";

/** Whether every value is a number that may have a comma, and one has; or has points as such of other columns do. */
export function hasCommaNumbers(context: Texts, commas: DecimalCommas): boolean {
  if (commas === "none") return false;
  const values = liveTexts(context);
  if (values.some((value) => value.includes(","))) {
    return values.every((value) => !Number.isNaN(parseCommaNumber(value.trim())));
  }
  if (commas !== "elsewhere" || !values.some((value) => value.includes("."))) return false;
  return values.every((value) => isThousands(value.trim()) && !isCode(value.trim()));
}

/** Whether nothing tells their values apart that numbers with commas would lose. */
export function areNumbers(context: Texts): boolean {
  const texts = new NumberTexts(true);
  for (const text of liveTexts(context)) texts.add(text.trim());
  return texts.areNumbers;
}

/** As numbers, with a warning where they lose places. */
export function numbers(context: Texts, parse: (text: string) => number): BuiltColumn {
  const { name, codes, texts, live } = context;
  const column = numeric(context, parse);
  const isRounded = texts.map((value, entry) => {
    if (!live[entry]) return false;
    const written = value.trim();
    const plain =
      parse === parseCommaNumber ? written.replaceAll(".", "").replace(",", ".") : written;
    return losesDecimals(plain, parse(written));
  });
  const row = codes.findIndex((code) => code >= 0 && isRounded[code]) + 1;
  const doubts = parse === parseCommaNumber ? doubtfulPoints(context) : [];
  return { column, warnings: [...roundedWarnings(name, row), ...doubts] };
}

function doubtfulPoints(context: Texts): DataWarning[] {
  const { name, codes, texts, live } = context;
  const counts = rowCounts(context);
  const points = new PointDoubt();
  for (let entry = 0; entry < texts.length; entry++) {
    // Rows are looked for where one is to be said.
    if (live[entry]) points.add(texts[entry].trim(), entry, counts[entry]);
  }
  const hasComma = texts.some((text, entry) => live[entry] && text.includes(","));
  const doubt = points.finish(hasComma ? "column" : "file");
  if (doubt === null) return [];
  const row = codes.indexOf(doubt.first.row) + 1;
  const message = `Column ${shown(name)} ${doubtSentence(doubt, `in row ${row}`)}.`;
  return [{ message, column: name, row }];
}

export function numeric(context: Texts, parse: (text: string) => number): Column {
  const meaning = Float64Array.from(context.texts, (value, entry) => {
    if (!context.live[entry]) return Number.NaN;
    const number = parse(value.trim());
    return Number.isNaN(number) ? refuse(context, entry, "numeric") : number;
  });
  return { kind: "numeric", name: context.name, values: spread(context.codes, meaning) };
}
