import { expect, it } from "vitest";
import { isDiskFull } from "../../../../platform/files/disk-full.ts";
import { SqlError } from "../../query.ts";
import { failedAnswer } from "./failure.ts";

const told = (message: string, jsonLine: number | null = null): string =>
  failedAnswer(
    new Error(JSON.stringify({ exception_type: "Invalid Input", exception_message: message })),
    {
      sql: "SELECT 1",
      prefixBytes: 0,
      hidden: ["/home/sessions/7"],
      tables: [],
      jsonLine,
    },
  ).message;

it("shows a file's own name, and neither where it is staged nor settings of DuckDB", () => {
  expect(
    told(
      'Failed to read file "/home/sessions/7/table-0/listing-9VBgJE/0/a.parquet": Snappy decompression failure',
    ),
  ).toBe('Failed to read file "a.parquet": Snappy decompression failure');
  expect(
    told(
      "JSON transform error in file \"/home/sessions/7/table-12/listing-x/3/year=v2024/a b.ndjson\", in line 1: Object has duplicate key. Try setting 'auto_detect' to true, specifying 'format' manually",
    ),
  ).toBe('JSON transform error in file "a b.ndjson", in line 1: Object has duplicate key.');
  expect(told("Could not convert string 'table-1/x' to INT32")).toContain("to INT32");
});

it("tells the line of a JSON file, and the record where that is not known", () => {
  const malformed = (unit: string): string =>
    `Malformed JSON in file "/home/sessions/7/table-0/a.json", at byte 6 in ${unit} 3: unexpected character. `;
  const said = "is not valid JSON: unexpected character";
  expect(told(malformed("line"), 7)).toBe(`a.json: line 7 ${said}`);
  expect(told(malformed("record/value"), 7)).toBe(`a.json: line 7 ${said}`);
  expect(told(malformed("line"))).toBe(`a.json: record 2 ${said}`);
  expect(told('JSON transform error in file "a.json", in line 1: Object has it', 3)).toContain(
    "in line 3: Object",
  );
});

it("repeats no name of any length, and keeps what is said of it", () => {
  const long = told(`Table with name ${"🙂".repeat(450_000)} does not exist!`);
  expect(long.length).toBeLessThan(2100);
  expect(long.isWellFormed()).toBe(true);
  expect(long).toMatch(/^Table with name 🙂.* … .*🙂 does not exist!$/u);
});

it("knows a full disk from a fault of the statement", () => {
  const full = 'Could not write file "/home/sessions/7/result.parquet": No space left on device';
  const context = { sql: "SELECT 1", prefixBytes: 0, hidden: [], tables: [], jsonLine: null };
  for (const thrown of [
    new Error(JSON.stringify({ exception_type: "IO", exception_message: full })),
    Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" }),
  ]) {
    const failed = failedAnswer(thrown, context);
    expect(failed).toMatchObject({ failure: "disk-full", retire: true });
    expect(failed.message).toMatch(/disk of the service is full/);
    expect(isDiskFull(new SqlError(failed.failure, failed.message))).toBe(true);
  }
});
