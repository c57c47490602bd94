/**
 * The columns of files of delimited text, from the types that SQL infers and from what samples of the
 * rows tell besides: dates and numbers in forms of their own, integers that doubles would make one, and
 * values that made a column one of texts, of which whoever asks for the column is warned.
 */

import { type DoubtfulPoints, doubtSentence, type SampledColumn } from "@distillery/engine/csv";
import {
  DataType,
  DateDay,
  Decimal,
  Field,
  Float64,
  Null,
  Schema,
  TimestampMicrosecond,
  Utf8,
} from "apache-arrow";
import { DUCKDB_TYPE_KEY } from "../../arrow/duckdb-type.ts";
import { isText } from "../lossless-cast.ts";
import { COLUMN_WARNING } from "../scan.ts";
import { EITHER_ORDER, TEXT_FORM, type TextForm, WITH_MISSING } from "./csv-files.ts";
import type { CsvOptions } from "./csv-options.ts";
import { fineTimes } from "./fine-times.ts";
import type { FileSchema } from "./merge-schemas.ts";

/** Metadata of a field whose type was told by a sample: a value that it would change stops the query. */
export const SAMPLED = "text.sampled";
/** Digits that integers of 128 bits hold whatever they are. */
export const MAX_INTEGER_DIGITS = 38;
/** Up to this share of others a column of texts was meant to be one of numbers. */
const DIRT_SHARE = 0.2;
const SNAPSHOT = "a snapshot's fileSchema says what is meant";

export interface SampledFile extends FileSchema {
  /** In the schema's order. */
  readonly columns: readonly SampledColumn[];
}

interface Sample extends SampledColumn {
  readonly key: string;
}

/**
 * A file's columns, of which those that have no value in its sample say nothing of the type: SQL takes them for
 * texts, and a file that has a header alone, or leaves a column out, would make all others texts.
 *
 * @param samples in the schema's order; of fewer columns where none were taken
 */
export function withoutTypes(schema: Schema, samples: readonly SampledColumn[]): Schema {
  return new Schema(
    schema.fields.map((field, index) =>
      samples[index]?.numbers === null && isText(field.type)
        ? new Field(field.name, new Null(), true)
        : field,
    ),
    schema.metadata,
  );
}

/** The columns of several files with the forms that all of them have. */
export function withSamples(
  merged: Schema,
  csv: CsvOptions,
  files: readonly SampledFile[],
): Schema {
  return new Schema(
    merged.fields.map((field) => {
      const samples = files.flatMap(({ key, schema, columns }) => {
        const at = schema.fields.findIndex(
          ({ name }) => name.toLowerCase() === field.name.toLowerCase(),
        );
        const column = at < 0 ? undefined : columns[at];
        return column === undefined ? [] : [{ key, ...column }];
      });
      const column = sampledField(field, samples);
      if (isText(column.type)) return column;
      const sampled = new Map([...column.metadata, [SAMPLED, "true"]]);
      if (csv.missing.length > 0) sampled.set(WITH_MISSING, "true");
      return new Field(column.name, column.type, true, sampled);
    }),
  );
}

function sampledField(field: Field, samples: readonly Sample[]): Field {
  // A column that is empty in a file has no form there, and no type either.
  const held = samples.filter(({ numbers }) => numbers !== null);
  if (held.length === 0) return field;
  return (
    formed(field, held) ??
    withBothMarks(field, held) ??
    fineTimes(field, firstTime(held, "fine"), firstTime(held, "far")) ??
    counted(field, held)
  );
}

/** As messages have it; null where no file has one. */
function firstTime(samples: readonly Sample[], which: "fine" | "far"): string | null {
  const sample = samples.find((one) => one[which] !== null);
  return sample?.[which] ? place(sample[which], sample.key) : null;
}

const as = (field: Field, type: DataType, metadata: readonly [string, string][] = []): Field =>
  new Field(field.name, type, true, new Map([...field.metadata, ...metadata]));

const asText = (field: Field, warning: string): Field =>
  new Field(field.name, new Utf8(), true, new Map([[COLUMN_WARNING, warning]]));

const place = ({ text, row }: { text: string; row: number }, key: string): string =>
  `${JSON.stringify(text)} (row ${row} of ${key})`;

