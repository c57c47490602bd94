import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cellText } from "../coerce.ts";
import { type Column, DataError } from "../table.ts";
import { uncleanColumns } from "../unclean-columns.ts";
import { type CsvOptions, readCsv } from "./csv.ts";
import { encoded } from "./encoding/testing/encoders.ts";
import { MISSING_TOKENS } from "./missing.ts";

const encoder = new TextEncoder();

const latin = (text: string) => Uint8Array.from(text, (character) => character.charCodeAt(0));

function read(text: string | Uint8Array, options?: CsvOptions) {
  return readCsv([typeof text === "string" ? encoder.encode(text) : text], options);
}

async function column(text: string, name: string, options?: CsvOptions): Promise<Column> {
  const { table } = await read(text, options);
  const found = table.columns.find((candidate) => candidate.name === name);
  if (found === undefined) throw new Error(`no column ${name}`);
  return found;
}

async function values(text: string, name: string, options?: CsvOptions) {
  const found = await column(text, name, options);
  const rows = found.kind === "categorical" ? found.codes.length : found.values.length;
  return Array.from({ length: rows }, (_, row) => cellText(found, row));
}

async function fault(text: string | Uint8Array, options?: CsvOptions): Promise<DataError> {
  try {
    await read(text, options);
  } catch (error) {
    if (error instanceof DataError) return error;
    throw error;
  }
  throw new Error("no error was thrown");
}

describe("readCsv: columns without names", () => {
  it("refuses names that differ in Unicode's normal form alone", async () => {
    expect((await fault("caf\u00e9,cafe\u0301\n1,2\n")).message).toBe(
      'Columns 1 and 2 are both named "cafe\u0301", which are written otherwise in Unicode; names must be unique.',
    );
  });

  it("calls them by their place, as those that number rows have none, and says so", async () => {
    const { table, warnings } = await read(',a,"",column_5, \n1,2,3,4,5\n2,2,x,4,6\n');
    expect(table.columns.map(({ name }) => name)).toEqual([
      "column_1",
      "a",
      "column_3",
      "column_5",
      "column_5_",
    ]);
    expect(await values(",a\n0,x\n1,y\n", "column_1")).toEqual(["0", "1"]);
    expect(warnings).toEqual([
      {
        message:
          '3 columns have no names: column 1 is called "column_1", 3 is called "column_3", 5 is called "column_5_". Name them in the header, or leave out what only numbers the rows.',
        column: "column_1",
      },
    ]);
  });

  it("reads the columns that are wanted by the names that they are given", async () => {
    const { table } = await read(",a\n7,1\n8,2\n", { columns: ["column_1"] });
    expect(table.columns.map(({ name }) => name)).toEqual(["column_1"]);
  });
});

