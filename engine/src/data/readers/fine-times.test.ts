/** Times finer than a double's milliseconds keep: each format says so, with the first row. */

import {
  Field,
  makeData,
  makeVector,
  RecordBatchStreamWriter,
  Schema,
  Table,
  TimestampNanosecond,
} from "apache-arrow";
import { expect, it } from "vitest";
import { readTable } from "./read-table.ts";
import type { TableFormat } from "./reading.ts";

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
const TIMES = [
  "2024-01-01T00:00:00.123456",
  "2024-01-01T00:00:00.1234560",
  "2024-01-01T00:00:00.123456789",
];

function arrowOf(nanoseconds: readonly bigint[]): Uint8Array {
  const type = new TimestampNanosecond();
  const table = new Table(new Schema([new Field("at", type, true)]), {
    at: makeVector(makeData({ type, data: BigInt64Array.from(nanoseconds) })),
  });
  return RecordBatchStreamWriter.writeAll(table).toUint8Array(true);
}

const START = 1_704_067_200_000_000_000n;

it.each<[string, TableFormat, Uint8Array, Uint8Array, string]>([
  [
    "CSV",
    "csv",
    encode(`at\n${TIMES.join("\n")}\n`),
    encode(`at\n${TIMES.slice(0, 2).join("\n")}\n`),
    "Declare its kind",
  ],
  [
    "NDJSON",
    "ndjson",
    encode(TIMES.map((at) => JSON.stringify({ at })).join("\n")),
    encode(
      TIMES.slice(0, 2)
        .map((at) => JSON.stringify({ at }))
        .join("\n"),
    ),
    "Declare its kind",
  ],
  [
    "Arrow",
    "arrow",
    arrowOf([START + 123_456_000n, START, START + 123_456_789n]),
    arrowOf([START + 123_456_000n, START]),
    "Send them as texts",
  ],
])("%s", async (_, format, fine, coarse, hint) => {
  const { table, warnings } = await readTable([fine], { format });
  expect(table.columns[0]?.kind).toBe("timestamp");
  expect(warnings).toEqual([
    {
      message: expect.stringMatching(
        new RegExp(`^Column "at" has times finer than a microsecond, first in row 3; .* ${hint}`),
      ),
      column: "at",
      row: 3,
    },
  ]);
  expect((await readTable([coarse], { format })).warnings).toEqual([]);
});
