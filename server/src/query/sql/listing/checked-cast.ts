/**
 * Reading a value of a text or a JSON value as a column's type, so that one that is none stops the
 * query with its table, file, column and value.
 */

import { DataType, Field, Float64, TimeUnit } from "apache-arrow";
import { arrowTypeName } from "../../arrow/arrow-type-name.ts";
import { duckdbTypeOf } from "../../arrow/duckdb-type.ts";
import { quoteName, quoteText } from "../../sql-text.ts";
import { exactCast, isBeyond, losesDigits } from "../exact-cast.ts";
import { isText, isUnzonedTime } from "../lossless-cast.ts";
import { TEXT_FORM, usualText, WITH_MISSING } from "./csv-files.ts";
import type { FoundCsv } from "./csv-options.ts";
import { droppedParts, isFiner, isTime, isTooFar } from "./fine-times.ts";
import { type OtherKinds, otherKinds } from "./json-kinds.ts";
import { numberPlaces, type Place, placesOf, textsAt, withInner } from "./numbers-within.ts";
import { FILE_COLUMN, FILE_NAME } from "./relations.ts";
import { SAMPLED } from "./text-columns.ts";
import { hasOffset, inUtc } from "./time-offset.ts";

/** Characters of a bad value that are shown. */
const SHOWN_CHARACTERS = 100;

/** @param at the place of a column of texts among those of its file */
export function castText(table: string, at: number, field: Field, csv: FoundCsv): string {
  const source = quoteName(`c${at}`);
  if (isText(field.type) && duckdbTypeOf(field) === "VARCHAR")
    return field.nullable ? source : `coalesce(${source}, '')`;
  // An empty text is a value of texts and of bytes alone. `NOT IN` of so many constants would be a join for each time
  // that it is named.
  const words = field.metadata.has(WITH_MISSING) ? ["", ...csv.missing] : [""];
  const missing = DataType.isBinary(field.type)
    ? source
    : `CASE WHEN NOT list_contains([${words.map(quoteText).join(", ")}], ${source}) THEN ${source} END`;
  const changed = [
    ...changes(missing, field, true),
    ...beyond(usualText(missing, field), field),
    ...cutTimes(missing, missing, field),
    ...(csv.dateFormat === null ? dropped(missing, field) : []),
    ...(csv.timestampFormat === null ? lostOffset(missing, field) : []),
  ];
  const value = parse(missing, field, csv);
  return orError(table, missing, field, unless(changed, value), {
    reasons: [...changed, ...otherOrder(missing, field)],
    mark: rowMark(at, missing, csv),
  });
}

/** @param source a column of JSON values, quoted */
export function castJson(table: string, source: string, field: Field): string {
  if (isText(field.type) && duckdbTypeOf(field) === "VARCHAR") {
    const text = `${source}->>'$'`;
    return field.nullable ? `(${text})` : orMissing(table, field, `(${text})`);
  }
  const text = `CAST(${source} AS VARCHAR)`;
  const changed = [
    ...changes(text, field, false),
    ...beyond(text, field),
    ...cutTimes(source, text, field),
    ...dropped(text, field),
    ...lostOffset(text, field),
    ...changesWithin(source, field),
  ];
  const kinds = otherKinds(source, field);
  const value = inUtc(exactCast(source, field), source, text, field);
  return orError(table, source, field, unless([...changed, { when: kinds.any }], value), {
    reasons: [...changed, ...ofOtherKinds(kinds, field)],
  });
}

/** Why a value is none of its column, where that is more than its type. */
interface Reason {
  /** Never NULL. */
  readonly when: string;
  /** Behind the value. */
  readonly said: string;
}

/** What a type that a sample of the rows told would change of a text without a word. */
function changes(text: string, field: Field, hasCodes: boolean): Reason[] {
  if (!field.metadata.has(SAMPLED)) return [];
  const { type } = field;
  const isNumber = DataType.isInt(type) || DataType.isFloat(type) || DataType.isDecimal(type);
  const name = arrowTypeName(type);
  const code = {
    when: `coalesce(regexp_matches(${text}, '^0[0-9]'), false)`,
    said: `, whose leading zeros are lost in ${name}, the type inferred from a sample of the rows; ${SNAPSHOT}`,
  };
  const lost = {
    when: losesDigits(usualText(text, field)),
    said: `, whose last digits are lost in ${name}, the type inferred from a sample of the rows; ${SNAPSHOT}`,
  };
  return [...(isNumber && hasCodes ? [code] : []), ...(DataType.isFloat(type) ? [lost] : [])];
}

/** A number would be read as infinite. */
function beyond(text: string, field: Field): Reason[] {
  if (!DataType.isFloat(field.type)) return [];
  return [{ when: isBeyond(text, duckdbTypeOf(field)), said: beyondOf(field) }];
}

