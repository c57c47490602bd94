/** The decoder against apache-arrow, and against files that were made to harm. */

import { readFileSync } from "node:fs";
import {
  Field,
  Int32,
  RecordBatchReader,
  Schema,
  Table,
  tableFromArrays,
  tableToIPC,
} from "apache-arrow";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type ArrowBatch, BatchDecoder, batchesOf } from "./batches.ts";
import { ArrowFileError } from "./file-error.ts";
import { bytesSource, openArrow } from "./messages.ts";
import { ArrowSchemaError } from "./schema-error.ts";
import { ArrowStream } from "./stream.ts";
import { arbitraryTable } from "./testing/arbitrary-table.ts";
import { expectSame, type Shown, shownColumn } from "./testing/same-values.ts";

const fixture = (name: string): Uint8Array =>
  readFileSync(new URL(`../readers/fixtures/${name}`, import.meta.url));

function batchesIn(bytes: Uint8Array): ArrowBatch[] {
  const file = openArrow(bytesSource(bytes));
  return [
    ...batchesOf(
      file,
      file.fields.map((_, index) => index),
    ),
  ];
}

function expectAsApacheArrow(batches: readonly ArrowBatch[], bytes: Uint8Array): void {
  const expected = [...RecordBatchReader.from(bytes)];
  expect(batches.map(({ rows }) => rows)).toEqual(expected.map(({ numRows }) => numRows));
  for (const [at, { columns }] of batches.entries())
    for (const [index, column] of columns.entries())
      expectSame(column, expected[at].data.children[index]);
}

describe("what apache-arrow writes", () => {
  it.each(["file", "stream"] as const)("is read alike, as a %s", (format) => {
    fc.assert(
      fc.property(arbitraryTable(), (table) => {
        const bytes = tableToIPC(table, format);
        expectAsApacheArrow(batchesIn(bytes), bytes);
      }),
      { numRuns: 60 },
    );
  });

  it("is read alike wherever its bytes lie, and in whatever pieces they come", async () => {
    await fc.assert(
      fc.asyncProperty(
        arbitraryTable(),
        fc.nat({ max: 15 }),
        fc.integer({ min: 1, max: 500 }),
        async (table, offset, size) => {
          const bytes = tableToIPC(table, "stream");
          const moved = new Uint8Array(offset + bytes.length).subarray(offset);
          moved.set(bytes);
          expectAsApacheArrow(batchesIn(moved), bytes);
          async function* pieces(): AsyncGenerator<Uint8Array> {
            for (let at = 0; at < moved.length; at += size) yield moved.subarray(at, at + size);
          }
          const stream = new ArrowStream(new Uint8Array(0), pieces(), () => {});
          const schema = await stream.schema();
          const decoder = new BatchDecoder(
            schema,
            schema.fields.map((_, index) => index),
          );
          const batches: ArrowBatch[] = [];
          for await (const message of stream.messages()) {
            const batch = decoder.decode(message);
            if (batch !== null) batches.push(batch);
          }
          expect(stream.isMarked).toBe(true);
          expectAsApacheArrow(batches, bytes);
        },
      ),
      { numRuns: 30 },
    );
  });
});

/** All rows of all columns. */
function valuesIn(name: string): Shown[][] {
  const columns: Shown[][] = [];
  for (const batch of batchesIn(fixture(name)))
    for (const [index, column] of batch.columns.entries()) {
      columns[index] ??= [];
      for (let row = 0; row < batch.rows; row++) columns[index].push(shownColumn(column, row));
    }
  return columns;
}

describe("what pyarrow writes", () => {
  it.each(["types.arrow", "types.arrows", "nested.arrow", "delta.arrows"])(
    "%s is read as apache-arrow reads it",
    (name) => expectAsApacheArrow(batchesIn(fixture(name)), fixture(name)),
  );

  it.each(["types-lz4.feather", "types-zstd.feather", "types-lz4.arrows", "types-zstd.arrows"])(
    "%s has the values of the file that is not compressed",
    (name) => expect(valuesIn(name)).toEqual(valuesIn("types.arrow")),
  );

  it("keeps what a growing dictionary had for those who read it before", () => {
    const batches = batchesIn(fixture("delta.arrows"));
    const words = batches.map(({ columns }) => columns[0]);
    const text = (shown: Shown) => Buffer.from(`${shown}`, "hex").toString();
    expect(words.map((column) => text(shownColumn(column, 0)))).toEqual(["a", "b", "ünï", "e"]);
  });
});

/** Where a length is announced, as it stands before each compressed buffer. */
function lengthsIn(bytes: Uint8Array, length: number): number[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const found: number[] = [];
  for (let at = 0; at + 8 <= bytes.length; at += 8)
    if (view.getBigInt64(at, true) === BigInt(length)) found.push(at);
  return found;
}

describe("files that were made to harm", () => {
  it.each(["frame.feather", "types-zstd.feather"])(
    "%s that announces more than it holds is refused, for little memory",
    (name) => {
      const origin = fixture(name);
      const length = name === "frame.feather" ? 400 * 8 : 16;
      const places = lengthsIn(origin, length);
      expect(places.length).toBeGreaterThan(0);
      for (const announced of [2n ** 29n, 2n ** 40n, 2n ** 62n, -2n]) {
        let refused = 0;
        for (const place of places) {
          const bytes = Uint8Array.from(origin);
          new DataView(bytes.buffer).setBigInt64(place, announced, true);
          try {
            batchesIn(bytes);
          } catch (error) {
            refused++;
            expect(error).toBeInstanceOf(ArrowFileError);
          }
        }
        expect(refused).toBeGreaterThan(0);
      }
    },
  );

  it("names the same batch again and again", () => {
    const bytes = tableToIPC(
      new Table(new Schema([new Field("a", new Int32())]), [
        ...tableFromArrays({ a: Int32Array.of(1) }).batches,
        ...tableFromArrays({ a: Int32Array.of(2) }).batches,
        ...tableFromArrays({ a: Int32Array.of(3) }).batches,
      ]),
      "file",
    );
    const file = openArrow(bytesSource(bytes));
    expect([...batchesOf(file, [0])]).toHaveLength(3);
    const blocks = Array.from({ length: 1000 }, () => file.blocks![0]);
    expect(() => [...batchesOf({ ...file, blocks }, [0])]).toThrow(/to a message twice/);
  });

  it("are read or refused, whatever bytes of them change", () => {
    const origins = [
      "types.arrow",
      "types-lz4.arrows",
      "types-zstd.feather",
      "frame.feather",
      "nested.arrow",
      "delta.arrows",
      "views.arrows",
    ].map(fixture);
    let refused = 0;
    let read = 0;
    fc.assert(
      fc.property(
        fc.constantFrom(...origins),
        fc.array(fc.tuple(fc.nat(), fc.nat({ max: 255 })), { minLength: 1, maxLength: 3 }),
        (origin, changes) => {
          const bytes = Uint8Array.from(origin);
          for (const [place, value] of changes) bytes[place % bytes.length] = value;
          try {
            for (const { columns, rows } of batchesIn(bytes))
              for (const column of columns)
                for (let row = 0; row < Math.min(rows, 5); row++) shownColumn(column, row);
            read++;
          } catch (error) {
            refused++;
            expect(error instanceof ArrowFileError || error instanceof ArrowSchemaError).toBe(true);
          }
        },
      ),
      { numRuns: 500, seed: 20_260_101 },
    );
    expect(refused).toBeGreaterThan(50);
    expect(read).toBeGreaterThan(50);
  });
});
