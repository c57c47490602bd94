import { describe, expect, it } from "vitest";
import { cellText } from "../coerce.ts";
import { DataError } from "../table.ts";
import { readNdjson } from "./ndjson.ts";
import type { ReadOptions } from "./reading.ts";

const encoder = new TextEncoder();

async function read(text: string, options?: ReadOptions) {
  const { table, warnings } = await readNdjson([encoder.encode(text)], options);
  const cells = Object.fromEntries(
    table.columns.map((column) => [
      column.name,
      Array.from({ length: table.rows }, (_, row) => cellText(column, row)),
    ]),
  );
  return { cells, warnings, kinds: table.columns.map(({ kind }) => kind) };
}

describe("readNdjson", () => {
  it("reads members as they come, absent ones and null as missing", async () => {
    const { cells, kinds } = await read(
      '{"n":1,"b":true,"s":"x"}\n\n{"s":"y","late":3}\r\n{"n":2.5,"b":null,"t":"2011-01-01"}',
    );
    expect(cells).toEqual({
      n: ["1", null, "2.5"],
      b: ["true", null, null],
      s: ["x", "y", null],
      late: [null, "3", null],
      t: [null, null, "2011-01-01"],
    });
    expect(kinds).toEqual(["numeric", "boolean", "categorical", "numeric", "timestamp"]);
  });

  it("reads mixed values as text, with a warning", async () => {
    const { cells, warnings } = await read('{"a":1}\n{"a":true}\n{"a":"x"}');
    expect(cells).toEqual({ a: ["1", "true", "x"] });
    expect(warnings).toMatchObject([{ column: "a", row: 2 }]);
  });

  it("takes projections, limits and kinds", async () => {
    const { cells } = await read('{"a":1,"b":[1]}\n{"a":"2","b":{}}\n{"a":3}', {
      columns: ["a"],
      maxRows: 2,
      kinds: { a: "numeric" },
    });
    expect(cells).toEqual({ a: ["1", "2"] });
  });

  it.each<[string, RegExp]>([
    ["", /empty/],
    ['{"a":1}\n{"a":', /Row 2 is not valid JSON/],
    ["[1]", /Row 1 is not a JSON object/],
    ['{"a":1}\n{"a":[1]}', /Column "a" holds a list in row 2/],
    ['{"a":{}}', /Column "a" holds an object in row 1/],
    ["{}", /no columns/],
  ])("says what is wrong with %j", async (text, message) => {
    await expect(read(text)).rejects.toThrow(message);
    await expect(read(text)).rejects.toBeInstanceOf(DataError);
  });
});
