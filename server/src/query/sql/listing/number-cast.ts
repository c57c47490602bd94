/**
 * Whole numbers and decimals of typed files in a column of doubles, or within its lists, structs and maps, as
 * folders have them whose files differ: types tell not whether a double holds them all, so that a value which
 * it does not stops the query with its table, file and column.
 */

import { DataType, Field, FixedSizeList, List, Map_, Precision, Struct } from "apache-arrow";
import { arrowTypeName } from "../../arrow/arrow-type-name.ts";
import { duckdbTypeOf } from "../../arrow/duckdb-type.ts";
import { quoteText } from "../../sql-text.ts";
import { castsLosslessly } from "../lossless-cast.ts";

/** Characters of a value that are shown. */
const SHOWN_CHARACTERS = 100;

/** Whether each value of a column is looked at when it is read, as its type alone tells no loss. */
export function castsByValue(found: Field, wanted: Field): boolean {
  const exact = withFoundNumbers(found, wanted);
  return exact !== wanted && castsLosslessly(found, exact);
}

/**
 * Null where the two are no such columns, or doubles hold all values of the type.
 *
 * @param source the column, quoted
 * @param found the column as the file has it
 * @param place of the column, for messages
 */
export function castNumber(
  source: string,
  found: Field,
  wanted: Field,
  place: string,
): string | null {
  if (castsLosslessly(found, wanted) || !castsByValue(found, wanted)) return null;
  const exactType = duckdbTypeOf(withFoundNumbers(found, wanted));
  const exact = exactType === duckdbTypeOf(found) ? source : `CAST(${source} AS ${exactType})`;
  const double = `CAST(${source} AS ${duckdbTypeOf(wanted)})`;
  // Two values that one double is nearest to do not both come back; nor does what rounds beyond the type.
  const isLost = `TRY_CAST(${double} AS ${exactType}) IS DISTINCT FROM ${exact}`;
  const said = `, whose last digits are lost in ${arrowTypeName(wanted.type)}; a snapshot's fileSchema says what is meant, such as Utf8, which keeps them`;
  const shown = `left(CAST(${source} AS VARCHAR), ${SHOWN_CHARACTERS})`;
  const lost = `error(${quoteText(`${place} has `)} || ${shown} || ${quoteText(said)})`;
  return `CASE WHEN ${isLost} THEN ${lost} ELSE ${double} END`;
}

/** The wanted field with the file's numbers wherever it has doubles for them; itself where it has none. */
function withFoundNumbers(found: Field, wanted: Field): Field {
  const [from, to] = [found.type, wanted.type];
  const changed = (type: DataType): Field =>
    new Field(wanted.name, type, wanted.nullable, wanted.metadata);
  if (DataType.isFloat(to) && to.precision === Precision.DOUBLE) {
    return DataType.isInt(from) || DataType.isDecimal(from) ? changed(from) : wanted;
  }
  if (DataType.isStruct(to) && DataType.isStruct(from)) {
    const members = to.children.map((member) => {
      const name = member.name.toLowerCase();
      const same = from.children.find((child) => child.name.toLowerCase() === name);
      return same === undefined ? member : withFoundNumbers(same, member);
    });
    return isSame(members, to.children) ? wanted : changed(new Struct(members));
  }
  const [ofFound, ofWanted] = [from.children?.[0], to.children?.[0]];
  if (ofFound === undefined || ofWanted === undefined) return wanted;
  if (DataType.isMap(to) && DataType.isMap(from)) {
    // Keys stay as they are: two that become one would be one entry.
    const [key, value] = ofWanted.type.children;
    const foundValue = ofFound.type.children[1];
    if (key === undefined || value === undefined || foundValue === undefined) return wanted;
    const made = withFoundNumbers(foundValue, value);
    if (made === value) return wanted;
    const pair = new Struct<{ key: DataType; value: DataType }>([key, made]);
    return changed(new Map_(new Field(ofWanted.name, pair, false), to.keysSorted));
  }
  if (!isList(from) || !isList(to)) return wanted;
  const item = withFoundNumbers(ofFound, ofWanted);
  if (item === ofWanted) return wanted;
  return changed(
    DataType.isFixedSizeList(to) ? new FixedSizeList(to.listSize, item) : new List(item),
  );
}

const isList = (type: DataType): boolean =>
  DataType.isList(type) || DataType.isLargeList(type) || DataType.isFixedSizeList(type);

const isSame = (made: readonly Field[], fields: readonly Field[]): boolean =>
  made.every((field, at) => field === fields[at]);
