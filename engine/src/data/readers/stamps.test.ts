/** Columns of numbers that are times, through every reader, the table's file and requests. */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Table as ArrowTable, Int64, tableToIPC, vectorFromArray } from "apache-arrow";
import fc from "fast-check";
import { Table as ParquetTable, writeParquet } from "parquet-wasm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { cellText, coerceColumn } from "../coerce.ts";
import { ComparisonNode } from "../filter/filter-node.ts";
import { selectRows } from "../filter/select-rows.ts";
import { fitFeatureSchema } from "../fit-feature-schema.ts";
import { tableFromRecords } from "../records.ts";
import { openStoredTable } from "../stored/stored-table.ts";
import { StoredTableWriter } from "../stored/table-writer.ts";
import { type Column, type ColumnKind, DataError } from "../table.ts";
import { readTableFromFile } from "./read-table.ts";
import type { TableFormat, TableReading } from "./reading.ts";
import { stampFormOf } from "./stamp-form.ts";
import { STAMP_FORMS, type StampForm, stampOf, stampTextTime, stampTime } from "./stamps.ts";

const YEAR_FORMS = STAMP_FORMS.filter((form) => form.startsWith("years"));

let folder: string;
let files = 0;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "stamps-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

const DAY = 86_400_000;
const whole = (low: string, high: string) =>
  fc
    .integer({ min: Date.parse(low) / 1000, max: Date.parse(high) / 1000 })
    .map((seconds) => seconds * 1000);

describe("a time as a whole number", () => {
  it("is the number that it was written as, in each form", () => {
    fc.assert(
      fc.property(whole("1974-01-01", "2100-12-31"), (time) => {
        for (const form of ["yyyymmdd", "seconds", "milliseconds"] as const) {
          const meant = form === "yyyymmdd" ? Math.floor(time / DAY) * DAY : time;
          expect(stampTime(stampOf(meant, form))).toBe(meant);
        }
      }),
    );
  });

  it("is a month that was written as YYYYMM, or as a year in decimals", () => {
    fc.assert(
      fc.property(fc.integer({ min: 12 * 1500, max: 12 * 2200 - 1 }), (months) => {
        const time = Date.UTC(1970, months - 12 * 1970);
        for (const form of STAMP_FORMS.filter((each) => /^year|^yyyymm$/.test(each))) {
          if (form === "yyyymm" && (months < 12 * 1900 || months >= 12 * 2101)) continue;
          const written = stampOf(time, form);
          expect(stampTime(written)).toBe(time);
          expect(stampTextTime(String(written))).toBe(time);
        }
      }),
    );
  });

  it.each([1499.92, 1949.1, 1949.04, 1949.13, 2200, 1949.99])("is no month: %s", (number) => {
    expect(stampTime(number)).toBeNaN();
  });

  it.each([0, -1, 20141301, 20150229, 18991231, 21010101, 99991231, 20141013.5, 1.5e9 + 0.5, 1e10])(
    "is not %s",
    (number) => {
      expect(stampTime(number)).toBeNaN();
    },
  );
});

