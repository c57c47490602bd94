import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openSqlEngine } from "./engine.ts";
import type { SqlEngine } from "./query.ts";
import { requestOf, rowsOf } from "./testing/query.ts";
import { StoredTables } from "./testing/stored-tables.ts";

let home: string;
let engine: SqlEngine;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "sql-planning-"));
  engine = await openSqlEngine(home);
});

afterAll(async () => {
  await engine.close();
  await rm(home, { recursive: true });
});

/** Conditions over the columns of `facts`, some of which no filter of a source can tell. */
const condition = (alias: string): fc.Arbitrary<string> =>
  fc.letrec<{ node: string; leaf: string }>((tie) => ({
    leaf: fc.oneof(
      fc
        .tuple(
          fc.constantFrom("id", "p"),
          fc.constantFrom("=", "<>", "<", "<=", ">", ">="),
          fc.integer({ min: -1, max: 12 }),
        )
        .map(([column, op, value]) => `${alias}.${column} ${op} ${value}`),
      fc
        .tuple(
          fc.constantFrom("id", "p"),
          fc.array(fc.integer({ min: 0, max: 12 }), { minLength: 1, maxLength: 6 }),
          fc.boolean(),
        )
        .map(
          ([column, values, not]) =>
            `${alias}.${column} ${not ? "NOT " : ""}IN (${values.join(", ")})`,
        ),
      fc.constantFrom(
        `${alias}.name IS NULL`,
        `${alias}.name IS NOT NULL`,
        `${alias}.name LIKE 'a%'`,
        `${alias}.name = 'ab'`,
        `${alias}.name > 'b'`,
        `${alias}.flag`,
        `NOT ${alias}.flag`,
        `${alias}.day >= DATE '2024-01-03'`,
        `month(${alias}.day) = 1`,
        `${alias}.q IS NULL`,
        `${alias}.q = 'x'`,
        `${alias}.p % 2 = 0`,
        `${alias}.amount > 1.5`,
        `${alias}.amount BETWEEN 1 AND 2`,
        `${alias}.p BETWEEN 0.5 AND 2.5`,
        `${alias}.p + ${alias}.id BETWEEN 3 AND 9`,
        `CASE WHEN ${alias}.p > 1 THEN ${alias}.flag ELSE ${alias}.q = 'x' END`,
        `${alias}.at < TIMESTAMP '2024-01-02 12:00:00.5'`,
        `${alias}.big > 9007199254740993`,
        `coalesce(${alias}.q, 'none') <> 'x'`,
        `${alias}.id = ${alias}.p`,
      ),
    ),
    node: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      tie("leaf"),
      fc
        .tuple(tie("node"), fc.constantFrom("AND", "OR"), tie("node"))
        .map(([a, op, b]) => `(${a} ${op} ${b})`),
      tie("node").map((inner) => `NOT (${inner})`),
    ),
  })).node;

const query = fc
  .tuple(condition("a"), condition("b"), fc.nat(12))
  .map(
    ([first, second, shape]) =>
      [
        `SELECT a.* FROM facts a WHERE ${first}`,
        `SELECT count(*) AS n FROM facts a WHERE ${first}`,
        `SELECT a.p, sum(a.id) AS s FROM facts a WHERE ${first} GROUP BY a.p HAVING sum(a.id) > 3`,
        `SELECT a.id, b.name FROM facts a JOIN facts b ON a.id = b.p WHERE ${first} AND ${second}`,
        `SELECT a.id, b.q FROM facts a LEFT JOIN facts b ON a.id = b.id AND ${second} WHERE ${first}`,
        `WITH c AS (SELECT * FROM facts a WHERE ${first}) SELECT c.id, b.p FROM c, (SELECT * FROM facts b WHERE ${second}) b WHERE c.id = b.id`,
        `SELECT a.id FROM facts a WHERE ${first} AND a.p IN (SELECT b.p FROM facts b WHERE ${second})`,
        `SELECT a.id, a.q FROM facts a WHERE ${first} UNION ALL SELECT b.p, b.name FROM facts b WHERE ${second}`,
        `SELECT DISTINCT a.p, a.q FROM facts a WHERE ${first}`,
        `SELECT count(DISTINCT a.p) AS n, max(a.day) AS last, bool_or(a.flag) AS any FROM facts a WHERE ${first}`,
        `SELECT a.q, count(DISTINCT a.name) AS n, count(*) AS all FROM facts a WHERE ${first} GROUP BY a.q`,
        `SELECT count(*) AS n FROM (SELECT DISTINCT a.name, a.p FROM facts a WHERE ${first})`,
        `SELECT a.p, min(a.id) AS least FROM facts a WHERE ${first} GROUP BY a.p HAVING min(a.id) < 9`,
      ][shape]!,
  );

