/**
 * The DuckDB type that holds the values of an Arrow field. What has no twin goes to the nearest type:
 * half floats to FLOAT, decimals that do not fit 38 digits to DOUBLE, durations and all intervals to
 * INTERVAL, zoned timestamps of every unit to TIMESTAMP WITH TIME ZONE (microseconds), dictionaries to
 * the type of their values, and the null type, which DuckDB's tables cannot have, to INTEGER. DOUBLE makes distinct decimals one, so
 * that tables over files refuse it (`hasWideDecimals`).
 */

import { DataType, type Decimal, Field, IntervalUnit, TimeUnit } from "apache-arrow";
import { quoteName } from "../sql-text.ts";
import { arrowTypeName } from "./arrow-type-name.ts";

/** A field of a type that DuckDB cannot hold; one sentence that names the field. */
export class ArrowTypeError extends Error {
  override readonly name = "ArrowTypeError";
}

/** Metadata of a field that came of a DuckDB type without a twin in Arrow: that type. */
export const DUCKDB_TYPE_KEY = "duckdb.type";
/** Arrow's own key for a type on top of another. */
export const EXTENSION_KEY = "ARROW:extension:name";
export const JSON_EXTENSION = "arrow.json";

/**
 * DuckDB types that the metadata may name, with the Arrow type that carries them. No other text of the
 * metadata ever reaches a statement.
 */
const CARRIED_BY: Readonly<Record<string, (type: DataType) => boolean>> = {
  HUGEINT: (type) => DataType.isDecimal(type) && type.scale === 0,
  UHUGEINT: (type) => DataType.isDecimal(type) && type.scale === 0,
  UUID: DataType.isUtf8,
  BIT: DataType.isUtf8,
  BIGNUM: DataType.isUtf8,
  "TIME WITH TIME ZONE": DataType.isUtf8,
  VARIANT: DataType.isUtf8,
  GEOMETRY: DataType.isBinary,
};

/** Of DuckDB's DECIMAL. */
export const MAX_DECIMAL_DIGITS = 38;
/** What a column that is not read has, or has within it: decimals that `decimalShapeOf` has no shape for. */
export const WIDE_DECIMALS = `decimals of more than ${MAX_DECIMAL_DIGITS} digits, which cannot be read here without loss; write it with at most ${MAX_DECIMAL_DIGITS} digits, or as texts`;
/** Items of DuckDB's ARRAY. */
export const MAX_ARRAY_SIZE = 100_000;

/**
 * Type text for a column definition or a cast, such as `DECIMAL(10, 2)` or `STRUCT("a" BIGINT)[]`.
 *
 * @throws ArrowTypeError where DuckDB has no type that could hold the values
 */
export function duckdbTypeOf(field: Field): string {
  return typeText(field, JSON.stringify(field.name));
}

/** Digits and scale of the DECIMAL that holds all values of a decimal; null where DOUBLE must. */
export function decimalShapeOf(
  type: Pick<Decimal, "precision" | "scale">,
): { readonly width: number; readonly scale: number } | null {
  const { precision, scale } = type;
  // A negative scale stands for zeros before the point, one beyond the digits for zeros behind it.
  const width = scale < 0 ? precision - scale : Math.max(precision, scale);
  return width <= MAX_DECIMAL_DIGITS ? { width, scale: Math.max(scale, 0) } : null;
}

/** Whether a field is, or has within it, decimals that no DuckDB type holds without loss. */
export function hasWideDecimals(field: Field): boolean {
  const type: DataType = field.type;
  if (DataType.isDecimal(type)) return carriedType(field) === null && decimalShapeOf(type) === null;
  if (DataType.isDictionary(type))
    return hasWideDecimals(new Field(field.name, type.dictionary, true));
  const children: readonly Field[] = type.children ?? [];
  return children.some(hasWideDecimals);
}

/** Whether a field is, or has within it, times in nanoseconds that DuckDB has in microseconds alone. */
export function cutsTimes(field: Field): boolean {
  const type: DataType = field.type;
  if (DataType.isTimestamp(type))
    return type.unit === TimeUnit.NANOSECOND && Boolean(type.timezone);
  if (DataType.isDuration(type)) return type.unit === TimeUnit.NANOSECOND;
  if (DataType.isInterval(type)) return type.unit === IntervalUnit.MONTH_DAY_NANO;
  if (DataType.isDictionary(type)) return cutsTimes(new Field(field.name, type.dictionary, true));
  const children: readonly Field[] = type.children ?? [];
  return children.some(cutsTimes);
}