describe("a column of numbers", () => {
  const values = (...given: number[]) => Float64Array.from(given);

  it("is not one of dates where its numbers follow on each other, wherever they begin", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1900_01_01, max: 2100_12_31 }),
        fc.integer({ min: 10, max: 500 }),
        (first, count) => {
          const ids = Float64Array.from({ length: count }, (_, i) => first + i);
          expect(stampFormOf("date", ids)).toBe(null);
        },
      ),
    );
  });

  it("is not one of dates where one value is none, whatever the others are", () => {
    const dates = fc.array(
      whole("1900-01-01", "2100-12-31").map((time) => stampOf(time, "yyyymmdd")),
      { minLength: 10, maxLength: 30 },
    );
    const other = fc.oneof(
      fc.integer({ min: 0, max: 1900_01_00 }),
      fc.integer({ min: 1900, max: 2100 }).map((year) => year * 10_000 + 1332),
      fc.constantFrom(20140230, 20141013.5, Number.POSITIVE_INFINITY),
    );
    fc.assert(
      fc.property(dates, other, fc.nat(), (some, odd, at) => {
        const cells = some.toSpliced(at % some.length, 0, odd);
        expect(stampFormOf("date", Float64Array.from(cells))).toBe(null);
      }),
    );
  });

  it.each<[string, boolean]>([
    ["time", true],
    ["created_at", true],
    ["updatedAt", true],
    ["event_ts", true],
    ["Date", true],
    ["id", false],
    ["amount", false],
    ["at", false],
    ["candidate", false],
    ["response_time", false],
    ["time_ns", false],
  ])("named %s is one of seconds: %s", (name, isTime) => {
    const seconds = Float64Array.from({ length: 20 }, (_, i) => 1_413_158_400 + 977 * i);
    expect(stampFormOf(name, seconds)).toBe(isTime ? "seconds" : null);
    expect(
      stampFormOf(
        name,
        seconds.map((value) => 1000 * value + 7),
      ),
    ).toBe(isTime ? "milliseconds" : null);
    expect(
      stampFormOf(
        name,
        seconds.map((value) => value + 0.5),
      ),
    ).toBe(null);
    expect(
      stampFormOf(
        name,
        seconds.map((value) => value / 100),
      ),
    ).toBe(null);
  });

  it("needs ten different values, of several months", () => {
    expect(stampFormOf("time", values(...Array(40).fill(1_413_158_400)))).toBe(null);
    const march = Array.from({ length: 31 }, (_, i) => 20150301 + i);
    expect(stampFormOf("day", values(...march))).toBe(null);
    expect(stampFormOf("day", values(...march, Number.NaN, 20150401))).toBe("yyyymmdd");
  });
});

describe("a column of months as whole numbers", () => {
  it("is one where all are months, of several years", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 12 * 1900, max: 12 * 2090 }),
        fc.constantFrom(1, 3),
        (first, step) => {
          const times = Array.from({ length: 14 }, (_, i) =>
            Date.UTC(1970, first + i * step - 12 * 1970),
          );
          const written = Float64Array.from(times, (time) => stampOf(time, "yyyymm"));
          expect(stampFormOf("period", written)).toBe("yyyymm");
          expect([...written].map(stampTime)).toEqual(times);
        },
      ),
    );
  });

  it("is not one where its numbers follow on each other, or are weeks", () => {
    for (const first of [201501, 201512, 190001]) {
      const ids = Float64Array.from({ length: 14 }, (_, i) => first + i);
      expect(stampFormOf("month", ids)).toBe(null);
      expect(stampFormOf("month", ids.subarray(0, 10))).toBe(null);
    }
  });
});

