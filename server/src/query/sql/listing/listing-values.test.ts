/** Values of text files that a type told by a sample would change: kept exactly, or told. */

import { Field, Float32, Schema, Utf8 } from "apache-arrow";
import { describe, expect, it } from "vitest";
import { quoteName } from "../../sql-text.ts";
import { COLUMN_WARNING } from "../scan.ts";
import { useListingTables } from "./testing/listing-tables.ts";

const tables = useListingTables();

const few = { options: { formatOptions: { schema_infer_max_rec: "2" } } };
const json = { options: { fileType: "ndjson" } };
const fewOfJson = {
  options: { fileType: "ndjson", formatOptions: { schema_infer_max_rec: "2" } },
};

const texts = async (given = {}): Promise<unknown[]> =>
  (
    await tables.session.read(tables.listing(given), {}, { select: 'CAST("id" AS VARCHAR) AS id' })
  ).map(({ id }) => id);

const warnings = async (given = {}): Promise<string[]> => {
  const scan = tables.listing(given);
  const { schema } = await scan.describe(tables.session, new AbortController().signal);
  return schema.fields.flatMap((field) => field.metadata.get(COLUMN_WARNING) ?? []);
};

const LARGE = ["12345678901234567890", "12345678901234567891"];
const LARGER = ["123456789012345678901234567890", "123456789012345678901234567891"];
const LARGEST = [`1${"0".repeat(39)}1`, `1${"0".repeat(39)}2`];

describe("integers beyond doubles", () => {
  it.each([
    ["Int64", ["9007199254740993", "9007199254740992"]],
    ["Decimal", LARGE],
    ["Decimal", LARGER],
    ["Utf8", LARGEST],
    ["Utf8", ["1.5", "9007199254740993", "9007199254740992"]],
    ["Float64", ["0.5", "12345678901234567000", "1e300"]],
  ])("are %s in CSV and JSON: %j", async (type, cells) => {
    const given = { csv: {}, json };
    tables.objects.put("t/a.csv", `id,x\n${cells.map((cell) => `${cell},1\n`).join("")}`);
    const [inCsv] = await tables.columnsOf(tables.listing(given.csv));
    expect(inCsv).toContain(`id ${type}`);
    if (type !== "Float64") expect(await texts(given.csv)).toEqual(cells);
    expect(await warnings(given.csv)).toHaveLength(type === "Utf8" ? 1 : 0);
    tables.renew();
    tables.objects.put("t/a.ndjson", cells.map((cell) => `{"id":${cell},"x":1}\n`).join(""));
    const [inJson] = await tables.columnsOf(tables.listing(given.json));
    expect(inJson).toContain(`id ${type}`);
    if (type !== "Float64") expect(await texts(given.json)).toEqual(cells);
    expect(await warnings(given.json)).toHaveLength(type === "Utf8" ? 1 : 0);
  });

  it("are whole in every file of a table", async () => {
    tables.objects.put("t/a.csv", "id,x\n1,1\n2,1\n");
    tables.objects.put("t/b.csv", `id,x\n${LARGE.map((id) => `${id},1\n`).join("")}`);
    expect((await texts()).toSorted()).toEqual(["1", ...LARGE, "2"].toSorted());
  });

  it.each([
    ["CSV", "t/a.csv", "id,x\n1.5,1\n2.5,1\n9007199254740993,1\n", few],
    ["JSON", "t/a.ndjson", '{"id":1.5}\n{"id":2.5}\n{"id":9007199254740993}\n', fewOfJson],
  ])("stop the query behind a sample of fractions in %s", async (_, key, text, given) => {
    tables.objects.put(key, text);
    await expect(tables.session.read(tables.listing(given))).rejects.toThrow(
      /: the column id has 9007199254740993, whose last digits are lost in Float64, the type inferred from a sample/,
    );
  });

  it("say where a column of texts has them", async () => {
    tables.objects.put("t/a.csv", "id,x\n1.5,1\n9007199254740993,1\n");
    expect(await warnings()).toEqual([
      "the column id is read as texts, as it has integers whose last digits a Float64 would lose, such as 9007199254740993 (row 2) of t/a.csv, beside other numbers; a snapshot's fileSchema says what is meant",
    ]);
  });
});

const STRANGE = "a\"\\ '.*[1]";

