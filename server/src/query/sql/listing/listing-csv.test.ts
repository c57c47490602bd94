import { Readable } from "node:stream";
import { gzipSync, zstdCompressSync } from "node:zlib";
import { readTable } from "@distillery/engine";
import { describe, expect, it } from "vitest";
import { COLUMNS, useListingTables } from "./testing/listing-tables.ts";

const tables = useListingTables();

const latin = (text: string) => Uint8Array.from(text, (character) => character.charCodeAt(0));
const wide = (text: string) => new Uint8Array(Buffer.from(text, "utf16le"));

const GERMAN =
  "Ort;Preis;Stück;Tag;Bis\nKöln;1.234,50;3;13.01.2024;13.01.2024 10:05\nWien;7;NA;1.2.2024;NA\n";
const BLANKS = GERMAN.replaceAll(/\d+\.\d+\.\d+ [\d:]+/g, '"$&"').replaceAll(";", "   ");
const ROWS = [
  { Ort: "Köln", Preis: 1234.5, Stück: "3", Tag: "2024-01-13", Bis: "2024-01-13 10:05:00" },
  { Ort: "Wien", Preis: 7, Stück: null, Tag: "2024-02-01", Bis: null },
];
const TYPES = [
  "Ort Utf8",
  "Preis Float64",
  "Stück Int64",
  "Tag Date32<DAY>",
  "Bis Timestamp<MICROSECOND>",
];

