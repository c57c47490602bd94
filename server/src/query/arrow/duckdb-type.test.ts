import { type DuckDBConnection, DuckDBInstance, type DuckDBType } from "@duckdb/node-api";
import * as arrow from "apache-arrow";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { arrowTypeName } from "./arrow-type-name.ts";
import { fieldOfDuckdbType } from "./duckdb-field.ts";
import { ArrowTypeError, DUCKDB_TYPE_KEY, duckdbTypeOf } from "./duckdb-type.ts";
import { arbitrarySchema } from "./testing/arbitrary-schema.ts";

let instance: DuckDBInstance;
let connection: DuckDBConnection;
beforeAll(async () => {
  instance = await DuckDBInstance.create(":memory:");
  connection = await instance.connect();
});
afterAll(() => {
  connection.closeSync();
  instance.closeSync();
});

async function typeOf(text: string): Promise<DuckDBType> {
  return (await connection.run(`SELECT CAST(NULL AS ${text}) AS a`)).columnType(0);
}

const field = (type: arrow.DataType, name = "a", metadata?: Map<string, string>) =>
  new arrow.Field(name, type, true, metadata);
const integer = field(new arrow.Int32(), "item");

/** Arrow type, its name for users, its DuckDB type. */
const TYPES: readonly (readonly [arrow.DataType, string, string])[] = [
  [new arrow.Null(), "Null", "INTEGER"],
  [new arrow.Bool(), "Bool", "BOOLEAN"],
  [new arrow.Int8(), "Int8", "TINYINT"],
  [new arrow.Int64(), "Int64", "BIGINT"],
  [new arrow.Uint16(), "Uint16", "USMALLINT"],
  [new arrow.Uint64(), "Uint64", "UBIGINT"],
  [new arrow.Float16(), "Float16", "FLOAT"],
  [new arrow.Float32(), "Float32", "FLOAT"],
  [new arrow.Float64(), "Float64", "DOUBLE"],
  [new arrow.Decimal(2, 10, 128), "Decimal128<10, 2>", "DECIMAL(10, 2)"],
  [new arrow.Decimal(2, 9, 32), "Decimal32<9, 2>", "DECIMAL(9, 2)"],
  [new arrow.Decimal(-3, 10, 128), "Decimal128<10, -3>", "DECIMAL(13, 0)"],
  [new arrow.Decimal(12, 10, 128), "Decimal128<10, 12>", "DECIMAL(12, 12)"],
  [new arrow.Decimal(-3, 37, 128), "Decimal128<37, -3>", "DOUBLE"],
  [new arrow.Decimal(5, 76, 256), "Decimal256<76, 5>", "DOUBLE"],
  [new arrow.Decimal(5, 38, 256), "Decimal256<38, 5>", "DECIMAL(38, 5)"],
  [new arrow.Utf8(), "Utf8", "VARCHAR"],
  [new arrow.LargeUtf8(), "LargeUtf8", "VARCHAR"],
  [new arrow.Utf8View(), "Utf8View", "VARCHAR"],
  [new arrow.Binary(), "Binary", "BLOB"],
  [new arrow.FixedSizeBinary(16), "FixedSizeBinary<16>", "BLOB"],
  [new arrow.DateDay(), "Date32<DAY>", "DATE"],
  [new arrow.DateMillisecond(), "Date64<MILLISECOND>", "DATE"],
  [new arrow.TimeSecond(), "Time32<SECOND>", "TIME"],
  [new arrow.TimeMicrosecond(), "Time64<MICROSECOND>", "TIME"],
  [new arrow.TimeNanosecond(), "Time64<NANOSECOND>", "TIME_NS"],
  [new arrow.TimestampSecond(), "Timestamp<SECOND>", "TIMESTAMP_S"],
  [new arrow.TimestampMillisecond(), "Timestamp<MILLISECOND>", "TIMESTAMP_MS"],
  [new arrow.TimestampMicrosecond(), "Timestamp<MICROSECOND>", "TIMESTAMP"],
  [new arrow.TimestampNanosecond(), "Timestamp<NANOSECOND>", "TIMESTAMP_NS"],
  [
    new arrow.TimestampMicrosecond("UTC"),
    "Timestamp<MICROSECOND, UTC>",
    "TIMESTAMP WITH TIME ZONE",
  ],
  [
    new arrow.TimestampNanosecond("Asia/Tokyo"),
    "Timestamp<NANOSECOND, Asia/Tokyo>",
    "TIMESTAMP WITH TIME ZONE",
  ],
  [new arrow.DurationNanosecond(), "Duration<NANOSECOND>", "INTERVAL"],
  [new arrow.IntervalMonthDayNano(), "Interval<MONTH_DAY_NANO>", "INTERVAL"],
  [new arrow.IntervalDayTime(), "Interval<DAY_TIME>", "INTERVAL"],
  [new arrow.List(integer), "List<Int32>", "INTEGER[]"],
  [new arrow.LargeList(integer), "LargeList<Int32>", "INTEGER[]"],
  [new arrow.FixedSizeList(3, integer), "FixedSizeList<3, Int32>", "INTEGER[3]"],
  [new arrow.FixedSizeList(0, integer), "FixedSizeList<0, Int32>", "INTEGER[]"],
  [new arrow.FixedSizeList(100_001, integer), "FixedSizeList<100001, Int32>", "INTEGER[]"],
  [
    new arrow.Struct([field(new arrow.Utf8(), 'a "b"'), field(new arrow.List(integer), "größe")]),
    'Struct<"a \\"b\\"": Utf8, größe: List<Int32>>',
    'STRUCT("a ""b""" VARCHAR, "größe" INTEGER[])',
  ],
  [
    new arrow.Map_(
      new arrow.Field(
        "entries",
        new arrow.Struct<{ key: arrow.DataType; value: arrow.DataType }>([
          new arrow.Field("key", new arrow.Utf8()),
          field(new arrow.DateDay(), "value"),
        ]),
      ),
    ),
    "Map<Utf8, Date32<DAY>>",
    "MAP(VARCHAR, DATE)",
  ],
  [
    new arrow.DenseUnion([0, 1], [field(new arrow.Int8(), "i"), field(new arrow.Utf8(), "s")]),
    "DenseUnion<i: Int8, s: Utf8>",
    'UNION("i" TINYINT, "s" VARCHAR)',
  ],
  [
    new arrow.Dictionary(new arrow.TimestampSecond(), new arrow.Int8()),
    "Dictionary<Int8, Timestamp<SECOND>>",
    "TIMESTAMP_S",
  ],
];

