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

  it("refuses a member that its row has already, of which one would be lost", async () => {
    for (const second of ['"a":3', '"\\u0061": 3', '"a" :null']) {
      await expect(read(`{"a":"1:2","b":2}\n{"a":"x","b":2,${second}}`)).rejects.toThrow(
        'Row 2 has the member "a" more than once; leave one of them.',
      );
    }
    const { cells } = await read('{"a":"\\"a\\":1, \\"a\\":2","b":"a:b"}');
    expect(cells).toEqual({ a: ['"a":1, "a":2'], b: ["a:b"] });
  });

  it("says where half of a surrogate pair is no character", async () => {
    const { cells, warnings } = await read(
      '{"a":"\\ud83d\\ude00"}\n{"a":"x\\ud83d"}\n{"a":"\\uDE00"}',
    );
    expect(cells).toEqual({ a: ["\u{1f600}", "x\u{fffd}", "\u{fffd}"] });
    expect(warnings.map(({ message, row }) => [message, row])).toEqual([
      [
        'Column "a" has half of a surrogate pair, first in row 2, which is no character; each is read as "\u{fffd}".',
        2,
      ],
    ]);
  });

  it("keeps integers apart that numbers would not, and as they were written", async () => {
    const ids = ["9007199254740992", "9007199254740993", "7", "-123456789012345678901"];
    const text = ids.map((id) => `{"id":${id},"big":1152921504606846976,"x":0.5}`).join("\n");
    const { cells, kinds, warnings } = await read(text);
    expect(cells["id"]).toEqual(ids);
    expect(kinds).toEqual(["categorical", "numeric", "numeric"]);
    expect(warnings).toEqual([
      expect.objectContaining({
        column: "id",
        row: 2,
        message: expect.stringContaining("first 9007199254740993 in row 2"),
      }),
    ]);
    const declared = await read(text, { kinds: { id: "numeric", big: "categorical" } });
    expect(declared.kinds).toEqual(["numeric", "categorical", "numeric"]);
    expect(declared.cells["big"]).toEqual(ids.map(() => "1152921504606846976"));
    expect(declared.warnings).toMatchObject([{ column: "id", row: 2 }]);
  });

  it("says that decimals are rounded, and keeps their digits where they are no numbers", async () => {
    const amounts = ["1.5", "900719925474099.93", "9007199254740993.25"];
    const text = amounts.map((amount) => `{"a":${amount}}`).join("\n");
    const { kinds, warnings } = await read(text);
    expect(kinds).toEqual(["numeric"]);
    const rounded = { column: "a", row: 2, message: expect.stringContaining("they are rounded") };
    expect(warnings).toEqual([rounded]);
    const declared = await read(text, { kinds: { a: "categorical" } });
    expect(declared.cells["a"]).toEqual(amounts);
    expect(declared.warnings).toEqual([]);
  });

  it("keeps integers as they were written beside strings and in nested rows", async () => {
    const { cells } = await read('{"a":9007199254740992}\n{"a":"x"}\n{"a":9007199254740993}');
    expect(cells["a"]).toEqual(["9007199254740992", "x", "9007199254740993"]);
    const deep = `{"id":9007199254740993,"a":${"[".repeat(50_000)}${"]".repeat(50_000)}}`;
    await expect(read(deep)).rejects.toThrow('Column "a" holds a list in row 1');
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
    ['[{"a":1},{"a":2}]', /The file is one JSON array: write each of its rows on a line/],
    ['[\n  {"a":1}\n]', /The file is one JSON array/],
    ['{\n  "a":1\n}', /Write each row on one line/],
    ['{"a":1},\n{"a":2}', /Lines of JSON have no commas between them/],
    ['{"a":NaN}', /JSON has no NaN or Infinity/],
    ['{"a":1}\n{"a":[1]}', /Column "a" holds a list in row 2/],
    ['{"a":{}}', /Column "a" holds an object in row 1/],
    ["{}", /no columns/],
  ])("says what is wrong with %j", async (text, message) => {
    await expect(read(text)).rejects.toThrow(message);
    await expect(read(text)).rejects.toBeInstanceOf(DataError);
  });
});
