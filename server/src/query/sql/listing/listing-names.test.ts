import { Field, Int64, Schema, Struct, Utf8 } from "apache-arrow";
import { describe, expect, it } from "vitest";
import { useListingTables } from "./testing/listing-tables.ts";

const tables = useListingTables();

async function read(scan = tables.listing()) {
  const rows = await tables.session.read(scan);
  return rows.toSorted((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b)));
}

describe("names that differ in case alone", () => {
  it("are one column over files of each format", async () => {
    const files: [string, (name: string, value: number) => Promise<Uint8Array> | string][] = [
      ["csv", (name, value) => `${name},other\n${value},x\n`],
      ["ndjson", (name, value) => JSON.stringify({ [name]: value, other: "x" })],
      ["parquet", (name, value) => tables.parquet(`SELECT ${value} AS "${name}", 'x' AS other`)],
    ];
    for (const [format, make] of files) {
      tables.renew();
      tables.objects.put(`t/a.${format}`, await make("Id", 1));
      tables.objects.put(`t/b.${format}`, await make("id", 2));
      tables.objects.put(`t/c.${format}`, await make("ID", 3));
      const rows = await read();
      expect(
        rows.map((row) => Object.values(row).map(String)),
        format,
      ).toEqual([
        ["1", "x"],
        ["2", "x"],
        ["3", "x"],
      ]);
      expect(Object.keys(rows[0]!), format).toEqual(["Id", "other"]);
      const fileSchema = new Schema([new Field("iD", new Int64(), false)]);
      expect(await read(tables.listing({ fileSchema })), format).toEqual([
        { iD: "1" },
        { iD: "2" },
        { iD: "3" },
      ]);
    }
  });

  it("that are empty in JSON are refused where the members become columns, and not where they are named", async () => {
    tables.objects.put("t/a.ndjson", '{"":1,"b":2}\n');
    await expect(read()).rejects.toThrow("t/a.ndjson has a member without a name");
    const fileSchema = new Schema([new Field("b", new Int64(), true)]);
    expect(await read(tables.listing({ fileSchema }))).toEqual([{ b: "2" }]);
  });

  it("are refused where one file of JSON has both, and a value would be lost", async () => {
    tables.objects.put("t/a.ndjson", '{"a":1,"b":1}\n{"A":2,"b":2}\n');
    const message = "of t/a.ndjson have the same name, since SQL ignores case";
    await expect(read()).rejects.toThrow(message);
    const fileSchema = new Schema(["a", "b"].map((name) => new Field(name, new Int64(), true)));
    await expect(read(tables.listing({ fileSchema }))).rejects.toThrow(message);
    // What no query asks for is in nobody's way.
    expect(await tables.session.read(tables.listing({ fileSchema }), { columns: ["b"] })).toEqual([
      { b: "1" },
      { b: "2" },
    ]);
  });
});

describe("structs", () => {
  it("grow from file to file, in Parquet and in JSON", async () => {
    const rows = [
      { s: { a: "1", b: null, c: null } },
      { s: { a: "2", b: "x", c: null } },
      { s: { a: "3", b: null, c: ["5"] } },
      { s: null },
    ];
    tables.objects.put("t/a.parquet", await tables.parquet("SELECT {'a': 1} AS s"));
    tables.objects.put(
      "t/b.parquet",
      await tables.parquet("SELECT {'A': 2::BIGINT, 'b': 'x'} AS s"),
    );
    tables.objects.put("t/c.parquet", await tables.parquet("SELECT {'c': [5], 'a': 3} AS s"));
    tables.objects.put("t/d.parquet", await tables.parquet("SELECT NULL::STRUCT(a INTEGER) AS s"));
    const parquet = await read();
    expect(
      parquet.map((row) => JSON.parse(JSON.stringify(row).replace(/([[:])(\d+)/g, '$1"$2"'))),
    ).toEqual(rows);
    tables.renew();
    tables.objects.put("t/a.ndjson", '{"s":{"a":1}}\n{"s":null}\n');
    tables.objects.put("t/b.ndjson", '{"s":{"a":2,"b":"x"}}\n');
    tables.objects.put("t/c.ndjson", '{"s":{"c":[5],"a":3}}\n');
    expect(await read()).toEqual(rows);
  });

  it("of JSON whose members differ in case alone are texts, which lose nothing", async () => {
    tables.objects.put("t/a.ndjson", '{"s":{"x":1,"y":2}}\n');
    tables.objects.put("t/b.ndjson", '{"s":{"X":3,"y":4}}\n');
    expect(await read()).toEqual([{ s: '{"x":1,"y":2}' }, { s: '{"X":3,"y":4}' }]);
  });

  it("grow within lists, and lose nothing against a snapshot", async () => {
    tables.objects.put(
      "t/a.parquet",
      await tables.parquet("SELECT [{'a': 1}] AS l, {'a': 1} AS s"),
    );
    tables.objects.put(
      "t/b.parquet",
      await tables.parquet("SELECT [{'a': 2, 'b': 3}] AS l, {'a': 2, 'b': 3} AS s"),
    );
    expect((await read()).map(({ l }) => l)).toEqual([[{ a: 1, b: null }], [{ a: 2, b: 3 }]]);
    const member = (name: string, nullable: boolean) => new Field(name, new Int64(), nullable);
    const asked = (...members: Field[]) =>
      tables.listing({ fileSchema: new Schema([new Field("s", new Struct(members), true)]) });
    expect(await read(asked(member("b", true), member("a", true)))).toEqual([
      { s: { b: "3", a: "2" } },
      { s: { b: null, a: "1" } },
    ]);
    await expect(read(asked(member("a", true), member("b", false)))).rejects.toThrow(
      "the column s is Struct<a: Int32> in t/a.parquet",
    );
    await expect(read(asked(new Field("z", new Utf8(), true)))).rejects.toThrow("the column s is");
  });

  it("without a common member are no versions of one", async () => {
    tables.objects.put("t/a.parquet", await tables.parquet("SELECT {'a': 1} AS s"));
    tables.objects.put("t/b.parquet", await tables.parquet("SELECT {'b': 1} AS s"));
    await expect(read()).rejects.toThrow("the column s is Struct<a: Int32> in t/a.parquet and");
  });
});
