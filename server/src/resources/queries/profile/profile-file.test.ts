import { type ComputePool, createPool, DataError, type Inspection } from "@distillery/engine";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { parquetOf } from "../../../testing/parquet-of.ts";
import { profileFile } from "./profile-file.ts";

let pool: ComputePool;
beforeAll(() => {
  pool = createPool(1);
});
afterAll(() => pool.close());

/** By SQL, by the engine's reading, and which columns SQL left to it. */
async function both(
  select: string,
): Promise<{ bySql: Inspection; byEngine: Inspection; left: readonly string[] }> {
  const file = await parquetOf(select);
  try {
    const inspect = (columns?: readonly string[]) =>
      pool.run<object, Inspection>("inspect", { path: file.path, format: "parquet", columns });
    const left: string[] = [];
    const bySql = await profileFile({
      file,
      inspect: (columns) => {
        left.push(...columns);
        return inspect(columns);
      },
    });
    return { bySql, byEngine: await inspect(), left };
  } finally {
    await file.remove();
  }
}

const TIME = /^\d{4}-\d\d-\d\dT/;

/** Every leaf, times as milliseconds. */
function leaves(value: unknown): unknown {
  if (typeof value === "string" && TIME.test(value)) return new Date(value).getTime();
  if (Array.isArray(value)) return value.map(leaves);
  if (typeof value === "object" && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, leaves(each)]));
  }
  return value;
}

/** Numbers to nine digits: the two add in different orders. */
function nearly(value: unknown): unknown {
  if (typeof value === "number" && value !== 0) {
    return expect.closeTo(value, 9 - Math.max(0, Math.ceil(Math.log10(Math.abs(value)))));
  }
  if (value === 0) return expect.closeTo(0, 9);
  if (Array.isArray(value)) return value.map(nearly);
  if (typeof value === "object" && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, nearly(each)]));
  }
  return value;
}

/** What only a reading of every value tells: cells that are no numbers. */
const BY_VALUE = / that (?:is|are) no (?:number|time|boolean)/;

function expectAgreement(bySql: Inspection, byEngine: Inspection): void {
  expect(bySql.columns).toEqual(byEngine.columns);
  for (const [at, profile] of bySql.profile.entries()) {
    expect(leaves(profile)).toEqual(nearly(leaves(byEngine.profile[at])));
  }
  const told = byEngine.warnings.filter((warning) => !BY_VALUE.test(warning));
  expect(bySql.warnings.toSorted()).toEqual(told.toSorted());
}

const implausibleSchema = z.array(
  z.object({
    kind: z.string(),
    count: z.number(),
    value: z.union([z.string(), z.number()]),
  }),
);