const beyondOf = ({ type }: Field): string =>
  `, which is beyond what ${arrowTypeName(type)} holds; ${SNAPSHOT}, such as Utf8, which keeps it`;

/** Digits of a time would be cut, or nanoseconds have no room for it. @param text of the source */
function cutTimes(source: string, text: string, { type }: Field): Reason[] {
  if (!isTime(type)) return [];
  const finer = isFiner(text, type);
  const name = arrowTypeName(type);
  const reasons: Reason[] = [];
  if (finer !== null) {
    reasons.push({ when: finer, said: `, which is finer than ${name}; ${SNAPSHOT}` });
  }
  if (isUnzonedTime(type) && type.unit === TimeUnit.NANOSECOND) {
    reasons.push({
      when: isTooFar(source),
      said: `, which is beyond what ${name} holds; ${SNAPSHOT}`,
    });
  }
  return reasons;
}

/** A date's time, or a time's date or offset, would be dropped. */
const dropped = (text: string, { type }: Field): Reason[] =>
  droppedParts(text, type).map(({ when, part }) => ({
    when,
    said: `, whose ${part} is lost in ${arrowTypeName(type)}; ${SNAPSHOT}`,
  }));

/** A time would be read as if it were of UTC. */
function lostOffset(text: string, field: Field): Reason[] {
  if (!field.metadata.has(SAMPLED) || !isUnzonedTime(field.type)) return [];
  const isUtc = `regexp_matches(${text}, '(Z|[+-]00(:?00)?)"?$')`;
  return [
    {
      when: `coalesce(${hasOffset(text)} AND NOT ${isUtc}, false)`,
      said: `, whose offset from UTC is lost in ${arrowTypeName(field.type)}, the type inferred from a sample of the rows; ${SNAPSHOT}`,
    },
  ];
}

/** What casts read as something else, or as nothing. */
function ofOtherKinds({ each }: OtherKinds, field: Field): Reason[] {
  return each.map(({ place: { path, field: inner }, when }) => {
    const type = arrowTypeName(inner.type);
    const shown = field.name + path.slice(1).replaceAll('"', "");
    const said =
      path === "$"
        ? `, which is not of type ${type}`
        : `, where ${shown} is not of type ${type}; ${SNAPSHOT}`;
    return { when, said };
  });
}

/** The same of the numbers within a value, which DuckDB casts with the whole, and rounds. */
function changesWithin(source: string, field: Field): Reason[] {
  const places = numberPlaces(field).filter(({ path }) => path !== "$");
  const reasons: Reason[] = [];
  const fraction = `, which has a fraction where all are integers; ${SNAPSHOT}`;
  if (places.some(({ field: { type } }) => DataType.isInt(type))) {
    // Doubles of what was rounded are not those of what was written; this reads a value but twice.
    const doubles = duckdbTypeOf(withDoubles(field));
    const rounded = `CAST(TRY_CAST(${source} AS ${duckdbTypeOf(field)}) AS ${doubles})`;
    const when = `coalesce(TRY_CAST(${source} AS ${doubles}) <> ${rounded}, false)`;
    reasons.push({ when, said: fraction });
  }
  const any = (some: readonly Place[], test: string): string =>
    some
      .map((place) => `list_transform(${textsAt(source, place)}, lambda x: ${test})`)
      .map((found) => `coalesce(list_bool_or(${found}), false)`)
      .join(" OR ");
  const huge = places.filter(({ field: { type } }) => DataType.isDecimal(type) && type.scale === 0);
  if (huge.length > 0) {
    const double = "TRY_CAST(x AS DOUBLE)";
    const test = `regexp_matches(x, '[.eE]') AND ${double} <> trunc(${double})`;
    reasons.push({ when: any(huge, test), said: fraction });
  }
  const floats = places.filter(({ field: { type } }) => DataType.isFloat(type));
  if (floats.length > 0) {
    // A number as large has an exponent, or as many digits.
    const mayBe = `regexp_matches(CAST(${source} AS VARCHAR), '[0-9][eE][+]?[0-9]{2}|[0-9]{39}')`;
    const tests = floats.map((place) => any([place], isBeyond("x", duckdbTypeOf(place.field))));
    reasons.push({
      when: `CASE WHEN ${mayBe} THEN ${tests.join(" OR ")} ELSE false END`,
      said: `, of which a number is beyond doubles; ${SNAPSHOT}`,
    });
  }
  if (floats.length > 0 && field.metadata.has(SAMPLED)) {
    // Most values have no number so long, which is seen much faster.
    const isLong = `regexp_matches(CAST(${source} AS VARCHAR), '[0-9]{16}')`;
    reasons.push({
      when: `CASE WHEN ${isLong} THEN ${any(floats, losesDigits("x"))} ELSE false END`,
      said: `, of which last digits are lost in doubles, the type inferred from a sample of the rows; ${SNAPSHOT}`,
    });
  }
  for (const place of placesOf(field, isTime).filter(({ path }) => path !== "$")) {
    const { type } = place.field;
    const finer = isFiner("x", type);
    // Few values have a time so long, which is seen much faster.
    const mayBe = isFiner(`CAST(${source} AS VARCHAR)`, type);
    if (finer === null || mayBe === null) continue;
    reasons.push({
      when: `CASE WHEN ${mayBe} THEN ${any([place], finer)} ELSE false END`,
      said: `, where a time is finer than ${arrowTypeName(type)}; ${SNAPSHOT}`,
    });
  }
  return reasons;
}

