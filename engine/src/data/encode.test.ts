import { describe, expect, it } from "vitest";
import { Arena } from "../compute/arena.ts";
import { deriveKey } from "../compute/random.ts";
import { binsToFit } from "./binning/column-binner.ts";
import { fitBinning } from "./binning/fit-binning.ts";
import { coerceColumn } from "./coerce.ts";
import { encodeFeatures, freeEncoded, freeRebinned, rebin } from "./encode.ts";
import { type EncodedData, rowMajorOf } from "./encoded.ts";
import { featureColumns } from "./feature-columns.ts";
import type { FeatureSchema } from "./feature-schema.ts";
import { fitFeatureSchema, MAX_CATEGORIES } from "./fit-feature-schema.ts";
import { readCsv } from "./readers/csv.ts";
import { MISSING_TOKENS } from "./readers/missing.ts";
import { tableFromMatrix, tableFromRecords } from "./records.ts";
import { DataError, type Table } from "./table.ts";

const key = deriveKey(3, "encode");

async function csv(text: string): Promise<Table> {
  return (await readCsv([new TextEncoder().encode(text)])).table;
}

const TRAIN = `n,b,c,when,note,id,const,y
1.5,true,red,2011-01-31 23:00,The quick Fox 12,a1,k,0
,false,blue,2012-02-29 05:00,the LAZY dog,a2,k,1
-3,true,red,2010-12-31 00:00,,a3,k,0
2,,green,,a quick one,a4,k,1
4,false,red,2011-06-01 12:00,the end,a5,k,0
`;

/** Feature name → its values. */
function encoded(schema: FeatureSchema, table: Table, rows: Uint32Array | null = null) {
  const warnings: string[] = [];
  const source = featureColumns(schema, table, rows, ({ message }) => warnings.push(message));
  const columns: Record<string, number[]> = {};
  let index = 0;
  for (const values of source.columns()) columns[source.features[index++].name] = [...values];
  return { columns, warnings, features: source.features };
}

