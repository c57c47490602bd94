import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import * as arrow from "apache-arrow";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { duckdbLogicalTypeOf } from "./duckdb-logical-type.ts";
import { ArrowTypeError, duckdbTypeOf } from "./duckdb-type.ts";
import { registerReadArrow } from "./read-arrow.ts";
import { ArrowStreamEncoder, columnsOf } from "./result-batches.ts";
import { arbitrarySchema } from "./testing/arbitrary-schema.ts";
import { type Plain, plainDuckdb } from "./testing/plain-values.ts";
import { randomTable } from "./testing/random-table.ts";

const fixtures = new URL("./fixtures/files/", import.meta.url);
let folder: string;
let instance: DuckDBInstance;
let connection: DuckDBConnection;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "read-arrow-"));
  mkdirSync(join(folder, "session"));
  for (const file of readdirSync(fixtures))
    copyFileSync(new URL(file, fixtures), join(folder, "session", file));
  instance = await DuckDBInstance.create(":memory:");
  connection = await instance.connect();
  registerReadArrow(connection, join(folder, "session"));
});
afterAll(() => {
  connection.closeSync();
  instance.closeSync();
  rmSync(folder, { recursive: true });
});

const pathOf = (file: string) => join(folder, "session", file);

function read(...files: readonly string[]): string {
  return `read_arrow([${files.map((file) => `'${pathOf(file)}'`).join(", ")}])`;
}

async function columnsOfQuery(sql: string): Promise<[string, Plain[]][]> {
  const result = await connection.run(sql);
  const columns: [string, Plain[]][] = result.columnNames().map((name) => [name, []]);
  for await (const chunk of result)
    columns.forEach(([, column], i) => {
      column.push(...chunk.getColumnValues(i).map(plainDuckdb));
    });
  return columns;
}

function json(file: string): [string, Plain[]][] {
  return JSON.parse(readFileSync(new URL(`${file}.json`, fixtures), "utf8"));
}

/** The rows of `many` in make_files.py. */
function many(rows: number): [string, Plain[]][] {
  const all = <T>(value: (i: number) => T) => Array.from({ length: rows }, (_, i) => value(i));
  return [
    ["i", all((i) => `${i}`)],
    ["x", all((i) => (i % 3 === 1 ? null : ((i * 37) % 1000) / 8))],
    ["t", all((i) => (i % 7 === 0 ? null : `row ${i}${" of many".repeat(i % 4)}`))],
    ["b", all((i) => (i % 11 === 0 ? null : i % 3 === 0))],
    [
      "l",
      all((i) =>
        i % 13 === 0 ? null : Array.from({ length: i % 5 }, (_, j) => (j % 3 ? j : null)),
      ),
    ],
    [
      "s",
      all((i) =>
        i % 5 === 0
          ? null
          : [
              ["a", i],
              ["b", i % 2 ? null : "b".repeat(i % 20)],
            ],
      ),
    ],
    ["c", all((i) => `category number ${i % 37}`)],
  ];
}

describe("files of another implementation", () => {
  it.each([
    "types.arrow",
    "types.arrows",
    "types-lz4.arrow",
    "types-zstd.arrow",
    "types-legacy.arrows",
  ])("%s has the values of all types", async (file) => {
    expect(await columnsOfQuery(`SELECT * FROM ${read(file)}`)).toEqual(json("types.arrow"));
  });

  it("has them of the older metadata version", async () => {
    const expected = json("types.arrow").filter(([name]) => name !== "sparse" && name !== "dense");
    expect(await columnsOfQuery(`SELECT * FROM ${read("types-v4.arrows")}`)).toEqual(expected);
  });

  it.each(["many.arrow", "many-lz4.arrow", "many-zstd.arrows"])("%s has all rows", async (file) => {
    expect(await columnsOfQuery(`SELECT * FROM ${read(file)}`)).toEqual(many(2600));
  });

  it.each(["delta.arrows", "replaced.arrows"])("%s has its dictionaries", async (file) => {
    expect(await columnsOfQuery(`SELECT * FROM ${read(file)}`)).toEqual(json(file));
  });

  it("has no rows, and its columns", async () => {
    expect(await columnsOfQuery(`SELECT * FROM ${read("none.arrow")}`)).toEqual([
      ["i", []],
      ["t", []],
      ["l", []],
    ]);
  });
});

