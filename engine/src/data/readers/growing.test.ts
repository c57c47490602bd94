/** Cells come back as they went in, whichever of them were spooled. */

import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CellSpool } from "./cell-spool.ts";
import { Growing } from "./growing.ts";

let folder: string;
let files = 0;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "growing-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

const cell = fc.oneof(fc.double(), fc.constantFrom(Number.NaN, -0, Number.POSITIVE_INFINITY));
const step = fc.record({
  column: fc.nat({ max: 2 }),
  kind: fc.constantFrom("push", "fill", "append", "finish"),
  value: cell,
  count: fc.nat({ max: 900 }),
});

describe("growing columns", () => {
  it("give back what was put into them, in their order", () => {
    fc.assert(
      fc.property(
        fc.array(step, { maxLength: 40 }),
        fc.option(fc.nat({ max: 20_000 })),
        (steps, mostHeld) => {
          const path = join(folder, `cells-${files++}`);
          const spool = mostHeld === null ? null : new CellSpool(path, mostHeld);
          const columns = [0, 1, 2].map(() => Growing.float64(spool));
          const expected: number[][] = [[], [], []];
          try {
            for (const { column, kind, value, count } of steps) {
              const [growing, cells] = [columns[column], expected[column]];
              if (growing === undefined || cells === undefined) continue;
              if (kind === "push") {
                growing.push(value);
                cells.push(value);
              } else if (kind === "fill") {
                growing.fill(value, count);
                for (let i = 0; i < count; i++) cells.push(value);
              } else if (kind === "append") {
                const values = Float64Array.from({ length: count }, (_, i) => value + i);
                growing.append(values);
                cells.push(...values);
              } else {
                expect([...growing.finish()]).toEqual(cells);
                cells.length = 0;
              }
              expect(growing.length).toBe(cells.length);
            }
            for (const [at, growing] of columns.entries()) {
              expect([...growing.finish()]).toEqual(expected[at]);
            }
          } finally {
            spool?.close();
          }
          expect(existsSync(path)).toBe(false);
        },
      ),
      { numRuns: 150 },
    );
  });

  it("hold no more than they may, but for a block each", () => {
    const path = join(folder, "bounded");
    const mostHeld = 64 * 1024;
    const spool = new CellSpool(path, mostHeld);
    const made: number[] = [];
    const columns = Array.from(
      { length: 4 },
      () =>
        new Growing((length) => {
          made.push(8 * length);
          return new Float64Array(length);
        }, spool),
    );
    try {
      for (let i = 0; i < 200_000; i++) for (const column of columns) column.push(i);
      const bytes = made.reduce((sum, each) => sum + each, 0);
      expect(bytes).toBeLessThan(3 * mostHeld);
      expect(existsSync(path)).toBe(true);
      expect(columns[3]?.finish().at(-1)).toBe(199_999);
    } finally {
      spool.close();
    }
  });
});
