/** Arrow and Parquet files written by pyarrow, against the values pyarrow says they hold. */

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import {
  Table as ArrowTable,
  DateDay,
  Decimal,
  Dictionary,
  FixedSizeBinary,
  Int32,
  Int64,
  makeData,
  makeVector,
  tableToIPC,
  Utf8,
  Vector,
  vectorFromArray,
} from "apache-arrow";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cellText } from "../coerce.ts";
import { type Column, DataError } from "../table.ts";
import { parquetColumns } from "./parquet.ts";
import { READ_LIMITS } from "./read-limits.ts";
import { type ReadTableOptions, readTable, readTableFromFile } from "./read-table.ts";
import type { TableFormat } from "./reading.ts";

const fixture = (name: string) => fileURLToPath(new URL(`./fixtures/${name}`, import.meta.url));
const expected: Record<string, unknown[]> = JSON.parse(readFileSync(fixture("types.json"), "utf8"));

const I64 = ["1", "-2", null, "4", "9007199254740993"];

function cells(column: Column): unknown[] {
  switch (column.kind) {
    case "numeric":
    case "timestamp":
      return Array.from(column.values, (value) => (Number.isNaN(value) ? null : value));
    case "boolean":
      return Array.from(column.values, (value) => (value === 255 ? null : value === 1));
    case "categorical":
      return Array.from(column.codes, (_, row) => cellText(column, row));
    case "text":
      return [...column.values];
  }
}

const files: [string, TableFormat][] = [
  ["types.arrow", "arrow"],
  ["types.arrows", "arrow"],
  ["types-lz4.feather", "arrow"],
  ["types-lz4.arrows", "arrow"],
  ["types-zstd.feather", "arrow"],
  ["types-zstd.arrows", "arrow"],
  ["types.parquet", "parquet"],
];

it("names column and row of a text with a NUL byte", async () => {
  const bytes = tableToIPC(new ArrowTable({ id: vectorFromArray(["a", "b\0c"], new Utf8()) }));
  await expect(readTable([bytes], { format: "arrow" })).rejects.toMatchObject({
    message: expect.stringContaining(
      'Column "id" has a NUL byte in row 2, which no text of a dataset may have',
    ),
    ...{ column: "id", row: 2 },
  });
});

it("reads bytes at once as it reads chunks of them, and says what else it was given", async () => {
  const table = new ArrowTable({ id: vectorFromArray(["a", "b"], new Utf8()) });
  const files = [
    ["csv", new TextEncoder().encode("id\na\nb\n")],
    ["ndjson", new TextEncoder().encode('{"id":"a"}\n{"id":"b"}\n')],
    ["arrow", tableToIPC(table)],
  ] as const;
  for (const [format, bytes] of files) {
    expect(await readTable(bytes, { format })).toEqual(await readTable([bytes], { format }));
    // As programs without types do.
    const wrong = (source: unknown) => readTable(source as Uint8Array, { format });
    await expect(wrong("id\na\n")).rejects.toThrow("new TextEncoder().encode(text)");
    await expect(wrong([[1, 2]])).rejects.toThrow(
      "chunks that are such. They gave a value of type object.",
    );
  }
});

it.each([undefined, "xlsx"])("says which formats there are, given %s", async (format) => {
  const options = { format } as unknown as ReadTableOptions;
  const message = `is one of csv, parquet, arrow, ndjson, but is ${format && `"${format}"`}.`;
  await expect(readTable([], options)).rejects.toThrow(message);
  await expect(readTableFromFile("nothing", options)).rejects.toThrow(message);
});

it("refuses an option that there is none of, with the likest", async () => {
  const options = { format: "csv", enconding: "utf-8" } as ReadTableOptions;
  const message = 'readTable has no option "enconding"; the closest: "encoding"';
  await expect(readTable([], options)).rejects.toThrow(message);
  await expect(readTableFromFile("nothing", options)).rejects.toThrow(message);
});

