/** Times of files in nanoseconds that SQL has in microseconds are told of. */

import { readFile } from "node:fs/promises";
import { DurationNanosecond, Field, Int32, Schema, TimestampNanosecond } from "apache-arrow";
import { expect, it } from "vitest";
import { COLUMN_WARNING } from "../scan.ts";
import { useListingTables } from "./testing/listing-tables.ts";

const tables = useListingTables();

const put = async (fixture: string): Promise<void> => {
  const bytes = await readFile(new URL(`./fixtures/${fixture}`, import.meta.url));
  tables.objects.put(`t/${fixture}`, bytes);
};

/** Names of the columns that a warning is told of, which names them. */
async function told(fileSchema: Schema | null = null): Promise<string[]> {
  const { schema } = await tables
    .listing({ fileSchema })
    .describe(tables.session, new AbortController().signal);
  return schema.fields.flatMap(({ name, metadata }) => {
    const warning = metadata.get(COLUMN_WARNING);
    if (warning === undefined) return [];
    expect(warning).toBe(
      `the column ${name} has times in nanoseconds, which are read in microseconds; digits behind those, where there are any, are cut`,
    );
    return [name];
  });
}

it.each([
  ["cut-times.parquet", ["zoned", "within"]],
  ["cut-times.arrow", ["zoned", "within", "lasted"]],
  ["cut-times-int96.parquet", ["stamp"]],
  // Spark's are of microseconds in INT96.
  ["cut-times-spark.parquet", []],
])("%s", async (fixture, columns) => {
  await put(fixture);
  expect(await told()).toEqual(columns);
  const [first] = await tables.session.read(tables.listing());
  for (const column of columns) {
    expect(JSON.stringify(first?.[column], (_, value) => `${value}`)).not.toMatch(/456789/);
  }
});

it("one of several files is enough", async () => {
  await put("cut-times-spark.parquet");
  await put("cut-times-int96.parquet");
  expect(await told()).toEqual(["stamp"]);
});

it("columns that a snapshot says to be such", async () => {
  const fields = [
    new Field("id", new Int32(), true),
    new Field("zoned", new TimestampNanosecond("UTC"), true),
    new Field("plain", new TimestampNanosecond(), true),
    new Field("lasted", new DurationNanosecond(), true),
  ];
  expect(await told(new Schema(fields))).toEqual(["zoned", "lasted"]);
});