describe("numbers within JSON structs, lists and maps", () => {
  const put = (...values: string[]): void =>
    tables.objects.put("t/a.ndjson", values.map((value) => `{"s":${value}}\n`).join(""));
  const read = (given: object, select: string) =>
    tables.session.read(tables.listing(given), {}, { select: `CAST(${select} AS VARCHAR) AS n` });

  it.each([
    [
      "integers of 64 bits",
      "s.n",
      ['{"n":9007199254740993}', '{"n":1}'],
      ["9007199254740993", "1"],
    ],
    ["integers beyond", "s.n", LARGE.map((n) => `{"n":${n}}`), LARGE],
    ["integers far beyond", "s.a.n", LARGER.map((n) => `{"a":{"n":${n}}}`), LARGER],
    ["those of a list", "s[2]", [`[1,${LARGER[0]}]`, `[null,${LARGER[1]}]`], LARGER],
    ["those of structs in a list", "s[1].n", LARGER.map((n) => `[{"n":${n}}]`), LARGER],
    [
      "texts where they stand beside fractions",
      "s.n",
      ['{"n":1.5}', `{"n":${LARGE[0]}}`],
      ["1.5", LARGE[0]],
    ],
    [
      "those of a map",
      "map_values(s)[1]",
      Array.from({ length: 300 }, (_, at) => `{"k${at}":${LARGER[0]?.slice(0, -3)}${100 + at}}`),
      Array.from({ length: 300 }, (_, at) => `${LARGER[0]?.slice(0, -3)}${100 + at}`),
    ],
    [
      "a member with a strange name",
      `s.${quoteName(STRANGE)}.n`,
      LARGER.map((n) => `{${JSON.stringify(STRANGE)}:{"n":${n}}}`),
      LARGER,
    ],
  ])("are kept: %s", async (_, select, values, numbers) => {
    put(...values);
    expect((await read(json, select)).map(({ n }) => n)).toEqual(numbers);
  });

  it("say where they are texts", async () => {
    put('{"a":{"n":1.5}}', `{"a":{"n":${LARGE[0]}}}`);
    expect(await warnings(json)).toEqual([
      expect.stringMatching(
        /^the column s\.a\.n is read as texts, as it has integers whose last digits a Float64 would lose, such as 12345678901234567890 of t\/a\.ndjson/,
      ),
    ]);
    put('{"n":1.5}', '{"n":2}');
    expect(await warnings(json)).toEqual([]);
    expect(await read(json, "s.n")).toEqual([{ n: "1.5" }, { n: "2.0" }]);
  });

  it.each([
    [
      "digits",
      ['{"n":[1.5]}', '{"n":[2.5]}', '{"n":[1,9007199254740993]}'],
      /s has .*9007199254740993.*last digits are lost in doubles/,
    ],
    [
      "fractions",
      ['{"n":1}', '{"n":2}', '{"n":2.5}'],
      /s has {"n":2\.5}, which has a fraction where all are integers/,
    ],
    [
      "fractions of larger ones",
      [`{"n":[${LARGER[0]}]}`, '{"n":[1,2]}', '{"n":[1,2.5]}'],
      /s has {"n":\[1,2\.5\]}, which has a fraction where all are integers/,
    ],
  ])("stop the query where a type that a sample told would lose %s", async (_, values, message) => {
    put(...values);
    await expect(read(fewOfJson, "s.n")).rejects.toThrow(message);
    put(...values.slice(0, 2), '{"n":null}', "{}");
    expect(await read(fewOfJson, "s.n")).toHaveLength(4);
  });
});

describe("numbers with leading zeros", () => {
  it("are texts, with a warning", async () => {
    tables.objects.put("t/a.csv", "id,x,clock,zero\n01234,1,00:30,0\n90210,0.5,01:00,-0\n");
    expect(await tables.columnsOf(tables.listing())).toEqual([
      "id Utf8",
      "x Float64",
      "clock Time64<MICROSECOND>",
      "zero Int64",
    ]);
    expect(await texts()).toEqual(["01234", "90210"]);
    expect(await warnings()).toEqual([
      expect.stringContaining(
        'the column id is read as texts, as it has numbers with leading zeros, such as "01234" (row 1 of t/a.csv)',
      ),
    ]);
  });

  it("stop the query behind a sample of numbers", async () => {
    tables.objects.put("t/a.csv", `id,x\n${"90210,1\n".repeat(5000)}01234,1\n`);
    await expect(tables.session.read(tables.listing(few))).rejects.toThrow(
      "a.csv: the column id has 01234, whose leading zeros are lost in Int64",
    );
  });
});

