import { describe, expect, it } from "vitest";
import { COLUMN_WARNING } from "../scan.ts";
import { useListingTables } from "./testing/listing-tables.ts";

const tables = useListingTables();

const values = async (): Promise<unknown[]> =>
  (await tables.session.read(tables.listing())).map(({ v }) => v);

async function warnings(): Promise<string[]> {
  const { schema } = await tables.listing().describe(tables.session, new AbortController().signal);
  return schema.fields.flatMap(({ metadata }) => metadata.get(COLUMN_WARNING) ?? []);
}

const put = (key: string, ...written: string[]): void =>
  tables.objects.put(`t/${key}.ndjson`, written.map((value) => `{"v":${value}}\n`).join(""));

describe("JSON values of several types", () => {
  it.each([
    ["numbers and texts", ['"x"', "3", "1.5"], ["x", "3", "1.5"]],
    ["booleans and numbers", ["true", "0"], ["true", "0"]],
    ["booleans, numbers and texts", ["null", "false", '"x"', "1"], [null, "false", "x", "1"]],
    ["booleans and texts", ["null", "true", '"x"'], [null, "true", "x"]],
    ["objects and texts", ['"x"', '{"a":1}'], ["x", '{"a":1}']],
    ["arrays and texts", ['"x"', '[1,"b"]'], ["x", '[1,"b"]']],
    ["numbers and objects", ["1", '{"a":"b"}'], ["1", '{"a":"b"}']],
    ["numbers and texts", ['"2020-01-01"', "12345678901234567890123"], undefined],
  ])("are texts, with a warning: %s", async (kinds, written, read) => {
    put("a", ...written);
    expect(await tables.columnsOf(tables.listing())).toEqual(["v Utf8"]);
    expect(await values()).toEqual(read ?? ["2020-01-01", "12345678901234567890123"]);
    const isX = { select: "count(*) FILTER (v = 'x')::INTEGER AS n" };
    expect(await tables.session.read(tables.listing(), {}, isX)).toEqual([
      { n: written.includes('"x"') ? 1 : 0 },
    ]);
    expect(await warnings()).toEqual([
      `the column v is read as texts, as it has ${kinds} in t/a.ndjson; a snapshot's fileSchema says what is meant`,
    ]);
  });

  it("are texts within structs and lists", async () => {
    put("a", '{"m":"x","l":["a",1]}', '{"m":2,"l":[{"b":"c"}]}');
    expect(await tables.columnsOf(tables.listing())).toEqual(["v Struct<{m:Utf8, l:List<Utf8>}>"]);
    expect(await values()).toEqual([
      { m: "x", l: ["a", "1"] },
      { m: "2", l: ['{"b":"c"}'] },
    ]);
  });

  it("are told of in whichever file they are", async () => {
    put("a", '"x"');
    put("b", '"x"', "3");
    expect((await values()).toSorted()).toEqual(["3", "x", "x"]);
    expect(await warnings()).toEqual([expect.stringContaining("numbers and texts in t/b.ndjson")]);
    put("a", "1");
    expect((await values()).toSorted()).toEqual(["1", "3", "x"]);
    expect(await warnings()).toEqual([expect.stringContaining("numbers and texts in t/b.ndjson")]);
  });
});

describe("JSON columns of nulls alone", () => {
  it("are texts, without a warning", async () => {
    put("a", "null", "null");
    expect(await tables.columnsOf(tables.listing())).toEqual(["v Utf8"]);
    expect(await values()).toEqual([null, null]);
    expect(await warnings()).toEqual([]);
  });

  it("have the type that other files tell", async () => {
    put("a", "null");
    put("b", "7");
    put("c", "null");
    expect(await tables.columnsOf(tables.listing())).toEqual(["v Int64"]);
    expect((await values()).toSorted()).toEqual(["7", null, null]);
    expect(await warnings()).toEqual([]);
  });
});