/** Columns of dates and of numbers with commas; null where they are none. */
function formed(field: Field, samples: readonly Sample[]): Field | null {
  const contrary = samples.find((sample) => sample.contrary !== null);
  if (contrary?.contrary && isText(field.type)) {
    return bothOrders(
      field,
      place(contrary.contrary.dayFirst, contrary.key),
      place(contrary.contrary.monthFirst, contrary.key),
    );
  }
  const forms = samples.flatMap(({ form, key }) => (form === null ? [] : [{ ...form, key }]));
  const commas = forms.filter((form) => form.kind === "comma-number");
  // Whole numbers without a point are those of either mark.
  const isPlain = ({ form, numbers }: Sample): boolean =>
    form === null && numbers !== null && numbers.wholeDigits > 0;
  const plain = commas.length > 0 ? samples.filter(isPlain).length : 0;
  if (forms.length + plain < samples.length) return null;
  const textForm = (form: TextForm): [string, string] => [TEXT_FORM, form];
  if (commas.length === forms.length) {
    const doubted = commas.find(({ doubt }) => doubt !== null);
    // That files differ in SQL's types says nothing of numbers that are read by their form.
    const metadata = new Map(field.metadata);
    metadata.delete(COLUMN_WARNING);
    return as(new Field(field.name, field.type, true, metadata), new Float64(), [
      textForm("comma-number"),
      ...(doubted?.doubt ? [doubtOf(field, doubted.doubt, doubted.key)] : []),
    ]);
  }
  const dates = forms.filter((form) => form.kind !== "comma-number");
  const [first] = dates;
  if (first === undefined) return null;
  if (commas.length > 0) {
    return asText(
      field,
      `the column ${field.name} is read as texts, as it has numbers in ${commas[0]?.key} and dates in ${first.key}; ${SNAPSHOT}`,
    );
  }
  const hasTime = dates.some(({ kind }) => kind === "timestamp");
  const type = hasTime ? new TimestampMicrosecond() : new DateDay();
  const isMonthFirst = dates.every(({ monthFirst }) => monthFirst);
  const isDayFirst = dates.every(({ dayFirst }) => dayFirst);
  if (isMonthFirst && isDayFirst) {
    const warning = `the column ${field.name} has dates such as ${place(first.first, first.key)}, of which no value tells whether day or month is first; they are read as month/day/year. Write them as year-month-day, or give the option date_format, to be sure`;
    return as(field, type, [
      textForm("month-first"),
      [EITHER_ORDER, "true"],
      [COLUMN_WARNING, warning],
    ]);
  }
  if (isMonthFirst) return as(field, type, [textForm("month-first")]);
  if (isDayFirst) return as(field, type, [textForm("day-first")]);
  // Some files can only be read one way, others only the other.
  const day = dates.find(({ monthFirst }) => !monthFirst) ?? first;
  const month = dates.find(({ dayFirst }) => !dayFirst) ?? first;
  return bothOrders(field, `those of ${day.key}`, `those of ${month.key}`);
}

function doubtOf({ name }: Field, doubt: DoubtfulPoints, key: string): [string, string] {
  const place = `(row ${doubt.first.row} of ${key})`;
  return [COLUMN_WARNING, `the column ${name} ${doubtSentence(doubt, place)}`];
}

function bothOrders(field: Field, dayFirst: string, monthFirst: string): Field {
  return asText(
    field,
    `the column ${field.name} is read as texts, as it has dates with the day first, such as ${dayFirst}, and dates with the month first, such as ${monthFirst}; write all in one order, best as year-month-day`,
  );
}

/** Texts among which are numbers with a decimal comma and others with a decimal point, in one file or in several. */
function withBothMarks(field: Field, samples: readonly Sample[]): Field | null {
  if (!isText(field.type)) return null;
  let [values, others] = [0, 0];
  const first: { comma?: string; point?: string } = {};
  for (const { numbers, marks, key } of samples) {
    values += numbers?.values ?? 0;
    others += (numbers?.others ?? 0) - (marks.comma?.cells ?? 0);
    if (marks.comma !== null) first.comma ??= place(marks.comma.first, key);
    if (marks.point !== null) first.point ??= place(marks.point.first, key);
  }
  const { comma, point } = first;
  if (comma === undefined || point === undefined || others > DIRT_SHARE * values) return null;
  return asText(
    field,
    `the column ${field.name} is read as texts, as it has numbers with a decimal comma, such as ${comma}, and numbers with a decimal point, such as ${point}; write all with a point`,
  );
}

/** Columns of numbers, and of what was meant to be numbers. */
function counted(field: Field, samples: readonly Sample[]): Field {
  const numbers = samples.flatMap(({ numbers, key }) => (numbers ? [{ ...numbers, key }] : []));
  if (DataType.isFloat(field.type)) {
    const digits = numbers.map(({ wholeDigits }) => wholeDigits);
    if (Math.min(...digits) > 0 && Math.max(...digits) <= MAX_INTEGER_DIGITS) {
      return hugeInteger(field);
    }
    const inexact = numbers.find(({ lost }) => lost !== null);
    if (!inexact?.lost) return field;
    const value = `${inexact.lost.text} (row ${inexact.lost.row})`;
    return asNumberText(field, field.name, value, inexact.key);
  }
  if (!isText(field.type) || field.metadata.has(COLUMN_WARNING)) return field;
  const values = numbers.reduce((sum, { values }) => sum + values, 0);
  const others = numbers.reduce((sum, { others }) => sum + others, 0);
  const coded = numbers.find(({ code }) => code !== null);
  if (others === 0 && coded?.code) {
    return asText(
      field,
      `the column ${field.name} is read as texts, as it has numbers with leading zeros, such as ${place(coded.code, coded.key)}; cast it, or ${SNAPSHOT}, if it is a quantity`,
    );
  }
  const dirty = numbers.find(({ other }) => other !== null);
  if (!dirty?.other || coded || others > DIRT_SHARE * values) return field;
  return asText(
    field,
    `the column ${field.name} is read as texts, as ${others} of the ${values} values looked at ${others === 1 ? "is no number" : "are no numbers"}, first ${place(dirty.other, dirty.key)}; use try_cast, or ${SNAPSHOT}`,
  );
}

/** @param shown the column's name, and what leads into it @param value one that a double does not hold */
export const asNumberText = (field: Field, shown: string, value: string, key: string): Field =>
  asText(
    field,
    `the column ${shown} is read as texts, as it has ${Number.isFinite(Number.parseFloat(value)) ? "integers whose last digits a Float64 would lose" : "numbers beyond what a Float64 holds"}, such as ${value} of ${key}, beside other numbers; ${SNAPSHOT}`,
  );

export const hugeInteger = (field: Field): Field =>
  as(field, new Decimal(0, MAX_INTEGER_DIGITS, 128), [[DUCKDB_TYPE_KEY, "HUGEINT"]]);
