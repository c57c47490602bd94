/** Times whose texts say their distance from UTC. */

import { Field, List, Schema, Struct, Timestamp, TimeUnit } from "apache-arrow";
import { expect, it } from "vitest";
import { useListingTables } from "./testing/listing-tables.ts";

const tables = useListingTables();

const few = { options: { fileType: "csv", formatOptions: { schema_infer_max_rec: "2" } } };
const fewOfJson = { options: { fileType: "json", formatOptions: { schema_infer_max_rec: "2" } } };

it.each([
  ["CSV", "t/a.csv", "at,x\n2024-04-25T16:48:45+02:00,1\n2024-04-25T16:48:45Z,1\n"],
  [
    "JSON",
    "t/a.ndjson",
    '{"at":"2024-04-25T16:48:45+02:00","x":1}\n{"at":"2024-04-25T16:48:45+00:00","x":1}\n',
  ],
])("are instants in %s", async (_, key, text) => {
  tables.objects.put(key, text);
  const scan = tables.listing();
  expect(await tables.columnsOf(scan)).toEqual(["at Timestamp<MICROSECOND, UTC>", "x Int64"]);
  expect(await tables.session.read(scan, {}, { select: 'epoch("at")::BIGINT AS s' })).toEqual([
    { s: "1714056525" },
    { s: "1714063725" },
  ]);
});

it("are instants within JSON structs and lists, and where another file has none", async () => {
  tables.objects.put("t/a.ndjson", '{"v":{"at":"2024-04-25T16:48:45","days":["2024-04-25"]}}\n');
  tables.objects.put(
    "t/b.ndjson",
    '{"v":{"at":"2024-04-25T16:48:45-01:30","days":["2024-04-26"]}}\n',
  );
  const scan = tables.listing();
  expect(await tables.columnsOf(scan)).toEqual([
    "v Struct<{at:Timestamp<MICROSECOND, UTC>, days:List<Date32<DAY>>}>",
  ]);
  const select = "(epoch(v.at) * 10)::BIGINT AS s";
  expect(await tables.session.read(scan, {}, { select })).toEqual([
    { s: "17140637250" },
    { s: "17140691250" },
  ]);
});

it.each([
  ["CSV", "t/a.csv", "at,x\n2024-04-25T16:48:45,1\n2024-04-25T16:48:46,1\n", few],
  [
    "JSON",
    "t/a.ndjson",
    '{"at":"2024-04-25 16:48:45","x":1}\n{"at":"2024-04-25 16:48:46","x":1}\n',
    fewOfJson,
  ],
])("stop the query behind a sample of times without in %s", async (_, key, text, given) => {
  const isCsv = key.endsWith("csv");
  const row = (at: string): string => (isCsv ? `${at},1\n` : `{"at":"${at}","x":1}\n`);
  // However few are wanted, a vector of rows is looked at.
  const begin = text + row("2024-04-25T16:48:45").repeat(20_000);
  tables.objects.put(key, begin + row("2024-04-25T16:48:45Z") + row("2024-04-25T16:48:45+00:00"));
  expect(await tables.session.read(tables.listing(given))).toHaveLength(20_004);
  tables.objects.put(key, begin + row("2024-04-25T16:48:45+02:00"));
  await expect(tables.session.read(tables.listing(given))).rejects.toThrow(
    /: the column at has "?2024-04-25T16:48:45\+02:00"?, whose offset from UTC is lost in Timestamp<MICROSECOND>/,
  );
});

/** Quarters before eleven in UTC, whatever the clock that they were read from. */
const SAME = ["2024-01-01T00:45:00+02:00", "2023-12-31T17:15:00-05:30", "2023-12-31T22:45:00Z"];
const NONE = "2023-12-31T22:45:00";

it.each([TimeUnit.SECOND, TimeUnit.MILLISECOND, TimeUnit.MICROSECOND, TimeUnit.NANOSECOND])(
  "are those of UTC where a definition has times of unit %s without a zone",
  async (unit) => {
    const fileSchema = new Schema([new Field("at", new Timestamp(unit), true)]);
    const select = '"at"::VARCHAR AS "at"';
    tables.objects.put("t/a.csv", `at\n${[...SAME, NONE].join("\n")}\n`);
    const rows = await tables.session.read(tables.listing({ fileSchema }), {}, { select });
    expect(new Set(rows.map(({ at }) => at))).toEqual(new Set(["2023-12-31 22:45:00"]));
    tables.objects.delete("t/a.csv");
    tables.objects.put("t/a.json", SAME.map((at) => JSON.stringify({ at })).join("\n"));
    const json = tables.listing({ fileSchema, options: { fileType: "json" } });
    const values = await tables.session.read(json, {}, { select });
    expect(new Set(values.map(({ at }) => at))).toEqual(new Set(["2023-12-31 22:45:00"]));
  },
);

it("are those of UTC within the JSON of a definition, too", async () => {
  const time = new Timestamp(TimeUnit.MICROSECOND);
  const days = new Field("days", new List(new Field("item", time, true)), true);
  const value = new Struct([new Field("at", time, true), days]);
  const fileSchema = new Schema([new Field("v", value, true)]);
  tables.objects.put(
    "t/a.json",
    `{"v":{"at":"${SAME[0]}","days":["${SAME[1]}","${NONE}",null]}}\n`,
  );
  const json = tables.listing({ fileSchema, options: { fileType: "json" } });
  const select = "v['at']::VARCHAR AS \"at\", v.days::VARCHAR AS days";
  expect(await tables.session.read(json, {}, { select })).toEqual([
    { at: "2023-12-31 22:45:00", days: "['2023-12-31 22:45:00', '2023-12-31 22:45:00', NULL]" },
  ]);
});
