import { DuckDBInstance } from "@duckdb/node-api";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { splitCalls } from "./calls.ts";
import { tokensOf } from "./tokens.ts";

const rowsOf = (sql: string): string[] | undefined =>
  splitCalls(sql)?.calls.map(({ rows }) => rows.trim().replace(/\s+/g, " "));

/** One per line of text, at the same column. */
function lineOf(text: string, part: string): readonly [number, number] {
  const lines = text.slice(0, text.indexOf(part)).split("\n");
  return [lines.length, lines.at(-1)!.length];
}

describe("calls of predict", () => {
  it("are found where tables stand", () => {
    expect(rowsOf("SELECT * FROM predict('churn@champion', TABLE customers)")).toEqual([
      "TABLE customers",
    ]);
    expect(
      rowsOf("FROM predict('m', a.b.\"c d\") p JOIN predict('n', (FROM x)) USING (id)"),
    ).toEqual(['TABLE a.b."c d"', "(FROM x)"]);
    expect(rowsOf("SELECT (SELECT max(p) FROM t, Predict ('m', t2)) FROM u")).toEqual(["TABLE t2"]);
    expect(rowsOf("SELECT * FROM (predict('m', a) CROSS JOIN b), predict($1, c)")).toEqual([
      "TABLE a",
      "TABLE c",
    ]);
    expect(rowsOf("FROM predict('m', (SELECT a, ')' AS \"(\" /* ) */ FROM t -- )\n))")).toEqual(
      ["(SELECT a, ')' AS \"(\" /* ) */ FROM t -- )"].map((text) => `${text} )`),
    );
  });

  it("are not what looks like one", () => {
    for (const sql of [
      "SELECT 'FROM predict(''m'', t)'",
      "SELECT 1 -- FROM predict('m', t)",
      "SELECT 1 /* /* */ FROM predict('m', t) */",
      "SELECT \"FROM predict('m', t)\" FROM predict",
      "SELECT $$ FROM predict('m', t) $$, $a$ $$ FROM predict('m', t) $a$",
      "SELECT E'\\' FROM predict(\\'m\\', t)'",
      "SELECT predict('m', t) FROM t",
      "WITH predict(a, b) AS (SELECT 1, 2) FROM predict",
      "FROM t AS predict(a, b)",
      "FROM t predict(a, b)",
      "SELECT * FROM s.predict('m', t)",
      "SELECT a IS DISTINCT FROM predict('m', t)",
      "SELECT f(a, predict('m', t)) FROM t",
      "SELECT a FROM t ORDER BY b, predict('m', t)",
      "SELECT predicted, x.predict FROM predict",
    ]) {
      expect(splitCalls(sql), sql).toBeNull();
    }
  });

  it("take the common table expressions with them that they need", () => {
    const sql =
      "WITH a AS (SELECT 1), b AS (SELECT * FROM a), c AS (SELECT 3) SELECT * FROM predict('m', b) JOIN c ON true";
    expect(rowsOf(sql)).toEqual(["WITH a AS (SELECT 1), b AS (SELECT * FROM a) TABLE b"]);
    expect(rowsOf("WITH a AS (SELECT 1), p AS (FROM predict('m', a)) FROM p")).toEqual([
      "WITH a AS (SELECT 1) TABLE a",
    ]);
    expect(
      rowsOf("WITH RECURSIVE a(i) AS (SELECT 1 UNION ALL FROM a) FROM predict('m', a)"),
    ).toEqual(["WITH RECURSIVE a(i) AS (SELECT 1 UNION ALL FROM a) TABLE a"]);
    expect(
      rowsOf("WITH a AS (SELECT 1) SELECT * FROM (WITH b AS (FROM a) FROM predict('m', b)), a"),
    ).toEqual(["WITH a AS (SELECT 1) , b AS (FROM a) TABLE b"]);
    expect(rowsOf("WITH a AS (SELECT 1) SELECT * FROM predict('m', t)")).toEqual(["TABLE t"]);
  });

  it("keep every other token at its line and column", () => {
    const sql = "SELECT x,\n  predict.y\nFROM predict(\n  'churn',\n  customers\n) WHERE z > 1";
    const split = splitCalls(sql)!;
    expect(split.sql.split("\n")).toHaveLength(6);
    for (const part of ["SELECT x", "predict.y", "WHERE z"]) {
      expect(lineOf(split.sql, part)).toEqual(lineOf(sql, part));
    }
    expect(lineOf(split.calls[0]!.rows, "customers")).toEqual(lineOf(sql, "customers"));
    expect(split.calls[0]!.place).toBe(" (line 3, column 6)");
  });

  it("have models, options and parameters", () => {
    const split = splitCalls(
      "SELECT ? FROM predict(?, (FROM t WHERE a = ?), intervals := 0.9, Prefix => 'it''s', contributions = true) WHERE b = ?",
    )!;
    const [call] = split.calls;
    expect(call!.model).toEqual({ kind: "parameter", name: "p2" });
    expect([...call!.rowsParameters]).toEqual(["p3"]);
    expect([...split.parameters]).toEqual(["p1", "p4"]);
    expect(split.written).toEqual(["1", "2", "3", "4"]);
    expect(Object.fromEntries(call!.options)).toEqual({
      intervals: { kind: "value", value: 0.9 },
      prefix: { kind: "value", value: "it's" },
      contributions: { kind: "value", value: true },
    });
  });

  it("are refused with a place where they are written wrongly", () => {
    for (const [sql, said] of [
      [
        "FROM predict(t)",
        /predict wants the model, as a text in quotes, where t stands \(line 1, column 14\)/,
      ],
      ["FROM predict('m')", /a comma and the rows, where \) stands/],
      ["FROM predict('m', 3)", /its rows: TABLE and a name/],
      ["FROM predict('m', SELECT a FROM t)", /the bracket that ends the call/],
      ["FROM predict('m', t, 3)", /the name of an option/],
      ["FROM predict('m', t, prefix := 'a', prefix := 'b')", /the option prefix once/],
      ["FROM predict('m', (SELECT 1", /the end of the statement/],
    ] as const) {
      expect(() => splitCalls(sql), sql).toThrow(said);
    }
  });
});

