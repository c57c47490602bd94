/** Times that text files and JSON write finer than microseconds. */

import {
  DataType,
  Field,
  List,
  Schema,
  Struct,
  Time,
  Timestamp,
  TimestampNanosecond,
  TimeUnit,
} from "apache-arrow";
import fc from "fast-check";
import { expect, it } from "vitest";
import { COLUMN_WARNING } from "../scan.ts";
import { useListingTables } from "./testing/listing-tables.ts";

const tables = useListingTables();

const FINE = "2024-04-25 16:48:45.123456789";
const few = { formatOptions: { schema_infer_max_rec: "2" } };

const csv = (times: readonly string[]): [string, string] => [
  "t/a.csv",
  `at,x\n${times.map((at) => `${at},1\n`).join("")}`,
];
const json = (times: readonly string[]): [string, string] => [
  "t/a.ndjson",
  times.map((at) => `${JSON.stringify({ at, x: 1 })}\n`).join(""),
];
const formats = [
  ["CSV", csv],
  ["JSON", json],
] as const;

const textsOf = async (given: Parameters<typeof tables.listing>[0] = {}): Promise<unknown[]> =>
  (await tables.session.read(tables.listing(given), {}, { select: '"at"::VARCHAR AS t' })).map(
    ({ t }) => t,
  );
const warningOf = async (): Promise<string | undefined> => {
  const { schema } = await tables.listing().describe(tables.session, new AbortController().signal);
  return schema.fields[0]?.metadata.get(COLUMN_WARNING);
};

it("keep all digits without a zone in CSV", async () => {
  tables.objects.put(...csv(["2024-04-25T16:48:45", FINE, "2024-04-25 16:48:45.123456780"]));
  expect(await tables.columnsOf(tables.listing())).toEqual(["at Timestamp<NANOSECOND>", "x Int64"]);
  expect(await textsOf()).toEqual(["2024-04-25 16:48:45", FINE, "2024-04-25 16:48:45.12345678"]);
  expect(await warningOf()).toBeUndefined();
});

it("keep all digits of a time of day in CSV", async () => {
  tables.objects.put(...csv(["16:48:45", "16:48:45.123456789"]));
  expect(await tables.columnsOf(tables.listing())).toEqual(["at Time64<NANOSECOND>", "x Int64"]);
  expect(await textsOf()).toEqual(["16:48:45", "16:48:45.123456789"]);
});

it("are told of with a zone in CSV, as those of typed files are", async () => {
  tables.objects.put(...csv(["2024-04-25T16:48:45.123456789Z", "2024-04-25T16:48:45+02:00"]));
  expect(await warningOf()).toBe(
    "the column at has times in nanoseconds, which are read in microseconds; digits behind those, where there are any, are cut",
  );
  expect(await textsOf()).toEqual(["2024-04-25 16:48:45.123456+00", "2024-04-25 14:48:45+00"]);
});

it("are texts in CSV beside times that nanoseconds have no room for", async () => {
  tables.objects.put(...csv([FINE, "9999-12-31 00:00:00"]));
  expect(await textsOf()).toEqual([FINE, "9999-12-31 00:00:00"]);
  expect(await warningOf()).toMatch(
    /^the column at is read as texts, as it has times finer than microseconds, such as "2024-.*, and times that nanoseconds have no room for, such as "9999/,
  );
});

it.each(formats)("stop the query behind a sample of others in %s", async (format, write) => {
  const given = { options: { fileType: format.toLowerCase(), ...few } };
  const begin = Array(20_000).fill("2024-04-25 16:48:45.123456");
  tables.objects.put(...write([...begin, FINE]));
  await expect(textsOf(given)).rejects.toThrow(
    /: the column at has "?2024-04-25 16:48:45\.123456789"?, which is finer than Timestamp<MICROSECOND>; a snapshot's fileSchema says what is meant/,
  );
});

it("stop the query in CSV where nanoseconds have no room for them, behind a sample of others", async () => {
  const times = [FINE, ...Array(20_000).fill("2024-04-25 16:48:45"), "9999-12-31 00:00:00"];
  tables.objects.put(...csv(times));
  await expect(textsOf({ options: few })).rejects.toThrow(
    /: the column at has 9999-12-31 00:00:00, which is beyond what Timestamp<NANOSECOND> holds/,
  );
});