describe("readCsv: kinds", () => {
  it("infers numbers, booleans, times, categories and text", async () => {
    const rows = Array.from(
      { length: 300 },
      (_, i) =>
        `${i / 8},${i % 2 ? "true" : "False"},2011-01-0${1 + (i % 9)},${"xyz"[i % 3]},name ${i}`,
    );
    const { table, warnings } = await read(["n,b,t,c,s", ...rows].join("\n"));
    expect(table.rows).toBe(300);
    expect(table.columns.map(({ kind }) => kind)).toEqual([
      "numeric",
      "boolean",
      "timestamp",
      "categorical",
      "text",
    ]);
    expect(warnings).toEqual([]);
  });

  it("reads every missing token as missing, in numbers and in categories", async () => {
    const cells = ["1", ...MISSING_TOKENS.map((token) => `"${token}"`), "2"];
    const numbers = await column(`a,b\n${cells.map((cell) => `${cell},x`).join("\n")}`, "a");
    expect(numbers.kind).toBe("numeric");
    expect(numbers.kind === "numeric" && [...numbers.values]).toEqual([
      1,
      ...MISSING_TOKENS.map(() => Number.NaN),
      2,
    ]);
    const words = `a,b\n${["p", ...cells.slice(1, -1), "none"].map((c) => `${c},1`).join("\n")}`;
    expect(await values(words, "a")).toEqual(["p", ...MISSING_TOKENS.map(() => null), "none"]);
  });

  it("keeps numbers as they stood when a column turns out to hold other things", async () => {
    const cells = ["+7", "1.50", "-2", "1e5", "", "+4", "0.0", "-0", "9007199254740994", "A/5"];
    const text = `a,b\n${cells.map((cell) => `${cell},x`).join("\n")}\n`;
    expect(await values(text, "a")).toEqual(cells.map((cell) => (cell === "" ? null : cell)));
    const { table, warnings } = await read(text);
    expect(warnings).toEqual([]);
    expect(uncleanColumns(table.columns)).toEqual([
      expect.objectContaining({ column: "a", row: 10, message: expect.stringContaining('"A/5"') }),
    ]);
  });

  it("keeps low-cardinality integers numeric and yes/no categorical", async () => {
    expect((await column("a,b\n0,yes\n1,no\n0,yes", "a")).kind).toBe("numeric");
    expect((await column("a,b\n0,yes\n1,no\n0,yes", "b")).kind).toBe("categorical");
  });

  it("reads 1/2/2011 by the order that fits every row, and warns where both do", async () => {
    const dayFirst = await column("t\n13/01/2011\n02/01/2011\n", "t");
    expect(dayFirst.kind === "timestamp" && [...dayFirst.values]).toEqual([
      Date.UTC(2011, 0, 13),
      Date.UTC(2011, 0, 2),
    ]);
    const { table, warnings } = await read("t\n1/2/2011\n3/4/2011\n");
    expect(table.columns[0].kind === "timestamp" && table.columns[0].values[0]).toBe(
      Date.UTC(2011, 0, 2),
    );
    expect(warnings[0].message).toContain("month/day/year");
    expect((await column("t\n13/01/2011\n01/13/2011\n", "t")).kind).toBe("categorical");
  });

  it("takes declared kinds at their word", async () => {
    const text = "zip,flag,when\n01234,yes,2011-01-01\n1234,no,2011-01-02T03:04:05+01:00\n";
    expect(await values(text, "zip", { kinds: { zip: "categorical" } })).toEqual(["01234", "1234"]);
    const flag = await column(text, "flag", { kinds: { flag: "boolean" } });
    expect(flag.kind === "boolean" && [...flag.values]).toEqual([1, 0]);
    expect((await column(text, "when", { kinds: { when: "text" } })).kind).toBe("text");
    expect((await column("constructor\n1\n2\n", "constructor", { kinds: {} })).kind).toBe(
      "numeric",
    );
  });

  it("names column, row and value where a declared kind does not hold", async () => {
    const numeric = await fault("a,b\n1,x\n2,x\nn/k,x\n", { kinds: { a: "numeric" } });
    expect(numeric).toMatchObject({ column: "a", row: 3 });
    expect(numeric.message).toBe('Column "a" should be numeric, but row 3 holds "n/k".');
    const time = await fault("a,b\n2011-01-01,x\nsoon,x\n", { kinds: { a: "timestamp" } });
    expect(time).toMatchObject({ column: "a", row: 2 });
    const flag = await fault("a\ntrue\nperhaps\n", { kinds: { a: "boolean" } });
    expect(flag).toMatchObject({ column: "a", row: 2 });
  });
});

