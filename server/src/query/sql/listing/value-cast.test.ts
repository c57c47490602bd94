/** Files of one folder that have whole numbers or decimals where others have doubles, or times of other units. */

import {
  type DataType,
  Field,
  Float64,
  Int32,
  List,
  Map_,
  Schema,
  Struct,
  TimeMicrosecond,
  Timestamp,
  TimeUnit,
} from "apache-arrow";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { useListingTables } from "./testing/listing-tables.ts";

const tables = useListingTables();

const put = async (...selects: readonly string[]): Promise<void> => {
  for (const [at, select] of selects.entries()) {
    tables.objects.put(`t/${at}.parquet`, await tables.parquet(select));
  }
};

const numbers = async (given: Parameters<typeof tables.listing>[0] = {}): Promise<unknown[]> =>
  (await tables.session.read(tables.listing(given))).map(({ v }) => v).toSorted();

describe("whole numbers beside doubles", () => {
  it.each([
    ["BIGINT", "9007199254740992", 9007199254740992],
    ["UBIGINT", "18446744073709551615 - 2047", 2 ** 64 - 2048],
    ["DECIMAL(18, 2)", "0.1", 0.1],
    ["DECIMAL(38, 10)", "-2.5", -2.5],
  ])("of %s are doubles, in whatever order the files come", async (type, value, double) => {
    const selects = [
      `SELECT CAST(${value} AS ${type}) AS v UNION ALL SELECT NULL`,
      "SELECT CAST(1.5 AS DOUBLE) AS v",
    ];
    for (const order of [selects, selects.toReversed()]) {
      tables.renew();
      await put(...order);
      expect(await tables.columnsOf(tables.listing())).toEqual(["v Float64"]);
      expect(await numbers()).toEqual([double, 1.5, null].toSorted());
    }
  });

  it("are doubles where a snapshot says so", async () => {
    await put("SELECT CAST(7 AS BIGINT) AS v");
    const fileSchema = new Schema([new Field("v", new Float64(), true)]);
    expect(await numbers({ fileSchema })).toEqual([7]);
  });

  it.each([
    ["BIGINT", "9007199254740993"],
    ["BIGINT", "9223372036854775807"],
    ["UBIGINT", "18446744073709551615"],
    ["DECIMAL(38, 0)", "12345678901234567890123456789012345678"],
    ["DECIMAL(38, 20)", "0.12345678901234567891"],
  ])(
    "of %s stop a query that needs them where a double loses digits of them",
    async (type, value) => {
      await put(
        `SELECT 1 AS id, CAST('${value}' AS ${type}) AS v`,
        "SELECT 2 AS id, CAST(1.5 AS DOUBLE) AS v",
      );
      await expect(tables.session.read(tables.listing())).rejects.toThrow(
        `shop.main.sales: the column v of t/0.parquet has ${value}, whose last digits are lost in Float64; a snapshot's fileSchema says what is meant, such as Utf8, which keeps them`,
      );
      expect(await tables.session.read(tables.listing(), { columns: ["id"] })).toHaveLength(2);
    },
  );

  it("are read exactly or not at all", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
          fc.bigInt({ min: -(2n ** 55n), max: 2n ** 55n }),
        ),
        async (value) => {
          tables.renew();
          await put(`SELECT CAST('${value}' AS BIGINT) AS v`, "SELECT CAST(NULL AS DOUBLE) AS v");
          if (BigInt(Number(value)) === value) {
            expect(await numbers()).toEqual([Number(value), null].toSorted());
          } else
            await expect(numbers()).rejects.toThrow(`has ${value}, whose last digits are lost`);
        },
      ),
      { numRuns: 20 },
    );
  });
});

