import { describe, expect, it } from "vitest";
import { readCsv } from "../data/readers/csv.ts";
import { type LabelledRowsOptions, readLabelledRows } from "./labelled-rows.ts";

async function read(cells: readonly string[], more: Partial<LabelledRowsOptions> = {}) {
  const text = `y,x\n${cells.map((cell) => `${cell},1`).join("\n")}\n`;
  const { table } = await readCsv([new TextEncoder().encode(text)], {});
  return readLabelledRows(table, {
    taskKind: "multiclass",
    labelColumn: "y",
    missingLabels: "drop",
    rareClasses: "drop",
    leastRows: () => 3,
    ...more,
  });
}

const many = (name: string, rows: number): string[] => new Array<string>(rows).fill(name);

describe("readLabelledRows", () => {
  it("says nothing where nothing is wrong", async () => {
    const { rows, warnings, task } = await read([...many("a", 3), ...many("b", 3)]);
    expect(rows).toBeNull();
    expect(warnings).toEqual([]);
    expect(task.classes).toEqual(["a", "b"]);
  });

  it("leaves out rows without a label, and counts them", async () => {
    const cells = ["", ...many("a", 3), "NA", ...many("b", 3)];
    const { rows, target, warnings } = await read(cells);
    expect([...(rows ?? [])]).toEqual([1, 2, 3, 5, 6, 7]);
    expect([...target]).toEqual([0, 0, 0, 1, 1, 1]);
    expect(warnings).toEqual([
      expect.stringMatching(/"y" is missing in 2 of 8 rows; .* With `missingLabels` "error"/),
    ]);
    await expect(read(cells, { missingLabels: "error" })).rejects.toThrow(/missing in 2 of 8/);
  });

  it("says what keeps a column from being numbers, and that one which tells rows apart has no classes", async () => {
    const prices = Array.from({ length: 40 }, (_, row) => `"€ ${row + 10},50"`);
    await expect(read(prices)).rejects.toThrow(
      /no classes to tell apart.*written with signs or separators.*Write them plainly/,
    );
    await expect(read(prices, { taskKind: "regression" })).rejects.toMatchObject({
      column: "y",
      row: 1,
      message: expect.stringMatching(/needs numbers; row 1 holds.*Write them plainly, such as/),
    });
    const names = Array.from({ length: 40 }, (_, row) => `name ${row}`);
    await expect(read(names)).rejects.toThrow(
      "Nearly every one of the rows has a class of its own: choose another column to predict.",
    );
    const pairs = names.flatMap((name) => [name, name]);
    await expect(read(pairs)).rejects.toThrow("Use fewer folds, or add rows.");
  });

  it("leaves out classes that are too rare, with their names and rows", async () => {
    const cells = ["c", ...many("a", 3), "d", "d", ...many("b", 4)];
    const { rows, target, task, classCounts, warnings } = await read(cells);
    expect(task.classes).toEqual(["a", "b"]);
    expect(classCounts).toEqual([3, 4]);
    expect([...(rows ?? [])]).toEqual([1, 2, 3, 6, 7, 8, 9]);
    expect([...target]).toEqual([0, 0, 0, 1, 1, 1, 1]);
    expect(warnings).toEqual([
      expect.stringMatching(
        /2 classes .* fewer rows than the 3 .*"c" \(1\), "d" \(2\).*3 of 10 rows.* With `rareClasses` "merge"/,
      ),
    ]);
  });

  it("joins them to one class where that is asked, or leaves them out where they stay too few", async () => {
    const cells = ["c", ...many("a", 3), "d", "d", ...many("z", 4)];
    const merged = await read(cells, { rareClasses: "merge" });
    expect(merged.task.classes).toEqual(["a", "other", "z"]);
    expect(merged.rows).toBeNull();
    expect([...merged.target]).toEqual([1, 0, 0, 0, 1, 1, 2, 2, 2, 2]);
    expect(merged.warnings[0]).toMatch(/3 of 10 rows are merged into the class "other"/);
    const few = await read(["c", ...many("a", 3), ...many("b", 3)], { rareClasses: "merge" });
    expect(few.task.classes).toEqual(["a", "b"]);
    const own = await read(["c", ...many("a", 3), ...many("other", 3)], { rareClasses: "merge" });
    expect(own.task.classes).toEqual(["a", "other"]);
    expect(own.classCounts).toEqual([3, 4]);
  });

  it("refuses where less than two classes are left, and leaves all to the folds where asked", async () => {
    await expect(read(["b", ...many("a", 9)], { taskKind: "binclass" })).rejects.toThrow(
      /"b" \(1\).*no classes to tell apart/,
    );
    const { task } = await read(["c", ...many("a", 3), ...many("b", 3)], { rareClasses: "error" });
    expect(task.classes).toEqual(["a", "b", "c"]);
  });
});
