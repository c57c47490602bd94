import { tableFromArrays, tableToIPC } from "apache-arrow";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { selectRows } from "../data/filter/select-rows.ts";
import { readTable } from "../data/readers/read-table.ts";
import type { ColumnKind, Table } from "../data/table.ts";
import { placeOfClass } from "./class-names.ts";
import { readTask } from "./label.ts";

const bytes = (text: string) => [new TextEncoder().encode(text)];
const quoted = (cell: string) => `"${cell.replaceAll('"', '""')}"`;

async function csv(cells: readonly string[], kind?: ColumnKind, separator = ","): Promise<Table> {
  const text = `y${separator}x\n${cells.map((cell) => `${quoted(cell)}${separator}1\n`).join("")}`;
  const kinds = kind ? { y: kind } : {};
  return (await readTable(bytes(text), { format: "csv", kinds, written: ["y"] })).table;
}

async function ndjson(cells: readonly unknown[], kind?: ColumnKind): Promise<Table> {
  const text = cells.map((y) => `${JSON.stringify({ y, x: 1 })}\n`).join("");
  const kinds = kind ? { y: kind } : {};
  return (await readTable(bytes(text), { format: "ndjson", kinds, written: ["y"] })).table;
}

async function arrow(y: readonly (string | boolean | number)[]): Promise<Table> {
  const table = tableFromArrays({ y, x: y.map(() => 1) });
  return (await readTable([tableToIPC(table)], { format: "arrow", written: ["y"] })).table;
}

const classes = (table: Table, rows: Uint32Array | null = null) =>
  readTask(table, { taskKind: "multiclass", labelColumn: "y", rows });

describe("the names of classes", () => {
  it.each<[string, string[], string[], ColumnKind[]]>([
    ["truths", ["TRUE", "FALSE", "TRUE"], ["FALSE", "TRUE"], ["boolean", "categorical", "text"]],
    ["mixed case", ["True", "fALSE"], ["fALSE", "True"], ["boolean"]],
    ["decimals", ["1.0", "0.0", "1.0"], ["0.0", "1.0"], ["numeric", "categorical"]],
    ["leading zeros", ["10", "01", "02"], ["01", "02", "10"], ["numeric", "categorical"]],
    ["words", ["yes", "NO", "yes"], ["NO", "yes"], ["categorical", "boolean"]],
    ["spaces", [" a", "b ", " a"], [" a", "b "], ["categorical", "text"]],
    ["signs and exponents", ["+1", "1e2", "-2"], ["-2", "+1", "1e2"], ["numeric"]],
    ["long integers", ["90071992547409931", "90071992547409932"], [], ["numeric", "categorical"]],
  ])("are those of the cells: %s", async (_, cells, expected, kinds) => {
    const wanted = expected.length > 0 ? expected : cells;
    for (const kind of [undefined, ...kinds]) {
      const { task, target, warnings } = classes(await csv(cells, kind));
      expect(task.classes, kind).toEqual(wanted);
      expect([...target].map((place) => task.classes[place])).toEqual(cells);
      expect(warnings).toEqual([]);
    }
    expect(classes(await ndjson(cells)).task.classes).toEqual(wanted);
    expect(classes(await arrow(cells)).task.classes).toEqual(wanted);
  });

  it("are true, false and plain numbers where the file has types", async () => {
    for (const table of [await ndjson([true, false]), await arrow([true, false])]) {
      expect(classes(table).task.classes).toEqual(["false", "true"]);
    }
    for (const table of [await ndjson([1, 0]), await arrow([1, 0])]) {
      expect(classes(table).task.classes).toEqual(["0", "1"]);
    }
  });

  it.each<[string[], string[], RegExp, ColumnKind | undefined]>([
    [
      ["1", "1.0", "1.0", "0"],
      ["0", "1.0"],
      /"1.0" \(2\) = "1" \(1\)\. 1 row is .* its own/,
      undefined,
    ],
    [["1", "1.0", "1.0", "?!"], ["1.0", "?!"], /"1.0" \(2\) = "1" \(1\)/, undefined],
    [["TRUE", "true", "false", "true"], ["false", "true"], /"true" \(2\) = "TRUE"/, undefined],
    [["yes", "Yes", "no", "yes"], ["no", "yes"], /"yes" \(2\) = "Yes" \(1\)/, undefined],
    [["yes", "1", "1", "n"], ["n", "1"], /"1" \(2\) = "yes" \(1\)/, "boolean"],
    [["a", "a ", "b", "a"], ["a", "b"], /"a" \(2\) = "a " \(1\)/, undefined],
  ])("of %j are %j, with a warning that counts", async (cells, expected, warning, kind) => {
    const { task, classCounts, warnings } = classes(await csv(cells, kind));
    expect(task.classes).toEqual(expected);
    expect(classCounts.reduce((a, b) => a + b)).toBe(cells.length);
    expect(warnings).toEqual([expect.stringMatching(warning)]);
  });

  it("counts the rows of the run, whose most frequent spelling may be another", async () => {
    const table = await csv(["1", "1.0", "1.0", "0", "0"]);
    const { task, warnings } = classes(table, Uint32Array.of(0, 3, 4));
    expect(task.classes).toEqual(["0", "1"]);
    expect(warnings).toEqual([]);
  });

  it("leaves filters what they were: by value", async () => {
    const table = await csv(["1.0", "0", "1", "NA"]);
    const filter = { kind: "comparison", column: "y", op: "eq", value: 1 } as const;
    expect([...selectRows(table, filter)]).toEqual([0, 2]);
  });

  it("with a decimal comma are those of the cells", async () => {
    expect(classes(await csv(["1,5", "0,5", "1,5"], undefined, ";")).task.classes).toEqual([
      "0,5",
      "1,5",
    ]);
  });

  it("that differ in capitals alone stay apart, with a warning", async () => {
    const { task, warnings } = classes(await csv(["cat", "Cat", "dog"]));
    expect(task.classes).toEqual(["Cat", "cat", "dog"]);
    expect(warnings).toEqual([
      expect.stringMatching(/only in case: "cat" and "Cat"|"Cat" and "cat"/),
    ]);
  });

  it("are cells of the file, and no row is renamed in silence", async () => {
    const cell = fc.constantFrom("TRUE", "true", "01", "1", "1.0", "1e0", "yes", "No", " a", "a");
    await fc.assert(
      fc.asyncProperty(fc.array(cell, { minLength: 2, maxLength: 12 }), async (cells) => {
        const { task, target, warnings } = classes(await csv(["0", ...cells, "b"]));
        const renamed = ["0", ...cells, "b"].filter(
          (text, row) => task.classes[target[row]] !== text,
        );
        expect(["0", ...cells, "b"]).toEqual(expect.arrayContaining([...task.classes]));
        expect(warnings.filter((text) => text.includes("several ways"))).toEqual(
          renamed.length === 0
            ? []
            : [expect.stringMatching(`\\b${renamed.length} rows? (is|are) thus answered`)],
        );
      }),
      { numRuns: 100 },
    );
  });
});

it("a class is found by another spelling where none is written so", () => {
  expect(placeOfClass(["0.0", "1.0"], "1")).toBe(1);
  expect(placeOfClass(["FALSE", "TRUE"], "true")).toBe(1);
  expect(placeOfClass(["1", "01"], "01")).toBe(1);
  expect(placeOfClass(["a", "b"], "A")).toBe(-1);
});