describe("whole numbers beside doubles within nested values", () => {
  it.each<[string, string, string, string, unknown[]]>([
    ["lists", "[1, NULL]::BIGINT[]", "[1.5]::DOUBLE[]", "List<Float64>", [[1, null], [1.5]]],
    [
      "lists of lists",
      "[[1::BIGINT], NULL]",
      "[[1.5::DOUBLE]]",
      "List<List<Float64>>",
      [[[1], null], [[1.5]]],
    ],
    [
      "structs",
      "{'a': 1::BIGINT}",
      "{'a': 1.5::DOUBLE, 'b': 'x'}",
      "Struct<{a:Float64, b:Utf8}>",
      [
        { a: 1, b: null },
        { a: 1.5, b: "x" },
      ],
    ],
    [
      "structs that both have more",
      "{'A': 1::BIGINT, 'c': 2}",
      "{'b': 'x', 'a': 1.5::DOUBLE}",
      "Struct<{A:Float64, c:Int32, b:Utf8}>",
      [
        { A: 1, c: 2, b: null },
        { A: 1.5, c: null, b: "x" },
      ],
    ],
    [
      "lists of structs",
      "[{'a': 0.1::DECIMAL(20, 2)}]",
      "[{'a': 1.5::DOUBLE}]",
      "List<Struct<{a:Float64}>>",
      [[{ a: 0.1 }], [{ a: 1.5 }]],
    ],
  ])("%s", async (_, whole, double, type, rows) => {
    const selects = [`SELECT ${whole} AS v`, `SELECT ${double} AS v`];
    await put(...selects);
    expect(await tables.columnsOf(tables.listing())).toEqual([`v ${type}`]);
    expect((await tables.session.read(tables.listing())).map(({ v }) => v)).toEqual(rows);
  });

  it("maps, of equal keys", async () => {
    await put("SELECT MAP {'x': 1::BIGINT} AS v", "SELECT MAP {'y': 1.5::DOUBLE} AS v");
    expect(await tables.columnsOf(tables.listing())).toEqual(["v Map<{key:Utf8, value:Float64}>"]);
    const rows = await tables.session.read(tables.listing());
    expect(JSON.stringify(rows)).toBe(
      JSON.stringify([{ v: [{ key: "x", value: 1 }] }, { v: [{ key: "y", value: 1.5 }] }]),
    );
    tables.renew();
    await put("SELECT MAP {1::BIGINT: 1} AS v", "SELECT MAP {1.5::DOUBLE: 1} AS v");
    await expect(tables.session.read(tables.listing())).rejects.toThrow("Map<Float64, Int32>");
  });

  it.each([
    ["[9007199254740993]::BIGINT[]", "[1.5]::DOUBLE[]", "[9007199254740993]", "List<Float64>"],
    [
      "{'a': 9007199254740993::BIGINT, 'c': 1}",
      "{'a': 1.5::DOUBLE}",
      "{'a': 9007199254740993, 'c': 1}",
      "Struct<a: Float64, c: Int32>",
    ],
    [
      "MAP {'x': 18446744073709551615::UBIGINT}",
      "MAP {'x': 1.5::DOUBLE}",
      "{x=18446744073709551615}",
      "Map<Utf8, Float64>",
    ],
  ])("%s stops a query where a double loses digits of it", async (whole, double, shown, type) => {
    await put(`SELECT 1 AS id, ${whole} AS v`, `SELECT 2 AS id, ${double} AS v`);
    await expect(tables.session.read(tables.listing())).rejects.toThrow(
      `shop.main.sales: the column v of t/0.parquet has ${shown}, whose last digits are lost in ${type}; a snapshot's fileSchema says what is meant`,
    );
    expect(await tables.session.read(tables.listing(), { columns: ["id"] })).toHaveLength(2);
  });

  it("a struct without a member of them is no version of it", async () => {
    await put("SELECT {'a': 1::BIGINT} AS v", "SELECT {'b': 1.5::DOUBLE} AS v");
    await expect(tables.session.read(tables.listing())).rejects.toThrow("Struct<b: Float64>");
  });
});