describe("delimited text as people have it", () => {
  const files: [string, string, Uint8Array | string][] = [
    ["UTF-8", "a.csv", GERMAN],
    ["Latin-1", "a.csv", latin(GERMAN)],
    ["gzip of Latin-1", "a.csv.gz", gzipSync(latin(GERMAN))],
    ["zstd of Latin-1", "a.csv.zst", zstdCompressSync(latin(GERMAN))],
    ["UTF-16", "a.csv", wide(`\ufeff${GERMAN}`)],
    ["UTF-16 without a mark", "a.csv", wide(GERMAN)],
    ["tabs and UTF-16", "a.tsv", wide(`\ufeff${GERMAN.replaceAll(";", "\t")}`)],
    ["bars", "a.csv", GERMAN.replaceAll(";", "|")],
    ["blanks", "a.csv", BLANKS],
    ["blanks, in gzip of Latin-1", "a.csv.gz", gzipSync(latin(BLANKS))],
    ["comments", "a.csv", `# made by hand, on Monday\n${GERMAN}# the end`],
    ["a declared delimiter", "a.csv", `sep=;\n${GERMAN}`],
    [
      "a declared delimiter as Excel saves it",
      "a.csv",
      wide(`\ufeff"SEP=;"\r\n${GERMAN.replaceAll("\n", "\r\n")}`),
    ],
    ["a declared delimiter behind a mark", "a.csv.gz", gzipSync(`\ufeffsep=;\n${GERMAN}`)],
  ];

  it.each(files)("is read in %s, again and again", async (_, key, bytes) => {
    tables.objects.put(`t/${key}`, bytes);
    expect(await tables.columnsOf(tables.listing())).toEqual(TYPES);
    expect(await tables.session.read(tables.listing())).toEqual(ROWS);
    // From what is known of the file by now, and a copy of it that is as it came.
    expect(await tables.session.read(tables.listing())).toEqual(ROWS);
  });

  const NAMED = '# of a trial\n"dose"\t"note"\n"r 1"\t1.5\t"a"\n"r 2"\t2\tb\n';
  it.each([
    ["UTF-8", "a.tsv", NAMED],
    ["gzip of UTF-16", "a.tsv.gz", gzipSync(wide(`\ufeff${NAMED}`))],
    ["commas", "a.csv", NAMED.replaceAll("\t", ",")],
  ])("is read with names of rows that the header has no name for, in %s", async (_, key, bytes) => {
    tables.objects.put(`t/${key}`, bytes);
    const rows = [
      { column0: "r 1", dose: 1.5, note: "a" },
      { column0: "r 2", dose: 2, note: "b" },
    ];
    expect(await tables.session.read(tables.listing())).toEqual(rows);
    expect(await tables.session.read(tables.listing())).toEqual(rows);
  });

  it.each(files)("is read alike as an upload: %s", async (_, _key, bytes) => {
    if (_key.endsWith(".zst")) return;
    const { table } = await readTable(Readable.from([Buffer.from(bytes)]), { format: "csv" });
    const [city, price, count, day, until] = table.columns;
    expect(city).toMatchObject({ categories: ["Köln", "Wien"] });
    expect(price).toMatchObject({ kind: "numeric", values: new Float64Array([1234.5, 7]) });
    expect(count).toMatchObject({ kind: "numeric", values: new Float64Array([3, Number.NaN]) });
    expect(day).toMatchObject({
      kind: "timestamp",
      values: Float64Array.from(ROWS, ({ Tag }) => Date.parse(Tag)),
    });
    expect(until).toMatchObject({
      kind: "timestamp",
      values: new Float64Array([Date.UTC(2024, 0, 13, 10, 5), Number.NaN]),
    });
  });

  it.each([
    ["a header alone", "id,price,day,note\n"],
    ["a header without an end of its line", "id,price,day,note"],
    ["columns without a value", "id,price,day,note\n3,,,\n4,NA,NA,NA\n"],
  ])("keeps its types beside a file of %s, wherever that comes", async (_, empty) => {
    const full = "id,price,day,note\n1,2.5,2024-01-01,x\n2,3.5,2024-01-02,y\n";
    const types = ["id Int64", "price Float64", "day Date32<DAY>", "note Utf8"];
    for (const key of ["0", "b"]) {
      tables.objects.put("t/a.csv", full);
      tables.objects.put(`t/${key}.csv`, empty);
      expect(await tables.columnsOf(tables.listing())).toEqual(types);
      const rows = await tables.session.read(tables.listing());
      expect(rows.filter(({ price }) => price !== null)).toEqual([
        { id: "1", price: 2.5, day: "2024-01-01", note: "x" },
        { id: "2", price: 3.5, day: "2024-01-02", note: "y" },
      ]);
      expect(rows).toHaveLength(empty.includes("3") ? 4 : 2);
      tables.objects.delete(`t/${key}.csv`);
    }
  });

  it.each([
    ["at once", ""],
    ["behind the sample", '"1","2.5","2024-01-01","true","x"\n'.repeat(30_000)],
  ])("has missing values where quotes hold nothing, %s, but in texts", async (_, before) => {
    const header = '"id","price","day","ok","note"\n';
    const rows = '"2","","2024-01-02","false",""\n"","3.5","","",\n';
    tables.objects.put("t/a.csv", header + before + rows);
    const types = ["id Int64", "price Float64", "day Date32<DAY>", "ok Bool", "note Utf8"];
    expect(await tables.columnsOf(tables.listing())).toEqual(types);
    expect((await tables.session.read(tables.listing())).slice(-2)).toEqual([
      { id: "2", price: null, day: "2024-01-02", ok: false, note: "" },
      { id: null, price: 3.5, day: null, ok: null, note: null },
    ]);
  });

  it.each([
    ["lines", "\n\n", "a,b\n1,x\n\n2,y\n"],
    ["lines of CR LF", "\r\n", "a,b\r\n1,x\r\n2,y\r\n"],
    ["lines, where the header lacks a name", "\n", "b,c\nr1,1,x\nr2,2,y\n"],
  ])("is read behind empty %s", async (_, empty, text) => {
    tables.objects.put("t/a.csv", empty + text);
    tables.objects.put("t/b.csv.gz", gzipSync(text));
    for (let time = 0; time < 2; time++) {
      const rows = await tables.session.read(tables.listing());
      expect(rows.map((row) => Object.values(row).slice(-2).join()).toSorted()).toEqual([
        ...["1,x", "1,x"],
        ...["2,y", "2,y"],
      ]);
    }
  });

  it("has points of thousands where other columns have decimal commas, beside files of whole numbers", async () => {
    tables.objects.put("t/a.csv", "id;n\n7;1,5\n1.234;2,25\n");
    tables.objects.put("t/b.csv", "id;n\n8;3\n");
    const rows = await tables.session.read(tables.listing());
    expect(rows.map(({ id, n }) => `${id} ${n}`).toSorted()).toEqual(["1234 2.25", "7 1.5", "8 3"]);
  });

  it("has texts where no file has a value", async () => {
    tables.objects.put("t/a.csv", "id,note\n1,\n");
    tables.objects.put("t/b.csv", "id,note\n");
    expect(await tables.columnsOf(tables.listing())).toEqual(["id Int64", "note Utf8"]);
  });

  it("is one scan, with no join to the words that mean missing", async () => {
    tables.objects.put("t/a.csv", GERMAN);
    const plan = await tables.session.planOf(tables.listing());
    expect(plan).toContain("READ_CSV");
    expect(plan).not.toContain("JOIN");
  });

  it("are read in the encoding that is declared, or that their words speak for", async () => {
    // "Москва не спит" in Windows-1251.
    const city = Buffer.from("cceef1eae2e020ede520f1efe8f2", "hex");
    const row = Buffer.concat([Buffer.from("id,name\n1,"), city, Buffer.from("\n")]);
    tables.objects.put("t/a.csv", row);
    const names = async (encoding?: string) => {
      const formatOptions = encoding === undefined ? {} : { "format.encoding": encoding };
      const listing = tables.listing({ options: { fileType: "csv", formatOptions } });
      return (await tables.session.read(listing)).map(({ name }) => name);
    };
    expect(await names()).toEqual(["Москва не спит"]);
    expect(await names("cp866")).toEqual([new TextDecoder("ibm866").decode(city)]);
  });

  it("may differ in delimiter and encoding from file to file", async () => {
    tables.objects.put("t/a.csv", "id,name\n1,é\n2,x\n");
    tables.objects.put("t/b.csv", latin("id;name\n3;é\n4;y\n"));
    tables.objects.put("t/c.csv", wide("id\tname\n5\té\n6\tz\n"));
    const rows = await tables.session.read(tables.listing());
    expect(rows.map(({ id, name }) => `${id}${name}`).toSorted()).toEqual(
      ["1é", "2x", "3é", "4y", "5é", "6z"].toSorted(),
    );
  });
});

