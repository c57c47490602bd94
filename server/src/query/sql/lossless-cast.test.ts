import * as arrow from "apache-arrow";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { duckdbTypeOf } from "../arrow/duckdb-type.ts";
import { DuckdbSession } from "./listing/testing/duckdb-session.ts";
import { castsLosslessly } from "./lossless-cast.ts";

let session: DuckdbSession;
beforeAll(async () => {
  session = await DuckdbSession.open();
});
afterAll(() => session.close());

const field = (type: arrow.DataType) => new arrow.Field("c", type, true);

/** Types with values at their ends, as DuckDB's texts. */
const TYPES: readonly (readonly [arrow.DataType, readonly string[]])[] = [
  [new arrow.Bool(), ["true", "false"]],
  [new arrow.Int8(), ["-128", "127"]],
  [new arrow.Int16(), ["-32768", "32767"]],
  [new arrow.Int32(), ["-2147483648", "2147483647", "16777217"]],
  [new arrow.Int64(), ["-9223372036854775808", "9223372036854775807", "9007199254740993"]],
  [new arrow.Uint8(), ["0", "255"]],
  [new arrow.Uint16(), ["0", "65535"]],
  [new arrow.Uint32(), ["0", "4294967295", "16777217"]],
  [new arrow.Uint64(), ["0", "18446744073709551615", "9007199254740993"]],
  [new arrow.Float32(), ["0.1", "-3.5e10"]],
  [new arrow.Float64(), ["0.1", "1e300", "-2.5"]],
  [new arrow.Decimal(2, 5, 128), ["-999.99", "0.01"]],
  [new arrow.Decimal(0, 18, 128), ["999999999999999999", "-7"]],
  [new arrow.Decimal(0, 20, 128), ["99999999999999999999", "-7"]],
  [new arrow.Decimal(4, 15, 128), ["99999999999.9999", "-0.0001"]],
  [new arrow.Utf8(), ["x", "2024-13-01"]],
  [new arrow.Binary(), ["x"]],
  [new arrow.DateDay(), ["2024-02-29", "0001-01-01"]],
  [new arrow.TimestampMicrosecond(), ["2024-02-29 23:59:59.999999"]],
  [new arrow.TimestampMicrosecond("UTC"), ["2024-02-29 23:59:59.999999+00"]],
  [new arrow.TimeMicrosecond(), ["23:59:59.999999"]],
  [new arrow.List(new arrow.Field("item", new arrow.Int16(), true)), ["[1, -32768]"]],
  [new arrow.List(new arrow.Field("item", new arrow.Int32(), true)), ["[1, 65536]"]],
  [new arrow.Struct([new arrow.Field("a", new arrow.Int16(), true)]), ["{'a': 5}"]],
  [new arrow.Struct([new arrow.Field("a", new arrow.Float64(), true)]), ["{'a': 5.5}"]],
  [new arrow.Struct([new arrow.Field("b", new arrow.Int16(), true)]), ["{'b': 5}"]],
];

describe("a cast without loss", () => {
  it("gives every value back, through DuckDB", async () => {
    const lost: string[] = [];
    let casts = 0;
    for (const [found, values] of TYPES) {
      for (const [wanted] of TYPES) {
        if (!castsLosslessly(field(found), field(wanted))) continue;
        casts++;
        const [from, to] = [duckdbTypeOf(field(found)), duckdbTypeOf(field(wanted))];
        const listed = values.map((value) => `(CAST('${value.replaceAll("'", "''")}' AS ${from}))`);
        const [row] = await session.rows(
          `SELECT count(*) FILTER (WHERE CAST(CAST(v AS ${to}) AS ${from}) IS DISTINCT FROM v)::INTEGER AS n FROM (VALUES ${listed.join(", ")}) t(v)`,
        );
        if (row!["n"] !== 0) lost.push(`${from} as ${to}`);
      }
    }
    expect(lost).toEqual([]);
    expect(casts).toBeGreaterThan(TYPES.length * 3);
  });

  it.each([
    [new arrow.Int64(), new arrow.Int32()],
    [new arrow.Int8(), new arrow.Uint8()],
    [new arrow.Uint32(), new arrow.Int32()],
    [new arrow.Int32(), new arrow.Float32()],
    [new arrow.Int64(), new arrow.Float64()],
    [new arrow.Float64(), new arrow.Float32()],
    [new arrow.Float64(), new arrow.Int64()],
    [new arrow.Utf8(), new arrow.Int64()],
    [new arrow.Binary(), new arrow.Utf8()],
    [new arrow.Bool(), new arrow.Int8()],
    [new arrow.Decimal(2, 5, 128), new arrow.Decimal(1, 5, 128)],
    [new arrow.Int64(), new arrow.Decimal(2, 20, 128)],
    [new arrow.TimestampMicrosecond(), new arrow.TimestampMicrosecond("UTC")],
    [new arrow.TimestampMicrosecond(), new arrow.DateDay()],
    [TYPES[23]![0], TYPES[25]![0]],
  ])("is not one from %s to %s", (found, wanted) => {
    expect(castsLosslessly(field(found), field(wanted))).toBe(false);
  });

  it("goes between types that DuckDB has one of", () => {
    const text = [
      new arrow.Utf8(),
      new arrow.LargeUtf8(),
      new arrow.Dictionary(new arrow.Utf8(), new arrow.Int32()),
    ];
    for (const a of text)
      for (const b of text) expect(castsLosslessly(field(a), field(b))).toBe(true);
    expect(
      castsLosslessly(
        field(new arrow.TimestampMicrosecond("UTC")),
        field(new arrow.TimestampMillisecond("Europe/Paris")),
      ),
    ).toBe(true);
  });
});
