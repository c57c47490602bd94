/** Values of JSON of another kind than the rows before them: read as they are, or told. */

import { Bool, Field, Int64, List, Map_, Schema, Struct, Utf8 } from "apache-arrow";
import { describe, expect, it } from "vitest";
import { useListingTables } from "./testing/listing-tables.ts";

const tables = useListingTables();

const sampled = { options: { fileType: "ndjson", formatOptions: { schema_infer_max_rec: "2" } } };
const put = (...values: readonly string[]): void =>
  tables.objects.put("t/a.ndjson", values.map((value) => `{"v":${value}}\n`).join(""));
const last = async (given: object = sampled): Promise<unknown> => {
  const select = 'CAST("v" AS VARCHAR) AS v';
  return (await tables.session.read(tables.listing(given), {}, { select })).at(-1)?.["v"];
};

describe("a value of another kind than those that its type was told by", () => {
  it.each([
    ["a number among booleans", ["true", "false"], "2", "v has 2, which is not of type Bool"],
    ["a boolean among numbers", ["1", "2"], "true", "v has true, which is not of type Int64"],
    ["a boolean among floats", ["1.5", "2"], "false", "v has false, which is not of type Float64"],
    [
      "a list among structs",
      ['{"a":1}', '{"a":2}'],
      "[1]",
      "v has [1], which is not of type Struct",
    ],
    ["a number among structs", ['{"a":1}', '{"a":2}'], "7", "v has 7, which is not of type Struct"],
    ["a text among structs", ['{"a":1}', '{"a":2}'], '"x"', 'v has "x", which is not of type'],
    ["a struct in a member", ['{"a":1}', '{"a":2}'], '{"a":{}}', "where v.a is not of type Int64"],
    ["a text in a member", ['{"a":1}', '{"a":2}'], '{"a":"x"}', "where v.a is not of type Int64"],
    ["a boolean in a member", ['{"a":1}', '{"a":2}'], '{"a":true}', "where v.a is not of type Int"],
    ["a number in a member", ['{"a":true}', '{"a":false}'], '{"a":0}', "v.a is not of type Bool"],
    ["a number too large", ['{"a":1}', '{"a":2}'], '{"a":99999999999999999999}', 'has {"a":'],
    ["a number too large in a list", ["[1]", "[2]"], "[99999999999999999999]", "has [99999"],
    ["a number for a struct", ['{"a":{"b":1}}', "{}"], '{"a":3}', "v.a is not of type Struct<b"],
    ["a list deep within", ['{"a":{"b":1}}', "{}"], '{"a":{"b":[]}}', "v.a.b is not of type Int64"],
    ["a text in a list", ["[1]", "[2]"], '[1,"x"]', "where v[*] is not of type Int64"],
    ["a list in a list", ["[1]", "[2]"], "[[1]]", "where v[*] is not of type Int64"],
    ["a number among structs of a list", ['[{"a":1}]', "[]"], "[5]", "v[*] is not of type Struct"],
    ["a text in a struct of a list", ['[{"a":1}]', "[]"], '[{"a":"x"}]', "v[*].a is not of type"],
  ])("stops the query: %s", async (_, sample, value, message) => {
    put(...sample, value);
    await expect(last()).rejects.toThrow(message);
    await expect(last()).rejects.toThrow("shop.main.sales: a.ndjson: the column v has ");
  });

  it.each([
    ["a number as text", ["1", "2"], '"3"', "3"],
    ["a word as boolean", ["true", "false"], '"true"', "true"],
    ["a number as text in a member", ['{"a":1}', '{"a":2}'], '{"a":"3"}', "{'a': 3}"],
    ["null for a struct", ['{"a":1}', '{"a":2}'], "null", null],
    ["null in a member", ['{"a":1}', '{"a":2}'], '{"a":null}', "{'a': NULL}"],
    ["no such member", ['{"a":1}', '{"a":2}'], '{"b":5}', "{'a': NULL}"],
    ["null in a list", ["[1]", "[2]"], "[null,3]", "[NULL, 3]"],
    ["an empty list", ["[1]", "[2]"], "[]", "[]"],
    ["null for a struct of a list", ['[{"a":1}]', "[]"], "[null]", "[NULL]"],
    ["a number among texts of a member", ['{"a":"x"}', '{"a":"y"}'], '{"a":3}', "{'a': 3}"],
  ])("is read where nothing is lost: %s", async (_, sample, value, read) => {
    put(...sample, value);
    expect(await last()).toBe(read);
  });
});

it("a snapshot's types are held against the values as well", async () => {
  const entries = new Struct<{ key: Utf8; value: Int64 }>([
    new Field("key", new Utf8(), false),
    new Field("value", new Int64(), true),
  ]);
  const typed = (field: Field) => ({
    options: { fileType: "ndjson" },
    fileSchema: new Schema([field]),
  });
  const map = typed(new Field("v", new Map_(new Field("entries", entries, false)), true));
  put('{"k":1,"l":null}');
  expect(await last(map)).toBe("{k=1, l=NULL}");
  put('{"k":1,"l":"x"}');
  await expect(last(map)).rejects.toThrow("where v.* is not of type Int64");
  put("[1]");
  await expect(last(map)).rejects.toThrow("v has [1], which is not of type Map");
  const flags = typed(new Field("v", new List(new Field("item", new Bool(), true)), true));
  put("[true,1]");
  await expect(last(flags)).rejects.toThrow("where v[*] is not of type Bool");
});