describe("read_arrow", () => {
  it("gives the columns that a query needs, in its order", async () => {
    const [, x, t] = many(2600);
    expect(await columnsOfQuery(`SELECT t, x FROM ${read("many-lz4.arrow")}`)).toEqual([t, x]);
    for (const name of ["words", "view", "struct", "dense", "word_lists", "null"])
      expect(await columnsOfQuery(`SELECT "${name}" FROM ${read("types.arrow")}`)).toEqual(
        json("types.arrow").filter(([column]) => column === name),
      );
  });

  it("counts, filters, joins and stops early", async () => {
    const one = async (sql: string) => (await columnsOfQuery(sql))[0]![1];
    expect(await one(`SELECT count(*) FROM ${read("many.arrow")}`)).toEqual(["2600"]);
    expect(await one(`SELECT i FROM ${read("many.arrow")} WHERE t LIKE 'row 25_1%'`)).toHaveLength(
      9,
    );
    expect(
      await one(
        `SELECT sum(a.i) FROM ${read("many.arrow")} a JOIN ${read("many-zstd.arrows")} b ON a.c = b.c AND a.i = b.i`,
      ),
    ).toEqual([`${(2599 * 2600) / 2}`]);
    expect(await one(`SELECT i FROM ${read("many.arrow")} LIMIT 2`)).toEqual(["0", "1"]);
    expect(await one(`SELECT s.b FROM ${read("many.arrow")} WHERE s IS NULL LIMIT 1`)).toEqual([
      null,
    ]);
  });

  it("reads several files as one, whatever the order of their columns", async () => {
    const table = (columns: object) =>
      arrow.tableToIPC(arrow.tableFromArrays({ ...columns }), "stream");
    writeFileSync(pathOf("one.arrows"), table({ a: Int32Array.of(1, 2), b: ["x", "y"] }));
    writeFileSync(pathOf("two.arrows"), table({ b: ["z"], a: Int32Array.of(3) }));
    expect(await columnsOfQuery(`SELECT b, a FROM ${read("one.arrows", "two.arrows")}`)).toEqual([
      ["b", ["x", "y", "z"]],
      ["a", [1, 2, 3]],
    ]);
    writeFileSync(pathOf("three.arrows"), table({ b: ["z"], a: Float64Array.of(3) }));
    writeFileSync(pathOf("four.arrows"), table({ b: ["z"], c: Int32Array.of(3) }));
    writeFileSync(pathOf("five.arrows"), table({ b: ["z"] }));
    const fault = (file: string) => connection.run(`SELECT * FROM ${read("one.arrows", file)}`);
    await expect(fault("three.arrows")).rejects.toThrow(
      'three.arrows: column "a" is DOUBLE, and INTEGER in one.arrows',
    );
    await expect(fault("four.arrows")).rejects.toThrow('four.arrows: it has no column "a"');
    await expect(fault("five.arrows")).rejects.toThrow("it has 1 columns, and one.arrows has 2");
  });

  it("reads what the encoder of results writes", async () => {
    await fc.assert(
      fc.asyncProperty(randomTable(80), async ({ sql }) => {
        // A column of UHUGEINT comes back as DOUBLE.
        fc.pre(!sql.includes("UHUGEINT"));
        const result = await connection.stream(sql);
        const encoder = new ArrowStreamEncoder(columnsOf(result));
        const parts = [encoder.start()];
        for await (const chunk of result) parts.push(...encoder.append(chunk, chunk.rowCount));
        parts.push(...encoder.end());
        writeFileSync(pathOf("random.arrows"), Buffer.concat(parts));
        expect(await columnsOfQuery(`SELECT * FROM ${read("random.arrows")}`)).toEqual(
          await columnsOfQuery(sql),
        );
      }),
      { numRuns: 80 },
    );
  });

  it("reads lists with more items than a vector has rows", async () => {
    const sql =
      "SELECT i, CASE WHEN i % 3 = 0 THEN NULL ELSE list_transform(range(4000), lambda x: CASE WHEN (x + i) % 5 = 0 THEN NULL ELSE 'item ' || (x * 1000003) END) END AS l, list_transform(range(700), lambda x: CASE WHEN x % 7 = 0 THEN NULL ELSE {'a': [x, NULL]} END) AS s FROM range(9) t(i)";
    const result = await connection.stream(sql);
    const encoder = new ArrowStreamEncoder(columnsOf(result));
    const parts = [encoder.start()];
    for await (const chunk of result) parts.push(...encoder.append(chunk, chunk.rowCount));
    writeFileSync(pathOf("long.arrows"), Buffer.concat([...parts, ...encoder.end()]));
    expect(await columnsOfQuery(`SELECT * FROM ${read("long.arrows")}`)).toEqual(
      await columnsOfQuery(sql),
    );
  });

  it("is of the types that the schema's fields have in SQL", async () => {
    await fc.assert(
      fc.asyncProperty(arbitrarySchema(), async ({ fields }) => {
        for (const field of fields) {
          const plain = field.clone({ metadata: new Map() });
          let text: string;
          try {
            text = duckdbTypeOf(plain);
          } catch (error) {
            expect(() => duckdbLogicalTypeOf(field)).toThrow(ArrowTypeError);
            expect(error).toBeInstanceOf(ArrowTypeError);
            continue;
          }
          // Members' metadata may name another type.
          if (JSON.stringify(field.type).includes("duckdb.type")) continue;
          const expected = (await connection.run(`SELECT CAST(NULL AS ${text})`)).columnType(0);
          expect(`${duckdbLogicalTypeOf(field)}`).toBe(`${expected}`);
        }
      }),
      { numRuns: 50 },
    );
  });
});

