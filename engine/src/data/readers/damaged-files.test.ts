/**
 * Files of every format, cut and with bytes changed at places told by a seed: each is read, or refused
 * in words for the person who sent it, none of which are of a library.
 */

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gzipSync, zstdCompressSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { DataError } from "../table.ts";
import { readTable } from "./read-table.ts";
import type { TableFormat } from "./reading.ts";

const fixture = (name: string): Uint8Array =>
  readFileSync(fileURLToPath(new URL(`./fixtures/${name}`, import.meta.url)));
const text = new TextEncoder();

const CSV = text.encode(
  `id,when,name,"a ""b"""\n${Array.from({ length: 40 }, (_, i) => `${i / 4},2024-01-${10 + (i % 20)},é${i},"x,\n${i}"`).join("\n")}\n`,
);
const NDJSON = text.encode(
  Array.from(
    { length: 40 },
    (_, i) => `{"id":${i / 4},"name":"é${i}","flag":${i % 2 === 0}}\n`,
  ).join(""),
);

const FILES: readonly (readonly [string, TableFormat, Uint8Array, number])[] = [
  ["types.parquet", "parquet", fixture("types.parquet"), 24],
  ["plain.parquet", "parquet", fixture("plain.parquet"), 24],
  ["types.arrow", "arrow", fixture("types.arrow"), 120],
  ["types.arrows", "arrow", fixture("types.arrows"), 120],
  ["types-lz4.arrows", "arrow", fixture("types-lz4.arrows"), 60],
  ["types-zstd.feather", "arrow", fixture("types-zstd.feather"), 60],
  ["frame.feather", "arrow", fixture("frame.feather"), 60],
  ["delta.arrows", "arrow", fixture("delta.arrows"), 60],
  ["views.arrows", "arrow", fixture("views.arrows"), 60],
  ["table.csv", "csv", CSV, 60],
  ["table.csv.gz", "csv", gzipSync(CSV), 60],
  ["table.csv.zst", "csv", zstdCompressSync(CSV), 60],
  ["table.ndjson", "ndjson", NDJSON, 60],
];

/** What only programs say. */
const INTERNAL =
  /error|wasm|unreachable|undefined|null\b|cannot read|offset|buffer|flatbuf|thrift|snappy:|codec|bounds|panic|external|DataView|BigInt|function|object\b|index|bytes, but|metadata|iterable|prototype|RecordBatch|Z_/i;

/** Marsaglia's xorshift of 32 bits, seeded by a name. */
function seeded(name: string): () => number {
  let state = [...name].reduce((sum, letter) => Math.imul(sum, 31) + letter.charCodeAt(0), 7) | 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}

function damaged(bytes: Uint8Array, random: () => number, at: number): Uint8Array {
  if (at % 3 === 0) return bytes.subarray(0, Math.floor(random() * bytes.length));
  const copy = Uint8Array.from(bytes);
  const count = 1 + Math.floor(random() * 4);
  for (let i = 0; i < count; i++)
    copy[Math.floor(random() * copy.length)] ^= 1 + Math.floor(random() * 255);
  return copy;
}

describe.each(FILES)("%s, damaged", (name, format, bytes, cases) => {
  it("is read, or refused in words of our own", async () => {
    const random = seeded(name);
    let refused = 0;
    for (let at = 0; at < cases; at++) {
      const given = damaged(bytes, random, at);
      const fault = await readTable([given], { format }).then(
        () => null,
        (error: unknown) => error,
      );
      if (fault === null) continue;
      refused++;
      expect(fault, `case ${at}`).toBeInstanceOf(DataError);
      // Names and values of the file itself may be anything.
      const said =
        fault instanceof DataError ? fault.message.replace(/"(?:[^"\\]|\\.)*"/g, "…") : "";
      expect(said, `case ${at}`).not.toMatch(INTERNAL);
      expect(said, `case ${at}`).toMatch(/^[A-Z].*\.$/s);
    }
    expect(refused).toBeGreaterThan(cases / 10);
  });
});

describe("a Parquet file of several columns, which are read together", () => {
  const bytes = fixture("plain.parquet");

  it.each([
    ["i64", 4],
    ["utf8", 4 + 126],
    ["ts_us", 4 + 126 + 94],
  ])("names %s where its pages are damaged", async (name, from) => {
    const copy = Uint8Array.from(bytes);
    copy.fill(0xff, from, from + 40);
    await expect(readTable([copy], { format: "parquet" })).rejects.toMatchObject({ column: name });
    const others = ["i64", "utf8", "ts_us"].filter((each) => each !== name);
    const { table } = await readTable([copy], { format: "parquet", columns: others });
    expect(table.columns.map((column) => column.name)).toEqual(others);
  });
});
