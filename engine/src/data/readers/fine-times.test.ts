/** Times finer than a double's milliseconds keep: each format says so, with the first row. */

import {
  Field,
  makeData,
  makeVector,
  RecordBatchStreamWriter,
  Schema,
  Table,
  type Timestamp,
  TimestampMicrosecond,
  TimestampNanosecond,
} from "apache-arrow";
import fc from "fast-check";
import { expect, it } from "vitest";
import { isFar } from "./fine-times.ts";
import { readTable } from "./read-table.ts";
import type { TableFormat } from "./reading.ts";
import { formatTimestamp } from "./timestamp-text.ts";

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
const TIMES = [
  "2024-01-01T00:00:00.123456",
  "2024-01-01T00:00:00.1234560",
  "2024-01-01T00:00:00.123456789",
];

function arrowOf(
  units: readonly bigint[],
  type: Timestamp = new TimestampNanosecond(),
): Uint8Array {
  const table = new Table(new Schema([new Field("at", type, true)]), {
    at: makeVector(makeData({ type, data: BigInt64Array.from(units) })),
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

const FAR = [
  "3000-01-01T00:00:00.123000",
  "2247-12-31T23:59:59.999999",
  "1600-01-01T00:00:00.000001",
];
const FAR_MICROSECONDS = FAR.map(
  (text) => BigInt(Date.parse(`${text.slice(0, 23)}Z`)) * 1000n + BigInt(text.slice(23)),
);

it.each<[string, TableFormat, Uint8Array]>([
  ["CSV", "csv", encode(`at\n${FAR.join("\n")}\n`)],
  [
    "CSV by slashes",
    "csv",
    encode(`at\n${FAR.map((text) => text.replaceAll("-", "/")).join("\n")}\n`),
  ],
  ["NDJSON", "ndjson", encode(FAR.map((at) => JSON.stringify({ at })).join("\n"))],
  ["Arrow", "arrow", arrowOf(FAR_MICROSECONDS, new TimestampMicrosecond())],
])("%s tells microseconds so far from 1970 that doubles round them", async (_, format, bytes) => {
  const { table, warnings } = await readTable([bytes], { format });
  expect(table.columns[0]?.kind).toBe("timestamp");
  expect(warnings).toEqual([
    {
      message: expect.stringMatching(
        /with microseconds before 1692 or after 2247, first in row 3;/,
      ),
      column: "at",
      row: 3,
    },
  ]);
});

it("keeps each microsecond of those that it does not tell of", () => {
  fc.assert(
    fc.property(
      fc.bigInt({ min: -8_770_000_000_000_000n, max: 8_770_000_000_000_000n }),
      (micros) => {
        const time = Number(micros) / 1000;
        expect(isFar(time)).toBe(false);
        expect(BigInt(Math.round(time * 1000))).toBe(micros);
        const digits = /\.(\d{6})Z$/.exec(formatTimestamp(time));
        if (micros % 1000n !== 0n) {
          expect(BigInt(digits?.[1] ?? -1)).toBe(((micros % 1_000_000n) + 1_000_000n) % 1_000_000n);
        } else expect(digits).toBeNull();
      },
    ),
  );
});
