/** A run over a table's own file is, byte for byte, the run over the file that was sent. */

import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { tableFromArrays, tableToIPC } from "apache-arrow";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Arena } from "../compute/arena.ts";
import { cellText } from "../data/coerce.ts";
import { rowMajorOf } from "../data/encoded.ts";
import { readCsv } from "../data/readers/csv.ts";
import { openStoredTable } from "../data/stored/stored-table.ts";
import { type RunConfigInput, runConfigSchema } from "../trainer/config/config.ts";
import { prepareFile } from "../trainer/plan/prepare.ts";
import type { UploadedFile } from "../trainer/plan/run-table.ts";
import { inspect } from "./inspect.ts";
import { storeTable } from "./store-table.ts";

let folder: string;
let files = 0;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "store-table-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

const newPath = (): string => join(folder, `file-${files++}`);

function sent(format: UploadedFile["format"], content: string | Uint8Array): UploadedFile {
  const path = newPath();
  writeFileSync(path, content);
  return { path, format };
}

/** All that the fits of a run read, and all that its model says of the data. */
async function fingerprint(file: Parameters<typeof prepareFile>[0]["file"], input: RunConfigInput) {
  const config = runConfigSchema.parse(input);
  const run = await prepareFile({ file, config });
  const { plan, task, schema, data, target, weights, folds, profile } = run;
  const arena = Arena.attach(data.arena);
  const bytes = (at: number, length: number) =>
    createHash("sha256").update(arena.u8(at, length).slice()).digest("hex");
  const { binned, values, rows, features } = data;
  return {
    ...{ plan, task, schema, features, folds },
    target: [...target],
    weights: weights && [...weights],
    profile: new TextDecoder().decode(profile.slice()),
    bins: binned && {
      edges: binned.bins,
      columns: bytes(binned.columnMajor, binned.columnStride * features.length),
      rows: bytes(rowMajorOf(binned), binned.rowStride * rows),
    },
    values: values === null ? null : bytes(values, rows * features.length * 8),
  };
}

async function expectSameRun(file: UploadedFile, input: RunConfigInput): Promise<void> {
  const { columns } = await inspect(file);
  const kinds = Object.fromEntries(columns.map(({ name, kind }) => [name, kind]));
  const target = newPath();
  const inspection = await storeTable({ file, target, heldBytes: 0 });
  const held = newPath();
  expect(await storeTable({ file, target: held })).toEqual(inspection);
  expect(readFileSync(held).equals(readFileSync(target))).toBe(true);
  const was = await fingerprint({ ...file, kinds: { ...kinds, ...file.kinds } }, input);
  expect(await fingerprint({ path: target, format: "stored" }, input)).toEqual(was);
}

const ROWS = 240;
const row = <T>(of: (i: number) => T): T[] => Array.from({ length: ROWS }, (_, i) => of(i));
const pick = <T>(i: number, ...of: T[]): T => of[(i * 7 + (i >> 2)) % of.length] as T;

/** Every oddity that a reader has a word on, by column. */
const ODD: Readonly<Record<string, readonly string[]>> = {
  plain: row((i) => String((i * 37) % 101)),
  price: row((i) => (((i * 53) % 997) / 100).toFixed(2)),
  science: row((i) => pick(i, "1e3", "+7", "2.50", "-0", ".5", "1e-7")),
  gaps: row((i) => pick(i, "1", "NA", "", "2.5", "?")),
  huge: row((i) => String(9007199254740993n + BigInt(i))),
  exact: row((i) => String(2 ** 53 * 2 + 4 * i)),
  zip: row((i) => `0${1000 + i}`),
  wide: row((i) => pick(i, "inf", "-Infinity", "3", "4", "-999", "5")),
  flag: row((i) => pick(i, "TRUE", "False", "true")),
  word: row((i) => pick(i, "red", "Green", " blue", "é😀", "NA", "none")),
  day: row((i) => `2020-0${1 + (i % 9)}-1${i % 10}`),
  stamp: row((i) => `2020-01-01T10:0${i % 10}:00.123456Z`),
  slashed: row((i) => `${1 + (i % 12)}/${1 + (i % 9)}/2011`),
  late: row((i) => (i < 200 ? `${i}.50` : "unknown")),
  lateTime: row((i) => (i < 200 ? `2020-01-01 0${i % 10}:00` : "later")),
  money: row((i) => `$${i},00`),
  prose: row(
    (i) => `the ${pick(i, "quick", "slow", "old")} fox no ${i} ran ${"far ".repeat(i % 5)}`,
  ),
  nothing: row(() => ""),
  same: row(() => "7"),
  label: row((i) => pick(i, "1.0", "1", "02", "2")),
  yes: row((i) => pick(i, "Yes", "no", "no")),
  y: row((i) => String(((i * 37) % 101) / 4)),
};

