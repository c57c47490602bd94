import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, it, vi } from "vitest";
import { createPool } from "../worker/pool.ts";
import { runConfigSchema } from "./config/config.ts";
import { prepareRun } from "./plan/prepare.ts";
import { readRunTable } from "./plan/run-table.ts";

const folder = mkdtempSync(join(tmpdir(), "spooled-table-"));
afterAll(() => rmSync(folder, { recursive: true }));

const config = runConfigSchema.parse({
  task: { taskKind: "binclass", labelColumn: "y" },
  hpoSpace: { models: [{ family: "gbdt" }] },
});

function csv(name: string, rows: number, note: (row: number) => string): string {
  const path = join(folder, name);
  const lines = Array.from({ length: rows }, (_, row) => {
    const day = `2024-03-${String(1 + (row % 28)).padStart(2, "0")}`;
    return `${row / 4},${day},${row % 3 ? "a" : ""},0${row % 2},${note(row)}`;
  });
  writeFileSync(path, `x,day,kind,y,note\n${lines.join("\n")}\n`);
  return path;
}

describe("a table that is read from a file of its own", () => {
  it("is the one that is held, warnings and all", async () => {
    const file = {
      path: csv("small.csv", 60, (row) => (row ? `${row}` : "none")),
      format: "csv",
    } as const;
    const held = await readRunTable({ file, config });
    const spool = join(folder, "small.arrow");
    const spooled = await readRunTable({ file, config, spool });
    expect(existsSync(spool)).toBe(true);
    expect(spooled.warnings).toEqual(held.warnings);
    expect(spooled.table.rows).toBe(60);
    expect(spooled.table.columns.map((column) => ({ ...column }))).toEqual(
      held.table.columns.map((column) => ({ ...column })),
    );
    expect(
      [...(spooled.table.written ?? [])].map(([name, column]) => [name, { ...column }]),
    ).toEqual([...(held.table.written ?? [])].map(([name, column]) => [name, { ...column }]));
  });

  it("is what a run is prepared from where the file is large, and is gone afterwards", async () => {
    const pool = createPool(1);
    const run = vi.spyOn(pool, "run");
    try {
      const large = csv("large.csv", 80, () => "-".repeat(430_000));
      const small = csv("same.csv", 80, () => "-");
      const columns = ["x", "day", "kind", "y"];
      const prepare = (path: string) =>
        prepareRun({ file: { path, format: "csv", columns }, config }, pool);
      const [one, other] = [await prepare(large), await prepare(small)];
      const spools = run.mock.calls.map(([, input]) => Object.entries(input ?? {}));
      const [path] = spools[0].flatMap(([name, value]) =>
        name === "spool" ? [String(value)] : [],
      );
      expect(spools[1].some(([name]) => name === "spool")).toBe(false);
      expect(existsSync(dirname(path))).toBe(false);
      expect(one.target).toEqual(other.target);
      expect(one.folds).toEqual(other.folds);
      expect(one.schema).toEqual(other.schema);
    } finally {
      await pool.close();
    }
  });
});
