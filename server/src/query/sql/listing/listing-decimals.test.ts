import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import {
  type Data,
  Decimal,
  Dictionary,
  Field,
  Float64,
  Int8,
  Int64,
  List,
  makeData,
  Schema,
  Struct,
  Table,
  tableToIPC,
  Vector,
  vectorFromArray,
} from "apache-arrow";
import { describe, expect, it } from "vitest";
import { useListingTables } from "./testing/listing-tables.ts";

const tables = useListingTables();

const mapValues = <Value, Result>(
  values: Readonly<Record<string, Value>>,
  change: (value: Value) => Result,
): Record<string, Result> =>
  Object.fromEntries(Object.entries(values).map(([key, value]) => [key, change(value)]));

describe("decimals of more than 38 digits", () => {
  const readParquet = () =>
    readFile(fileURLToPath(new URL("./fixtures/wide-decimals.parquet", import.meta.url)));
  /** 1.01 and 1.02, of so many digits. */
  const decimals = (digits: number): Data =>
    makeData({
      type: new Decimal(2, digits, 256),
      length: 2,
      data: Uint32Array.of(101, ...Array(7).fill(0), 102, ...Array(7).fill(0)),
    });
  const refused = (name: string, key: string): string =>
    `shop.main.sales: the column ${name} of ${key} has decimals of more than 38 digits, which cannot be read here without loss`;

  it("are refused in Parquet, and what is beside them is read", async () => {
    tables.objects.put("t/a.parquet", await readParquet());
    expect(await tables.session.read(tables.listing(), { columns: ["id", "small"] })).toEqual([
      { id: "1", small: "1.5" },
      { id: "2", small: "2.5" },
    ]);
    for (const name of ["wide", "s"]) {
      await expect(tables.session.read(tables.listing(), { columns: [name] })).rejects.toThrow(
        refused(name, "t/a.parquet"),
      );
    }
  });

  it("are refused in Arrow, however deep, and what is beside them is read", async () => {
    const wide = decimals(50);
    const item = new Field("item", wide.type, true);
    const columns = {
      wide,
      list: makeData({
        type: new List(item),
        length: 2,
        valueOffsets: Int32Array.of(0, 1, 2),
        child: wide,
      }),
      struct: makeData({ type: new Struct([item]), length: 2, children: [wide] }),
      dictionary: makeData({
        type: new Dictionary(wide.type, new Int8()),
        length: 2,
        data: Int8Array.of(0, 1),
        dictionary: new Vector([wide]),
      }),
    };
    const all = { small: decimals(38), ...columns };
    const table = new Table(mapValues(all, (data) => new Vector([data])));
    tables.objects.put("t/a.arrow", tableToIPC(table, "file"));
    expect(await tables.session.read(tables.listing(), { columns: ["small"] })).toEqual([
      { small: "1.01" },
      { small: "1.02" },
    ]);
    expect(await tables.session.read(tables.listing(), { columns: [] })).toHaveLength(2);
    for (const name of Object.keys(columns)) {
      await expect(tables.session.read(tables.listing(), { columns: [name] })).rejects.toThrow(
        refused(name, "t/a.arrow"),
      );
    }
  });

  it.each([
    ["parquet", () => tables.parquet("SELECT 1::DOUBLE AS wide"), readParquet],
    [
      "arrow",
      () => tableToIPC(new Table({ wide: vectorFromArray([1], new Float64()) }), "file"),
      () => tableToIPC(new Table({ wide: new Vector([decimals(50)]) }), "file"),
    ],
  ])("are refused beside doubles in other files of %s", async (suffix, doubles, wide) => {
    tables.objects.put(`t/a.${suffix}`, await doubles());
    tables.objects.put(`t/b.${suffix}`, await wide());
    await expect(tables.session.read(tables.listing(), { columns: ["wide"] })).rejects.toThrow(
      refused("wide", `t/b.${suffix}`),
    );
  });

  it("are refused where a snapshot asks for them", async () => {
    tables.objects.put("t/a.csv", "wide,b\n12345678901234567890.12,1\n");
    const fileSchema = new Schema([
      new Field("wide", new Decimal(2, 50, 256), true),
      new Field("b", new Int64(), true),
    ]);
    const listing = tables.listing({ fileSchema });
    expect(await tables.session.read(listing, { columns: ["b"] })).toEqual([{ b: "1" }]);
    await expect(tables.session.read(listing)).rejects.toThrow(
      "shop.main.sales: the column wide is Decimal256<50, 2> in the snapshot, and decimals of more than 38 digits cannot be read here without loss; say at most 38 digits, or Utf8",
    );
  });
});