describe("a column of years in decimals", () => {
  const months = fc.record({
    first: fc.integer({ min: 12 * 1500, max: 12 * 2100 }),
    step: fc.constantFrom(1, 2, 3, 4, 6),
    count: fc.integer({ min: 10, max: 80 }),
    form: fc.constantFrom(...YEAR_FORMS),
  });
  const writtenOf = ({
    first,
    step,
    count,
    form,
  }: {
    first: number;
    step: number;
    count: number;
    form: StampForm;
  }): Float64Array =>
    Float64Array.from({ length: count }, (_, i) =>
      stampOf(Date.UTC(1970, first + i * step - 12 * 1970), form),
    );

  it("is one of the first days of its months, in the digits that it has", () => {
    fc.assert(
      fc.property(months, (given) => {
        const written = writtenOf(given);
        const form = stampFormOf("time", written) ?? "none";
        // Of quarters two digits are all that there are.
        expect(form === given.form || given.step % 3 === 0).toBe(true);
        expect(form).toMatch(/^years/);
        expect(STAMP_FORMS.filter((each) => each === form)).toHaveLength(1);
        for (const [i, value] of written.entries()) {
          expect(stampTime(value)).toBe(Date.UTC(1970, given.first + i * given.step - 12 * 1970));
        }
      }),
    );
  });

  it("is one of numbers where any of them is no twelfth", () => {
    const other = fc.constantFrom(1949.1, 1949.085, 1949.04, 2300, -1, 0.25, 19490101);
    fc.assert(
      fc.property(months, other, fc.nat(), (given, odd, at) => {
        const written = [...writtenOf(given)];
        const cells = written.toSpliced(at % written.length, 0, odd);
        expect(stampFormOf("time", Float64Array.from(cells))).toBe(null);
      }),
    );
  });

  it.each<[string, number[], StampForm | null]>([
    ["time", [1949, 1949.08, 1949.17], "years2"],
    ["value", [1949, 1949.08, 1949.17], "years2"],
    ["year", [1949, 1949.25, 1949.5], "years2"],
    ["Quarter", [1949, 1949.25, 1949.5], "years2"],
    ["price", [1949, 1949.25, 1949.5], null],
    ["response_time", [1949, 1949.25, 1949.5], null],
    ["year", [1949, 1950, 1951], null],
    ["time", [1949, 1949.083, 1949.167], "years3"],
    ["time", [1949, 1949.0833, 1949.1667], "years4"],
    ["time", [1949, 1949.0833333333333, 1949.1666666666667], "years"],
  ])("named %s, %j and so on, is %s", (name, first, form) => {
    const step = 12 * (first[1] - first[0]) > 1.5 ? Math.round(12 * (first[1] - first[0])) : 1;
    const digits = (String(first[1]).split(".")[1] ?? "").length;
    const values = Float64Array.from({ length: 24 }, (_, i) =>
      Number((1949 + (i * step) / 12).toFixed(digits)),
    );
    expect([...values.subarray(0, 3)]).toEqual(first);
    expect(stampFormOf(name, values)).toBe(form);
    expect(stampFormOf(name, values.subarray(0, 9))).toBe(null);
  });
});

const FORMATS: readonly TableFormat[] = ["csv", "ndjson", "parquet", "arrow"];
const days = Array.from({ length: 24 }, (_, i) => 20140115 + 100 * Math.floor(i / 2) + (i % 2));
const columns: Readonly<Record<string, readonly (number | null)[]>> = {
  day: days,
  seen_at: days.map((day, i) => (i === 3 ? null : stampTime(day) / 1000 + i)),
  epoch: days.map((day, i) => stampTime(day) + i),
  id: days.map((_, i) => 1_413_158_400 + i),
};

async function read(
  format: TableFormat,
  kinds: Record<string, ColumnKind> = {},
  stored = false,
): Promise<TableReading> {
  const names = Object.keys(columns);
  const rows = days.map((_, row) => names.map((name) => columns[name][row]));
  const vectors = Object.fromEntries(
    names.map((name) => [
      name,
      vectorFromArray(
        columns[name].map((value) => (value === null ? null : BigInt(value))),
        new Int64(),
      ),
    ]),
  );
  const stream = tableToIPC(new ArrowTable(vectors), "stream");
  const content = {
    csv: () => [names, ...rows].map((row) => row.join(",")).join("\n"),
    ndjson: () =>
      rows
        .map((row) => JSON.stringify(Object.fromEntries(names.map((n, i) => [n, row[i]]))))
        .join("\n"),
    arrow: () => stream,
    parquet: () => writeParquet(ParquetTable.fromIPCStream(stream)),
  }[format]();
  const path = join(folder, `file-${files++}`);
  writeFileSync(path, content);
  if (!stored) return readTableFromFile(path, { format, kinds });
  const writer = new StoredTableWriter(`${path}.stored`);
  const { warnings } = await readTableFromFile(path, {
    format,
    kinds,
    onColumn: (built, count) => writer.add(built, count),
  });
  writer.finish([]);
  writer.close();
  return { table: openStoredTable(`${path}.stored`).table, warnings };
}