describe("fitFeatureSchema and featureColumns", () => {
  it("makes features of every kind of column", async () => {
    const table = await csv(TRAIN);
    const schema = fitFeatureSchema(table, { exclude: ["y", "id"] });
    expect(JSON.parse(JSON.stringify(schema))).toEqual(schema);
    expect(schema.dropped).toEqual([
      { name: "id", kind: "categorical", reason: "excluded" },
      { name: "const", kind: "categorical", reason: "constant" },
      { name: "y", kind: "numeric", reason: "excluded" },
    ]);
    const { columns } = encoded(schema, table);
    expect(columns["n"]).toEqual([1.5, Number.NaN, -3, 2, 4]);
    expect(columns["b"]).toEqual([1, 0, 1, Number.NaN, 0]);
    expect(columns["c"]).toEqual([0, 1, 0, 2, 0]);
    expect(columns["when.year"]).toEqual([2011, 2012, 2010, Number.NaN, 2011]);
    expect(columns["when.month"]).toEqual([1, 2, 12, Number.NaN, 6]);
    expect(columns["when.day"]).toEqual([31, 29, 31, Number.NaN, 1]);
    expect(columns["when.weekday"]).toEqual([0, 2, 4, Number.NaN, 2]);
    expect(columns["when.day_of_year"]).toEqual([31, 60, 365, Number.NaN, 152]);
    expect(columns["when.hour"]).toEqual([23, 5, 0, Number.NaN, 12]);
    expect(columns["when.elapsed_days"][0]).toBeCloseTo(31 + 23 / 24, 12);
    expect(Object.keys(columns)).not.toContain("when.minute");
  });

  it("expands text to its form and its frequent words", async () => {
    const table: Table = {
      rows: 4,
      columns: [{ kind: "text", name: "t", values: ["The Fox 12", "the dog", null, "fox"] }],
    };
    const { columns } = encoded(fitFeatureSchema(table), table);
    expect(columns).toEqual({
      "t.length": [10, 7, Number.NaN, 3],
      "t.words": [3, 2, Number.NaN, 1],
      "t.digit_share": [0.2, 0, Number.NaN, 0],
      "t.uppercase_share": [0.2, 0, Number.NaN, 0],
      "t.has(fox)": [1, 0, Number.NaN, 1],
      "t.has(the)": [1, 1, Number.NaN, 0],
    });
  });

  it("agrees with Date on every calendar part", () => {
    const times = Float64Array.from({ length: 400 }, (_, i) => (i - 150) * 123_456_789_123);
    const table: Table = { rows: 400, columns: [{ kind: "timestamp", name: "t", values: times }] };
    const { columns } = encoded(fitFeatureSchema(table), table);
    for (const [i, time] of times.entries()) {
      const date = new Date(time);
      expect(columns["t.year"][i]).toBe(date.getUTCFullYear());
      expect(columns["t.month"][i]).toBe(date.getUTCMonth() + 1);
      expect(columns["t.day"][i]).toBe(date.getUTCDate());
      expect(columns["t.weekday"][i]).toBe((date.getUTCDay() + 6) % 7);
      expect(columns["t.hour"][i]).toBe(date.getUTCHours());
      expect(columns["t.minute"][i]).toBe(date.getUTCMinutes());
      expect(columns["t.second"][i]).toBe(date.getUTCSeconds());
      const newYear = Date.UTC(date.getUTCFullYear(), 0, 1);
      expect(columns["t.day_of_year"][i]).toBe(Math.floor((time - newYear) / 86_400_000) + 1);
    }
  });

  it("learns from the given rows only", async () => {
    const table = await csv("c,n\nx,1\ny,1\ny,2\nz,3\n");
    const schema = fitFeatureSchema(table, { rows: Uint32Array.of(0, 1, 2) });
    expect(schema.columns[0]).toMatchObject({ categories: ["y", "x"] });
    expect(encoded(schema, table, Uint32Array.of(3, 0)).columns).toEqual({ c: [2, 1], n: [3, 1] });
  });

  it("learns from some rows what it learns from a table of them alone", async () => {
    const lines = ["c,t", "z,out", "x,a b", "y,c d", "x,b e", "y,a f", "y,", "z,d g", "z,q"];
    const rows = [1, 2, 3, 4, 6, 7];
    const table = await csv(lines.join("\n"));
    const alone = await csv([lines[0], ...rows.map((row) => lines[row + 1])].join("\n"));
    const kinds = ({ columns, rows: count }: Table): Table => ({
      rows: count,
      columns: columns.map((column) =>
        coerceColumn(column, column.name === "t" ? "text" : "categorical"),
      ),
    });
    const schema = fitFeatureSchema(kinds(table), { rows: Uint32Array.from(rows) });
    expect(schema).toEqual(fitFeatureSchema(kinds(alone)));
    expect(schema.columns[0]).toMatchObject({ categories: ["x", "y", "z"] });
  });

  it("keeps the most frequent 10,000 categories and says so", () => {
    const count = MAX_CATEGORIES + 5;
    const codes = Int32Array.from({ length: count * 2 - 5 }, (_, i) => i % count);
    const categories = Array.from({ length: count }, (_, i) => `c${i}`);
    const table: Table = {
      rows: codes.length,
      columns: [{ kind: "categorical", name: "c", codes, categories }],
    };
    const schema = fitFeatureSchema(table);
    expect(schema.notes[0]).toContain("10005 categories");
    const { columns, warnings } = encoded(schema, table);
    expect(columns["c"][count - 1]).toBe(MAX_CATEGORIES);
    expect(columns["c"][0]).toBe(0);
    expect(warnings).toEqual([]);
  });

  it("encodes tables with absent, extra and differently typed columns", async () => {
    const table = await csv(
      "n,b,c,when\n1,true,1,2011-01-01\n2,false,2,2012-06-02\n3,true,1,2013-09-07\n",
    );
    const schema = fitFeatureSchema({
      rows: 3,
      columns: table.columns.map((column) =>
        column.name === "c"
          ? {
              kind: "categorical",
              name: "c",
              codes: Int32Array.of(0, 1, 0),
              categories: ["1", "2"],
            }
          : column,
      ),
    });
    const other = await csv("extra,c,n,b\n9,2,7,0\n9,3,x,1\n").catch((e) => e);
    expect(() => encoded(schema, other)).toThrow(
      'Column "n" should be numeric, but row 2 holds "x".',
    );
    const { columns, warnings } = encoded(schema, await csv("extra,c,n,b\n9,2,7,0\n9,3,8,1\n"));
    expect(columns).toMatchObject({ n: [7, 8], b: [0, 1], c: [1, 2] });
    expect(columns["when.year"]).toEqual([Number.NaN, Number.NaN]);
    expect(warnings).toEqual([
      expect.stringContaining('"when" is absent'),
      expect.stringContaining('"extra" was not in the training data'),
      expect.stringContaining(
        '"c" has categories that were not in the training data, such as "3", in 1 of 2',
      ),
    ]);
  });

  it("gives features unique names", () => {
    const times = Float64Array.of(0, 40 * 86_400_000);
    const table: Table = {
      rows: 2,
      columns: [
        { kind: "timestamp", name: "t", values: times },
        { kind: "numeric", name: "t.month", values: Float64Array.of(1, 2) },
      ],
    };
    const names = encoded(fitFeatureSchema(table), table).features.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(names).toContain("t.month.2");
  });

  it("refuses a table of which nothing is left, and unknown exclusions", async () => {
    const table = await csv("a,b,y\n1,,0\n1,,1\n");
    expect(() => fitFeatureSchema(table, { exclude: ["y"] })).toThrow(
      'No column is left to learn from: "a" (constant), "b" (empty), "y" (excluded).',
    );
    expect(() => fitFeatureSchema(table, { exclude: ["yy"] })).toThrow(DataError);
  });
});