describe("columns that were meant otherwise", () => {
  it.each<[string, Record<string, string>, RegExp]>([
    [
      "dates of both orders",
      { "t/a.csv": "id,x\n13/02/2020,1\n02/13/2020,1\n" },
      /^the column id is read as texts, as it has dates with the day first, such as "13\/02\/2020" \(row 1 of t\/a.csv\), and dates with the month first, such as "02\/13\/2020" \(row 2 of t\/a.csv\)/,
    ],
    [
      "dates of an order a file",
      { "t/a.csv": "id,x\n13/02/2020,1\n", "t/b.csv": "id,x\n02/13/2020,1\n" },
      /day first, such as those of t\/a.csv, and dates with the month first, such as those of t\/b.csv/,
    ],
    [
      "dates of any order",
      { "t/a.csv": "id,x\n01/02/2020,1\n03/04/2020,1\n" },
      /^the column id has dates such as "01\/02\/2020" \(row 1 of t\/a.csv\), of which no value tells .* read as month\/day\/year/,
    ],
    [
      "numbers with either decimal mark",
      { "t/a.csv": `id;x\n${"7,5;1\n".repeat(9)}2.5;1\n` },
      /^the column id is read as texts, as it has numbers with a decimal comma, such as "7,5" \(row 1 of t\/a.csv\), and numbers with a decimal point, such as "2.5" \(row 10 of t\/a.csv\); write all with a point/,
    ],
    [
      "numbers with a decimal mark a file",
      { "t/a.csv": "id;x\n7,5;1\n", "t/b.csv": "id;x\n7.5;1\n" },
      /decimal comma, such as "7,5" \(row 1 of t\/a.csv\), and .* point, such as "7.5" \(row 1 of t\/b.csv\)/,
    ],
    [
      "points before three digits among decimal commas",
      { "t/a.csv": `id;x\n${"7,5;1\n".repeat(9)}1.234;1\n` },
      /^the column id has numbers with a decimal comma, and "1.234" \(row 10 of t\/a.csv\), read as 1234: no cell shows/,
    ],
    [
      "points before three digits beside a column of decimal commas",
      { "t/a.csv": `id;x\n${"7;1,5\n".repeat(9)}1.234;2,5\n` },
      /^the column id has "1.234" \(row 10 of t\/a.csv\), read as 1234: other columns have decimal commas/,
    ],
    [
      "numbers and a word",
      { "t/a.csv": `id,x\n${"7,1\n".repeat(9)}seven,1\n` },
      /^the column id is read as texts, as 1 of the 10 values looked at is no number, first "seven" \(row 10 of t\/a.csv\)/,
    ],
    [
      "numbers in one file and words in another",
      { "t/a.csv": "id,x\n1,1\n2,1\n", "t/b.csv": "id,x\na,1\nb,1\n" },
      /as it is Int64 in t\/a.csv and Utf8 in t\/b.csv/,
    ],
  ])("are told: %s", async (_, files, message) => {
    for (const [key, text] of Object.entries(files)) tables.objects.put(key, text);
    expect(await warnings()).toEqual([expect.stringMatching(message)]);
    // From what is known by now, too.
    expect(await warnings()).toHaveLength(1);
  });

  it("are numbers where files of decimal commas stand beside files of whole ones", async () => {
    tables.objects.put("t/a.csv", "id;x\n7,5;1\n");
    tables.objects.put("t/b.csv", "id;x\n8;1\n");
    expect(await tables.columnsOf(tables.listing())).toContain("id Float64");
    expect(await warnings()).toEqual([]);
  });

  it.each([
    ["words", "id,x\na,1\nb,1\n"],
    ["mostly words", "id,x\na,1\nb,1\n7,1\n"],
    ["dates that a value tells the order of", "id,x\n13/02/2020,1\n01/02/2020,1\n"],
    ["missing values", "id,x\n1,1\nNA,1\n2,1\n,1\n"],
  ])("are not told of %s", async (_, text) => {
    tables.objects.put("t/a.csv", text);
    expect(await warnings()).toEqual([]);
  });

  it("are told where folders have a column of the files' own name", async () => {
    tables.objects.put("t/Y=2020/a.csv", "id,y\n1,7\n");
    expect(await tables.columnsOf(tables.listing())).toEqual(["id Int64", "Y Int64"]);
    expect(await tables.session.read(tables.listing())).toEqual([{ id: "1", Y: "2020" }]);
    expect(await warnings()).toEqual([
      "the column Y is that of the folders' names (Y=…); the column Y in the files themselves is not read",
    ]);
    tables.renew();
    tables.objects.put("t/y=2020/a.csv", "id,z\n1,7\n");
    expect(await warnings()).toEqual([]);
  });

  it("with a date of the other order behind the sample stop the query", async () => {
    tables.objects.put("t/a.csv", "id,x\n13/02/2020,1\n14/02/2020,1\n02/13/2020,1\n");
    await expect(tables.session.read(tables.listing(few))).rejects.toThrow(
      "a.csv: the column id has 02/13/2020, which is a date only with the month first; with the day first, as a sample",
    );
  });
});