describe("a line that declares the delimiter", () => {
  it("may be of some files", async () => {
    tables.objects.put("t/a.csv", "sep=|\nid|n\n1|1,5;2\n2|3\n");
    tables.objects.put("t/b.csv", "id|n\n3|4\n");
    const rows = await tables.session.read(tables.listing());
    expect(rows.map(({ id, n }) => `${id} ${n}`).toSorted()).toEqual(["1 1,5;2", "2 3", "3 4"]);
  });
});

describe("dates", () => {
  const days = async () =>
    (await tables.session.read(tables.listing())).map(({ d }) => d).toSorted();

  it("have the order that a value of any file tells", async () => {
    tables.objects.put("t/a.csv", "d,x\n01/02/2024,1\n");
    tables.objects.put("t/b.csv", "d,x\n13/02/2024,1\n");
    expect(await days()).toEqual(["2024-02-01", "2024-02-13"]);
    tables.renew();
    tables.objects.put("t/a.csv", "d,x\n01/02/2024,1\n02/13/2024,2\n");
    expect(await days()).toEqual(["2024-01-02", "2024-02-13"]);
  });

  it("that no value tells the order of have the month first", async () => {
    tables.objects.put("t/a.csv", "d,x\n01/02/2024,1\n03/04/2024,2\n");
    expect(await days()).toEqual(["2024-01-02", "2024-03-04"]);
  });

  it("are never of both orders: such a column is of texts", async () => {
    tables.objects.put("t/a.csv", "d,x\n13/01/2024,1\n01/13/2024,1\n");
    expect(await days()).toEqual(["01/13/2024", "13/01/2024"]);
    tables.renew();
    tables.objects.put("t/a.csv", "d,x\n13/01/2024,1\n");
    tables.objects.put("t/b.csv", "d,x\n01/13/2024,1\n");
    expect(await days()).toEqual(["01/13/2024", "13/01/2024"]);
  });

  it("that contradict the order which a sample told stop the query", async () => {
    tables.objects.put("t/a.csv", "d,x\n13/01/2024,1\n01/13/2024,1\n");
    const options = { formatOptions: { schema_infer_max_rec: "1" } };
    await expect(tables.session.read(tables.listing({ options }))).rejects.toThrow(
      "shop.main.sales: a.csv: the column d has 01/13/2024, which is a date only with the month first",
    );
  });
});

describe("records of many megabytes", () => {
  const short = `id,name\n${`1,${"a".repeat(97)}\n`.repeat(200_000)}`;
  const long = `2,${"x".repeat(17 << 20)}`;

  it.each([
    ["at the end", "t/a.csv", () => `${short}${long}\n`],
    ["in the middle", "t/a.csv", () => `${short}${long}\n3,b\n`],
    ["at the end of gzip", "t/a.csv.gz", () => gzipSync(`${short}${long}\n`, { level: 1 })],
    ["at the end of zstd", "t/a.csv.zst", () => zstdCompressSync(`${short}${long}\n\n`)],
  ])("are refused %s, and never passed over", async (_, key, bytes) => {
    tables.objects.put(key, bytes());
    await expect(tables.session.read(tables.listing({ fileSchema: COLUMNS }))).rejects.toThrow(
      /Maximum line size|full read/,
    );
  });
});