describe("integers beyond 2^53 in Arrow", () => {
  const ids = [2n ** 53n, 2n ** 53n + 1n, 7n, -(2n ** 60n) - 1n];
  const read = async (vector: Vector, kinds = {}) => {
    const bytes = tableToIPC(new ArrowTable({ id: vector }));
    const { table, warnings } = await readTable([bytes], { format: "arrow", kinds });
    return { column: table.columns[0], warnings };
  };

  it("are kept apart as texts, in whichever type they come", async () => {
    const decimal = new Decimal(0, 38, 128);
    const words = new Uint32Array(
      ids.flatMap((id) =>
        [0n, 32n, 64n, 96n].map((bits) => Number((BigInt.asUintN(128, id) >> bits) & 0xffff_ffffn)),
      ),
    );
    for (const vector of [
      vectorFromArray(ids, new Int64()),
      vectorFromArray(ids, new Dictionary(new Int64(), new Int32())),
      makeVector(makeData({ type: decimal, length: ids.length, data: words })),
    ]) {
      const { column, warnings } = await read(vector);
      expect(column.kind).toBe("categorical");
      expect(cells(column)).toEqual(ids.map(String));
      expect(warnings).toMatchObject([{ column: "id", row: 2 }]);
    }
  });

  it("are numbers where that was declared, with a warning, and texts digit by digit", async () => {
    const numeric = await read(vectorFromArray(ids, new Int64()), { id: "numeric" });
    expect(cells(numeric.column)).toEqual(ids.map(Number));
    expect(numeric.warnings).toMatchObject([{ column: "id", row: 2 }]);
    const exact = [2n ** 60n, 2n ** 53n];
    const text = await read(vectorFromArray(exact, new Int64()), { id: "text" });
    expect(cells(text.column)).toEqual(exact.map(String));
    const plain = await read(vectorFromArray(exact, new Int64()));
    expect(cells(plain.column)).toEqual(exact.map(Number));
    expect(plain.warnings).toEqual([]);
  });
});

describe("decimals of more digits than a double has, in Arrow", () => {
  const read = async (cents: bigint[], kinds = {}) => {
    const words = new Uint32Array(
      cents.flatMap((value) =>
        [0n, 32n, 64n, 96n].map((bits) =>
          Number((BigInt.asUintN(128, value) >> bits) & 0xffff_ffffn),
        ),
      ),
    );
    const decimal = new Decimal(2, 38, 128);
    const vector = makeVector(makeData({ type: decimal, length: cents.length, data: words }));
    const bytes = tableToIPC(new ArrowTable({ a: vector }));
    const { table, warnings } = await readTable([bytes], { format: "arrow", kinds });
    return { column: table.columns[0], warnings };
  };
  const cents = [150n, -90071992547409993n, 900719925474099301n];

  it("are rounded, with a warning, and texts digit by digit", async () => {
    const { column, warnings } = await read(cents);
    expect(column.kind).toBe("numeric");
    const rounded = { column: "a", row: 2, message: expect.stringContaining("they are rounded") };
    expect(warnings).toEqual([rounded]);
    const text = await read(cents, { a: "categorical" });
    expect(cells(text.column)).toEqual(["1.5", "-900719925474099.93", "9007199254740993.01"]);
    expect(text.warnings).toEqual([]);
    expect((await read([150n, 9007199254740991n])).warnings).toEqual([]);
  });

  it("keep their digits behind an integer that makes the column one of texts", async () => {
    const { column } = await read([900719925474099300n, 900719925474099301n]);
    expect(cells(column)).toEqual(["9007199254740993", "9007199254740993.01"]);
  });
});