describe("an Arrow type", () => {
  it.each(TYPES)("%s is shown as %s and is %s in DuckDB", async (type, name, text) => {
    expect(arrowTypeName(type)).toBe(name);
    expect(duckdbTypeOf(field(type))).toBe(text);
    await typeOf(text);
  });

  it("of any kind has a type text that DuckDB takes, or an error that names the field", async () => {
    let taken = 0;
    await fc.assert(
      fc.asyncProperty(arbitrarySchema(), async ({ fields }) => {
        for (const one of fields) {
          let text: string;
          try {
            text = duckdbTypeOf(one);
          } catch (error) {
            expect(error).toBeInstanceOf(ArrowTypeError);
            expect(`${error}`).toContain(JSON.stringify(one.name));
            continue;
          }
          taken++;
          // What DuckDB makes of it comes back as the same type.
          const back = fieldOfDuckdbType(one.name, await typeOf(text), true);
          expect(await typeOf(duckdbTypeOf(back))).toEqual(await typeOf(text));
        }
      }),
      { numRuns: 100 },
    );
    expect(taken).toBeGreaterThan(100);
  });

  it.each([
    ["a struct without members", new arrow.Struct([]), "without members"],
    ["a struct with a nameless member", new arrow.Struct([field(new arrow.Int8(), "")]), "a name"],
    [
      "a struct whose members SQL cannot tell apart",
      new arrow.Struct([field(new arrow.Int8(), "x"), field(new arrow.Int8(), "X")]),
      'two members "X"',
    ],
  ])("that is %s is refused", (_, type, message) => {
    expect(() => duckdbTypeOf(field(new arrow.List(field(type))))).toThrow(ArrowTypeError);
    expect(() => duckdbTypeOf(field(new arrow.List(field(type))))).toThrow(message);
  });
});