describe("tokens", () => {
  let instance: DuckDBInstance;
  beforeAll(async () => {
    instance = await DuckDBInstance.create();
  });
  afterAll(() => instance.closeSync());

  /** Numbers in [0, 1) of one seed, the same in every run. */
  function* numbers(seed: number): Generator<number> {
    for (let state = seed; ; ) {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      yield state / 2 ** 32;
    }
  }

  const PARTS = [
    ..."'\"$-/*()\n, .;:=?\\".split(""),
    ...[
      "''",
      "--",
      "/*",
      "*/",
      "$$",
      "$a$",
      "E'",
      "e'\\'",
      "predict(",
      "FROM predict('m', t)",
      "a",
      "é",
      "1.5",
    ],
  ];

  it("of any text cover it in order, and leave nothing but blanks and comments between", () => {
    const random = numbers(1);
    for (let round = 0; round < 3000; round++) {
      const length = 1 + Math.floor(random.next().value! * 14);
      const sql = Array.from(
        { length },
        () => PARTS[Math.floor(random.next().value! * PARTS.length)],
      ).join("");
      let at = 0;
      for (const { from, to, text } of tokensOf(sql)) {
        expect(from).toBeGreaterThanOrEqual(at);
        expect(sql.slice(from, to)).toBe(text);
        expect(sql.slice(at, from)).toMatch(/^(?:\s|--[^\n\r]*|\/\*[\s\S]*)*$/);
        at = to;
      }
    }
  });

  it("are those of DuckDB: what it reads as a text or a name, they do too", async () => {
    const connection = await instance.connect();
    const random = numbers(7);
    const pick = <Item>(items: readonly Item[]): Item =>
      items[Math.floor(random.next().value! * items.length)]!;
    const noise = [
      "FROM predict('m', t)",
      "'",
      '"',
      "--",
      "/*",
      "*/",
      "$$",
      "(",
      ")",
      ",",
      "\\",
      "é",
      "\n",
      "x",
    ];
    for (let round = 0; round < 400; round++) {
      const said = Array.from({ length: 1 + (round % 5) }, () => pick(noise)).join(" ");
      const asText = pick([
        (text: string) => `'${text.replaceAll("'", "''")}'`,
        (text: string) => `E'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`,
        (text: string) => (text.includes("$q$") ? "'q'" : `$q$${text}$q$`),
      ])(said);
      const name = `"${said.replaceAll('"', '""')}"`;
      const comment = pick(["", "/* ' \" /* ( */ */", "-- ' \" ( \n"]);
      const sql = `SELECT ${asText} ${comment} AS ${name}, 2 AS two`;
      const result = await connection.run(sql);
      expect(result.columnNames()[1]).toBe("two");
      const tokens = tokensOf(sql);
      expect(tokens.map(({ kind }) => kind)).toEqual([
        "word",
        "string",
        "word",
        "quoted",
        "mark",
        "number",
        "word",
        "word",
      ]);
      expect(splitCalls(sql), sql).toBeNull();
      // The same behind a call: the text around it stays what it was.
      const split = splitCalls(
        `${sql} FROM predict('m', t) ${comment} WHERE ${asText} = ${asText}`,
      )!;
      expect(split.calls).toHaveLength(1);
      expect(split.sql.startsWith(`${sql} FROM __p0.predict`)).toBe(true);
      expect(split.sql.endsWith(`${comment} WHERE ${asText} = ${asText}`)).toBe(true);
    }
    connection.closeSync();
  });
});