describe.each(files)("%s", (name, format) => {
  it("holds what pyarrow wrote", async () => {
    const { table, warnings } = await readTableFromFile(fixture(name), { format });
    expect(table.rows).toBe(5);
    for (const column of table.columns) {
      const found = cells(column);
      for (const [row, value] of expected[column.name].entries()) {
        // One of its integers is not a double: it is of texts.
        if (column.name === "i64") expect(found[row]).toBe(I64[row]);
        else if (typeof value === "number") expect(found[row], column.name).toBeCloseTo(value, 9);
        else expect(found[row], column.name).toBe(value);
      }
    }
    const names = Object.keys(expected).filter((n) => format === "arrow" || n !== "f16");
    expect(table.columns.map((column) => column.name)).toEqual(names);
    const kinds = new Map(table.columns.map((column) => [column.name, column.kind]));
    expect(kinds.get("dict")).toBe("categorical");
    expect(kinds.get("bool")).toBe("boolean");
    for (const time of ["date32", "ts_ns", "zoned", "iso"]) {
      expect(kinds.get(time)).toBe("timestamp");
    }
    expect(warnings.map(({ column, row }) => ({ column, row }))).toEqual([
      { column: "i64", row: 5 },
      { column: "ts_ns", row: 5 },
      { column: "duration", row: undefined },
      { column: "null", row: undefined },
    ]);
    expect(warnings.find(({ column }) => column === "duration")?.message).toBe(
      'Column "duration" holds durations, which are read as numbers of milliseconds, the unit of the file. Files for predictions must have the same unit.',
    );
  });

  it("reads alike from bytes in pieces, projected and limited", async () => {
    const bytes = readFileSync(fixture(name));
    const pieces = Array.from({ length: Math.ceil(bytes.length / 999) }, (_, i) =>
      bytes.subarray(i * 999, (i + 1) * 999),
    );
    const { table } = await readTable(pieces, { format, columns: ["utf8", "a.b"], maxRows: 3 });
    expect(table.rows).toBe(3);
    expect(table.columns.map(cells)).toEqual([
      ["a", "b", null],
      [1, 2, 3],
    ]);
  });

  it("takes declared kinds", async () => {
    const { table } = await readTableFromFile(fixture(name), {
      format,
      columns: ["i32", "iso"],
      kinds: { i32: "categorical", iso: "text" },
    });
    expect(table.columns.map(({ kind }) => kind)).toEqual(["categorical", "text"]);
    expect(cells(table.columns[0])).toEqual(["1", "-2", null, "4", "5"]);
  });

  it("answers every truncation with a DataError or fewer rows and a warning", async () => {
    const bytes = readFileSync(fixture(name));
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: bytes.length - 5 }), async (length) => {
        try {
          const { warnings } = await readTable([bytes.subarray(0, length)], { format });
          expect(warnings.some(({ message }) => message.includes("cut short"))).toBe(true);
        } catch (error) {
          expect(error).toBeInstanceOf(DataError);
        }
      }),
      { numRuns: 60 },
    );
  });

  it("never answers damaged bytes with anything but a table or a DataError", async () => {
    const bytes = readFileSync(fixture(name));
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat(bytes.length - 1), fc.nat(255)), { minLength: 1, maxLength: 8 }),
        async (changes) => {
          const damaged = Uint8Array.from(bytes);
          for (const [at, value] of changes) damaged[at] = value;
          try {
            await readTable([damaged], { format });
          } catch (error) {
            expect(error).toBeInstanceOf(DataError);
          }
        },
      ),
      // Each Parquet file is read in a thread of its own.
      { numRuns: format === "parquet" ? 5 : 60 },
    );
  });
});

