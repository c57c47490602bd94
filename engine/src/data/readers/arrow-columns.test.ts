/** Arrow that is read a few columns at a time is the Arrow that is read batch by batch. */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  Table as ArrowTable,
  TimeMillisecond,
  TimeSecond,
  tableFromArrays,
  tableToIPC,
  vectorFromArray,
} from "apache-arrow";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DataError } from "../table.ts";
import { readArrow, readArrowColumns } from "./arrow.ts";
import { DataLimitError, READ_LIMITS } from "./read-limits.ts";
import type { BuiltColumn, DataWarning, ReadOptions } from "./reading.ts";

let folder: string;
let files = 0;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "arrow-columns-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

function tableOf(rows: number): ArrowTable {
  const of = <T>(cell: (i: number) => T): T[] => Array.from({ length: rows }, (_, i) => cell(i));
  return tableFromArrays({
    single: Float32Array.from(of((i) => Math.sin(i))),
    double: Float64Array.from(of((i) => (i % 7 ? Math.cos(i) : Number.NaN))),
    small: Int8Array.from(of((i) => i % 100)),
    big: BigInt64Array.from(of((i) => 9007199254740993n + BigInt(i))),
    word: of((i) => (i % 5 ? `word ${i % 11}` : null)),
    flag: of((i) => i % 3 === 0),
    when: of((i) => new Date(1e12 + i * 1e7)),
  });
}

function sent(format: "file" | "stream", sizes: readonly number[]): Uint8Array {
  const all = tableOf(sizes.reduce((sum, size) => sum + size));
  let rows = 0;
  const batches = sizes.flatMap((size) => {
    rows += size;
    return all.slice(rows - size, rows).batches;
  });
  return tableToIPC(new ArrowTable(batches), format);
}

it("tells the unit of times of day where their kind is not declared", async () => {
  const s = vectorFromArray([0, 3600], new TimeSecond());
  const ms = vectorFromArray([0, 3_600_000], new TimeMillisecond());
  const bytes = tableToIPC(new ArrowTable({ s, ms }), "file");
  const { table, warnings } = await readArrow([bytes]);
  expect(table.columns).toMatchObject([
    { name: "s", kind: "numeric", values: new Float64Array([0, 3600]) },
    { name: "ms", kind: "numeric", values: new Float64Array([0, 3_600_000]) },
  ]);
  expect(warnings).toMatchObject([
    { column: "s", message: expect.stringMatching(/ numbers: seconds since midnight/) },
    { column: "ms", message: expect.stringMatching(/ numbers: milliseconds since midnight/) },
  ]);
  const kinds = { s: "numeric", ms: "numeric" } as const;
  expect((await readArrow([bytes], { kinds })).warnings).toEqual([]);
});

interface Outcome {
  readonly fault?: string;
  readonly columns?: readonly BuiltColumn[];
  readonly rows?: number;
  readonly warnings?: readonly DataWarning[];
}

async function outcomeOf(
  read: (take: NonNullable<ReadOptions["onColumn"]>) => Promise<{
    readonly table: { readonly rows: number };
    readonly warnings: readonly DataWarning[];
  }>,
): Promise<Outcome> {
  const columns: BuiltColumn[] = [];
  try {
    const { table, warnings } = await read((built) => columns.push(built));
    return { columns, rows: table.rows, warnings };
  } catch (error) {
    if (error instanceof DataError) return { fault: error.message };
    throw error;
  }
}

async function expectSame(bytes: Uint8Array, passBytes: number): Promise<Outcome> {
  const path = join(folder, `file-${files++}`);
  writeFileSync(path, bytes);
  const byBatches = await outcomeOf((onColumn) => readArrow([bytes], { onColumn }));
  const byColumns = await outcomeOf(async (take) => readArrowColumns(path, take, {}, passBytes));
  expect(byColumns).toEqual(byBatches);
  return byColumns;
}

const sizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 4 });
const formats = fc.constantFrom("file" as const, "stream" as const);

describe("columns of an Arrow file", () => {
  it("are those of its batches, however many are read together", async () => {
    await fc.assert(
      fc.asyncProperty(sizes, formats, fc.nat({ max: 3000 }), async (rows, format, passBytes) => {
        const { columns } = await expectSame(sent(format, rows), passBytes);
        expect(columns?.length).toBe(7);
      }),
      { numRuns: 60 },
    );
  });

  it("are refused alike where it is cut short, and a missing end mark is told", async () => {
    await fc.assert(
      fc.asyncProperty(
        sizes,
        formats,
        fc.double({ min: 0, max: 1, noNaN: true }),
        async (...of) => {
          const [rows, format, share] = of;
          const bytes = sent(format, rows);
          await expectSame(bytes.slice(0, Math.floor(share * bytes.length)), 0);
        },
      ),
      { numRuns: 150 },
    );
    const marked = sent("stream", [9, 9]);
    const { warnings } = await expectSame(marked.slice(0, -8), 0);
    expect(warnings?.at(-1)?.message).toMatch(/ends without its end mark.* row 18/);
  });

  it("keep to the limits of a table", async () => {
    const path = join(folder, "limited");
    writeFileSync(path, sent("file", [100, 100]));
    const limits = { ...READ_LIMITS, tableBytes: 5000 };
    const read = (): unknown => readArrowColumns(path, () => {}, { limits }, 0);
    expect(read).toThrow(DataLimitError);
    expect(read).toThrow(/The table takes more than 5000 bytes/);
  });
});