describe("readCsv: forms", () => {
  it.each([",", ";", "\t", "|"])("finds the delimiter %j", async (delimiter) => {
    const rows = [
      ["a", "b", "c"],
      ["1", "x, y; z", "3"],
      ["4", "5|6", "7"],
    ];
    const text = rows
      .map((row) => row.map((cell) => (/[,;|]/.test(cell) ? `"${cell}"` : cell)).join(delimiter))
      .join("\r\n");
    const { table } = await read(text);
    expect(table.columns.map(({ name }) => name)).toEqual(["a", "b", "c"]);
    expect(table.rows).toBe(2);
  });

  it.each([
    ["sep=;\n", ";"],
    ["\ufeffsep=|\r\n", "|"],
    ['"Sep=,"\r', ","],
    ["SEP=\t\n", "\t"],
    ["sep=\\t\n", "\t"],
  ])("takes %j for the delimiter's declaration", async (line, delimiter) => {
    const rows = ["a b", "1 x,y;y|y\ty", "2 z"].map((row) => row.replace(" ", delimiter));
    const cell = `"x,y;y|y\ty"`;
    const text = `${line}${rows.join("\n").replace("x,y;y|y\ty", cell)}`;
    const { table } = await readCsv(
      Array.from(encoder.encode(text), (byte) => Uint8Array.of(byte)),
    );
    expect(table.columns.map(({ name }) => name)).toEqual(["a", "b"]);
    expect(table.rows).toBe(2);
    expect(await fault(`${line}a${delimiter}b\n1${delimiter}2\n3\n`)).toMatchObject({ row: 2 });
  });

  it("takes other first lines for headers, and a delimiter that is given before the declared", async () => {
    expect(await values("sep=;x\n1;2\n", "sep=")).toEqual(["1"]);
    expect(await values("sep\n1\n", "sep")).toEqual(["1"]);
    const { table } = await read("sep=;\na;b,c\n1,2\n", { delimiter: "," });
    expect(table.columns.map(({ name }) => name)).toEqual(["a;b", "c"]);
    await expect(read("sep=;\n")).rejects.toThrow("The file is empty.");
  });

  it("takes no column for a format that begins with its name", async () => {
    const { table } = await read("ORC,RDX2\n1,2\n");
    expect(table.columns.map(({ name }) => name)).toEqual(["ORC", "RDX2"]);
  });

  it("reads a byte order mark, gzip, one column, and chunks of any size", async () => {
    expect(await values("\ufeffname,b\nü,1\n", "name")).toEqual(["ü"]);
    const { table } = await read(gzipSync("a,b\n1,2\n"));
    expect(table.rows).toBe(1);
    expect((await read("a\n1\n2\n")).table.rows).toBe(2);
    const bytes = encoder.encode('a,b\n1,é\n2,"x\ny"\n');
    const single = await readCsv(Array.from(bytes, (byte) => Uint8Array.of(byte)));
    expect(single.table).toEqual((await read(bytes)).table);
  });

  it("projects columns, stops at maxRows and reports progress", async () => {
    const text = `a,b,c\n${Array.from({ length: 50 }, (_, i) => `${i},x,${i}`).join("\n")}`;
    const seen: number[] = [];
    const { table } = await read(text, {
      columns: ["c", "a"],
      maxRows: 7,
      onProgress: ({ rows }) => seen.push(rows),
    });
    expect(table.columns.map(({ name }) => name)).toEqual(["a", "c"]);
    expect(table.rows).toBe(7);
    expect(seen.at(-1)).toBe(7);
  });

  it("reads numbers exactly, whatever their form", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.oneof(
            fc.double({ noNaN: true }).map(String),
            fc
              .tuple(fc.integer(), fc.nat(99))
              .map(([n, d]) => `${n}.${String(d).padStart(2, "0")}`),
            fc.double({ noNaN: true, noDefaultInfinity: true }).map((n) => n.toExponential()),
          ),
          { minLength: 1, maxLength: 20 },
        ),
        async (texts) => {
          const found = await column(`a,b\n${texts.map((text) => `${text},x`).join("\n")}`, "a");
          expect(found.kind === "numeric" && [...found.values]).toEqual(texts.map(Number));
        },
      ),
      { numRuns: 200 },
    );
  });
});