describe("encodeFeatures", () => {
  /** The bins of a row-major row, by feature. */
  function rowBins(arena: Arena, data: EncodedData, row: number): number[] {
    if (data.binned === null) throw new Error("not binned");
    const { rowStride } = data.binned;
    return [...arena.u8(rowMajorOf(data.binned) + row * rowStride, data.features.length)];
  }

  function columnBins(arena: Arena, data: EncodedData, row: number): number[] {
    if (data.binned === null) throw new Error("not binned");
    const { columnMajor, columnStride } = data.binned;
    return data.features.map((_, f) => arena.u8(columnMajor + f * columnStride, data.rows)[row]);
  }

  it("writes bins both ways and values, and frees all of it", async () => {
    const table = await csv(TRAIN);
    const schema = fitFeatureSchema(table, { exclude: ["y", "id"] });
    const bins = fitBinning(featureColumns(schema, table), { key, minDataInBin: 1 });
    const arena = Arena.create();
    const rows = Uint32Array.of(4, 1, 0);
    const data = encodeFeatures(schema, table, arena, { bins, values: true, rows });
    expect(data.rows).toBe(3);
    for (let row = 0; row < 3; row++) {
      expect(rowBins(arena, data, row)).toEqual(columnBins(arena, data, row));
    }
    const { columns } = encoded(schema, table, rows);
    for (const [f, feature] of data.features.entries()) {
      const values = arena.f64((data.values ?? 0) + f * 3 * 8, 3);
      expect([...values]).toEqual(columns[feature.name]);
    }
    // n: 4 is the greatest of four values; the missing cell has the bin after the last.
    expect(columnBins(arena, data, 0)[0]).toBe(3);
    expect(columnBins(arena, data, 1)[0]).toBe(4);
    expect(data.binned?.rowStride).toBe(16 * Math.ceil(data.features.length / 16));
    freeEncoded(data);
    expect(arena.liveBytes).toBe(0);
  });

  it("leaves nothing behind when a column fails", async () => {
    const table = await csv("n,m\n1,1\n2,2\n");
    const schema = fitFeatureSchema(table);
    const arena = Arena.create();
    const other = await csv("n,m\n1,x\n2,y\n");
    expect(() => encodeFeatures(schema, other, arena, { bins: null, values: true })).toThrow(
      DataError,
    );
    expect(arena.liveBytes).toBe(0);
  });

  it("says of a table that is too large what would do", () => {
    const table: Table = {
      rows: 200_000,
      columns: ["a", "b"].map((name) => ({
        kind: "numeric",
        name,
        values: new Float64Array(200_000).map((_, row) => row % 7),
      })),
    };
    const schema = fitFeatureSchema(table);
    const arena = Arena.create(6 * 2 ** 20);
    const before = arena.liveBytes;
    const bins = binsToFit({ key: deriveKey(0, "large") }, table.rows);
    const encode = (values: boolean) => encodeFeatures(schema, table, arena, { bins, values });
    expect(() => encode(true)).toThrow(
      /^200,000 rows of 2 features take 0\.0 GiB .*`ignoreColumns`\), or families that read bins alone/,
    );
    expect(arena.liveBytes).toBe(before);
    freeEncoded(encode(false));
    const small = Arena.create(2 ** 20 + 2 ** 18);
    expect(() => encodeFeatures(schema, table, small, { bins, values: false })).toThrow(
      /fewer columns \(`ignoreColumns`\)\.$/,
    );
  });

  it("holds NaN for categories the schema does not know", async () => {
    const table = await csv("c\nx\ny\nx\n");
    const schema = fitFeatureSchema(table);
    const arena = Arena.create();
    const data = encodeFeatures(schema, await csv("c\nz\ny\n"), arena, {
      bins: null,
      values: true,
    });
    expect([...arena.f64(data.values ?? 0, 2)]).toEqual([Number.NaN, 1]);
  });

  it("bins anew from values exactly as from the table", async () => {
    const table = await csv(TRAIN);
    const schema = fitFeatureSchema(table, { exclude: ["y", "id"] });
    const arena = Arena.create();
    const rows = Uint32Array.of(0, 2, 3, 4);
    const options = { key, minDataInBin: 1, maxBins: 3 };
    const bins = fitBinning(featureColumns(schema, table, rows), options);
    const values = encodeFeatures(schema, table, arena, { bins: null, values: true });
    const again = rebin(values, rows, options);
    expect(again.binned?.bins).toEqual(bins);
    const direct = encodeFeatures(schema, table, arena, { bins, values: false });
    for (let row = 0; row < table.rows; row++) {
      expect(rowBins(arena, again, row)).toEqual(rowBins(arena, direct, row));
    }
    freeRebinned(again);
    freeEncoded(values);
    freeEncoded(direct);
    expect(arena.liveBytes).toBe(0);
  });

  it("fits bins on the first rows of each column as it comes", async () => {
    const table = await csv(TRAIN);
    const schema = fitFeatureSchema(table, { exclude: ["y", "id"] });
    const arena = Arena.create();
    const fit = { key, minDataInBin: 1, sampleSize: 3 };
    for (const rows of [5, 4]) {
      const own = Uint32Array.from({ length: rows }, (_, row) => row);
      const bins = fitBinning(featureColumns(schema, table, own), fit);
      const whole = encodeFeatures(schema, table, arena, { bins, values: false });
      const fitted = encodeFeatures(schema, table, arena, {
        bins: binsToFit(fit, rows),
        values: false,
      });
      expect(fitted.binned?.bins).toEqual(bins);
      for (let row = 0; row < 5; row++) {
        expect(rowBins(arena, fitted, row)).toEqual(rowBins(arena, whole, row));
      }
    }
  });
});

