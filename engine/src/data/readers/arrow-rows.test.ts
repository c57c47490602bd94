/** Rows that are read range by range are those that are read whole. */

import { readFileSync } from "node:fs";
import {
  Table as ArrowTable,
  Bool,
  type DataType,
  Decimal,
  Dictionary,
  Float32,
  Float64,
  Int8,
  Int32,
  Int64,
  TimestampMillisecond,
  tableToIPC,
  Utf8,
  vectorFromArray,
} from "apache-arrow";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cellText } from "../coerce.ts";
import type { ColumnKind, Table } from "../table.ts";
import { readArrow } from "./arrow.ts";
import { arrowRanges, readArrowRange } from "./arrow-rows.ts";
import { READ_LIMITS } from "./read-limits.ts";

const limits = READ_LIMITS;

type Kinds = Readonly<Record<string, ColumnKind>>;

/** Of columns that each row has a value for, by its number. */
const TYPES: readonly (readonly [ColumnKind, DataType, (row: number) => unknown])[] = [
  ["numeric", new Float64(), (row) => Math.sin(row) / 3],
  ["numeric", new Float32(), (row) => Math.fround(Math.cos(row))],
  ["numeric", new Int8(), (row) => (row % 200) - 100],
  ["numeric", new Int32(), (row) => row * 7919],
  ["numeric", new Int64(), (row) => 2n ** 53n + BigInt(row)],
  ["numeric", new Decimal(2, 20, 128), (row) => Uint32Array.of(row * 31, 0, 0, 0)],
  ["boolean", new Bool(), (row) => row % 3 === 0],
  ["timestamp", new TimestampMillisecond(), (row) => 1.6e12 + row * 86_400_000],
  ["categorical", new Utf8(), (row) => `word ${row % 13}`],
  ["text", new Utf8(), (row) => `ünique ${row}`],
  ["categorical", new Bool(), (row) => row % 2 === 0],
];

const columns = fc
  .array(
    fc.record({
      type: fc.constantFrom(...TYPES),
      /** One row in so many has no value; 0 = all have one. */
      missing: fc.constantFrom(0, 2, 7),
      isWanted: fc.boolean(),
    }),
    { minLength: 1, maxLength: 5 },
  )
  .filter((all) => all.some(({ isWanted }) => isWanted));

const cells = (table: Table): Record<string, (string | null)[]> =>
  Object.fromEntries(
    table.columns.map((column) => [
      column.name,
      Array.from({ length: table.rows }, (_, row) => cellText(column, row)),
    ]),
  );

function shared(bytes: Uint8Array): Uint8Array {
  const copy = new Uint8Array(new SharedArrayBuffer(bytes.length));
  copy.set(bytes);
  return copy;
}

/** @returns how many ranges there were; 0 = it is to be read whole */
async function expectSame(bytes: Uint8Array, size: number, kinds: Kinds): Promise<number> {
  const ranges = arrowRanges(bytes, size, { kinds, limits });
  if (ranges === null) return 0;
  const { table: whole } = await readArrow([bytes], { kinds });
  const wanted = whole.columns.filter(({ name }) => Object.hasOwn(kinds, name));
  const parts = ranges.map((range) => readArrowRange(bytes, range, { kinds, limits }));
  expect(parts.map(({ rows }) => rows)).toEqual(ranges.map(({ rows }) => rows));
  const found = Object.fromEntries(wanted.map(({ name }) => [name, [] as (string | null)[]]));
  for (const part of parts) {
    expect(part.columns.map(({ name, kind }) => [name, kind])).toEqual(
      wanted.map(({ name, kind }) => [name, kind]),
    );
    const others = whole.columns.filter((column) => !wanted.includes(column));
    expect(part.unread).toEqual(others.map(({ name }) => name));
    for (const [name, texts] of Object.entries(cells(part))) found[name]?.push(...texts);
  }
  expect(found).toEqual(cells({ rows: whole.rows, columns: wanted }));
  return ranges.length;
}

describe("ranges of Arrow rows", () => {
  it("have the cells of the whole, however it is cut and wherever it lies", async () => {
    let cut = 0;
    await fc.assert(
      fc.asyncProperty(
        columns,
        fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1, maxLength: 4 }),
        fc.integer({ min: 1, max: 300 }),
        fc.constantFrom("stream" as const, "file" as const),
        fc.boolean(),
        async (of, sizes, size, format, isShared) => {
          const rows = sizes.reduce((sum, each) => sum + each, 0);
          const kinds: Record<string, ColumnKind> = {};
          const vectors = of.map(({ type: [kind, type, value], missing, isWanted }, at) => {
            const name = `c${at}`;
            if (isWanted) kinds[name] = kind;
            const values = Array.from({ length: rows }, (_, row) =>
              missing > 0 && row % missing === 1 ? null : value(row),
            );
            const isCoded = type instanceof Utf8 && at % 2 === 1;
            const own = isCoded ? new Dictionary(type, new Int32()) : type;
            return [name, vectorFromArray(values, own)] as const;
          });
          const all = new ArrowTable(Object.fromEntries(vectors));
          let from = 0;
          const batches = sizes.flatMap((each) => {
            from += each;
            return all.slice(from - each, from).batches;
          });
          const bytes = tableToIPC(new ArrowTable(batches), format);
          const ranges = await expectSame(isShared ? shared(bytes) : bytes, size, kinds);
          expect(ranges).toBeGreaterThan(0);
          if (ranges > 1) cut++;
        },
      ),
      { numRuns: 80 },
    );
    expect(cut).toBeGreaterThan(20);
  });

  it.each([
    "types.arrow",
    "types.arrows",
    "delta.arrows",
    "views.arrows",
    "frame.feather",
    "types-zstd.feather",
  ])("of pyarrow's %s are read alike, or it is read whole", async (name) => {
    const bytes = readFileSync(new URL(`fixtures/${name}`, import.meta.url));
    const { table } = await readArrow([bytes], {}).catch(() => ({ table: null }));
    const kinds = Object.fromEntries((table?.columns ?? []).map(({ name, kind }) => [name, kind]));
    const ranges = await expectSame(bytes, 1, kinds);
    const isPacked = name.endsWith("feather");
    if (isPacked || table === null) expect(ranges).toBe(0);
  });

  it("are none of what is read as another kind than it is, cut short or beyond the limits", () => {
    const texts = vectorFromArray(["1/2/2020", "13/2/2020"], new Utf8());
    const bytes = tableToIPC(new ArrowTable({ day: texts }), "stream");
    const of = (kind: ColumnKind, own = limits) =>
      arrowRanges(bytes, 1, { kinds: { day: kind }, limits: own });
    expect(of("text")).not.toBeNull();
    expect(of("timestamp")).toBeNull();
    expect(of("numeric")).toBeNull();
    expect(of("text", { ...limits, tableBytes: 1 })).toBeNull();
    const kinds = { day: "text" } as const;
    expect(arrowRanges(bytes.subarray(0, bytes.length - 40), 1, { kinds, limits })).toBeNull();
    expect(arrowRanges(new Uint8Array(3), 1, { kinds, limits })).toBeNull();
  });
});