describe("profileFile", () => {
  it("agrees with the engine's reading on every type", async () => {
    const { bySql, byEngine, left } = await both(`
      SELECT i::TINYINT AS tiny, i::UTINYINT AS utiny, (i * 30)::SMALLINT AS small, i::INTEGER AS whole,
        i * 1000003 AS big, i::UBIGINT AS ubig, i::HUGEINT AS huge, (i / 8.0)::FLOAT AS single,
        sin(i) AS double, (i / 100.0)::DECIMAL(9, 2) AS dec, (i * 1.5)::DECIMAL(30, 5) AS wide,
        CASE WHEN i % 3 = 0 THEN NULL ELSE i % 2 = 0 END AS flag,
        DATE '2020-01-01' + i::INTEGER AS day, TIMESTAMP '1969-12-31 23:59:59.999999' + INTERVAL (i) HOUR AS stamp,
        (TIMESTAMP '2020-01-01' + INTERVAL (i) MINUTE)::TIMESTAMP_S AS seconds,
        (TIMESTAMP '2020-01-01' + INTERVAL (i) MINUTE)::TIMESTAMP_MS AS millis,
        (TIMESTAMP '2020-01-01 00:00:00.000001' + INTERVAL (i) MINUTE)::TIMESTAMP_NS AS nanos,
        (TIMESTAMP '2020-01-01' + INTERVAL (i) MINUTE)::TIMESTAMPTZ AS zoned,
        TIME '00:00:01' + INTERVAL (i) MINUTE AS clock,
        ['red', 'green', NULL, 'blue'][1 + i % 4] AS color, 'name ' || i AS name,
        CASE WHEN i % 5 > 0 THEN ['true', 'False'][1 + i % 2] END AS word,
        NULL::VARCHAR AS nothing, NULL::DOUBLE AS none, NULL AS untyped,
        strftime(DATE '2020-01-01' + i::INTEGER, '%Y-%m-%d') AS written,
        CASE WHEN i < 100 THEN '2020-01-0' || (1 + i % 9) ELSE 'later' END AS almost,
        ['1/31/2011', '2/1/2011'][1 + i % 2] AS slashed,
        repeat('w', 40 + (i % 30)::INTEGER) || repeat('é😀', 15) AS long,
        CASE i % 4 WHEN 0 THEN 'NaN'::DOUBLE WHEN 1 THEN 'Infinity'::DOUBLE WHEN 2 THEN i END AS odd,
        7 AS same, -0.0::DOUBLE AS zero, 'x' AS letter, (['a', 'b'][1 + i % 2])::ENUM('a', 'b') AS listed
      FROM range(120) t(i)`);
    expect(left).toEqual(["clock", "written", "slashed"]);
    expectAgreement(bySql, byEngine);
  });

  it("is not misled by columns that are called as its statements call theirs", async () => {
    const names = ["v", "n", "f", "c", "b", "d", "h", "bin", "value", "file", "found", "placed"];
    for (const cell of ["i % 7", "sin(i)", "['x', 'y', 'z'][1 + i % 3]", "'name ' || i"]) {
      const { bySql, byEngine, left } = await both(
        `SELECT ${names.map((name) => `${cell} AS "${name}"`).join(", ")}, i AS other,
           'name ' || (i % 9) AS word
         FROM range(200) t(i)`,
      );
      expect(left).toEqual([]);
      expectAgreement(bySql, byEngine);
    }
  });

  it("leaves times of day to the engine, which tells their unit, also where there is nothing else", async () => {
    const { bySql, byEngine, left } = await both("SELECT TIME '00:00:01' AS clock FROM range(3)");
    expect(left).toEqual(["clock"]);
    expectAgreement(bySql, byEngine);
    expect(bySql.warnings).toMatchObject([expect.stringContaining("microseconds")]);
  });

  it("leaves integers beyond 2^53 to the engine, which tells whether doubles keep them apart", async () => {
    const { bySql, byEngine, left } = await both(`
      SELECT 9007199254740993 - i AS id, (2::HUGEINT ** 60)::BIGINT AS exact,
        (9007199254740992::HUGEINT * 1000 + i)::DECIMAL(38, 0) AS huge, i::DECIMAL(38, 0) AS small
      FROM range(3) t(i)`);
    expect(left).toEqual(["id", "exact", "huge"]);
    expectAgreement(bySql, byEngine);
    expect(bySql.columns.map(({ kind }) => kind)).toEqual([
      "categorical",
      "numeric",
      "categorical",
      "numeric",
    ]);
    expect(bySql.warnings).toHaveLength(2);
  });

  it("agrees with the engine's reading of random columns", async () => {
    const cell = fc.oneof(fc.constant(null), fc.double({ noNaN: false, min: -1e6, max: 1e6 }));
    const text = fc.oneof(
      fc.constant(null),
      fc.constantFrom("a", "B", "true", "FALSE", "é😀", "7", ""),
    );
    const number = (value: number | null): string =>
      value === null ? "NULL" : `'${value}'::DOUBLE`;
    const row = fc.tuple(cell, fc.option(fc.integer({ min: -5, max: 5 })), text);
    await fc.assert(
      fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 60 }), async (rows) => {
        const values = rows.map(
          ([x, n, t]) =>
            `(${number(x)}, ${n ?? "NULL"}::BIGINT, ${t === null ? "NULL" : `'${t}'`}::VARCHAR)`,
        );
        const { bySql, byEngine } = await both(
          `SELECT * FROM (VALUES ${values.join(", ")}) v(x, n, t)`,
        );
        expectAgreement(bySql, byEngine);
      }),
      { numRuns: 10 },
    );
  });

  it("finds the values that are hardly meant, as the engine does, of few different values and of many", async () => {
    for (const rows of [400, 6000]) {
      const { bySql, byEngine } = await both(`
        SELECT CASE WHEN i % 50 = 3 THEN -999 ELSE i % 40 END AS marked,
          CASE WHEN i % 50 = 3 THEN -9999 ELSE sin(i) END AS marked_double,
          CASE WHEN i = 7 THEN 1e9 ELSE sin(i * 1.7) END AS slip,
          CASE WHEN i < 2 THEN -1e6 - i ELSE cos(i) END AS slips_below,
          CASE i WHEN 5 THEN 'Infinity'::DOUBLE WHEN 9 THEN '-Infinity'::DOUBLE ELSE i END AS infinite,
          CASE WHEN i = 4 THEN TIMESTAMP '0001-01-01' WHEN i = 5 THEN TIMESTAMP '9999-12-31'
            ELSE TIMESTAMP '2020-01-01' + INTERVAL (i) HOUR END AS stamp,
          CASE WHEN i IN (11, 12) THEN i ELSE 0 END AS nearly_one,
          CASE WHEN i = 3 THEN 'NaN'::DOUBLE ELSE i * 1.5 END AS clean
        FROM range(${rows}) t(i)`);
      // Of many values the median of the message is one of the points between.
      if (rows < 2000) expectAgreement(bySql, byEngine);
      const told = ({ profile }: Inspection) =>
        profile.map(({ implausible = [] }) => implausibleSchema.parse(implausible));
      expect(told(bySql)).toEqual(told(byEngine));
      const kinds = told(bySql).map((each) => each.map(({ kind }) => kind));
      expect(kinds).toEqual([
        ["missing_mark"],
        ["missing_mark"],
        ["far_value"],
        ["far_value"],
        ["infinite"],
        ["out_of_time", "out_of_time"],
        expect.arrayContaining(["almost_constant"]),
        [],
      ]);
    }
  });

  it("tells categories from texts at the very border, as the engine does", async () => {
    const columns = [100, 101, 149, 150, 151].map(
      (distinct) => `'v' || (i % ${distinct}) AS of_${distinct}`,
    );
    const { bySql, byEngine } = await both(`SELECT ${columns.join(", ")} FROM range(300) t(i)`);
    expect(bySql.columns).toEqual(byEngine.columns);
    expect(new Set(bySql.columns.map(({ kind }) => kind))).toEqual(
      new Set(["categorical", "text"]),
    );
  });

  it("marks estimates where values are many", async () => {
    const file = await parquetOf("SELECT i AS id, 'n' || i AS name FROM range(600000) t(i)");
    try {
      const { profile, columns } = await profileFile({
        file,
        inspect: () => Promise.reject(new Error("not asked")),
      });
      expect(columns).toMatchObject([{ kind: "numeric" }, { kind: "text" }]);
      const [id, name] = profile;
      expect(id).toMatchObject({ distinct_is_estimate: true, quantiles_are_estimates: true });
      expect(name).toMatchObject({ distinct_is_estimate: true });
      for (const each of [id, name]) {
        expect(Math.abs(Number(each?.["distinct"]) / 6e5 - 1)).toBeLessThan(0.05);
      }
    } finally {
      await file.remove();
    }
  });

  it.each([
    ["[1, 2]", /column "c" is of the type INTEGER\[\].*to_json/i],
    ["{'a': 1}", /type STRUCT/],
    ["'ab'::BLOB", /type BLOB.*to_hex/],
    ["'a' || chr(0)", /NUL/],
  ])("refuses %s by the column's name", async (value, message) => {
    const file = await parquetOf(`SELECT 1 AS a, ${value} AS c`);
    const inspect = () => Promise.reject(new Error("not asked"));
    await expect(profileFile({ file, inspect })).rejects.toThrow(message);
    await expect(profileFile({ file, inspect })).rejects.toBeInstanceOf(DataError);
    await file.remove();
  });

  it("refuses a file without rows", async () => {
    const file = await parquetOf("SELECT 1 AS a WHERE false");
    const inspect = () => Promise.reject(new Error("not asked"));
    await expect(profileFile({ file, inspect })).rejects.toThrow(/no rows/);
    await file.remove();
  });
});
