import { Int32 } from "apache-arrow";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { OffsetRows } from "./byte-rows.ts";
import {
  ALL_VALID,
  type ArrowColumn,
  BoolColumn,
  BytesColumn,
  FixedColumn,
  NullColumn,
  StructColumn,
  Validity,
} from "./column.ts";
import { grown } from "./dictionary-growth.ts";

type Values<T> = readonly (T | null)[];

function bits(flags: readonly boolean[]): Uint8Array {
  const bytes = new Uint8Array(Math.ceil(flags.length / 8));
  for (const [row, flag] of flags.entries()) if (flag) bytes[row >> 3]! |= 1 << (row & 7);
  return bytes;
}

const validityOf = (values: Values<unknown>): Validity =>
  values.includes(null) ? new Validity(bits(values.map((value) => value !== null))) : ALL_VALID;

function texts(values: Values<string>): ArrowColumn {
  const parts = values.map((value) => Buffer.from(value ?? ""));
  const offsets = [0];
  for (const part of parts) offsets.push(offsets.at(-1)! + part.length);
  const rows = new OffsetRows(Int32Array.from(offsets), Buffer.concat(parts));
  return new BytesColumn(rows, validityOf(values), true);
}

function integers(values: Values<number>): ArrowColumn {
  const numbers = Int32Array.from(values, (value) => value ?? 0);
  const bytes = new Uint8Array(numbers.buffer);
  return new FixedColumn(new Int32(), values.length, validityOf(values), 4, bytes);
}

const booleans = (values: Values<boolean>): ArrowColumn =>
  new BoolColumn(values.length, validityOf(values), bits(values.map((value) => value === true)));

/** The values of a column, row by row. */
function read(column: ArrowColumn): (string | number | boolean | null)[] {
  const rows = Array.from({ length: column.length }, (_, row) => row);
  switch (column.layout) {
    case "bytes":
      return rows.map((row) =>
        column.validity.isNull(row) ? null : Buffer.from(column.rows.bytes(row)).toString(),
      );
    case "fixed": {
      const { values } = column;
      const view = new DataView(values.buffer, values.byteOffset, values.byteLength);
      return rows.map((row) => (column.validity.isNull(row) ? null : view.getInt32(4 * row, true)));
    }
    case "bool":
      return rows.map((row) =>
        column.validity.isNull(row) ? null : ((column.bits[row >> 3]! >> (row & 7)) & 1) === 1,
      );
    default:
      return rows.map(() => null);
  }
}

/** Grows by each batch in turn; what was made before goes on showing its own values. */
function check<T extends string | number | boolean>(
  value: fc.Arbitrary<T>,
  column: (values: Values<T>) => ArrowColumn,
): void {
  const batch = fc.array(fc.option(value), { maxLength: 40 });
  fc.assert(
    fc.property(fc.array(batch, { minLength: 1, maxLength: 6 }), (batches) => {
      const made: ArrowColumn[] = [];
      for (const values of batches) {
        const known = made.at(-1);
        made.push(known === undefined ? column(values) : grown(known, column(values)));
      }
      for (const [index, each] of made.entries()) {
        expect(read(each)).toEqual(batches.slice(0, index + 1).flat());
      }
    }),
  );
}

describe("a dictionary that grows has the values of all its batches", () => {
  it("of texts", () => check(fc.string({ unit: "grapheme" }), texts));
  it("of numbers", () => check(fc.integer(), integers));
  it("of booleans", () => check(fc.boolean(), booleans));
  it("of nothing", () => {
    expect(grown(new NullColumn(2), new NullColumn(3))).toEqual(new NullColumn(5));
  });
});

it("two that grow from the same beginning do not meet", () => {
  const known = texts(["a", "b"]);
  const left = grown(known, texts(["left"]));
  const right = grown(known, texts(["right"]));
  expect([read(left), read(right), read(known)]).toEqual([
    ["a", "b", "left"],
    ["a", "b", "right"],
    ["a", "b"],
  ]);
});

it.each<[string, ArrowColumn, ArrowColumn]>([
  ["of structs", new StructColumn(0, ALL_VALID, []), new StructColumn(0, ALL_VALID, [])],
  ["by another layout", texts(["a"]), integers([1])],
  [
    "by numbers of another width",
    integers([1]),
    new FixedColumn(new Int32(), 1, ALL_VALID, 8, new Uint8Array(8)),
  ],
])("one %s is refused", (_, known, more) => {
  expect(() => grown(known, more)).toThrow(/nested values is extended/);
});

it("one of more values than an index can name is refused", () => {
  expect(() => grown(new NullColumn(2 ** 31 - 1), new NullColumn(1))).toThrow(/too many values/);
});