describe("a field's metadata", () => {
  const named = (type: arrow.DataType, text: string) =>
    duckdbTypeOf(field(type, "a", new Map([[DUCKDB_TYPE_KEY, text]])));

  it("names the DuckDB type that a field came of, where that fits", () => {
    expect(named(new arrow.Decimal(0, 38, 128), "HUGEINT")).toBe("HUGEINT");
    expect(named(new arrow.Utf8(), "UUID")).toBe("UUID");
    expect(named(new arrow.Int8(), "UUID")).toBe("TINYINT");
  });

  it("brings no other text into a statement", () => {
    expect(named(new arrow.Utf8(), "VARCHAR); DROP TABLE x; --")).toBe("VARCHAR");
    expect(named(new arrow.Utf8(), "constructor")).toBe("VARCHAR");
    expect(named(new arrow.Utf8(), "__proto__")).toBe("VARCHAR");
  });

  it("tells JSON", () => {
    const json = new Map([["ARROW:extension:name", "arrow.json"]]);
    expect(duckdbTypeOf(field(new arrow.LargeUtf8(), "a", json))).toBe("JSON");
    expect(duckdbTypeOf(field(new arrow.Int8(), "a", json))).toBe("TINYINT");
  });
});

/** DuckDB type and the Arrow type of its values. */
const DUCKDB_TYPES: readonly (readonly [text: string, name: string])[] = [
  ["BOOLEAN", "Bool"],
  ["TINYINT", "Int8"],
  ["SMALLINT", "Int16"],
  ["INTEGER", "Int32"],
  ["BIGINT", "Int64"],
  ["UTINYINT", "Uint8"],
  ["USMALLINT", "Uint16"],
  ["UINTEGER", "Uint32"],
  ["UBIGINT", "Uint64"],
  ["HUGEINT", "Decimal128<38, 0>"],
  ["UHUGEINT", "Decimal256<39, 0>"],
  ["FLOAT", "Float32"],
  ["DOUBLE", "Float64"],
  ["DECIMAL(4, 1)", "Decimal128<4, 1>"],
  ["DECIMAL(38, 38)", "Decimal128<38, 38>"],
  ["BIGNUM", "Utf8"],
  ["VARCHAR", "Utf8"],
  ["JSON", "Utf8"],
  ["BLOB", "Binary"],
  ["BIT", "Utf8"],
  ["UUID", "Utf8"],
  ["DATE", "Date32<DAY>"],
  ["TIME", "Time64<MICROSECOND>"],
  ["TIME_NS", "Time64<NANOSECOND>"],
  ["TIME WITH TIME ZONE", "Utf8"],
  ["TIMESTAMP_S", "Timestamp<SECOND>"],
  ["TIMESTAMP_MS", "Timestamp<MILLISECOND>"],
  ["TIMESTAMP", "Timestamp<MICROSECOND>"],
  ["TIMESTAMP_NS", "Timestamp<NANOSECOND>"],
  ["TIMESTAMP WITH TIME ZONE", "Timestamp<MICROSECOND, UTC>"],
  ["INTERVAL", "Interval<MONTH_DAY_NANO>"],
  ["GEOMETRY", "Binary"],
  ["VARIANT", "Utf8"],
  ["INTEGER[]", "List<Int32>"],
  ["VARCHAR[3]", "FixedSizeList<3, Utf8>"],
  ["HUGEINT[][]", "List<List<Decimal128<38, 0>>>"],
  ['STRUCT("a" UUID, "b c" DATE[])', 'Struct<a: Utf8, "b c": List<Date32<DAY>>>'],
  ["MAP(INTEGER[], JSON)", "Map<List<Int32>, Utf8>"],
  ['UNION("n" INTEGER, "t" VARCHAR)', "SparseUnion<n: Int32, t: Utf8>"],
];

describe("a DuckDB type", () => {
  it.each(DUCKDB_TYPES)("%s is %s in Arrow and comes back", async (text, name) => {
    const made = fieldOfDuckdbType("größe", await typeOf(text), false);
    expect(made.name).toBe("größe");
    expect(made.nullable).toBe(false);
    expect(arrowTypeName(made.type)).toBe(name);
    expect(duckdbTypeOf(made)).toBe(text);
  });

  it("of an enumeration is text", async () => {
    expect(duckdbTypeOf(fieldOfDuckdbType("a", await typeOf("ENUM('x', 'y')"), true))).toBe(
      "VARCHAR",
    );
  });
});