describe("readCsv: numbers that are kept as texts", () => {
  it("has zip codes as texts, whatever comes before them, and says so", async () => {
    for (const [text, row] of [
      ["zip,x\n01234,1\n90210,2\n", 1],
      ["zip,x\n90210,1\n01234,2\n", 2],
      ["zip;x\n90210;1\n01234;2\n", 2],
    ] as const) {
      const { table, warnings } = await read(text);
      expect(table.columns[0]).toMatchObject({ kind: "categorical" });
      expect((await values(text, "zip"))?.toSorted()).toEqual(["01234", "90210"]);
      expect(warnings).toEqual([
        expect.objectContaining({
          column: "zip",
          row,
          message: expect.stringMatching(/"zip" has numbers with leading zeros.*"01234" in row/),
        }),
      ]);
      const numbers = await read(text, { kinds: { zip: "numeric" } });
      expect(numbers.table.columns[0].kind).toBe("numeric");
      expect(numbers.warnings).toEqual([]);
    }
  });

  it.each(["0", "0.5", "-0", "-0.5", "0.0", "0e1", "-01"])("has %s as a number", async (cell) => {
    const found = await read(`a,b\n1,x\n${cell},y\n`);
    expect(found.table.columns[0]).toMatchObject({ values: new Float64Array([1, Number(cell)]) });
    expect(found.warnings).toEqual([]);
  });

  it("has codes beside words as they stood, and does not ask for the words to be cleaned", async () => {
    const zips = Array.from({ length: 30 }, (_, i) => String(10_000 + 811 * i));
    const text = `zip,x\n${["01234", ...zips, "unknown"].map((zip) => `${zip},1`).join("\n")}\n`;
    const { table, warnings } = await read(text);
    expect(warnings).toEqual([]);
    expect(uncleanColumns(table.columns)).toEqual([]);
  });

  it.each<[string, number, string[]]>([
    ["of 64 bits", 2, ["9007199254740992", "9007199254740993", "5"]],
    [
      "of many digits",
      2,
      ["1", "123456789012345678901234567890", "123456789012345678901234567891"],
    ],
    ["after exact ones", 2, ["1152921504606846976", "1152921504606846977"]],
    ["of two forms that mean one double", 2, ["12345678901234567000", "12345678901234567168"]],
    ["beside decimals", 2, ["1.5", "9007199254740993", "9007199254740992"]],
    ["with a sign", 1, ["+9007199254740993", "-9007199254740993"]],
    ["with a point", 1, ["9007199254740993.0", "9007199254740992.0"]],
    ["beyond all doubles", 1, [`1${"0".repeat(320)}`, `2${"0".repeat(320)}`]],
  ])("keeps integers apart %s", async (_, row, cells) => {
    const text = `id,x\n${cells.map((cell) => `${cell},1\n`).join("")}`;
    expect(await values(text, "id")).toEqual(cells);
    const { warnings } = await read(text);
    expect(warnings).toEqual([
      expect.objectContaining({
        column: "id",
        row,
        message: expect.stringContaining("last digits a 64-bit float would lose"),
      }),
    ]);
    const declared = await read(text, { kinds: { id: "numeric" } });
    expect(declared.table.columns[0].kind).toBe("numeric");
    expect(declared.warnings[0]?.message).toMatch(/integers beyond 2\^53, first in row/);
  });

  it.each<[string, string[]]>([
    ["that are doubles", ["9007199254740994", "1152921504606846976", "-9007199254740992"]],
    ["that programs write of doubles", ["12345678901234567000", "100000000000000000000000", "0.5"]],
    ["of 16 digits", ["1234567890123456", "9007199254740991"]],
  ])("has integers as numbers %s", async (_, cells) => {
    const text = `id,x\n${cells.map((cell) => `${cell},1\n`).join("")}`;
    const { table, warnings } = await read(text);
    expect(table.columns[0]).toMatchObject({ values: Float64Array.from(cells, Number) });
    expect(warnings).toEqual([]);
  });

  it.each<[string, string, string[]]>([
    ["beyond 2^53", ",", ["1.5", "123456789012345678.25", "123456789012345678.50"]],
    ["of amounts", ",", ["1.50", "900719925474099.93", "900719925474099.94"]],
    ["with a comma", ";", ["1,50", "900.719.925.474.099,93", "900719925474099,94"]],
    ["of nanoseconds", ",", ["-7", "1700000000.123456789", "1700000000.123456790"]],
  ])("says that decimals are rounded %s", async (_, delimiter, cells) => {
    const text = `id${delimiter}x\n${cells.map((cell) => `${cell}${delimiter}1\n`).join("")}`;
    const { table, warnings } = await read(text);
    expect(table.columns[0].kind).toBe("numeric");
    const rounded = { column: "id", row: 2, message: expect.stringContaining("they are rounded") };
    expect(warnings).toEqual([rounded]);
    const numeric = await read(text, { kinds: { id: "numeric" } });
    expect(numeric.warnings).toEqual([rounded]);
    expect(await values(text, "id", { kinds: { id: "categorical" } })).toEqual(cells);
  });

  it("does not say so of doubles, in their shortest form or in 17 digits", async () => {
    const double = fc.double({ noNaN: true, noDefaultInfinity: true });
    const form = fc.constantFrom(String, (value: number) => value.toPrecision(17));
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(double, form), { minLength: 1 }), async (cells) => {
        const text = `id,x\n${cells.map(([value, write]) => `${write(value)},1\n`).join("")}`;
        const { warnings } = await read(text, { kinds: { id: "numeric" } });
        expect(warnings.filter(({ message }) => message.includes("rounded"))).toEqual([]);
      }),
    );
    const long = await read("id,x\n0.33333333333333333333,1\n2.000000000000000000001,1\n");
    expect(long.warnings).toEqual([]);
  });

  it("never makes one value of two integers, and gives texts back as they stood", async () => {
    const integer = fc.oneof(
      fc.bigInt({ min: 2n ** 53n - 4n, max: 2n ** 53n + 4n }),
      fc.bigInt({ min: 2n ** 60n - 300n, max: 2n ** 60n + 300n }),
      fc.double({ min: 2 ** 53, max: 1e22, noNaN: true }).map((n) => BigInt(n)),
      fc.bigInt({ min: -(10n ** 25n), max: 10n ** 25n }),
      fc.integer().map(BigInt),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(integer, { minLength: 1, maxLength: 12 }), async (integers) => {
        const cells = integers.map(String);
        const text = `a,b\n${cells.map((cell) => `${cell},x\n`).join("")}`;
        const { table } = await read(text);
        const [found] = table.columns;
        if (found.kind === "numeric") {
          expect(new Set(found.values).size).toBe(new Set(cells).size);
          expect([...found.values]).toEqual(cells.map(Number));
        } else expect(await values(text, "a")).toEqual(cells);
      }),
      { numRuns: 300 },
    );
  });
});