describe("tables of requests", () => {
  const schemaOf = async () => fitFeatureSchema(await csv(TRAIN), { exclude: ["y"] });

  it("encodes records and a matrix as it encodes the file", async () => {
    const schema = await schemaOf();
    const file = encoded(schema, await csv(TRAIN)).columns;
    const records = [
      { n: 1.5, b: true, c: "red", when: "2011-01-31 23:00", note: "The quick Fox 12", id: "a1" },
      { n: null, b: "no", c: "blue", when: "2012-02-29T05:00:00Z", note: "the LAZY dog", id: "a2" },
      { n: "-3", b: 1, c: "red", when: "2010-12-31", id: "a3" },
    ];
    const { table, warnings } = tableFromRecords(records, schema);
    expect(warnings).toEqual([]);
    const fromRecords = encoded(schema, table).columns;
    for (const [name, values] of Object.entries(file)) {
      expect(fromRecords[name], name).toEqual(values.slice(0, 3));
    }
    const columns = ["id", "n", "b", "c", "when", "note"];
    const data = records.map((record: Record<string, unknown>) =>
      columns.map((name) => record[name] ?? null),
    );
    expect(encoded(schema, tableFromMatrix(columns, data, schema).table).columns).toEqual(
      fromRecords,
    );
  });

  it("takes what stands for a missing cell in a file as missing in a record", async () => {
    const schema = await schemaOf();
    const kinds = ["n", "b", "c", "when", "note"];
    const record = (cell: string | null) => Object.fromEntries(kinds.map((name) => [name, cell]));
    const missing = encoded(schema, tableFromRecords([record(null)], schema).table).columns;
    for (const token of [...MISSING_TOKENS, " n/a "]) {
      const { table, warnings } = tableFromRecords([record(token)], schema);
      expect(warnings, token).toEqual([]);
      expect(encoded(schema, table).columns, token).toEqual(missing);
    }
    // A category that was learned stays one, and so does text of a model that did not keep what it held.
    const learned: FeatureSchema = {
      ...schema,
      columns: [
        { kind: "categorical", name: "c", categories: ["NA", "red"], omitted: 0 },
        { kind: "text", name: "note", parts: [], tokens: [] },
      ],
    };
    const { table } = tableFromRecords([{ c: "NA", note: "NA" }], learned);
    expect(table.columns.find(({ name }) => name === "c")).toMatchObject({ categories: ["NA"] });
    expect(table.columns.find(({ name }) => name === "note")).toMatchObject({ values: ["NA"] });
  });

  it.each([
    ["month-first", "12/31/2020", "02/03/2021", "2021-02-03"],
    ["day-first", "31/12/2020", "02/03/2021", "2021-03-02"],
    ["month-first", "12-31-2020", "02-03-2021", "2021-02-03"],
    ["day-first", "31-12-2020", "02-03-2021", "2021-03-02"],
  ])(
    "reads dates with slashes as the training file wrote them: %s",
    async (order, first, same, iso) => {
      const table = await csv(`when,y\n${first},1\n01/01/2021,2\n02/02/2021,3\n`);
      const fitted = fitFeatureSchema(table, { exclude: ["y"] });
      expect(fitted.columns[0]).toMatchObject({ kind: "timestamp", slashed: order });
      const { table: asked } = tableFromRecords([{ when: same }, { when: iso }], fitted);
      const [when] = asked.columns;
      expect(when).toMatchObject({ kind: "timestamp" });
      expect(when.kind === "timestamp" && when.values[0]).toBe(Date.parse(iso));
      expect(when.kind === "timestamp" && when.values[1]).toBe(Date.parse(iso));
      expect(() => tableFromRecords([{ when: "99/99/2021" }], fitted)).toThrow(
        /a time as ISO 8601/,
      );
      // Of other training data such a date may be either.
      const other = fitFeatureSchema(await csv("when,y\n2020-12-31,1\n2021-01-01,2\n"), {
        exclude: ["y"],
      });
      expect(() => tableFromRecords([{ when: same }], other)).toThrow(/a time as ISO 8601/);
    },
  );

  it("names the instance and the column of what it refuses", async () => {
    const schema = await schemaOf();
    const cases: [Record<string, unknown>, RegExp][] = [
      [{ n: "high" }, /Instance 1: column "n" should be a number, but is "high"/],
      [{ n: [1] }, /should be a number, but is a list/],
      [{ b: "perhaps" }, /column "b" should be true or false, but is "perhaps"/],
      [{ when: 5 }, /column "when" should be a time as ISO 8601 text, but is 5/],
      [{ c: {} }, /column "c" should be a text or a number, but is an object/],
    ];
    for (const [instance, message] of cases) {
      expect(() => tableFromRecords([{ n: 1 }, instance], schema)).toThrow(message);
    }
    expect(() => tableFromRecords([], schema)).toThrow(/no instances/);
    for (const instance of [{}, { N: 1, others: 2 }]) {
      expect(() => tableFromRecords([instance], schema)).toThrow(
        /none of the columns that the model reads: "n", .* compared exactly/,
      );
    }
    expect(() => tableFromMatrix(["n", "c"], [[1, "x"], [1]], schema)).toThrow(
      "Instance 1 has 1 values for 2 columns.",
    );
    expect(() => tableFromMatrix(["n", "n"], [[1, 2]], schema)).toThrow(/"n" is listed twice/);
  });

  it("warns of unknown members, but not of the label", async () => {
    const { warnings } = tableFromRecords([{ n: 1, y: 0, m: 2 }], await schemaOf());
    expect(warnings.map(({ column }) => column)).toEqual(["m"]);
  });

  it("counts unknown members beyond the first ones", async () => {
    const many = Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`m${i}`, i]));
    const { warnings } = tableFromRecords([{ n: 1, ...many }], await schemaOf());
    expect(warnings).toHaveLength(21);
    expect(warnings.at(-1)?.message).toMatch(/^4980 more columns/);
  });
});
