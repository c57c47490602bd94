import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FixedRows, OffsetRows, ViewRows } from "./byte-rows.ts";
import { ArrowFileError } from "./file-error.ts";

const rowsOfBytes = fc.array(fc.uint8Array({ maxLength: 20 }), { maxLength: 12 });
const rowsOfText = fc
  .array(fc.string({ unit: "binary", maxLength: 6 }), { maxLength: 12 })
  .map((texts) => texts.map((text) => new TextEncoder().encode(text)));

const isText = (bytes: Uint8Array): boolean => {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
};

/** @param before bytes of the buffer that belong to no row */
function offsetRows(rows: readonly Uint8Array[], before: number): OffsetRows {
  const offsets = [before];
  for (const row of rows) offsets.push(offsets.at(-1)! + row.length);
  const data = Buffer.concat([Buffer.alloc(before, 0xff), ...rows, Buffer.from([0xff])]);
  return new OffsetRows(Int32Array.from(offsets), data);
}

const all = (rows: OffsetRows | ViewRows | FixedRows): Buffer[] =>
  Array.from({ length: rows.length }, (_, row) => Buffer.from(rows.bytes(row)));

describe("offsets", () => {
  it("give each row its bytes, and know whether every row is UTF-8 for itself", () => {
    const rows = fc.oneof(rowsOfBytes, rowsOfText);
    fc.assert(
      fc.property(rows, fc.nat(3), (given, before) => {
        const made = offsetRows(given, before);
        expect(all(made)).toEqual(given.map((row) => Buffer.from(row)));
        expect(made.isChecked).toBe(given.every(isText));
      }),
    );
  });

  it("see a character that is cut in two by a row's border", () => {
    const [first, second] = Buffer.from("é");
    expect(offsetRows([Buffer.from("é")], 0).isChecked).toBe(true);
    expect(offsetRows([Buffer.from([first!]), Buffer.from([second!])], 0).isChecked).toBe(false);
  });
});

describe("views", () => {
  /** One buffer, long rows in it. */
  function viewRows(rows: readonly Uint8Array[]): { views: DataView; made: ViewRows } {
    const views = new DataView(new ArrayBuffer(16 * rows.length));
    const long: Uint8Array[] = [];
    let offset = 0;
    for (const [row, bytes] of rows.entries()) {
      views.setInt32(16 * row, bytes.length, true);
      if (bytes.length <= 12) {
        new Uint8Array(views.buffer).set(bytes, 16 * row + 4);
        continue;
      }
      views.setInt32(16 * row + 12, offset, true);
      offset += bytes.length;
      long.push(bytes);
    }
    const bytes = new Uint8Array(views.buffer);
    return { views, made: new ViewRows(rows.length, bytes, [Buffer.concat(long)]) };
  }

  it("give each row its bytes, be they in the view or in a buffer", () => {
    fc.assert(
      fc.property(rowsOfBytes, (given) => {
        expect(all(viewRows(given).made)).toEqual(given.map((row) => Buffer.from(row)));
      }),
    );
  });

  it.each([
    ["a buffer that is not there", 8, 1],
    ["a negative place", 12, -1],
    ["a place beyond the end", 12, 1],
    ["a negative length", 0, -1],
    ["a length beyond the end", 0, 14],
  ])("that name %s are refused", (_, at, value) => {
    const { views, made } = viewRows([new Uint8Array(13)]);
    views.setInt32(at, value, true);
    expect(() => made.bytes(0)).toThrow(ArrowFileError);
  });
});

it("rows of a fixed width lie behind one another", () => {
  const made = new FixedRows(2, Uint8Array.of(1, 2, 3, 4, 5, 6), 3);
  expect(all(made)).toEqual([Buffer.of(1, 2, 3), Buffer.of(4, 5, 6)]);
});
