import { bindFilter, type FilterNode, filterSchema, readTableFromFile } from "@distillery/engine";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { selectRows } from "../../../../engine/src/data/filter/select-rows.ts";
import { parquetOf, type TestFile } from "../../testing/parquet-of.ts";
import { filterSql } from "./filter-sql.ts";

const TEXTS = ["a", "b", "é", "\u{ff5e}", "\u{1f600}", "", "it's", "7"];
const KINDS = { n: "numeric", t: "text", c: "categorical" } as const;

const operand = {
  x: fc.oneof(fc.double({ noNaN: true }), fc.integer({ min: -3, max: 3 }), fc.constant("0.5")),
  n: fc.oneof(fc.integer({ min: -3, max: 3 }), fc.constant(2 ** 53)),
  d: fc.integer({ min: -3, max: 3 }),
  b: fc.boolean(),
  when: fc.constantFrom("1970-01-01", "1970-01-02T00:00:00.001Z", "1969-12-31T23:59:59.999999"),
  day: fc.constantFrom("1970-01-01", "1970-01-03", "1970-01-01T12:00:00Z"),
  t: fc.constantFrom(...TEXTS),
  c: fc.constantFrom(...TEXTS, 7),
};

const comparison = fc
  .constantFrom(...(Object.keys(operand) as (keyof typeof operand)[]))
  .chain((column) =>
    fc.oneof(
      fc.record({
        column: fc.constant(column),
        op: fc.constantFrom("eq", "ne", ...(column === "b" ? [] : ["lt", "le", "gt", "ge"])),
        value: operand[column] as fc.Arbitrary<unknown>,
      }),
      fc.record({
        column: fc.constant(column),
        op: fc.constantFrom("in", "not_in"),
        value: fc.array(operand[column] as fc.Arbitrary<unknown>, { minLength: 1, maxLength: 4 }),
      }),
      fc.record({ column: fc.constant(column), op: fc.constantFrom("is_null", "is_not_null") }),
    ),
  );

const filters: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  node: fc.oneof(
    { maxDepth: 3 },
    comparison,
    fc.record({
      op: fc.constantFrom("and", "or"),
      exprs: fc.array(tie("node"), { minLength: 1, maxLength: 3 }),
    }),
    fc.record({ expr: tie("node") }),
  ),
})).node;

/** Every value in every third row or so, others missing. */
const SELECT = `
  SELECT i AS row, CASE i % 7 WHEN 0 THEN NULL WHEN 1 THEN 'NaN'::DOUBLE WHEN 2 THEN 'inf'::DOUBLE WHEN 3 THEN -0.0
      ELSE (i % 13 - 6) / 2 END AS x,
    CASE WHEN i % 5 > 0 THEN CASE i % 11 WHEN 1 THEN 9007199254740993 ELSE i % 7 - 3 END END AS n,
    CASE WHEN i % 4 > 0 THEN (i % 7 - 3)::DECIMAL(9, 2) END AS d,
    CASE WHEN i % 3 > 0 THEN i % 2 = 0 END AS b,
    CASE WHEN i % 4 > 0 THEN TIMESTAMP '1969-12-31 23:59:59.999999' + INTERVAL (i % 5) DAY + INTERVAL (i % 3) MICROSECOND END AS "when",
    CASE WHEN i % 4 > 0 THEN DATE '1970-01-01' + (i % 4)::INTEGER END AS day,
    CASE WHEN i % 6 > 0 THEN [${TEXTS.map((text) => `'${text.replaceAll("'", "''")}'`).join(", ")}][1 + i % 8] END AS t,
    CASE WHEN i % 6 > 1 THEN [${TEXTS.map((text) => `'${text.replaceAll("'", "''")}'`).join(", ")}][1 + i % 7] END AS c
  FROM range(600) r(i)`;

async function opened(): Promise<{
  file: TestFile;
  types: ReadonlyMap<string, string>;
}> {
  const file = await parquetOf(SELECT);
  const described = await file.rows("DESCRIBE SELECT * FROM file");
  const types = new Map(
    described.map((row) => [String(row["column_name"]), String(row["column_type"])]),
  );
  return { file, types };
}

const rowsOf = async (file: TestFile, sql: string, parameters: readonly string[]) =>
  (
    await file.rows(
      `SELECT CAST(row AS DOUBLE) AS row FROM file WHERE ${sql} ORDER BY row`,
      parameters,
    )
  ).map(({ row }) => Number(row));

describe("filterSql", () => {
  it("leaves what the engine's filter leaves, and says all but decimals and odd orders", async () => {
    const { file, types } = await opened();
    const { table } = await readTableFromFile(file.path, { format: "parquet", kinds: KINDS });
    let said = 0;
    try {
      await fc.assert(
        fc.asyncProperty(filters, async (given) => {
          const filter = filterSchema.parse(given);
          const byEngine = [...selectRows(table, filter)];
          const sql = filterSql(bindFilter(filter, table.columns), types);
          if (sql === null) return;
          said++;
          const bySql = await rowsOf(file, sql.sql, sql.parameters);
          const left = new Set(bySql);
          expect(byEngine.filter((row) => !left.has(row))).toEqual([]);
          // Exactly the same where no part was left out.
          if (!JSON.stringify(given).includes('"d"') && !/[^ -~]/.test(JSON.stringify(given))) {
            expect(bySql).toEqual(byEngine);
          }
        }),
        { numRuns: 400 },
      );
      expect(said).toBeGreaterThan(200);
    } finally {
      await file.remove();
    }
  });

  it("says the parts of a conjunction that it can, nested ones too", async () => {
    const { file, types } = await opened();
    const { table } = await readTableFromFile(file.path, { format: "parquet", kinds: KINDS });
    await file.remove();
    const sqlOf = (filter: unknown) =>
      filterSql(bindFilter(filterSchema.parse(filter) as FilterNode, table.columns), types);
    const plain = { column: "t", op: "eq", value: "a" };
    const decimal = { column: "d", op: "gt", value: 1 };
    const both = { op: "and", exprs: [decimal, { op: "and", exprs: [plain, decimal] }] };
    expect(sqlOf(both)).toEqual({ sql: '("t" = $1)', parameters: ["a"] });
    expect(sqlOf({ op: "or", exprs: [plain, decimal] })).toBeNull();
    expect(sqlOf({ expr: both })).toBeNull();
    expect(sqlOf({ column: "t", op: "lt", value: "\u{ff5e}" })).toBeNull();
    expect(sqlOf({ column: "t", op: "eq", value: "a\0" })).toBeNull();
    expect(sqlOf({ column: "t", op: "eq", value: "\ud800" })).toBeNull();
  });
});
