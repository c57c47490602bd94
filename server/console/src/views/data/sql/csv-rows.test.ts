import { describe, expect, it } from "vitest";
import { CsvRows } from "./csv-rows.ts";

const text = 'n,t,"a ""b"""\n1,"x, y",\n2,"",ü\n3,"two\nlines","say ""hi"""\n';
const bytes = new TextEncoder().encode(text);

function read(size: number, most = 10): CsvRows {
  const rows = new CsvRows(0, most);
  for (let from = 0; from < bytes.length; from += size)
    rows.push(bytes.subarray(from, from + size));
  rows.end();
  return rows;
}

const cells = (rows: CsvRows) =>
  Array.from({ length: rows.rowCount }, (_, row) =>
    [0, 1, 2].map((column) => rows.cell(row, column)),
  );

describe("CsvRows", () => {
  it("reads the same however the bytes come", () => {
    for (const size of [1, 2, 3, 7, bytes.length]) {
      const rows = read(size);
      expect(rows.header()).toEqual(["n", "t", 'a "b"']);
      expect(cells(rows)).toEqual([
        ["1", "x, y", null],
        ["2", "", "ü"],
        ["3", "two\nlines", 'say "hi"'],
      ]);
    }
  });

  it("leaves out what is beyond its bound, and reads again what it forgot", () => {
    const few = read(4, 2);
    expect([few.rowCount, few.isFull]).toEqual([2, true]);
    const many = new CsvRows(0, 1e6);
    many.push(
      new TextEncoder().encode(`n\n${Array.from({ length: 3_000 }, (_, n) => n).join("\n")}`),
    );
    many.end();
    expect(many.rowCount).toBe(3_000);
    for (const row of [0, 2_999, 1_500, 0]) expect(many.cell(row, 0)).toBe(String(row));
    expect(many.cell(3_000, 0)).toBe(null);
  });
});
