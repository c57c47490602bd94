import * as arrow from "apache-arrow";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { duckdbTypeOf } from "../../arrow/duckdb-type.ts";
import { partitionParts } from "./partition-parts.ts";
import { castsToPartitionType, partitionFiles } from "./partitions.ts";
import { DuckdbSession } from "./testing/duckdb-session.ts";

let session: DuckdbSession;
beforeAll(async () => {
  session = await DuckdbSession.open();
});
afterAll(() => session.close());

const files = (...folders: string[][]) =>
  folders.map((names, at) => ({
    object: { key: `${names.join("/")}/${at}`, bytes: 1, modifiedAt: new Date(0), version: "1" },
    folders: names,
    isNamed: false,
  }));

describe("parts of paths", () => {
  it("are decoded where they are encoded", () => {
    const parts = partitionParts([
      "a=1",
      "b%20c=%2F%3D",
      "d=100%",
      "e=",
      "a=2",
      "f=__HIVE_DEFAULT_PARTITION__",
    ]);
    expect([...parts]).toEqual([
      ["a", "1"],
      ["b c", "/="],
      ["d", "100%"],
      ["e", ""],
      ["f", null],
    ]);
  });

  it("are columns where all files have them", () => {
    const { fields, partitions } = partitionFiles(
      "t",
      files(["x=1", "y=a", "z=2024-01-01"], ["z=2024-01-02", "x=-2"]),
      null,
    );
    expect(fields.map(({ name, type }) => `${name} ${type}`)).toEqual(["x Int64", "z Date32<DAY>"]);
    expect(partitions.map(({ values }) => values)).toEqual([
      ["1", "2024-01-01"],
      ["-2", "2024-01-02"],
    ]);
    expect(partitionFiles("t", files(["x=1"], []), null).partitions).toHaveLength(1);
  });

  it.each([
    [["1", "x"], "Utf8"],
    [["1", "9223372036854775807"], "Int64"],
    [["1", "9223372036854775808"], "Utf8"],
    [["2024-02-29"], "Date32<DAY>"],
    [["2023-02-29"], "Utf8"],
    [["1", "2024-02-29"], "Utf8"],
    [["__HIVE_DEFAULT_PARTITION__"], "Utf8"],
    [["__HIVE_DEFAULT_PARTITION__", "7"], "Int64"],
    [[""], "Utf8"],
  ])("%j are %s", (values, type) => {
    const { fields } = partitionFiles("t", files(...values.map((value) => [`p=${value}`])), null);
    expect(String(fields[0]!.type)).toBe(type);
  });

  it("are of types that a text can stand for", () => {
    const schema = new arrow.Schema([new arrow.Field("p", new arrow.Binary(), true)]);
    expect(() => partitionFiles("t", files(["p=1"]), schema)).toThrow(
      "t: the partition column p cannot be Binary",
    );
  });
});

describe("values of partitions", () => {
  const types: readonly arrow.DataType[] = [
    new arrow.Bool(),
    new arrow.Int8(),
    new arrow.Uint16(),
    new arrow.Int64(),
    new arrow.Uint64(),
    new arrow.Float64(),
    new arrow.Decimal(2, 5, 128),
    new arrow.DateDay(),
    new arrow.TimestampMicrosecond(),
    new arrow.TimestampMicrosecond("UTC"),
    new arrow.Utf8(),
  ];
  const text = fc.oneof(
    fc.integer().map(String),
    fc.bigInt({ min: -(2n ** 66n), max: 2n ** 66n }).map(String),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
    fc.constantFrom("true", "F", "yes", "", " ", "+5", "007", "1e3", ".5", "5.", "1.234", "-0"),
    fc.constantFrom("2024-02-29", "2023-02-29", "2024-1-1", "0001-01-01", "2024-02-29 10:05"),
    fc.constantFrom("2024-02-29T10:05:07.123456Z", "2024-02-29 25:00:00", "2024-02-29 10:05:00+01"),
    fc.string({ maxLength: 6 }),
  );

  it("that pass are values that DuckDB casts", async () => {
    const cases = fc.sample(fc.tuple(text, fc.constantFrom(...types)), 2000);
    const passing = cases.filter(([value, type]) => castsToPartitionType(value, type));
    expect(passing.length).toBeGreaterThan(400);
    const casts = passing.map(([value, type], at) => {
      const quoted = `'${value.replaceAll("'", "''")}'`;
      return `(${at}, TRY_CAST(${quoted} AS ${duckdbTypeOf(new arrow.Field("p", type))}) IS NULL)`;
    });
    const rows = await session.rows(
      `SELECT place FROM (VALUES ${casts.join(", ")}) t(place, fails) WHERE fails`,
    );
    expect(rows.map(({ place }) => passing[Number(place)]!.map(String))).toEqual([]);
  });

  it.each([
    ["256", new arrow.Uint8()],
    ["-1", new arrow.Uint64()],
    ["1.5", new arrow.Int32()],
    ["1234.5", new arrow.Decimal(2, 5, 128)],
    ["1.239", new arrow.Decimal(2, 5, 128)],
    ["x", new arrow.Float64()],
    ["2024-02-30", new arrow.DateDay()],
    ["2024-02-29 24:01", new arrow.TimestampMicrosecond()],
    ["2024-02-29 23:01+02:00", new arrow.TimestampMicrosecond()],
    ["2024-02-29T23:01:00.5-0530", new arrow.TimestampMillisecond()],
    ["yes", new arrow.Bool()],
  ])("%s is no %s", (value, type) => {
    expect(castsToPartitionType(value, type)).toBe(false);
  });
});