const FACTS = `SELECT (i * 7 + $seed) % 13 AS id,
  CASE i % 5 WHEN 0 THEN NULL WHEN 1 THEN 'ab' WHEN 2 THEN 'abc' WHEN 3 THEN 'b' ELSE 'ç' END AS name,
  i % 3 = 0 AS flag,
  DATE '2024-01-01' + CAST(i % 40 AS INTEGER) AS day,
  CAST(i % 7 AS DECIMAL(10, 2)) / 2 AS amount,
  TIMESTAMP '2024-01-01' + to_hours(CAST(i AS INTEGER)) AS at,
  9007199254740990 + i AS big,
  CAST((i + $seed) % 4 AS INTEGER) AS p,
  CASE (i // 4) % 3 WHEN 0 THEN NULL WHEN 1 THEN 'x' ELSE 'y z' END AS q
  FROM range(60) AS r(i)`;

describe("what is asked of sources", () => {
  it("is enough: a statement has the rows that it has over everything", async () => {
    const stores = await Promise.all(
      [0, 1, 2].map(async (partitionColumns) => {
        const tables = await StoredTables.open();
        const rows = FACTS.replaceAll("$seed", String(3 * partitionColumns));
        await tables.add(rows, { table: "facts" }, partitionColumns);
        await tables.connection.run(`CREATE TABLE facts AS ${rows}`);
        return tables;
      }),
    );
    await fc.assert(
      fc.asyncProperty(query, fc.nat(2), async (sql, which) => {
        const tables = stores[which]!;
        const [expected] = (
          await tables.connection.runAndReadAll(
            `SELECT CAST(coalesce(list(row_of), []) AS VARCHAR) FROM (SELECT row_of FROM (${sql}) row_of ORDER BY row_of)`,
          )
        ).getRowsJS();
        const actual = await rowsOf(
          engine,
          tables,
          `SELECT CAST(coalesce(list(row_of), []) AS VARCHAR) AS rows FROM (SELECT row_of FROM (${sql}) row_of ORDER BY row_of)`,
        );
        expect(actual).toEqual([{ rows: expected![0] }]);
      }),
      { numRuns: 60 },
    );
  });

  const partitionsRead = async (tables: StoredTables, sql: string): Promise<number> => {
    const plan = await engine.explain(requestOf(tables, sql));
    return plan.scans.reduce((sum, scan) => sum + scan.partitions.read, 0);
  };

  it("is only the partitions whose values a statement can meet", async () => {
    const tables = await StoredTables.open();
    await tables.add(
      "SELECT i AS id, CAST(2020 + i // 12 AS INTEGER) AS year, CAST(1 + i % 12 AS INTEGER) AS month FROM range(48) AS r(i)",
      { table: "events" },
      2,
    );
    const read = (sql: string): Promise<number> => partitionsRead(tables, sql);
    expect(await read("SELECT id FROM events")).toBe(48);
    expect(await read("SELECT count(*) FROM events WHERE year = 2021")).toBe(12);
    expect(await read("SELECT id FROM events WHERE year = 2021 AND month > 10")).toBe(2);
    expect(
      await read("SELECT id FROM events WHERE make_date(year, month, 1) >= DATE '2023-11-01'"),
    ).toBe(2);
    expect(await read("SELECT id FROM events WHERE month % 2 = 0 AND year < 2021")).toBe(6);
    expect(await read("SELECT id FROM events WHERE year = 2020 OR month = 1")).toBe(15);
    expect(await read("SELECT id FROM events WHERE year = 1999")).toBe(0);
    expect(await read("SELECT id FROM events WHERE month BETWEEN 1.5 AND 3.5")).toBe(8);
    expect(await read("SELECT id FROM events WHERE month / 2 > 1 AND month / 2 <= 2")).toBe(8);
    expect(
      await read(
        "SELECT id FROM events WHERE CASE WHEN year = 2021 THEN month = 1 ELSE id > 40 END",
      ),
    ).toBe(48);
    expect(
      await read(
        "WITH e AS (SELECT * FROM events) SELECT id FROM e WHERE year IN (2020, 2023) AND month = 6",
      ),
    ).toBe(2);
    expect(
      await read(
        "SELECT a.id FROM events a JOIN events b ON a.id = b.id WHERE a.year = 2020 AND b.year = 2021 AND b.month = 1",
      ),
    ).toBe(13);
    expect(
      await rowsOf(engine, tables, "SELECT count(*) AS n FROM events WHERE year = 1999"),
    ).toEqual([{ n: 0 }]);
  });

  it("is found among thousands of partitions, by any condition", async () => {
    const tables = await StoredTables.open();
    await tables.add(
      "SELECT 1 AS id, DATE '2015-01-01' + CAST(i AS INTEGER) AS day FROM range(2000) AS r(i)",
      { table: "days" },
      1,
    );
    expect(await partitionsRead(tables, "SELECT id FROM days WHERE day >= '2020-06-01'")).toBe(
      2000 - 1978,
    );
    expect(
      await partitionsRead(
        tables,
        "SELECT id FROM days WHERE dayofweek(day) = 0 AND year(day) = 2016",
      ),
    ).toBe(52);
    expect(
      await partitionsRead(
        tables,
        "SELECT a.id FROM days a, days b WHERE a.day = '2015-01-01' AND b.day = '2020-01-01' AND a.id = b.id",
      ),
    ).toBe(2);
  });

  it("is nothing of a table that cannot have a part in the answer", async () => {
    const tables = await StoredTables.open();
    await tables.add("SELECT 1 AS id", { table: "one" });
    expect(await rowsOf(engine, tables, "SELECT count(*) AS n FROM one WHERE 1 = 2")).toEqual([
      { n: 0 },
    ]);
    expect(await rowsOf(engine, tables, "DESCRIBE one")).toHaveLength(1);
    expect(tables.needs).toEqual([]);
  });

  it("is everything where a few characters stand for constants that make no plan", async () => {
    const tables = await StoredTables.open();
    await tables.add("SELECT i AS id, i % 3 AS k FROM range(5) AS r(i)", { table: "t" });
    const sql = "SELECT id FROM t WHERE repeat('x', 30000000) > CAST(id AS VARCHAR) LIMIT 1";
    expect(await rowsOf(engine, tables, sql)).toEqual([{ id: 0 }]);
    expect(tables.needs[0]!.need).toMatchObject({ columns: ["id", "k"], filter: null });
  });

  it("has a limit only where the rows are any rows of one scan", async () => {
    const tables = await StoredTables.open();
    await tables.add("SELECT i AS id, i % 3 AS k FROM range(50) AS r(i)", { table: "t" });
    const limitOf = async (sql: string): Promise<number | null> => {
      tables.needs.length = 0;
      await rowsOf(engine, tables, sql);
      return tables.needs[0]!.need.limit;
    };
    expect(await limitOf("SELECT id + 1 FROM t LIMIT 5 OFFSET 3")).toBe(8);
    expect(await limitOf("SELECT id FROM t WHERE k = 1 LIMIT 5")).toBe(5);
    expect(await limitOf("SELECT id FROM t WHERE id % 7 = 1 LIMIT 5")).toBeNull();
    expect(await limitOf("SELECT id FROM t ORDER BY id LIMIT 5")).toBeNull();
    expect(await limitOf("SELECT DISTINCT k FROM t LIMIT 2")).toBeNull();
    expect(await limitOf("SELECT a.id FROM (FROM t LIMIT 5) a, t b LIMIT 5")).toBeNull();
    expect(await limitOf("SELECT id FROM t USING SAMPLE 10% LIMIT 5")).toBeNull();
  });

  it("is one of equal rows only where another changes nothing", async () => {
    const tables = await StoredTables.open();
    await tables.add("SELECT i AS id, i % 3 AS k FROM range(50) AS r(i)", { table: "t" });
    const isDistinct = async (sql: string): Promise<boolean> => {
      tables.needs.length = 0;
      await rowsOf(engine, tables, sql);
      return tables.needs[0]!.need.distinct;
    };
    for (const sql of [
      "SELECT DISTINCT k FROM t WHERE id > 3",
      "SELECT count(DISTINCT k), max(k) FROM t",
      "SELECT k FROM t GROUP BY k",
      "SELECT min(k) FROM t WHERE k IN (1, 2)",
    ]) {
      expect(await isDistinct(sql), sql).toBe(true);
    }
    for (const sql of [
      "SELECT k FROM t",
      "SELECT count(k) FROM t",
      "SELECT sum(DISTINCT k), count(*) FROM t",
      "SELECT DISTINCT k, random() < 2 FROM t",
      "SELECT DISTINCT k FROM (SELECT k FROM t LIMIT 5)",
      "SELECT k FROM t GROUP BY k, random()",
      "SELECT DISTINCT a.k FROM t a, (SELECT k FROM t) b",
    ]) {
      expect(await isDistinct(sql), sql).toBe(false);
    }
  });
});