describe("readCsv: dates of both orders", () => {
  const cells = [
    "13/02/2020",
    "14/02/2020",
    "28/02/2020",
    "02/03/2020",
    "02/13/2020",
    "15/02/2020",
  ];
  const text = `d,x\n${cells.map((cell) => `${cell},1\n`).join("")}`;
  const both =
    /"13\/02\/2020" in row 1, and dates with the month first, such as "02\/13\/2020" in row 5/;

  it("are told with a row of each order, however many they are", async () => {
    const { table } = await read(text);
    expect(uncleanColumns(table.columns)).toEqual([
      expect.objectContaining({ column: "d", row: 5, message: expect.stringMatching(both) }),
    ]);
    const half = await read("d\n13/02/2020\n02/13/2020\n");
    expect(uncleanColumns(half.table.columns)).toHaveLength(1);
  });

  it("are refused where times are declared, with both", async () => {
    const error = await fault(text, { kinds: { d: "timestamp" } });
    expect(error.message).toMatch(both);
    expect(error).toMatchObject({ column: "d", row: 5 });
  });
});

describe("readCsv: faults", () => {
  it.each<[string, string | Uint8Array, RegExp, Partial<DataError>]>([
    ["an empty file", "", /empty/, {}],
    ["blank lines only", "\n\n\n", /empty/, {}],
    ["a header without rows", "a,b\n", /header, but no rows/, {}],
    ["a short row", "a,b,c\n1,2,3\n4,5\n", /Row 2 has 2 fields, but the header has 3/, { row: 2 }],
    ["a long row", "a,b\n1,2,3\n", /Row 1 has 3 fields, but the header has 2\.$/, { row: 1 }],
    [
      "lines that end in CR among others",
      "a,b\n1,2\n3,4\r5,6\n",
      /CR\) that no line feed/,
      { row: 2 },
    ],
    ["a long row with CRLF", 'a,b\n"1\r\n",2,3\n', /but the header has 2\.$/, { row: 1 }],
    ["a repeated name", "a,b,a\n1,2,3\n", /Columns 1 and 3 are both named "a"/, { column: "a" }],
    [
      "a name that no JSON row can carry",
      "a,__proto__\n1,2\n",
      /Column 2 is named "__proto__"/,
      {},
    ],
    ["no name at all", ",,\n1,2,3\n", /Column 1 has no name/, {}],
    ["an open quote", 'a,b\n1,"2\n3,4\n', /never closed/, { row: 1 }],
    ["Parquet", "PAR1....", /sent as CSV, but it is Parquet/, {}],
    [
      "a JSON array",
      '[{"a":1,"b":"x"},{"a":2,"b":"y"}]',
      /it is one JSON document; write each/,
      {},
    ],
    ["rows of a JSON array", '[\n  {"a":1},\n  {"a":2}\n]\n', /it is one JSON document/, {}],
    ["an indented object", '{\n  "data": [[1, 2]]\n}', /it is one JSON document/, {}],
    ["lines of JSON", '{"a":1}\n{"a":2}\n', /its first line is a JSON object/, {}],
    ["wider lines of JSON", '{"a":1,"b":"x"}\r\n{"a":2,"b":"y"}', /newline-delimited JSON/, {}],
    ["a workbook", "PK\x03\x04....", /zip archive .* save its sheet, .* as CSV/, {}],
    [
      "an old workbook",
      latin("\xd0\xcf\x11\xe0\xa1\xb1\0\0"),
      /old version of Microsoft Office/,
      {},
    ],
    ["a PDF", "%PDF-1.7\n", /a PDF, which is uploaded as a document/, {}],
    ["HDF5", latin("\x89HDF\r\n\x1a\n"), /HDF5; save its table/, {}],
    ["bzip2", latin("BZh91AY&SY"), /bzip2-compressed/, {}],
    ["ORC", latin("ORC\n\x03\0\0\0\x12"), /ORC; save its table as Parquet/, {}],
    ["Avro", latin("Obj\x01\x04\x14avro.codec"), /Avro; save its records/, {}],
    ["Feather of version 1", "FEA1....", /Feather of version 1/, {}],
    ["a tar archive", `x.csv${"\0".repeat(252)}ustar  `, /tar archive; unpack it/, {}],
    ["gzip of gzip", gzipSync(gzipSync("a,b\n1,2\n")), /compressed several times/, {}],
    ["a page", "<!DOCTYPE html>\n<title>404</title>\n", /HTML page; look at it/, {}],
    ["a NUL byte", "a,b\nx,1\ny\0,2\n", /"a" has a NUL byte in row 2/, { column: "a", row: 2 }],
    [
      "invalid UTF-8",
      // One character that is whole besides says that it is UTF-8, and damaged.
      Uint8Array.of(97, 10, 0xc3, 0xa9, 0xc3, 0xa8, 10, 0xe9, 0x61, 10),
      /"a" is not valid UTF-8 in row 2/,
      { column: "a", row: 2 },
    ],
    [
      "invalid UTF-8 in the header",
      Uint8Array.of(0xe9, 0xc3, 0xa9, 0xc3, 0xa8, 10, 49, 10),
      /header is not valid UTF-8/,
      {},
    ],
    ["cut gzip", gzipSync("a,b\n1,2\n".repeat(99)).subarray(0, 30), /gzip data is damaged/, {}],
  ])("says what is wrong with %s", async (_, bytes, message, where) => {
    const error = await fault(bytes);
    expect(error.message).toMatch(message);
    expect(error).toMatchObject(where);
  });

  it("names the closest columns where a wanted one is absent", async () => {
    const error = await fault("season,temp\n1,2\n", { columns: ["saeson"] });
    expect(error.message).toContain('no column "saeson"; the closest: "season"');
  });

  it("warns of columns without values and of a header of numbers", async () => {
    const { warnings, table } = await read("1,2\n,5\nNA,6\n");
    expect(table.columns[0].kind).toBe("numeric");
    expect(warnings.map(({ message }) => message)).toEqual([
      expect.stringContaining("only numbers"),
      'Column "1" has no values.',
    ]);
  });
});