describe("read_arrow refuses", () => {
  const fault = (file: string) => connection.run(`SELECT * FROM ${read(file)}`);

  it("paths outside of its folder", async () => {
    writeFileSync(join(folder, "secret.arrow"), readFileSync(pathOf("many.arrow")));
    symlinkSync(join(folder, "secret.arrow"), pathOf("link.arrow"));
    for (const file of ["../secret.arrow", "link.arrow", ".."])
      await expect(fault(file)).rejects.toThrow("outside what the query may read");
    await expect(fault("missing.arrow")).rejects.toThrow("missing.arrow: there is no such file");
    await expect(connection.run("SELECT * FROM read_arrow(['/etc/passwd'])")).rejects.toThrow(
      "outside",
    );
    await expect(connection.run("SELECT * FROM read_arrow([]::VARCHAR[])")).rejects.toThrow(
      "needs the path",
    );
    await expect(connection.run("SELECT * FROM read_arrow([NULL::VARCHAR])")).rejects.toThrow(
      "not NULL",
    );
  });

  it.each([
    ["an empty file", new Uint8Array(), "the file is empty"],
    ["a Parquet file", Buffer.from("PAR1 and so on"), "this is a Parquet file"],
    ["text", Buffer.from("a,b\n1,2\n3,4\n"), "is not an Arrow file"],
    [
      "a file cut short",
      readFileSync(new URL("many.arrow", fixtures)).subarray(0, 9000),
      "no footer",
    ],
    [
      "a stream cut short",
      readFileSync(new URL("types.arrows", fixtures)).subarray(0, 9000),
      "ends within the message",
    ],
    [
      "a schema without columns",
      arrow.tableToIPC(new arrow.Table(new arrow.Schema([])), "stream"),
      "has no columns",
    ],
  ])("%s", async (_, bytes, message) => {
    writeFileSync(pathOf("bad.arrow"), bytes);
    await expect(fault("bad.arrow")).rejects.toThrow(message);
    await expect(fault("bad.arrow")).rejects.toThrow("bad.arrow: ");
  });

  it("text that is not UTF-8, and indices out of their dictionary, by the column's name", async () => {
    const binary = arrow.vectorFromArray(
      [Uint8Array.of(0x61, 0xc3), Uint8Array.of(0xa4)],
      new arrow.Binary(),
    );
    const halves = arrow.makeData({
      ...binary.data[0]!,
      type: new arrow.Utf8(),
      data: binary.data[0]!.values,
      valueOffsets: binary.data[0]!.valueOffsets,
    });
    writeFileSync(
      pathOf("halves.arrows"),
      arrow.tableToIPC(new arrow.Table({ half: new arrow.Vector([halves]) }), "stream"),
    );
    await expect(fault("halves.arrows")).rejects.toThrow(
      'halves.arrows: column "half": a text is not UTF-8',
    );

    const words = arrow.makeData({
      type: new arrow.Dictionary(new arrow.Utf8(), new arrow.Int32()),
      length: 2,
      data: Int32Array.of(0, 9),
      dictionary: arrow.vectorFromArray(["a", "b"], new arrow.Utf8()),
    });
    writeFileSync(
      pathOf("words.arrows"),
      arrow.tableToIPC(new arrow.Table({ w: new arrow.Vector([words]) }), "stream"),
    );
    await expect(fault("words.arrows")).rejects.toThrow(
      'column "w": an index (9) lies outside its dictionary',
    );
  });

  it("or reads damaged files, and the process lives", async () => {
    const origins = readdirSync(fixtures)
      .filter((file) => !file.endsWith(".json") && !file.startsWith("many."))
      .map((file) => readFileSync(new URL(file, fixtures)));
    let refused = 0;
    let readable = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...origins),
        fc.array(fc.tuple(fc.integer({ min: 0, max: 1_000_000 }), fc.nat({ max: 255 })), {
          minLength: 1,
          maxLength: 3,
        }),
        fc.integer({ min: 0, max: 9 }).map((n) => n === 0),
        async (origin, changes, isCut) => {
          const bytes = Buffer.from(origin);
          for (const [place, value] of changes) bytes[place % bytes.length] = value;
          const end = isCut ? changes[0]![0] % bytes.length : bytes.length;
          writeFileSync(pathOf("damaged.arrow"), bytes.subarray(0, end));
          try {
            await (
              await connection.run(`SELECT * FROM ${read("damaged.arrow")} LIMIT 5000`)
            ).getRows();
            readable++;
          } catch (error) {
            refused++;
            expect(`${error}`).toMatch(/damaged\.arrow: /);
          }
        },
      ),
      { numRuns: 600 },
    );
    expect(refused).toBeGreaterThan(50);
    expect(readable).toBeGreaterThan(50);
  });
});
