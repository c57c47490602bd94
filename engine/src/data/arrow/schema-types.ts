/** One type of Arrow's `Schema.fbs`, with its parameters checked, as apache-arrow's class of it. */

import type { DataType, Field } from "apache-arrow";
import * as arrow from "apache-arrow";
import type { FlatbufferTable } from "./flatbuffer-reader.ts";
import { ArrowSchemaError } from "./schema-error.ts";

/** The members of the union `Type`, by their numbers. */
const TYPE_NAMES = [
  "NONE",
  "Null",
  "Int",
  "FloatingPoint",
  "Binary",
  "Utf8",
  "Bool",
  "Decimal",
  "Date",
  "Time",
  "Timestamp",
  "Interval",
  "List",
  "Struct",
  "Union",
  "FixedSizeBinary",
  "FixedSizeList",
  "Map",
  "Duration",
  "LargeBinary",
  "LargeUtf8",
  "LargeList",
  "RunEndEncoded",
  "BinaryView",
  "Utf8View",
  "ListView",
  "LargeListView",
] as const;
type TypeName = (typeof TYPE_NAMES)[number];

/** How many members each table of a type has; those not named have none. */
const TYPE_SLOTS: Partial<Record<TypeName, number>> = {
  Int: 2,
  FloatingPoint: 1,
  Decimal: 3,
  Date: 1,
  Time: 2,
  Timestamp: 2,
  Interval: 1,
  Union: 2,
  FixedSizeBinary: 1,
  FixedSizeList: 1,
  Map: 1,
  Duration: 1,
};

/** Digits that a decimal of so many bits holds. */
const DECIMAL_DIGITS = new Map([
  [32, 9],
  [64, 18],
  [128, 38],
  [256, 76],
]);

export type IntegerType =
  | arrow.Int8
  | arrow.Int16
  | arrow.Int32
  | arrow.Int64
  | arrow.Uint8
  | arrow.Uint16
  | arrow.Uint32
  | arrow.Uint64;

const MAX_UNION_MEMBERS = 128;

/**
 * @param number the type's number, as the field has it
 * @param path names the field in errors
 * @throws ArrowSchemaError
 */
export function arrowTypeOf(
  number: number,
  field: FlatbufferTable,
  slot: number,
  children: Field[],
  path: string,
): DataType {
  const name = TYPE_NAMES[number];
  if (name === undefined || name === "NONE")
    throw new ArrowSchemaError(
      "unsupported-type",
      number === 0
        ? `${path} has no type`
        : `${path} has type ${number}, which Arrow does not define`,
    );
  const table = field.table(slot, TYPE_SLOTS[name] ?? 0, `the type of ${path}`);
  if (table === null)
    throw new ArrowSchemaError("malformed", `${path} has no parameters of its type`);
  return new TypeDecoder(name, table, children, path).type();
}

/** The index type of a dictionary, which is an integer. */
export function integerOf(table: FlatbufferTable, path: string): IntegerType {
  const bits = table.int32(0, 0);
  const signed = table.bool(1);
  switch (bits) {
    case 8:
      return signed ? new arrow.Int8() : new arrow.Uint8();
    case 16:
      return signed ? new arrow.Int16() : new arrow.Uint16();
    case 32:
      return signed ? new arrow.Int32() : new arrow.Uint32();
    case 64:
      return signed ? new arrow.Int64() : new arrow.Uint64();
    default:
      throw new ArrowSchemaError("invalid-field", `${path} is an integer of ${bits} bits`);
  }
}

class TypeDecoder {
  readonly #name: TypeName;
  readonly #table: FlatbufferTable;
  readonly #children: Field[];
  readonly #path: string;

  constructor(name: TypeName, table: FlatbufferTable, children: Field[], path: string) {
    this.#name = name;
    this.#table = table;
    this.#children = children;
    this.#path = path;
  }

