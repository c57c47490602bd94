import { describe, expect, it } from "vitest";
import { readCsv } from "../data/readers/csv.ts";
import type { ColumnKind } from "../data/table.ts";
import { DataError, type Table } from "../data/table.ts";
import type { TaskKind } from "./index.ts";
import { readTask } from "./label.ts";
import { readGroups, readTimes, readWeights } from "./row-columns.ts";

async function csv(text: string, kinds: Record<string, ColumnKind> = {}): Promise<Table> {
  return (await readCsv([new TextEncoder().encode(text)], { kinds })).table;
}

async function label(cells: readonly unknown[], taskKind: TaskKind, kind?: ColumnKind) {
  const text = `y,x\n${cells.map((cell) => `${cell},1`).join("\n")}`;
  const options = { kinds: kind ? { y: kind } : {}, written: ["y"] };
  const { table } = await readCsv([new TextEncoder().encode(text)], options);
  return readTask(table, { taskKind, labelColumn: "y" });
}

describe("readTask", () => {
  it("reads values, and only of the rows of the run", async () => {
    const table = await csv("y\n3\n1\nNA\n2\n");
    const rows = Uint32Array.of(0, 1, 3);
    const { task, target } = readTask(table, { taskKind: "regression", labelColumn: "y", rows });
    expect(task).toEqual({ kind: "regression", classes: [] });
    expect([...target]).toEqual([3, 1, 2]);
  });

  it.each<[readonly unknown[], string[], number[]]>([
    [
      ["b", "a", "b"],
      ["a", "b"],
      [1, 0, 1],
    ],
    [
      [10, 9, 9],
      ["9", "10"],
      [1, 0, 0],
    ],
    [
      ["true", "false", "true"],
      ["false", "true"],
      [1, 0, 1],
    ],
    [
      ["Yes", "No", "No"],
      ["No", "Yes"],
      [1, 0, 0],
    ],
    [
      [0.5, -1, -1],
      ["-1", "0.5"],
      [1, 0, 0],
    ],
  ])("orders the classes of %j", async (cells, classes, target) => {
    const read = await label(cells, "binclass");
    expect(read.task).toEqual({ kind: "binclass", classes });
    expect([...read.target]).toEqual(target);
    expect(read.classCounts.reduce((a, b) => a + b)).toBe(cells.length);
  });

  it("orders classes by number where all are numbers, whatever the column's kind", async () => {
    const read = await label(["10", "9", "2", "10"], "multiclass", "categorical");
    expect(read.task.classes).toEqual(["2", "9", "10"]);
    expect((await label(["10", "9", "b"], "multiclass")).task.classes).toEqual(["10", "9", "b"]);
  });

  it.each<[readonly unknown[], TaskKind, RegExp, number | undefined]>([
    [[1, "", 2, "NA"], "regression", /missing in 2 of 4 rows, first in row 2.*is_not_null/, 2],
    [["NA", "", "NA"], "regression", /missing in all 3 rows; .*Choose another column/, undefined],
    [[5, 5, 5], "regression", /is "5" in all 3 rows/, undefined],
    [["a", "a"], "binclass", /is "a" in all 2 rows/, undefined],
    [[1, "inf", 2], "regression", /is Infinity in row 2/, 2],
    [[1, "inf", 2], "multiclass", /is Infinity in row 2/, 2],
    [
      ["low", "high", "low"],
      "regression",
      /is categorical, but regression needs numbers; row 1 holds "low".*binclass/,
      1,
    ],
    [[1, 2, "n/k", 3], "regression", /row 3 holds "n\/k". 1 of 4 rows have no number/, 3],
    [["true", "false"], "regression", /is boolean, but regression needs numbers/, 1],
    [["2011-01-01", "2011-01-02"], "regression", /is a time/, undefined],
    [["2011-01-01", "2011-01-02"], "binclass", /is a time/, undefined],
    [
      ["a", "b", "c", "a"],
      "binclass",
      /has 3 classes, but binclass needs exactly 2: "a" \(2\), "b" \(1\), "c" \(1\)/,
      undefined,
    ],
    [
      Array.from({ length: 30 }, (_, i) => i / 7),
      "multiclass",
      /looks continuous; use regression/,
      undefined,
    ],
    [
      Array.from({ length: 1001 }, (_, i) => i),
      "multiclass",
      /1001 classes; at most 1000.*regression/,
      undefined,
    ],
  ])("refuses %j for %s", async (cells, taskKind, message, row) => {
    const error: unknown = await label(cells, taskKind).catch((fault: unknown) => fault);
    expect(error).toBeInstanceOf(DataError);
    expect(error).toMatchObject({ column: "y", row, message: expect.stringMatching(message) });
  });

  it.each<TaskKind>(["regression", "quantile_regression"])(
    "refuses values of %s whose squares are no doubles, or vanish",
    async (taskKind) => {
      await expect(label([1, -1e36, 2], taskKind)).rejects.toThrow(
        /is -1e\+36 in row 2; labels are learned between -1e\+35 and 1e\+35/,
      );
      await expect(label([0, 1e-300], taskKind)).rejects.toThrow(
        /differ by 1e-300 at most; differences below .* are not learned/,
      );
      expect([...(await label([-1e35, 1e35, 1e-300], taskKind)).target]).toHaveLength(3);
    },
  );

  it("says that numbers written as text want a kind", async () => {
    await expect(label(["1", "2"], "regression", "categorical")).rejects.toThrow(
      /declare its kind as numeric/,
    );
  });

  it("names the closest columns where the label is not there", async () => {
    const table = await csv("target,size\n1,2\n2,3\n");
    expect(() => readTask(table, { taskKind: "regression", labelColumn: "tarket" })).toThrow(
      'There is no column "tarket" for the label; the closest: "target", "size".',
    );
  });
});