const withDoubles = (field: Field): Field =>
  DataType.isInt(field.type)
    ? new Field(field.name, new Float64(), true)
    : withInner(field, withDoubles);

const SNAPSHOT = "a snapshot's fileSchema says what is meant";

function unless(reasons: readonly Pick<Reason, "when">[], value: string): string {
  if (reasons.length === 0) return value;
  return `CASE WHEN ${reasons.map(({ when }) => when).join(" OR ")} THEN NULL ELSE ${value} END`;
}

const ORDERS: Readonly<Record<string, readonly [own: string, other: string, format: string]>> = {
  "month-first": ["month", "day", "%d/%m/%Y"],
  "day-first": ["day", "month", "%m/%d/%Y"],
};

/** A date that only the order reads which the column has not. */
function otherOrder(text: string, field: Field): Reason[] {
  const order = ORDERS[field.metadata.get(TEXT_FORM) ?? ""];
  if (order === undefined) return [];
  const [own, other, format] = order;
  const date = `regexp_extract(${text}, '^[0-9]{1,2}/[0-9]{1,2}/[0-9]{4}')`;
  return [
    {
      when: `try_strptime(${date}, ${quoteText(format)}) IS NOT NULL`,
      said: `, which is a date only with the ${other} first; with the ${own} first, as a sample of the rows has them, it is none. Write all in one order, or give the option date_format`,
    },
  ];
}

function parse(source: string, field: Field, csv: FoundCsv): string {
  const formatted = (format: string) =>
    `CAST(try_strptime(${source}, ${quoteText(format)}) AS ${duckdbTypeOf(field)})`;
  const { type } = field;
  if (DataType.isDate(type) && csv.dateFormat !== null) return formatted(csv.dateFormat);
  if (DataType.isTimestamp(type) && csv.timestampFormat !== null) {
    return formatted(csv.timestampFormat);
  }
  const text = usualText(source, field);
  return inUtc(exactCast(text, field), text, text, field);
}

/**
 * For the session, which finds the value's row by it and takes it off the message: how the file is read,
 * where it lies, and the value.
 */
function rowMark(column: number, source: string, csv: FoundCsv): string {
  const { hasHeader: header, delimiter, comment, isDeclared } = csv;
  const place = quoteText(JSON.stringify({ column, header, delimiter, comment, isDeclared }));
  const parts = [place, quoteName(FILE_COLUMN), `left(${source}, ${SHOWN_CHARACTERS})`];
  return parts.map((part) => ` || chr(1) || ${part}`).join("");
}

function orError(
  table: string,
  source: string,
  field: Field,
  value: string,
  { reasons, mark = "" }: { readonly reasons: readonly Reason[]; readonly mark?: string },
): string {
  const shown = `left(CAST(${source} AS VARCHAR), ${SHOWN_CHARACTERS})`;
  const usual = quoteText(`, which is not of type ${arrowTypeName(field.type)}`);
  const cases = reasons.map(({ when, said }) => `WHEN ${when} THEN ${quoteText(said)}`);
  const reason = cases.length === 0 ? usual : `CASE ${cases.join(" ")} ELSE ${usual} END`;
  const bad = `error(${beginning(table)} || ${FILE_NAME} || ${quoteText(`: the column ${field.name} has `)} || ${shown} || ${reason}${mark})`;
  const checked = `coalesce(${value}, CASE WHEN ${source} IS NOT NULL THEN ${bad} END)`;
  return field.nullable ? checked : orMissing(table, field, checked);
}

function orMissing(table: string, field: Field, value: string): string {
  const message = `: the column ${field.name} has no value, but is not nullable`;
  return `coalesce(${value}, error(${beginning(table)} || ${FILE_NAME} || ${quoteText(message)}))`;
}

function beginning(table: string): string {
  return quoteText(`${table}: `);
}