describe("numbers beyond doubles", () => {
  const rowsOf = (values: readonly string[]): string =>
    values.map((value) => `{"id":${value}}\n`).join("");

  it("make a column of JSON texts, as of uploads, where a sample has them", async () => {
    tables.objects.put("t/a.ndjson", rowsOf(["1.5", "-1e400"]));
    expect(await tables.columnsOf(tables.listing(json))).toEqual(["id Utf8"]);
    expect(await texts(json)).toEqual(["1.5", "-1e400"]);
    expect(await warnings(json)).toEqual([
      "the column id is read as texts, as it has numbers beyond what a Float64 holds, such as -1e400 of t/a.ndjson, beside other numbers; a snapshot's fileSchema says what is meant",
    ]);
    tables.renew();
    tables.objects.put("t/a.ndjson", rowsOf(['{"x":[1.5]}', '{"x":[1e400]}']));
    expect(await tables.columnsOf(tables.listing(json))).toEqual(["id Struct<{x:List<Utf8>}>"]);
  });

  it.each([
    ["1e400", "which is beyond what Float64 holds"],
    ["-1e400", "which is beyond what Float64 holds"],
    [`1${"0".repeat(400)}.5`, "which is beyond what Float64 holds"],
  ])("stop a query of JSON behind its sample: %s", async (value, said) => {
    tables.objects.put("t/a.ndjson", rowsOf(["1.5", "2.5", value]));
    await expect(texts(fewOfJson)).rejects.toThrow(said);
  });

  it("stop a query of JSON within lists and structs", async () => {
    for (const of of [(x: string) => `[${x}]`, (x: string) => `{"x":[${x}]}`]) {
      tables.renew();
      tables.objects.put("t/a.ndjson", rowsOf([of("1.5"), of("2.5"), of("1e400")]));
      await expect(texts(fewOfJson)).rejects.toThrow("of which a number is beyond doubles");
    }
  });

  it("stop a query of CSV, where infinity in words is a number", async () => {
    tables.objects.put("t/a.csv", "id,x\n1.5,1\ninf,1\n");
    expect(await texts()).toEqual(["1.5", "inf"]);
    tables.renew();
    tables.objects.put("t/a.csv", "id,x\n1.5,1\n1e400,1\n");
    await expect(texts()).rejects.toThrow(
      "the column id has 1e400, which is beyond what Float64 holds; a snapshot's fileSchema says what is meant, such as Utf8, which keeps it",
    );
  });

  it("of single precision are those beyond it", async () => {
    const fileSchema = new Schema([new Field("id", new Float32(), true)]);
    tables.objects.put("t/a.ndjson", rowsOf(["1.5", "1e39"]));
    await expect(texts({ ...json, fileSchema })).rejects.toThrow("beyond what Float32 holds");
  });
});

describe("what JSON does not have, or has but once", () => {
  it.each([
    ['{"id":1}\n{"id":{"a":1,"a":2}}', 'line 2 has the member "a" more than once in an object'],
    ['{"id":1,"id":2}', 'line 1 has the member "id" more than once in an object'],
    ['{"id":1.5}\n{"id":NaN}', "line 2 is not JSON, which has no NaN or Infinity"],
    ['{"id":[1.5]}\n{"id":[-inf]}', "line 2 is not JSON, which has no NaN or Infinity"],
  ])("is refused with its file and line, as of uploads: %s", async (rows, said) => {
    tables.objects.put("t/a.ndjson", `${rows}\n`);
    await expect(texts(json)).rejects.toThrow(
      `shop.main.sales: t/a.ndjson cannot be read: ${said}`,
    );
    tables.renew();
    // Columns that are known already are no reason not to look at a file.
    const fileSchema = new Schema([new Field("id", new Utf8(), true)]);
    tables.objects.put("t/a.ndjson", `${rows}\n`);
    await expect(texts({ ...json, fileSchema })).rejects.toThrow(said);
  });
});