const csvOf = (columns: Readonly<Record<string, readonly string[]>>, delimiter = ","): string => {
  const names = Object.keys(columns);
  const lines = row((i) => names.map((name) => quoted(columns[name]?.[i] ?? "", delimiter)));
  return [names, ...lines].map((cells) => cells.join(delimiter)).join("\n");
};
const quoted = (cell: string, delimiter: string): string =>
  cell.includes(delimiter) || cell.includes('"') ? `"${cell.replaceAll('"', '""')}"` : cell;

const tasks: readonly (readonly [string, RunConfigInput])[] = [
  ["regression", { task: { taskKind: "regression", labelColumn: "y" }, modelFamilies: ["gbdt"] }],
  [
    "classes of numbers written in several ways",
    { task: { taskKind: "binclass", labelColumn: "label" }, modelFamilies: ["gbdt", "linear"] },
  ],
  [
    "classes of booleans, filtered",
    {
      task: { taskKind: "binclass", labelColumn: "flag" },
      modelFamilies: ["linear"],
      filter: { kind: "comparison", column: "plain", op: "gt", value: 20 },
    },
  ],
  [
    "classes of texts",
    { task: { taskKind: "multiclass", labelColumn: "word" }, modelFamilies: ["gbdt"] },
  ],
];

describe("a run over a table's own file", () => {
  it.each(tasks)("is that over odd CSV: %s", async (_, config) => {
    await expectSameRun(sent("csv", csvOf(ODD)), config);
  });

  it("is that over CSV with decimal commas", async () => {
    const comma = row((i) => `${i % 40},${pick(i, "50", "5")}`);
    const label = row((i) => pick(i, "1,0", "2,0"));
    await expectSameRun(
      sent("csv", csvOf({ ...ODD, comma, label }, ";")),
      tasks[1]?.[1] as RunConfigInput,
    );
  });

  it.each([
    [{ label: "boolean", yes: "categorical" }, "label", row((i) => pick(i, "1", "0", "yes", "N"))],
    [{ huge: "numeric" }, "huge", row((i) => pick(i, "9007199254740993", "9007199254740992"))],
    [{ zip: "numeric", plain: "text" }, "zip", row((i) => pick(i, "01", "1", "002"))],
  ] as const)("is that over CSV of declared kinds: %j", async (kinds, label, cells) => {
    const file = sent("csv", csvOf({ ...ODD, [label]: cells }));
    const task = { taskKind: "binclass", labelColumn: label } as const;
    await expectSameRun({ ...file, kinds }, { task, modelFamilies: ["gbdt"] });
  });

  it.each(["regression", "binclass"] as const)("is that over NDJSON: %s", async (taskKind) => {
    const lines = row((i) =>
      JSON.stringify({
        n: i / 8,
        ...(i % 3 ? { sparse: i } : {}),
        mixed: pick<unknown>(i, 1, "a", true),
        word: ODD["word"]?.[i],
        flag: pick(i, "TRUE", "false"),
        bit: pick<unknown>(i, true, false, null),
        day: ODD["day"]?.[i],
        empty: null,
        y: i % 17,
      }).replace("{", `{"big":${9007199254740993n + BigInt(i)},`),
    );
    const labelColumn = taskKind === "regression" ? "y" : "flag";
    await expectSameRun(sent("ndjson", lines.join("\n")), {
      task: { taskKind, labelColumn },
      modelFamilies: ["gbdt"],
    });
  });

  it("is that over Arrow", async () => {
    const bytes = tableToIPC(
      tableFromArrays({
        f: Float32Array.from(row((i) => Math.sin(i))),
        d: Float64Array.from(row((i) => (i % 9 ? Math.cos(i) : Number.NaN))),
        big: BigInt64Array.from(row((i) => 9007199254740993n + BigInt(i))),
        word: row((i) => ODD["word"]?.[i] ?? ""),
        when: row((i) => new Date(1e12 + i * 1e7)),
        flag: row((i) => i % 3 === 0),
      }),
      "stream",
    );
    await expectSameRun(sent("arrow", bytes), {
      task: { taskKind: "binclass", labelColumn: "flag" },
      modelFamilies: ["gbdt"],
    });
  });

  it("is that over Parquet", async () => {
    const path = fileURLToPath(
      new URL(
        "../../../fixtures/bike_sharing_parquet/rentals/year=2011/month=01/hours.parquet",
        import.meta.url,
      ),
    );
    await expectSameRun(
      { path, format: "parquet" },
      {
        task: { taskKind: "regression", labelColumn: "cnt" },
        modelFamilies: ["gbdt"],
        nCvSplits: 2,
      },
    );
  });
});