it.each([`${FINE}Z`, FINE])("are texts in JSON, within values too: %s", async (at) => {
  tables.objects.put("t/a.ndjson", `${JSON.stringify({ at, v: { l: [at, "2024-04-25"] } })}\n`);
  const columns = await tables.columnsOf(tables.listing());
  expect(columns).toEqual(["at Utf8", "v Struct<{l:List<Utf8>}>"]);
});

it("are refused within JSON values of a definition's type", async () => {
  const at = { l: [FINE, "2024-04-25 16:48:45"] };
  tables.objects.put("t/a.ndjson", `${JSON.stringify({ at })}\n`);
  const ofUnit = (unit: TimeUnit): Schema => {
    const item = new Field("item", new Timestamp(unit), true);
    const list = new Field("l", new List(item), true);
    return new Schema([new Field("at", new Struct([list]), true)]);
  };
  await expect(textsOf({ fileSchema: ofUnit(TimeUnit.MICROSECOND) })).rejects.toThrow(
    "where a time is finer than Timestamp<MICROSECOND>",
  );
  const [text] = await textsOf({ fileSchema: ofUnit(TimeUnit.NANOSECOND) });
  expect(text).toContain(FINE);
});

const DIGITS = {
  [TimeUnit.SECOND]: 0,
  [TimeUnit.MILLISECOND]: 3,
  [TimeUnit.MICROSECOND]: 6,
  [TimeUnit.NANOSECOND]: 9,
};
const types: readonly DataType[] = [
  ...[TimeUnit.SECOND, TimeUnit.MILLISECOND, TimeUnit.MICROSECOND].map(
    (unit) => new Timestamp(unit),
  ),
  new TimestampNanosecond(),
  new Time(TimeUnit.MICROSECOND, 64),
  new Time(TimeUnit.NANOSECOND, 64),
  new Timestamp(TimeUnit.MICROSECOND, "UTC"),
];

it.each(formats)(
  "are read with all of their digits or not at all in a definition's types in %s",
  async (_, write) => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...types),
        fc.stringMatching(/^\d{1,9}$/),
        async (type, digits) => {
          tables.renew();
          const isTimeOfDay = DataType.isTime(type);
          const zone = DataType.isTimestamp(type) && type.timezone ? "+00" : "";
          tables.objects.put(
            ...write([`${isTimeOfDay ? "" : "2024-04-25 "}16:48:45.${digits}${zone}`]),
          );
          const kept = digits.replace(/0+$/, "");
          const unit =
            DataType.isTime(type) || DataType.isTimestamp(type) ? type.unit : TimeUnit.SECOND;
          const reading = textsOf({ fileSchema: new Schema([new Field("at", type, true)]) });
          if (kept.length > DIGITS[unit])
            await expect(reading).rejects.toThrow("which is finer than");
          else {
            const fraction = kept === "" ? "" : `.${kept}`;
            expect(String((await reading)[0]).replace(/^2024-04-25 /, "")).toBe(
              `16:48:45${fraction}${zone}`,
            );
          }
        },
      ),
      { numRuns: 60 },
    );
  },
);

it.each([
  ["2024-04-25", "2024-04-26 12:30:00", "time of day"],
  ["2024-04-25", "2024-04-26T00:00:01Z", "time of day"],
  ["12:30:00", "2024-04-26 12:30:00", "date"],
  ["12:30:00", "12:30:00+02:00", "offset from UTC"],
])("a column of %s drops nothing of %s behind its sample", async (usual, text, part) => {
  for (const [format, write] of formats) {
    tables.renew();
    tables.objects.put(...write([...Array(20_000).fill(usual), text]));
    const given = { options: { fileType: format.toLowerCase(), ...few } };
    const isInferred = format === "CSV" || usual.length === 10;
    const read = textsOf(given);
    if (isInferred) await expect(read).rejects.toThrow(`whose ${part} is lost in`);
    else await read.catch((error: unknown) => expect(String(error)).toContain("is lost in"));
  }
});

it.each(["2024-04-26 00:00:00", "2024-04-26T00:00:00.000Z"])("a date may be %s", async (text) => {
  tables.objects.put(...csv([...Array(20_000).fill("2024-04-25"), text]));
  expect((await textsOf({ options: few })).at(-1)).toBe("2024-04-26");
});

it("whole numbers are not rounded, however they are written", async () => {
  const read = async (text: string) => {
    tables.renew();
    tables.objects.put(...csv([...Array(20_000).fill("1"), text]));
    return (await textsOf({ options: few })).at(-1);
  };
  expect(await read("50e-1")).toBe("5");
  await expect(read("15e-1")).rejects.toThrow("15e-1, which is not of type Int64");
});