/** The DuckDB type that the metadata names, where the Arrow type carries it. */
function carriedType({ metadata, type }: Field): string | null {
  const carried = metadata.get(DUCKDB_TYPE_KEY);
  if (carried === undefined || !Object.hasOwn(CARRIED_BY, carried)) return null;
  return CARRIED_BY[carried]!(type) ? carried : null;
}

function typeText(field: Field, path: string): string {
  const type: DataType = field.type;
  const carried = carriedType(field);
  if (carried !== null) return carried;
  if (field.metadata.get(EXTENSION_KEY) === JSON_EXTENSION && isText(type)) return "JSON";
  return leafText(type) ?? nestedText(type, path);
}

function leafText(type: DataType): string | null {
  if (isText(type)) return "VARCHAR";
  if (isBytes(type)) return "BLOB";
  if (DataType.isNull(type)) return "INTEGER";
  if (DataType.isBool(type)) return "BOOLEAN";
  if (DataType.isInt(type)) return integerText(type.isSigned, type.bitWidth);
  if (DataType.isFloat(type)) return type.precision === 2 ? "DOUBLE" : "FLOAT";
  if (DataType.isDecimal(type)) {
    const shape = decimalShapeOf(type);
    return shape === null ? "DOUBLE" : `DECIMAL(${shape.width}, ${shape.scale})`;
  }
  if (DataType.isDate(type)) return "DATE";
  if (DataType.isTime(type)) return type.unit === TimeUnit.NANOSECOND ? "TIME_NS" : "TIME";
  if (DataType.isTimestamp(type))
    return type.timezone
      ? "TIMESTAMP WITH TIME ZONE"
      : ["TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP", "TIMESTAMP_NS"][type.unit]!;
  if (DataType.isInterval(type) || DataType.isDuration(type)) return "INTERVAL";
  return null;
}

function nestedText(type: DataType, path: string): string {
  if (DataType.isDictionary(type)) return typeOnly(type.dictionary, path);
  if (DataType.isList(type) || DataType.isLargeList(type))
    return `${typeText(type.children[0]!, `${path}[]`)}[]`;
  if (DataType.isFixedSizeList(type)) {
    const item = typeText(type.children[0]!, `${path}[]`);
    const isArray = type.listSize >= 1 && type.listSize <= MAX_ARRAY_SIZE;
    return isArray ? `${item}[${type.listSize}]` : `${item}[]`;
  }
  if (DataType.isMap(type)) {
    const [key, value] = type.children[0]!.type.children;
    return `MAP(${typeText(key!, `${path}.key`)}, ${typeText(value!, `${path}.value`)})`;
  }
  if (DataType.isStruct(type)) {
    if (type.children.length === 0)
      throw new ArrowTypeError(`${path} is a struct without members, which SQL cannot represent`);
    return `STRUCT(${members(type.children, path)})`;
  }
  if (DataType.isUnion(type)) {
    if (type.children.length === 0)
      throw new ArrowTypeError(`${path} is a union without members, which SQL cannot represent`);
    return `UNION(${members(type.children, path)})`;
  }
  throw new ArrowTypeError(`${path} is of type ${arrowTypeName(type)}, which SQL cannot represent`);
}

/** Of a type that has no field of its own. */
function typeOnly(type: DataType, path: string): string {
  return leafText(type) ?? nestedText(type, path);
}

function members(children: readonly Field[], path: string): string {
  const met = new Set<string>();
  return children
    .map((child) => {
      if (child.name === "" || child.name.includes("\0"))
        throw new ArrowTypeError(`${path} has a member without a name that SQL could use`);
      if (met.has(child.name.toLowerCase()))
        throw new ArrowTypeError(
          `${path} has two members ${JSON.stringify(child.name)}, which SQL cannot tell apart`,
        );
      met.add(child.name.toLowerCase());
      const text = typeText(child, `${path}.${JSON.stringify(child.name)}`);
      return `${quoteName(child.name)} ${text}`;
    })
    .join(", ");
}

function integerText(isSigned: boolean, bits: number): string {
  const name = { 8: "TINYINT", 16: "SMALLINT", 32: "INTEGER", 64: "BIGINT" }[bits]!;
  return isSigned ? name : `U${name}`;
}

function isText(type: DataType): boolean {
  return DataType.isUtf8(type) || DataType.isLargeUtf8(type) || DataType.isUtf8View(type);
}

function isBytes(type: DataType): boolean {
  return (
    DataType.isBinary(type) ||
    DataType.isLargeBinary(type) ||
    DataType.isBinaryView(type) ||
    DataType.isFixedSizeBinary(type)
  );
}