describe("storing a table", () => {
  it("says of the file what inspecting it does", async () => {
    const { late: _, lateTime: __, ...columns } = ODD;
    const file = sent("csv", csvOf(columns));
    expect(await storeTable({ file, target: newPath() })).toEqual(await inspect(file));
  });

  it("reads a column as it is written that was taken for numbers or times at first", async () => {
    const science = row((i) => (i < 200 ? `2020-01-01 1${i % 5}:00` : "later"));
    const target = newPath();
    const { profile } = await storeTable({
      file: sent("csv", csvOf({ y: ODD["y"] ?? [], science })),
      target,
    });
    const [, column] = openStoredTable(target).table.columns;
    expect(column && cellText(column, 0)).toBe("2020-01-01 10:00");
    expect(profile[1]).toMatchObject({
      kind: "categorical",
      top_values: expect.arrayContaining([
        { value: "later", count: 40 },
        { value: "2020-01-01 10:00", count: 40 },
      ]),
    });
  });

  it("keeps numbers as they were written", async () => {
    const cell = fc.oneof(
      fc.integer({ min: -50, max: 50 }).map(String),
      fc.integer({ min: -500, max: 500 }).map((n) => (n / 100).toFixed(2)),
      fc.constantFrom(
        "1e3",
        "+5",
        "-0",
        "0.0",
        ".5",
        "5.",
        "1E-3",
        "inf",
        "NA",
        "9007199254740993",
        "12345678901234567",
      ),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(cell, { minLength: 3, maxLength: 30 }), async (cells) => {
        const text = `x,k\n${cells.map((each) => `${each},0`).join("\n")}\n`;
        const { table } = await readCsv([Buffer.from(text)], {
          kinds: { x: "numeric" },
          written: "all",
        });
        const [column] = table.columns;
        const texts = table.written?.get("x");
        const shown = cells.map((each) => (each === "NA" ? null : each));
        const got = cells.map((_, at) => (column ? cellText(texts ?? column, at) : null));
        expect(got).toEqual(shown);
      }),
      { numRuns: 200 },
    );
  });

  it("leaves nothing behind where the file is no table", async () => {
    const target = newPath();
    const before = readdirSync(folder).length;
    const lines = Array.from({ length: 999 }, (_, i) => `${i},${i}\n`).join("");
    const file = sent("csv", `a,b\n${lines}3\n`);
    await expect(storeTable({ file, target, heldBytes: 0 })).rejects.toThrow(/Row 1000/);
    expect(existsSync(target)).toBe(false);
    expect(readdirSync(folder).length).toBe(before + 1);
  });
});
