/**
 * Values of typed files in a column of another type, or within its lists, structs and maps, as folders have them
 * whose files differ, where types tell not whether it holds them all: whole numbers and decimals among doubles, and
 * times of other units. A value that it does not hold stops the query with its table, file and column.
 */

import {
  DataType,
  Field,
  FixedSizeList,
  List,
  Map_,
  Precision,
  Struct,
  type Time,
  TimeMicrosecond,
  TimestampMicrosecond,
  TimeUnit,
} from "apache-arrow";
import { arrowTypeName } from "../../arrow/arrow-type-name.ts";
import { duckdbTypeOf } from "../../arrow/duckdb-type.ts";
import { quoteText } from "../../sql-text.ts";
import { castsLosslessly, isUnzonedTime } from "../lossless-cast.ts";

/** Characters of a value that are shown. */
const SHOWN_CHARACTERS = 100;

/** Whether each value of a column is looked at when it is read, as its type alone tells no loss. */
export function castsByValue(found: Field, wanted: Field): boolean {
  const exact = withFound(found, wanted, isDoubtful);
  return exact !== wanted && castsLosslessly(found, exact);
}

/**
 * Null where the two are no such columns, or the wanted type holds all values of the other.
 *
 * @param source the column, quoted
 * @param found the column as the file has it
 * @param place of the column, for messages
 */
export function castByValue(
  source: string,
  found: Field,
  wanted: Field,
  place: string,
): string | null {
  if (!castsByValue(found, wanted)) return null;
  const exactField = withFound(found, wanted, isDoubtful);
  const [exactType, type] = [duckdbTypeOf(exactField), duckdbTypeOf(wanted)];
  // DuckDB casts units of times to one another through microseconds, or not at all.
  const between = duckdbTypeOf(withFound(found, wanted, isOtherTime, inMicroseconds));
  const through = (value: string, to: string, cast = "CAST"): string =>
    between === type
      ? `${cast}(${value} AS ${to})`
      : `${cast}(${cast}(${value} AS ${between}) AS ${to})`;
  const exact = exactType === duckdbTypeOf(found) ? source : `CAST(${source} AS ${exactType})`;
  // Two values that become one do not both come back; nor does what rounds beyond the type.
  const isLost = `TRY(${through(through(source, type), exactType)}) IS DISTINCT FROM ${exact}`;
  // In other words than there: what is common to both DuckDB would find out before, without TRY.
  const value = through(source, type, "TRY_CAST");
  const said = `, ${lossOf(found, wanted)} ${arrowTypeName(wanted.type)}; a snapshot's fileSchema says what is meant`;
  const advice = DataType.isFloat(wanted.type) ? ", such as Utf8, which keeps them" : "";
  const shown = `left(CAST(${source} AS VARCHAR), ${SHOWN_CHARACTERS})`;
  const lost = `error(${quoteText(`${place} has `)} || ${shown} || ${quoteText(said + advice)})`;
  return `CASE WHEN ${isLost} THEN ${lost} ELSE ${value} END`;
}

function lossOf(found: Field, wanted: Field): string {
  const hasTimes = withFound(found, wanted, isOtherTime) !== wanted;
  const hasNumbers = withFound(found, wanted, isRoundedNumber) !== wanted;
  if (!hasTimes) return "whose last digits are lost in";
  const what = hasNumbers ? "numbers or times" : "times";
  return `which has ${what} that are finer than, or beyond,`;
}

type Test = (found: DataType, wanted: DataType) => boolean;

const isRoundedNumber: Test = (found, wanted) =>
  DataType.isFloat(wanted) &&
  wanted.precision === Precision.DOUBLE &&
  (DataType.isInt(found) || DataType.isDecimal(found)) &&
  !castsLosslessly(new Field("", found), new Field("", wanted));

const isOtherTime: Test = (found, wanted) => {
  if (DataType.isTime(found) && DataType.isTime(wanted))
    return isNanosecond(found) && !isNanosecond(wanted);
  if (!isUnzonedTime(wanted)) return false;
  return DataType.isDate(found) || (isUnzonedTime(found) && found.unit !== wanted.unit);
};

const isNanosecond = ({ unit }: Time): boolean => unit === TimeUnit.NANOSECOND;

const isDoubtful: Test = (found, wanted) =>
  isRoundedNumber(found, wanted) || isOtherTime(found, wanted);

const itself = (found: DataType): DataType => found;

const inMicroseconds = (found: DataType): DataType =>
  DataType.isTime(found) ? new TimeMicrosecond() : new TimestampMicrosecond();

/** The wanted field with the file's own types wherever a test holds for the two; itself where it holds nowhere. */
function withFound(
  found: Field,
  wanted: Field,
  test: Test,
  made: (found: DataType) => DataType = itself,
): Field {
  const [from, to] = [found.type, wanted.type];
  const changed = (type: DataType): Field =>
    new Field(wanted.name, type, wanted.nullable, wanted.metadata);
  if (test(from, to)) return changed(made(from));
  if (DataType.isStruct(to) && DataType.isStruct(from)) {
    const members = to.children.map((member) => {
      const name = member.name.toLowerCase();
      const same = from.children.find((child) => child.name.toLowerCase() === name);
      return same === undefined ? member : withFound(same, member, test, made);
    });
    return isSame(members, to.children) ? wanted : changed(new Struct(members));
  }
  const [ofFound, ofWanted] = [from.children?.[0], to.children?.[0]];
  if (ofFound === undefined || ofWanted === undefined) return wanted;
  if (DataType.isMap(to) && DataType.isMap(from)) {
    const [key, value] = ofWanted.type.children;
    const [foundKey, foundValue] = ofFound.type.children;
    if (!key || !value || !foundKey || !foundValue) return wanted;
    // Keys that are numbers stay as they are: two that become one would be one entry.
    const ofTimes: Test = (one, other) => isOtherTime(one, other) && test(one, other);
    const members = [
      withFound(foundKey, key, ofTimes, made),
      withFound(foundValue, value, test, made),
    ];
    if (isSame(members, [key, value])) return wanted;
    const pair = new Struct<{ key: DataType; value: DataType }>(members);
    return changed(new Map_(new Field(ofWanted.name, pair, false), to.keysSorted));
  }
  if (!isList(from) || !isList(to)) return wanted;
  const item = withFound(ofFound, ofWanted, test, made);
  if (item === ofWanted) return wanted;
  return changed(
    DataType.isFixedSizeList(to) ? new FixedSizeList(to.listSize, item) : new List(item),
  );
}

const isList = (type: DataType): boolean =>
  DataType.isList(type) || DataType.isLargeList(type) || DataType.isFixedSizeList(type);

const isSame = (made: readonly Field[], fields: readonly Field[]): boolean =>
  made.every((field, at) => field === fields[at]);