describe("CSV as people have it", () => {
  const TEXT = "Ort;Preis;Anteil;Tag\nKöln;1.234,50;0,25;13.01.2024\nWien;7;-1,5e3;01.02.2024\n";
  const KINDS = ["categorical", "numeric", "numeric", "timestamp"];
  const wide = (text: string) => new Uint8Array(Buffer.from(text, "utf16le"));
  const swapped = (text: string) => new Uint8Array(Buffer.from(text, "utf16le").swap16());
  const encodings: [string, Uint8Array | string][] = [
    ["UTF-8", TEXT],
    ["UTF-8 with a byte order mark", `\ufeff${TEXT}`],
    ["UTF-8 with several", `\ufeff\ufeff\ufeff${TEXT}`],
    ["Latin-1", latin(TEXT)],
    ["UTF-16LE", wide(TEXT)],
    ["UTF-16LE with a byte order mark", wide(`\ufeff${TEXT}`)],
    ["UTF-16BE", swapped(TEXT)],
    ["UTF-16BE with a byte order mark", swapped(`\ufeff${TEXT}`)],
    ["gzip of UTF-16", gzipSync(wide(`\ufeff${TEXT}`))],
  ];

  it("has months and quarters by their names", async () => {
    const { table } = await read("month,quarter,day\n1987 Jan,1981 Q4,31-Jan-2011\n1987 Feb,,\n");
    expect(table.columns).toMatchObject([
      { kind: "timestamp", values: Float64Array.of(Date.UTC(1987, 0), Date.UTC(1987, 1)) },
      { kind: "timestamp", values: Float64Array.of(Date.UTC(1981, 9), Number.NaN) },
      { kind: "timestamp", values: Float64Array.of(Date.UTC(2011, 0, 31), Number.NaN) },
    ]);
  });

  it.each(encodings)("is read alike in %s", async (name, bytes) => {
    const { table, warnings } = await read(bytes);
    expect(table.columns.map(({ kind }) => kind)).toEqual(KINDS);
    const [city, price, share, day] = table.columns;
    expect(city).toMatchObject({ name: "Ort", categories: ["Köln", "Wien"] });
    expect(price).toMatchObject({ values: new Float64Array([1234.5, 7]) });
    expect(share).toMatchObject({ values: new Float64Array([0.25, -1500]) });
    expect(day).toMatchObject({
      values: new Float64Array([Date.UTC(2024, 0, 13), Date.UTC(2024, 1, 1)]),
    });
    expect(warnings.length).toBe(name === "Latin-1" ? 1 : 0);
  });

  it.each([
    ["UTF-16LE", wide],
    ["UTF-16BE", swapped],
  ])(
    "is read in %s without a mark where a character has a zero for its other byte",
    async (_, as) => {
      const { table, warnings } = await read(as("a,b\n1,\u4e00\n2,\u{1f600}\n3,\u3000x\n"));
      expect(table.columns[1]).toMatchObject({ categories: ["\u4e00", "\u{1f600}", "\u3000x"] });
      expect(warnings).toEqual([]);
    },
  );

  it("has Windows' characters where Latin-1 has none, however late they come", async () => {
    const rows = "x\n".repeat(100_000);
    const { table, warnings } = await read(latin(`a\n${rows}\x80 \x96 \xe9\n`));
    expect(table.columns[0]).toMatchObject({ categories: ["x", "€ – é"] });
    expect(warnings[0]?.message).toContain("read as Windows-1252");
  });

  it("is read in the encoding of its words, and says so", async () => {
    const text = "город,цена\nМосква,1\nТверь,2\nПсков,3\nСочи,4\n";
    const { table, warnings, encoding } = await read(encoded(text, "koi8-r"));
    expect(table.columns[0]).toMatchObject({
      name: "город",
      categories: ["Москва", "Тверь", "Псков", "Сочи"],
    });
    expect(encoding).toBe("koi8-r");
    expect(warnings.map(({ message }) => message)).toEqual([
      "The file is not UTF-8; it was read as koi8-r, by its letters. If characters look wrong, name its encoding or save it as UTF-8.",
    ]);
  });

  it.each([
    ["Shift_JIS", "shift_jis", "県,値\n表,1\nソ,2\n"],
    ["cp1251", "windows-1251", "да,b\nх,1\nу,2\n"],
    ["latin2", "iso-8859-2", "miasto,b\nŁódź,1\nĄ,2\n"],
    ["UTF-8", "utf-8", "é,b\nx,1\ny,2\n"],
  ])("is read as %s where that is declared", async (label, encoding, text) => {
    const bytes = encoding === "utf-8" ? text : encoded(text, encoding);
    const reading = await read(bytes, { encoding: label });
    const [header = "", first = "", second = ""] = text.split("\n");
    expect(reading.table.columns[0]).toMatchObject({
      name: header.split(",")[0],
      categories: [first.split(",")[0], second.split(",")[0]],
    });
    expect(reading).toMatchObject({ encoding, warnings: [] });
  });

  it("goes by a byte order mark before what is declared", async () => {
    const { table } = await read("\ufeffé,b\nx,1\n", { encoding: "koi8-r" });
    expect(table.columns[0]?.name).toBe("é");
  });

  it("refuses an encoding that is not known, and bytes that are not of the declared one", async () => {
    await expect(read("a,b\n1,2\n", { encoding: "cp1047" })).rejects.toThrow(
      '"cp1047" is no encoding that is known. Known are those of the Encoding Standard, such as utf-8, windows-1251,',
    );
    await expect(read(latin("a,b\nx\xff\xff,1\n"), { encoding: "euc-kr" })).rejects.toThrow(
      "The file was said to be euc-kr, but has bytes that are none of its characters",
    );
  });

  it.each([
    ["before the header", "# made by hand, on Monday\n#\na,b\n1,2\n3,4\n"],
    ["between rows", "a,b\n1,2\n# note; x\n3,4\n#end"],
  ])("has comments %s", async (_, text) => {
    const { table } = await read(text);
    expect(table.rows).toBe(2);
    expect(table.columns.map(({ name }) => name)).toEqual(["a", "b"]);
  });

  it.each([
    ["in a header", "#id,b\n1,2\n3,4\n", ["#id", "b"]],
    ["in cells", "tag,b\n#x,2\n#y,4\n", ["tag", "b"]],
    ["in one column", "tag\n#x\n#y\n", ["tag"]],
  ])("has number signs that are no comments %s", async (_, text, names) => {
    const { table } = await read(text);
    expect(table.rows).toBe(2);
    expect(table.columns.map(({ name }) => name)).toEqual(names);
  });

  it("takes what no double holds for no number, as it takes other texts", async () => {
    for (const large of ["1e400", "-1e999", "1.5E+309"]) {
      const text = `x,y\n1.5,a\n${large},b\n`;
      expect(await values(text, "x"), large).toEqual(["1.5", large]);
      expect(await fault(text, { kinds: { x: "numeric" } }), large).toMatchObject({
        column: "x",
        row: 2,
      });
    }
    const { values: cells } = { values: await values("x\ninf\n1e308\n1e-400\n", "x") };
    expect(cells).toEqual(["Infinity", "1e+308", "0"]);
  });

  it("tells of points before three digits among decimal commas, where nothing shows what they are", async () => {
    const told = async (cells: readonly string[], options?: CsvOptions) => {
      const text = `a;v\n${cells.map((cell, at) => `${at};${cell}\n`).join("")}`;
      const { table, warnings } = await read(text, options);
      return [table.columns[1].kind, warnings.map(({ message, row }) => [message, row])];
    };
    const warning = [
      'Column "v" has numbers with a decimal comma, and "1.234" in row 2 and 2 more like it, read as 1234: no cell shows whether such points stand between thousands, as 1.234,5 would; if they are decimal points, write "1,234".',
      2,
    ];
    const cells = ["0,5", "1.234", "2.345", "1.234"];
    expect(await told(cells)).toEqual(["numeric", [warning]]);
    expect(await told(cells, { kinds: { v: "numeric" } })).toEqual(["numeric", [warning]]);
    expect(await told([...cells, "1.234,5"])).toEqual(["numeric", []]);
    // No thousands begin with a zero: both marks are decimal ones.
    expect((await told(["0,5", "0.125"]))[0]).toBe("categorical");
  });

  it.each([
    ["whole numbers of other columns", ["7", "12.345", "-1.000"], [7, 12_345, -1000]],
    ["such alone", ["12.345", "1.000"], [12_345, 1000]],
    ["millions, which show what points are", ["7", "12.345", "1.234.567"], [7, 12_345, 1_234_567]],
    ["missing ones", ["", "12.345", "NA"], [Number.NaN, 12_345, Number.NaN]],
  ])(
    "takes points for those of thousands where other columns have decimal commas: %s",
    async (_, cells, expected) => {
      const { table, warnings } = await read(
        `price;v\n${cells.map((cell, at) => `${at},5;${cell}\n`).join("")}`,
      );
      expect(table.columns[1]).toMatchObject({ values: new Float64Array(expected) });
      const shown = cells.some((cell) => cell.includes(".567"));
      expect(warnings.map(({ message }) => message)).toEqual(
        shown
          ? []
          : [
              expect.stringMatching(
                /^Column "v" has "12\.345" in row [12](?: and 1 more like it)?, read as 12345: other columns have decimal commas, .* write "12,345"\.$/,
              ),
            ],
      );
    },
  );

  it.each([
    ["other decimals", ["12.345", "1.5"]],
    ["decimals below one", ["12.345", "0.125"]],
    ["whole numbers without a point among four digits", ["12.345", "1234"]],
    ["exponents", ["12.345", "1e3"]],
  ])("leaves points before decimals beside: %s", async (_, cells) => {
    const { table, warnings } = await read(
      `price;v\n${cells.map((cell, at) => `${at},5;${cell}\n`).join("")}`,
    );
    expect(table.columns[1]).toMatchObject({ values: Float64Array.from(cells, Number) });
    expect(warnings).toEqual([]);
  });

  it("tells of points that may be those of thousands where no column shows it", async () => {
    const told = async (text: string) =>
      (await read(text)).warnings.map(({ message, row }) => [message, row]);
    expect(await told("k;v\na;7\nb;12.345\nc;1.000\n")).toEqual([
      [
        'Column "v" has numbers with a point before three digits, first "12.345" in row 2, which is read as 12.345; if the point stands between thousands, write 12345.',
        2,
      ],
    ]);
    // Programs write as many decimals in all rows, or as many as there are.
    expect(await told("k;v\na;7.000\nb;12.345\n")).toEqual([]);
    expect(await told("k;v\na;7\nb;12.345\nc;1.5\n")).toEqual([]);
    expect(await told("k,v\na,7\nb,12.345\n")).toEqual([]);
  });

  it("has commas of decimals only where none separates cells, and never by halves", async () => {
    const { table } = await read("a;b;c;d\n1,5;1,5;1.5;1.234\n2;1.5;2.5;5,5\n");
    expect(table.columns.map(({ kind }) => kind)).toEqual([
      "numeric",
      "categorical",
      "numeric",
      "numeric",
    ]);
    expect(table.columns[3]).toMatchObject({ values: new Float64Array([1234, 5.5]) });
    const quoted = await read('a,b\n"1,5",x\n"2,5",y\n');
    expect(quoted.table.columns[0].kind).toBe("categorical");
  });
});