  type(): DataType {
    switch (this.#name) {
      case "Struct":
        return new arrow.Struct(this.#children);
      case "Union":
        return this.#union();
      case "List":
        return new arrow.List(this.#onlyChild());
      case "LargeList":
        return new arrow.LargeList(this.#onlyChild());
      case "FixedSizeList":
        return new arrow.FixedSizeList(this.#width("items"), this.#onlyChild());
      case "Map":
        return this.#map();
      case "RunEndEncoded":
      case "ListView":
      case "LargeListView":
        return this.#fail(
          "unsupported-type",
          `is of type ${this.#name}, which is not supported here`,
        );
      default:
        if (this.#children.length > 0)
          this.#fail("invalid-field", `of type ${this.#name} has children`);
        return this.#leaf();
    }
  }

  #leaf(): DataType {
    const table = this.#table;
    switch (this.#name) {
      case "Null":
        return new arrow.Null();
      case "Int":
        return integerOf(table, this.#path);
      case "FloatingPoint":
        return this.#choice("precision", table.int16(0, 0), [
          () => new arrow.Float16(),
          () => new arrow.Float32(),
          () => new arrow.Float64(),
        ]);
      case "Binary":
        return new arrow.Binary();
      case "LargeBinary":
        return new arrow.LargeBinary();
      case "BinaryView":
        return new arrow.BinaryView();
      case "Utf8":
        return new arrow.Utf8();
      case "LargeUtf8":
        return new arrow.LargeUtf8();
      case "Utf8View":
        return new arrow.Utf8View();
      case "Bool":
        return new arrow.Bool();
      case "FixedSizeBinary":
        return new arrow.FixedSizeBinary(this.#width("bytes"));
      case "Decimal":
        return this.#decimal();
      case "Date":
        return this.#choice("unit", table.int16(0, 1), [
          () => new arrow.DateDay(),
          () => new arrow.DateMillisecond(),
        ]);
      case "Time":
        return this.#time();
      case "Timestamp":
        return this.#timestamp();
      case "Interval":
        return this.#choice("unit", table.int16(0, 0), [
          () => new arrow.IntervalYearMonth(),
          () => new arrow.IntervalDayTime(),
          () => new arrow.IntervalMonthDayNano(),
        ]);
      case "Duration":
        return this.#choice("unit", table.int16(0, 1), [
          () => new arrow.DurationSecond(),
          () => new arrow.DurationMillisecond(),
          () => new arrow.DurationMicrosecond(),
          () => new arrow.DurationNanosecond(),
        ]);
      default:
        return this.#fail(
          "unsupported-type",
          `is of type ${this.#name}, which is not supported here`,
        );
    }
  }

  #decimal(): DataType {
    const precision = this.#table.int32(0, 0);
    const scale = this.#table.int32(1, 0);
    const bits = this.#table.int32(2, 128);
    const digits = DECIMAL_DIGITS.get(bits);
    if (digits === undefined) this.#fail("invalid-field", `is a decimal of ${bits} bits`);
    if (precision < 1 || precision > digits)
      this.#fail(
        "invalid-field",
        `is a decimal of ${bits} bits with ${precision} digits; it can have 1 to ${digits}`,
      );
    if (Math.abs(scale) > digits)
      this.#fail(
        "invalid-field",
        `is a decimal with a scale of ${scale}, above the limit of ${digits}`,
      );
    return new arrow.Decimal(scale, precision, bits);
  }

  #time(): DataType {
    const unit = this.#table.int16(0, 1);
    const bits = this.#table.int32(1, 32);
    const type = this.#choice("unit", unit, [
      () => new arrow.TimeSecond(),
      () => new arrow.TimeMillisecond(),
      () => new arrow.TimeMicrosecond(),
      () => new arrow.TimeNanosecond(),
    ]);
    if (bits !== (unit < 2 ? 32 : 64))
      this.#fail("invalid-field", `is a time of ${bits} bits, which does not fit its unit`);
    return type;
  }

  #timestamp(): DataType {
    // The empty zone is none.
    const zone = this.#table.string(1, `the time zone of ${this.#path}`) || null;
    return this.#choice("unit", this.#table.int16(0, 0), [
      () => new arrow.TimestampSecond(zone),
      () => new arrow.TimestampMillisecond(zone),
      () => new arrow.TimestampMicrosecond(zone),
      () => new arrow.TimestampNanosecond(zone),
    ]);
  }

  #union(): DataType {
    const mode = this.#table.int16(0, 0);
    const given = this.#table.int32s(1);
    const count = this.#children.length;
    const ids = given.length === 0 ? Array.from({ length: count }, (_, i) => i) : given;
    if (ids.length !== count || count > MAX_UNION_MEMBERS)
      this.#fail("invalid-field", `is a union of ${count} members with ${ids.length} type ids`);
    if (new Set(ids).size !== count || ids.some((id) => id < 0 || id >= MAX_UNION_MEMBERS))
      this.#fail(
        "invalid-field",
        "is a union whose type ids are not distinct numbers from 0 to 127",
      );
    return this.#choice("mode", mode, [
      () => new arrow.SparseUnion(ids, this.#children),
      () => new arrow.DenseUnion(ids, this.#children),
    ]);
  }

  #map(): DataType {
    const entries = this.#onlyChild();
    const type: DataType = entries.type;
    if (!arrow.DataType.isStruct(type) || type.children.length !== 2)
      this.#fail("invalid-field", "is a map whose entries are not a struct of a key and a value");
    const [key, value] = type.children;
    const struct = new arrow.Struct<{ key: DataType; value: DataType }>([
      new arrow.Field("key", key!.type, key!.nullable, key!.metadata),
      new arrow.Field("value", value!.type, value!.nullable, value!.metadata),
    ]);
    return new arrow.Map_(
      new arrow.Field("entries", struct, entries.nullable, entries.metadata),
      this.#table.bool(0),
    );
  }

  #onlyChild(): Field {
    const [child] = this.#children;
    if (child === undefined || this.#children.length > 1)
      this.#fail(
        "invalid-field",
        `of type ${this.#name} has ${this.#children.length} children, not 1`,
      );
    return child;
  }

  #width(of: string): number {
    const width = this.#table.int32(0, 0);
    if (width < 0) this.#fail("invalid-field", `of type ${this.#name} has ${width} ${of}`);
    return width;
  }

  #choice(what: string, index: number, makes: readonly (() => DataType)[]): DataType {
    const make = makes[index];
    if (make === undefined)
      this.#fail("invalid-field", `of type ${this.#name} has an unknown ${what} (${index})`);
    return make();
  }

  #fail(fault: "invalid-field" | "unsupported-type", message: string): never {
    throw new ArrowSchemaError(fault, `${this.#path} ${message}`);
  }
}