function faultOf(read: () => unknown): DataError {
  try {
    read();
  } catch (error) {
    if (error instanceof DataError) return error;
    throw error;
  }
  throw new Error("It was read.");
}

describe("weights, groups and times", () => {
  it("reads them for the rows of the run", async () => {
    const table = await csv("w,g,t\n1,x,2011-01-01\n0,y,2011-01-02\n2,x,2011-01-03\n");
    const rows = Uint32Array.of(0, 2);
    expect([...readWeights(table, "w", rows)]).toEqual([1, 2]);
    expect(readGroups(table, "g", null)).toEqual({ groups: Uint32Array.of(0, 1, 0), count: 2 });
    expect([...readTimes(table, "t", rows)]).toEqual([Date.UTC(2011, 0, 1), Date.UTC(2011, 0, 3)]);
    expect([...readTimes(table, "w", null)]).toEqual([1, 0, 2]);
  });

  it("refuses what cannot weigh, group or order", async () => {
    const table = await csv("neg,zero,gap,word,one,vast\n1,0,1,x,k,1e308\n-2,0,,y,k,1.5e308\n");
    expect(() => readWeights(table, "neg", null)).toThrow(/is -2 in row 2/);
    expect(() => readWeights(table, "zero", null)).toThrow(/are all zero/);
    expect(() => readWeights(table, "vast", null)).toThrow(
      /"vast" are too large to be summed: the largest is 1\.5e\+308, in row 2\..* divide all/,
    );
    expect(() => readWeights(table, "gap", null)).toThrow(/missing in 1 of 2 rows, first in row 2/);
    expect(() => readWeights(table, "word", null)).toThrow(
      /"word" must hold numbers, but row 1 holds "x"\. Choose a column of numbers/,
    );
    expect(() => readWeights(table, "wird", null)).toThrow(
      /no column "wird" for the weights; the closest: "word"/,
    );
    expect(() => readGroups(table, "one", null)).toThrow(/one group only/);
    expect(() => readTimes(table, "word", null)).toThrow(/must hold times or numbers/);
  });

  const column = (cells: readonly string[], kind?: ColumnKind): Promise<Table> =>
    csv(`c,x\n${cells.map((cell) => `${cell},1`).join("\n")}\n`, kind && { c: kind });
  const days = Array.from({ length: 28 }, (_, i) => String(i + 1).padStart(2, "0"));

  it("names the cell that keeps weights from being numbers, and how many there are", async () => {
    const table = await column(["", "1", "2.5", "heavy", "3", "n/k", "4"]);
    const error = faultOf(() => readWeights(table, "c", null));
    expect(error).toMatchObject({ column: "c", row: 4, member: "weightColumn" });
    expect(error.message).toBe(
      'The weights "c" must hold numbers, but row 4 holds "heavy". 2 of 7 rows have no number there: write them as numbers, such as 1234.5.',
    );
    const rows = Uint32Array.of(1, 2, 5);
    expect(faultOf(() => readWeights(table, "c", rows))).toMatchObject({ row: 6 });
    const declared = await column(["1", "2"], "categorical");
    expect(() => readWeights(declared, "c", null)).toThrow(
      /not categorical; row 1 holds "1"\. All its values are numbers .* declare its kind as numeric/,
    );
    const times = await column(["2011-01-01", "2011-01-02"]);
    expect(() => readWeights(times, "c", null)).toThrow(/row 1 holds "2011-01-01"/);
    const flags = await column(["true", "false", "true"]);
    expect(() => readWeights(flags, "c", null)).toThrow(/row 1 holds "true"/);
  });

  it("shows times in a form that is not read, and the forms that are", async () => {
    const words = await column(days.map((day) => `${day}-mai-2022`));
    expect(faultOf(() => readTimes(words, "c", null))).toMatchObject({
      column: "c",
      row: 1,
      member: "timeColumn",
      message:
        'The time column "c" must hold times or numbers, but row 1 holds "01-mai-2022". Choose a column of times or numbers, or write its values as 2011-01-31 or 2011-01-31T15:05:00, or as numbers.',
    });
    const one = await column(days.map((day) => (day === "07" ? "later" : `2022-05-${day}`)));
    expect(() => readTimes(one, "c", null)).toThrow(
      /row 7 holds "later"\. 1 of 28 rows has neither there: write it as 2011-01-31/,
    );
    const orders = await column(["13/1/2022", "1/14/2022", "2/2/2022"]);
    expect(() => readTimes(orders, "c", null)).toThrow(
      /day first, such as "13\/1\/2022" in row 1, .* "1\/14\/2022" in row 2/,
    );
    const both = await column(["2022-05-01", "17.5", "2022-05-03"]);
    expect(() => readTimes(both, "c", null)).toThrow(/Some of its values are times and some num/);
    const declared = await column(["2022-05-01", "2022-05-02"], "categorical");
    expect(() => readTimes(declared, "c", null)).toThrow(/declare its kind as timestamp/);
  });
});
