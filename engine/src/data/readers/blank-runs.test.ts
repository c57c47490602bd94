import { Readable } from "node:stream";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cellText } from "../coerce.ts";
import { readCsv } from "./csv.ts";

const encoder = new TextEncoder();

async function read(text: string, pieces: number[] = []) {
  const bytes = encoder.encode(text);
  const ends = [...pieces.map((at) => at % bytes.length).sort((a, b) => a - b), bytes.length];
  const parts = ends.map((end, index) => bytes.slice(ends[index - 1] ?? 0, end));
  const { table, warnings } = await readCsv(Readable.from(parts));
  const rows = Array.from({ length: table.rows }, (_, row) =>
    table.columns.map((column) => cellText(column, row)),
  );
  return { names: table.columns.map(({ name }) => name), rows, warnings };
}

const ALIGNED =
  '# made by hand\n  mpg  cyl   name\n 18.0    8   "chevrolet  malibu"\n\n   \n 15.5    6  buick \t \n  NA    4\tsaab';
const CELLS = [
  ["18", "8", "chevrolet  malibu"],
  ["15.5", "6", "buick"],
  [null, "4", "saab"],
];

describe("columns that runs of blanks separate", () => {
  it("are read with quotes, tabs, comments and blanks at lines' ends, however they come", async () => {
    const { names, rows, warnings } = await read(ALIGNED);
    expect(names).toEqual(["mpg", "cyl", "name"]);
    expect(rows).toEqual(CELLS);
    expect(warnings[0]?.message).toContain("separated by runs of blanks");
    expect((await read(ALIGNED.replaceAll("\n", "\r\n"))).rows).toEqual(CELLS);
    // Far behind what tells how the file is written.
    const long = `${ALIGNED}\n${"  1   2   x  \n".repeat(30_000)}`;
    expect((await read(long)).rows).toHaveLength(30_003);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(), { maxLength: 6 }), async (pieces) => {
        expect((await read(long, pieces)).rows.at(-1)).toEqual(["1", "2", "x"]);
      }),
      { numRuns: 5 },
    );
  });

  it("may begin with names of rows, for which R writes no name", async () => {
    const { names, rows } = await read('"x" "a b"\n"r 1" 1 "u"\n"r 2" 2 "w"\n');
    expect(names).toEqual(["column_1", "x", "a b"]);
    expect(rows).toEqual([
      ["r 1", "1", "u"],
      ["r 2", "2", "w"],
    ]);
  });

  it.each([
    ["tabs", "\t"],
    ["commas", ","],
    ["semicolons", ";"],
  ])("may begin with them between %s, too, as R's write.table writes them", async (_, mark) => {
    const text = ['"x" "a b"', '"r 1" 1 "u"', '"r 2" 2 "w"'].map((line) =>
      line.replaceAll(/ (?=["\d])(?!\d")/g, mark),
    );
    const { names, rows, warnings } = await read(`${text.join("\n")}\n`);
    expect(names).toEqual(["column_1", "x", "a b"]);
    expect(rows).toEqual([
      ["r 1", "1", "u"],
      ["r 2", "2", "w"],
    ]);
    expect(warnings.map(({ message }) => message)).toEqual([
      expect.stringContaining("A column has no name: column 1 is called"),
    ]);
  });

  it("are not seen where rows end with a delimiter too many, or begin with what is not unique", async () => {
    for (const text of [
      "a,b\n1,2,\n3,4,\n",
      "a,b\n1,2,3\n1,4,5\n",
      "a,b\n1,2,3\n,4,5\n",
      "a\n1,2\n3,4\n",
    ])
      await expect(read(text)).rejects.toThrow(/Row 1 has \d fields, but the header has/);
    await expect(read("a,b\n1,2,\n3,4,\n")).rejects.toThrow(
      "ends with a delimiter, and the header",
    );
    // One row alone is as likely to be a slip.
    await expect(read("a\tb\n1\t2\t3\n")).rejects.toThrow("Row 1 has 3 fields");
  });

  const oneColumn: readonly (readonly [string, string])[] = [
    ["texts", "review of it\nvery good 3\nnot so good at all\nfine\n"],
    ["names of two words", "full name\nAda Lovelace\nAlan Turing\nEmmy Noether\n"],
    ["words alone", "a b c\nx y z\nu v w\n"],
    ["times", "start time\n2024-01-01 10:00\n2024-01-02 11:00\n"],
    ["thousands set apart", "price in euro\n1 200 000\n2 300 000\n"],
    ["a row with more", "a b c\n1 2 3\n4 5 6\n7 8 9 10\n"],
  ];
  it.each(oneColumn)("are not seen in %s", async (_, text) => {
    const { names, rows } = await read(text);
    const [header, ...lines] = text.trimEnd().split("\n");
    expect(names).toEqual([header]);
    expect(rows.length).toBe(lines.length);
  });
});