describe("typed formats", () => {
  it("reads Parquet without an Arrow schema, compressed with zstd", async () => {
    const { table } = await readTableFromFile(fixture("plain.parquet"), { format: "parquet" });
    expect(table.columns.map(({ kind }) => kind)).toEqual([
      "categorical",
      "categorical",
      "timestamp",
    ]);
  });

  it("survives a file on which parquet-wasm aborts, and reads the next one", async () => {
    const damaged = Uint8Array.from(readFileSync(fixture("plain.parquet")));
    damaged[276] = 94;
    await expect(readTable([damaged], { format: "parquet" })).rejects.toThrow(
      /^Column "ts_us" of the Parquet file is damaged: its values cannot be read/,
    );
    const { table } = await readTableFromFile(fixture("plain.parquet"), { format: "parquet" });
    expect(table.rows).toBe(5);
  });

  it("yields Parquet columns one by one", async () => {
    const names: string[] = [];
    for await (const column of parquetColumns(fixture("types.parquet"), {
      columns: ["i8", "f64"],
    })) {
      names.push(column.name);
    }
    expect(names).toEqual(["i8", "f64"]);
  });

  it.each<[string, TableFormat, RegExp]>([
    [
      "nested.parquet",
      "parquet",
      /Column "list" is of the type List.*, which does not have one value per row/,
    ],
    ["nested.arrow", "arrow", /Column "list" is of the type List/],
    ["types.arrow", "parquet", /sent as Parquet, but it is Arrow IPC/],
    ["types.parquet", "arrow", /sent as Arrow IPC, but it is Parquet/],
    ["types.json", "parquet", /sent as Parquet, but it is not/],
    ["types.json", "arrow", /sent as Arrow IPC, but it is not/],
  ])("refuses %s as %s with a reason", async (name, format, message) => {
    await expect(readTableFromFile(fixture(name), { format })).rejects.toThrow(message);
    await expect(readTableFromFile(fixture(name), { format })).rejects.toBeInstanceOf(DataError);
  });

  it("says of a column of bytes what it is", async () => {
    const id = vectorFromArray([new Uint8Array(16)], new FixedSizeBinary(16));
    const bytes = tableToIPC(new ArrowTable({ id }));
    await expect(readTable([bytes], { format: "arrow" })).rejects.toThrow(
      /Column "id" is of the type FixedSizeBinary\[16\], which holds bytes; .* write them as text/,
    );
  });

  it("reads the flat columns of a nested file", async () => {
    const options = { format: "parquet", columns: ["a"] } as const;
    const { table } = await readTableFromFile(fixture("nested.parquet"), options);
    expect(cells(table.columns[0])).toEqual([1, 2]);
  });

  it("reads a data frame as pandas writes it", async () => {
    const { table, warnings } = await readTableFromFile(fixture("frame.feather"), {
      format: "arrow",
    });
    expect(warnings).toEqual([]);
    expect(table.columns.map(({ name, kind }) => [name, kind])).toEqual([
      ["when", "timestamp"],
      ["season", "categorical"],
      ["station", "categorical"],
      ["celsius", "numeric"],
      ["holiday", "boolean"],
      ["rides", "numeric"],
    ]);
    const [when, season, station, celsius, holiday, rides] = table.columns.map(cells);
    for (let i = 0; i < 400; i++) {
      // Midnight in Berlin is an hour earlier.
      expect(when[i]).toBe(Date.UTC(2023, 11, 31, 23 + i));
      expect(season[i]).toBe(["winter", "spring", "summer", "autumn"][Math.floor(i / 100)]);
      expect(station[i]).toBe(`station ${i % 7}`);
      expect(celsius[i]).toBe(i % 50 === 49 ? null : ((i * 7) % 300) / 10);
      expect(holiday[i]).toBe(i % 24 === 3);
      expect(rides[i]).toBe(Math.floor(((i * 7) % 300) / 3) + 20 * (i % 7));
    }
  });

  it("reads texts by views and decimals of few bits", async () => {
    const { table } = await readTableFromFile(fixture("views.arrows"), { format: "arrow" });
    expect(table.columns.map(cells)).toEqual([
      ["short", "a text that is longer than twelve bytes", null],
      [-1.25, null, 9999999.99],
      [-1.125, null, 12345678901.5],
    ]);
  });

  it("reads dictionaries that grow between batches", async () => {
    const { table } = await readTableFromFile(fixture("delta.arrows"), { format: "arrow" });
    expect(table.columns.map(cells)).toEqual([
      ["a", "a", null, "b", "a", null, "ünï", "a", null, "e", "a", null],
      [0.5, 0.5, null, 1.5, 0.5, null, 3.5, 0.5, null, 4.5, 0.5, null],
      [true, true, null, null, true, null, false, true, null, false, true, null],
    ]);
  });

  it("refuses what a small file unpacks to by its ratio", async () => {
    const limits = { ...READ_LIMITS, unpackedRatio: 1.5, unpackedFreeBytes: 1024 };
    const reading = readTableFromFile(fixture("frame.feather"), { format: "arrow", limits });
    await expect(reading).rejects.toMatchObject({ limit: "unpackedRatio" });
  });

  it("refuses a batch that needs more than a table may", async () => {
    const limits = { ...READ_LIMITS, tableBytes: 15_000 };
    const options = { format: "arrow", limits, maxRows: 1 } as const;
    const small = readTableFromFile(fixture("types-zstd.arrows"), options);
    await expect(small).resolves.toMatchObject({ table: { rows: 1 } });
    const large = readTableFromFile(fixture("frame.feather"), options);
    await expect(large).rejects.toThrow(
      /The Arrow file cannot be read: .*a record batch needs more than/,
    );
  });

  it("lets faults of the source itself through", async () => {
    for (const format of ["csv", "arrow", "ndjson", "parquet"] as const) {
      await expect(readTableFromFile(fixture("absent"), { format })).rejects.toThrow(/ENOENT/);
    }
  });
});

it("takes times that no calendar holds for missing, and says where", async () => {
  const times = vectorFromArray([0, 2 ** 31 - 1, -(2 ** 31 - 1), null], new Int32());
  const column = new Vector([
    makeData({ type: new DateDay(), length: 4, nullCount: 1, ...buffersOf(times) }),
  ]);
  const bytes = tableToIPC(new ArrowTable({ day: column }), "stream");
  const { table, warnings } = await readTable([bytes], { format: "arrow" });
  expect(cells(table.columns[0])).toEqual([0, null, null, null]);
  expect(warnings).toEqual([
    {
      message:
        'Column "day" has times that are not on any calendar, such as infinity, first in row 2; they are read as missing.',
      column: "day",
      row: 2,
    },
  ]);
});

function buffersOf({ data: [{ values, nullBitmap }] }: Vector<Int32>) {
  return { data: values, nullBitmap };
}
