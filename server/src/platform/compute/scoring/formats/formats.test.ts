/** Files of parts, as DuckDB and Arrow read them, and their bytes whatever the parts were cut by. */

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { tableFromIPC } from "apache-arrow";
import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { readParquet } from "../../../../testing/parquet-of.ts";
import { type OutputColumn, valueAt } from "../output-column.ts";
import { OUTPUT_FORMATS, type OutputFormatName, outputFormat } from "./index.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "distillery-formats-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

type Row = readonly [
  double: number | null,
  whole: number | null,
  truth: boolean | null,
  text: string | null,
  time: number | null,
  long: number | null,
];

const orNull = <T>(values: fc.Arbitrary<T>): fc.Arbitrary<T | null> =>
  fc.option(values, { nil: null });

const row: fc.Arbitrary<Row> = fc.tuple(
  orNull(fc.double({ noNaN: true, noDefaultInfinity: true })),
  orNull(fc.integer()),
  orNull(fc.boolean()),
  orNull(fc.string({ unit: fc.constantFrom("a", "é", '"', ",", "\n", "😀", "") })),
  orNull(fc.integer({ min: -1e12, max: 4e12 })),
  orNull(fc.maxSafeInteger()),
);

function columnsOf(rows: readonly Row[]): OutputColumn[] {
  const numbers = (at: 0 | 1 | 4 | 5) =>
    Float64Array.from(rows, (cells) => cells[at] ?? Number.NaN);
  const nullable = true;
  return [
    { name: "double", type: "double", nullable, cells: numbers(0) },
    { name: "whole", type: "integer", nullable, cells: numbers(1) },
    {
      ...{ name: "truth", type: "boolean", nullable },
      cells: Uint8Array.from(rows, ([, , truth]) => (truth === null ? 255 : Number(truth))),
    },
    { name: "te,xt", type: "text", nullable, cells: rows.map(([, , , text]) => text) },
    { name: "time", type: "timestamp", nullable, cells: numbers(4) },
    { name: "long", type: "long", nullable, cells: numbers(5) },
  ];
}

/** @param parts rows of each */
function fileOf(name: OutputFormatName, parts: readonly (readonly Row[])[]): Uint8Array {
  const format = outputFormat(name);
  const written = parts.map((rows) => ({
    rows: rows.length,
    ...format.part(columnsOf(rows), rows.length),
  }));
  const said = written.map(({ rows, bytes, said: about }) => ({
    rows,
    bytes: bytes.length,
    // As it comes back from the object store.
    said: JSON.parse(JSON.stringify(about)) as unknown,
  }));
  const fields = columnsOf([]);
  return Buffer.concat([
    format.head(fields),
    ...written.map(({ bytes }) => bytes),
    format.tail(fields, said),
  ]);
}

const parts = fc.array(fc.array(row, { minLength: 1, maxLength: 40 }), {
  minLength: 1,
  maxLength: 4,
});

it("Parquet holds every cell", async () => {
  await fc.assert(
    fc.asyncProperty(parts, async (given) => {
      const path = join(folder, "file.parquet");
      await writeFile(path, fileOf("parquet", given));
      const { columns, rows } = await readParquet(path);
      expect(columns.map(([name]) => name)).toEqual(columnsOf([]).map(({ name }) => name));
      expect(columns.map(([, type]) => type)).toEqual([
        ...["DOUBLE", "INTEGER", "BOOLEAN", "VARCHAR"],
        expect.stringMatching(/^TIMESTAMP/),
        "BIGINT",
      ]);
      const wanted = given.flat().map(([double, whole, truth, text, , long]) => ({
        ...{ double, whole, truth, "te,xt": text },
        long: long === null ? null : String(long),
      }));
      expect(rows.map((each) => ({ ...(each as object), time: undefined }))).toEqual(
        wanted.map((each) => ({ ...each, time: undefined })),
      );
    }),
    { numRuns: 25 },
  );
});

it("an Arrow stream holds every cell", () => {
  fc.assert(
    fc.property(parts, (given) => {
      const table = tableFromIPC(fileOf("arrow", given));
      const columns = columnsOf(given.flat());
      expect(table.numRows).toBe(given.flat().length);
      for (const column of columns) {
        const vector = table.getChild(column.name);
        const cells = given.flat().map((_, at) => {
          const cell = valueAt(column, at);
          return column.type === "long" && cell !== null ? BigInt(cell) : cell;
        });
        expect(Array.from({ length: table.numRows }, (_, at) => vector?.get(at))).toEqual(cells);
      }
    }),
  );
});

it("CSV quotes what has to be, and tells an empty text from a missing cell", () => {
  const rows: Row[] = [
    [0.1, -3, true, 'a "b", c', 0, 2 ** 53 - 1],
    [null, null, null, null, null, null],
    [1e21, 7, false, "", 1_700_000_000_123, -3e9],
  ];
  expect(Buffer.from(fileOf("csv", [rows.slice(0, 1), rows.slice(1)])).toString()).toBe(
    [
      'double,whole,truth,"te,xt",time,long',
      '0.1,-3,true,"a ""b"", c",1970-01-01,9007199254740991',
      ",,,,,",
      '1e+21,7,false,"",2023-11-14T22:13:20.123Z,-3000000000',
      "",
    ].join("\n"),
  );
});

it.each(OUTPUT_FORMATS)("%s without a row is a file too", (name) => {
  expect(fileOf(name, []).length).toBeGreaterThan(0);
});
