import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { StoredTableWriter } from "../data/stored/table-writer.ts";
import type { Column } from "../data/table.ts";
import { storedRows } from "./stored-rows.ts";

const folder = mkdtempSync(join(tmpdir(), "distillery-rows-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let files = 0;

/** Small groups, so that what is asked for lies in several. */
function stored(columns: readonly Column[], rows: number, groupRows = 8): string {
  const path = join(folder, String(files++));
  const writer = new StoredTableWriter(path, groupRows);
  for (const column of columns) writer.add({ column }, rows);
  writer.finish([]);
  return path;
}

/** Rows that nothing is asked of. */
const EMPTY = 7;
const padded = (...values: readonly number[]): Float64Array =>
  Float64Array.from({ length: EMPTY + values.length }, (_, at) => values[at - EMPTY] ?? 0);

describe("storedRows", () => {
  // Rows 7, 8 and 9, in two groups, hold what is looked at.
  const path = stored(
    [
      { kind: "numeric", name: "n", values: padded(Number.NaN, -Infinity, 4) },
      { kind: "boolean", name: "b", values: Uint8Array.from(padded(1, 255, 0)) },
      {
        kind: "categorical",
        name: "c",
        codes: Int32Array.from(padded(1, -1, 0)),
        categories: ["x", "y"],
      },
      { kind: "text", name: "t", values: [...Array(EMPTY).fill("é"), null, "", "d"] },
      { kind: "timestamp", name: "d", values: padded(86_400_000, Number.NaN, 3_600_000) },
    ],
    EMPTY + 3,
  );

  it("gives the cells of some rows as they are shown", () => {
    expect(storedRows({ path, offset: EMPTY, limit: 3 })).toEqual({
      columns: ["n", "b", "c", "t", "d"],
      rows: [
        [null, true, "y", null, "1970-01-02"],
        ["-Infinity", null, null, "", null],
        [4, false, "x", "d", "1970-01-01T01:00:00Z"],
      ],
    });
  });

  it("ends where the table ends", () => {
    expect(storedRows({ path, offset: 9, limit: 10 }).rows).toHaveLength(1);
    expect(storedRows({ path, offset: 10, limit: 10 }).rows).toEqual([]);
    expect(storedRows({ path, offset: 0, limit: 100 }).rows).toHaveLength(10);
  });

  it("gives fewer rows of long texts, and one at least", () => {
    const values = [1, 2, 3].map((at) => String(at).repeat(5_000_000));
    const long = stored([{ kind: "text", name: "t", values }], 3);
    const lengths = (offset: number) =>
      storedRows({ path: long, offset, limit: 3 }).rows.map(([cell]) => String(cell).length);
    expect(lengths(0)).toEqual([5_000_000]);
    expect(lengths(2)).toEqual([5_000_000]);
  });

  it("gives fewer rows of wide tables", () => {
    const columns = Array.from({ length: 2_000 }, (_, at) => ({
      ...{ kind: "numeric" as const, name: `c${at}` },
      values: Float64Array.from({ length: 150 }, (_, row) => row),
    }));
    const { rows } = storedRows({ path: stored(columns, 150, 256), offset: 3, limit: 150 });
    expect(rows).toHaveLength(100);
    expect(rows[0]?.[1999]).toBe(3);
  });
});