const cells = (column: Column | undefined): (string | null)[] =>
  days.map((_, row) => (column ? cellText(column, row) : null));
const numbersOf = (column: Column | undefined): number[] =>
  column?.kind === "numeric" || column?.kind === "timestamp" ? [...column.values] : [];

describe.each(FORMATS)("%s", (format) => {
  it.each([false, true])("has times of numbers, with a warning; stored: %s", async (stored) => {
    const { table, warnings } = await read(format, {}, stored);
    expect(table.columns.map(({ kind }) => kind)).toEqual([
      ...["timestamp", "timestamp", "timestamp", "numeric"],
    ]);
    const [day, seen, epoch] = table.columns;
    expect(numbersOf(day)).toEqual(days.map(stampTime));
    expect(numbersOf(seen)).toEqual(
      columns.seen_at.map((value) => (value === null ? Number.NaN : value * 1000)),
    );
    expect(numbersOf(epoch)).toEqual(columns.epoch);
    expect(warnings.map(({ column, of }) => `${column} ${of}`)).toEqual([
      ...["day inference", "seen_at inference", "epoch inference"],
    ]);
    expect(warnings[0].message).toContain("20140115; they are read as times, 2014-01-15");
    for (const [name, written] of Object.entries(columns)) {
      const column = table.columns.find((each) => each.name === name);
      expect(cells(column)).toEqual(written.map((value) => value && String(value)));
      const back = column && coerceColumn(column, "numeric");
      expect(numbersOf(back)).toEqual(written.map((value) => value ?? Number.NaN));
    }
  });

  it("has what the kinds say that are declared", async () => {
    const kinds: Record<string, ColumnKind> = {
      ...{ day: "numeric", seen_at: "categorical", epoch: "text", id: "timestamp" },
    };
    const { table, warnings } = await read(format, kinds);
    expect(table.columns.map(({ kind }) => kind)).toEqual(Object.values(kinds));
    expect(warnings).toEqual([]);
    const [day, seen, epoch, id] = table.columns;
    expect(numbersOf(day)).toEqual(days);
    expect(cells(seen)).toEqual(columns.seen_at.map((value) => value && String(value)));
    expect(cells(epoch)).toEqual(columns.epoch.map(String));
    expect(numbersOf(id)).toEqual(columns.id.map((value) => 1000 * (value ?? Number.NaN)));
  });
});

it("dates of digits alone are times where they are texts, too", async () => {
  const path = join(folder, "texts");
  const lines = days.map((day) => JSON.stringify({ day: String(day), basic: `${day}T000000` }));
  writeFileSync(path, lines.join("\n"));
  const { table } = await readTableFromFile(path, { format: "ndjson" });
  expect(table.columns.map(numbersOf)).toEqual([days.map(stampTime), days.map(stampTime)]);
  const declared = await readTableFromFile(path, { format: "ndjson", kinds: { day: "text" } });
  expect(cells(declared.table.columns[0])).toEqual(days.map(String));
  expect(declared.warnings).toEqual([]);
});

it("requests and filters give times in the same form", async () => {
  const { table } = await read("csv");
  const schema = fitFeatureSchema(table);
  const rows = tableFromRecords(
    [
      { day: 20140115, epoch: String(columns.epoch[0]) },
      { day: "20140115", epoch: null },
    ],
    schema,
  );
  expect(rows.table.columns.map(numbersOf)).toEqual([
    [Date.UTC(2014, 0, 15), Date.UTC(2014, 0, 15)],
    [columns.epoch[0], Number.NaN],
  ]);
  expect(() => tableFromRecords([{ day: 20141301 }], schema)).toThrow(DataError);
  for (const operand of [20140301, "20140301", "2014-03-01"]) {
    const kept = selectRows(table, ComparisonNode.create("day", "lt", operand));
    expect([...(kept ?? [])]).toEqual([0, 1, 2, 3]);
  }
});