describe("times of other units within nested values", () => {
  const nested: readonly (readonly [string, (time: string) => string])[] = [
    ["lists", (time) => `[${time}, NULL]`],
    ["structs", (time) => `{'a': ${time}, 'b': 'x'}`],
    ["lists of structs", (time) => `[{'a': ${time}}, NULL]`],
    ["values of maps", (time) => `MAP {'k': ${time}}`],
  ];
  const NS = "TIMESTAMP_NS '2024-01-02 03:04:05.123456789'";
  const texts = async (given: Parameters<typeof tables.listing>[0] = {}): Promise<unknown[]> => {
    const rows = await tables.session.read(
      tables.listing(given),
      {},
      { select: "CAST(v AS VARCHAR) AS v" },
    );
    return rows.map(({ v }) => v).toSorted();
  };

  it.each(nested)(
    "in %s are read where nothing is lost, in whatever order files come",
    async (_, of) => {
      const selects = [
        `SELECT ${of("TIMESTAMP '2024-01-02 03:04:05.5'")} AS v UNION ALL SELECT NULL`,
        `SELECT ${of("TIMESTAMP_NS '2024-01-02 03:04:06.000001'")} AS v UNION ALL SELECT ${of("'infinity'::TIMESTAMP_NS")}`,
      ];
      for (const order of [selects, selects.toReversed()]) {
        tables.renew();
        await put(...order);
        const found = await texts();
        expect(found).toHaveLength(4);
        expect(found).toContain(null);
        for (const time of ["05.5", "06.000001", "infinity"]) expect(String(found)).toContain(time);
      }
    },
  );

  it.each(nested)(
    "in %s stop a query where the other unit is coarser than a value",
    async (_, of) => {
      await put(
        `SELECT 1 AS id, ${of(NS)} AS v`,
        `SELECT 2 AS id, ${of("TIMESTAMP '2024-01-02 00:00:00'")} AS v`,
      );
      await expect(texts()).rejects.toThrow(
        /the column v of t\/0\.parquet has .*123456789.*, which has times that are finer than, or beyond, .*Timestamp<MICROSECOND>.*; a snapshot's fileSchema says what is meant/,
      );
      expect(await tables.session.read(tables.listing(), { columns: ["id"] })).toHaveLength(2);
    },
  );

  it.each(nested)(
    "in %s stop a query where the other unit has no room for a value",
    async (_, of) => {
      await put(`SELECT ${of("TIMESTAMP '2300-01-01 00:00:00'")} AS v`, `SELECT ${of(NS)} AS v`);
      await expect(texts()).rejects.toThrow("finer than, or beyond, ");
    },
  );

  it("are looked at as keys of maps and in coarser units than microseconds", async () => {
    await put(`SELECT MAP {${NS}: 1} AS v`);
    const map = (unit: TimeUnit): Schema => {
      const pair = new Struct<{ key: DataType; value: DataType }>([
        new Field("key", new Timestamp(unit), false),
        new Field("value", new Int32(), true),
      ]);
      return new Schema([new Field("v", new Map_(new Field("entries", pair, false)), true)]);
    };
    for (const unit of [TimeUnit.SECOND, TimeUnit.MILLISECOND, TimeUnit.MICROSECOND]) {
      await expect(texts({ fileSchema: map(unit) })).rejects.toThrow("finer than, or beyond, ");
    }
    expect(await texts({ fileSchema: map(TimeUnit.NANOSECOND) })).toEqual([
      "{'2024-01-02 03:04:05.123456789'=1}",
    ]);
  });

  it("are told beside numbers that doubles do not hold", async () => {
    await put(
      `SELECT {'n': 9007199254740993::BIGINT, 'at': TIMESTAMP_NS '2024-01-02'} AS v`,
      "SELECT {'n': 0.5::DOUBLE, 'at': TIMESTAMP '2024-01-02'} AS v",
    );
    await expect(texts()).rejects.toThrow(
      "which has numbers or times that are finer than, or beyond, ",
    );
  });

  it("are times of day as well, at the top and within", async () => {
    const schema = (item: DataType): Schema => new Schema([new Field("v", item, true)]);
    const inList = new List(new Field("item", new TimeMicrosecond(), true));
    for (const [select, type] of [
      ["'01:02:03.123456789'::TIME_NS", new TimeMicrosecond()],
      ["['01:02:03.123456789'::TIME_NS]", inList],
    ] as const) {
      await put(`SELECT ${select} AS v`);
      await expect(texts({ fileSchema: schema(type) })).rejects.toThrow("finer than, or beyond, ");
    }
  });
});

describe("other types that differ", () => {
  it("say what would settle them where nobody said what is meant", async () => {
    // Of so many files the schema is that of a sample.
    for (let at = 0; at < 20; at++) {
      const select = at === 1 ? "SELECT 'x' AS v" : "SELECT CAST(1 AS BIGINT) AS v";
      tables.objects.put(`t/${String(at).padStart(2, "0")}.parquet`, await tables.parquet(select));
    }
    await expect(tables.session.read(tables.listing())).rejects.toThrow(
      "shop.main.sales: the column v is Utf8 in t/01.parquet, and what was inferred from other files has it as Int64; a snapshot's fileSchema says what is meant",
    );
  });
});
