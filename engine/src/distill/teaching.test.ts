import { describe, expect, it } from "vitest";
import type { Table } from "../data/table.ts";
import type { Task } from "../tasks/index.ts";
import { MemoryRunStore } from "../trainer/log/store.ts";
import { withAugmented } from "../trainer/plan/teach.ts";
import { askTeacher, checkAnswers } from "./ask-teacher.ts";
import { studentLabels } from "./labels.ts";
import { classOrder, inOrder } from "./model-teacher.ts";
import { packSamples, readSamples, samplesOf } from "./samples.ts";
import { augmentedRowCount, distillSchema } from "./settings.ts";
import { type Teacher, TeacherError, type TeacherSamples } from "./teacher.ts";

const REGRESSION: Task = { kind: "regression", classes: [] };
const BINCLASS: Task = { kind: "binclass", classes: ["no", "yes"] };
const MULTICLASS: Task = { kind: "multiclass", classes: ["a", "b", "c"] };

describe("samplesOf", () => {
  it("gives cells as JSON holds them", () => {
    const table: Table = {
      rows: 3,
      columns: [
        { kind: "numeric", name: "n", values: Float64Array.of(1.5, Number.NaN, Infinity) },
        { kind: "timestamp", name: "t", values: Float64Array.of(0, 86_400_500, Number.NaN) },
        { kind: "boolean", name: "b", values: Uint8Array.of(1, 0, 255) },
        { kind: "categorical", name: "c", codes: Int32Array.of(1, 0, -1), categories: ["x", "y"] },
        { kind: "text", name: "w", values: ["one", "", null] },
      ],
    };
    const samples = samplesOf(REGRESSION, table, 0, 3);
    expect(samples.featureNames).toEqual(["n", "t", "b", "c", "w"]);
    expect(samples.kinds).toEqual(["numeric", "timestamp", "boolean", "categorical", "text"]);
    expect(samples.rows).toEqual([
      [1.5, "1970-01-01", true, "y", "one"],
      [null, "1970-01-02T00:00:00.500Z", false, "x", ""],
      [null, null, null, null, null],
    ]);
    expect(readSamples(packSamples(samples))).toEqual(samples);
    expect(samplesOf(REGRESSION, table, 1, 1).rows).toEqual([samples.rows[1]]);
  });
});

describe("checkAnswers", () => {
  it("lets single precision pass, and no more", () => {
    const answers = Float64Array.of(1.0000001, -1e-9, 0.4);
    expect([...checkAnswers(answers, 3, BINCLASS, "t", 0)]).toEqual([1, 0, 0.4]);
    const shares = Float64Array.of(0.2, 0.3, 0.5001);
    const checked = checkAnswers(shares, 1, MULTICLASS, "t", 0);
    expect(checked.reduce((a, b) => a + b)).toBeCloseTo(1, 12);
    expect(checked[0]).toBeCloseTo(0.2 / 1.0001, 12);
    expect([...checkAnswers(Float64Array.of(-7, 1e9), 2, REGRESSION, "t", 0)]).toEqual([-7, 1e9]);
  });

  it.each<[unknown, Task, RegExp]>([
    [[0.5, 0.5], BINCLASS, /other than numbers/],
    [Float64Array.of(0.5), BINCLASS, /1 numbers for 2 rows; 2 were/],
    [Float64Array.of(0.5, 0.5), MULTICLASS, /2 numbers for 2 rows; 2 × 3 were/],
    [Float64Array.of(0.5, 1.2), BINCLASS, /1.2 in row 12, which is not a prob/],
    [Float64Array.of(1, Infinity), REGRESSION, /Infinity in row 12/],
    [Float64Array.of(1, 0, 0, 0.4, 0.4, 0.4), MULTICLASS, /sum to 1.2\d* in row 12, not to 1/],
  ])("refuses %j for %o", (answers, task, message) => {
    const check = () => checkAnswers(answers, 2, task, "mine", 10);
    expect(check).toThrow(TeacherError);
    expect(check).toThrow(/^The teacher mine answers/);
    expect(check).toThrow(message);
  });
});

describe("studentLabels", () => {
  it("mixes the truth and the teacher on the data's rows, and takes the teacher below", () => {
    const truth = Float64Array.of(0, 1);
    const answers = Float64Array.of(0.4, 0.6, 0.9, 0.2);
    const binary = studentLabels(BINCLASS, truth, answers, 0.75);
    expect([...binary.target]).toEqual([0, 1, 1, 0]);
    expect(binary.fitTarget).toBe(binary.target);
    [0.3, 0.7, 0.9, 0.2].forEach((label, row) => {
      expect(binary.softTarget?.[row]).toBeCloseTo(label, 12);
    });
    const values = studentLabels(REGRESSION, truth, answers, 0.5);
    expect([...values.target]).toEqual([0, 1, 0.9, 0.2]);
    expect([...values.fitTarget]).toEqual([0.2, 0.8, 0.9, 0.2]);
    expect(values.softTarget).toBeNull();
    const three = studentLabels(
      MULTICLASS,
      Float64Array.of(2),
      Float64Array.of(0.5, 0.25, 0.25, 0.1, 0.8, 0.1),
      0.5,
    );
    expect([...three.target]).toEqual([2, 1]);
    expect([...(three.softTarget ?? [])]).toEqual([0.25, 0.125, 0.625, 0.1, 0.8, 0.1]);
  });
});

describe("withAugmented", () => {
  it("lets a fold learn a row only with both of its parents", () => {
    const fold = { train: Uint32Array.of(0, 2, 3), valid: Uint32Array.of(1) };
    const parents = Uint32Array.of(0, 2, 0, 1, 1, 1, 3, 3);
    const { train, valid } = withAugmented(fold, 4, parents);
    expect([...train]).toEqual([0, 2, 3, 4, 7]);
    expect([...valid]).toEqual([1]);
  });
});

describe("a teacher's classes", () => {
  it("are put into the student's order", () => {
    const teacher: Task = { kind: "multiclass", classes: ["c", "a", "b"] };
    const order = classOrder("t", teacher, MULTICLASS);
    expect([...inOrder(Float64Array.of(0.1, 0.2, 0.7), 3, order)]).toEqual([0.2, 0.7, 0.1]);
    const turned = classOrder("t", { kind: "binclass", classes: ["yes", "no"] }, BINCLASS);
    expect([...inOrder(Float64Array.of(0.25), 1, turned)]).toEqual([0.75]);
    const same = Float64Array.of(0.25);
    expect(inOrder(same, 1, classOrder("t", BINCLASS, BINCLASS))).toBe(same);
  });

  it("must be the student's", () => {
    expect(() => classOrder("t", REGRESSION, BINCLASS)).toThrow(/trained for regression/);
    expect(() => classOrder("t", { ...BINCLASS, classes: ["n", "y"] }, BINCLASS)).toThrow(
      /knows the classes "n", "y", but the label of this run has "no", "yes"/,
    );
    expect(() =>
      classOrder("t", { ...MULTICLASS, classes: ["a", "b", "c", "d"] }, MULTICLASS),
    ).toThrow(TeacherError);
  });
});

describe("askTeacher", () => {
  const table: Table = {
    rows: 7,
    columns: [{ kind: "numeric", name: "x", values: Float64Array.from([0, 1, 2, 3, 4, 5, 6]) }],
  };
  const signal = new AbortController().signal;

  function doubling(asked: number[], name = "doubling"): Teacher {
    return {
      name,
      batchRows: 3,
      async predict({ rows }: TeacherSamples) {
        asked.push(rows.length);
        return Float64Array.from(rows, ([x]) => 2 * Number(x));
      },
    };
  }

  it("asks in batches, keeps the answers, and asks again only what is another question", async () => {
    const store = new MemoryRunStore();
    const asked: number[] = [];
    const input = { task: REGRESSION, table, store, signal };
    const answers = await askTeacher({ ...input, teacher: doubling(asked) });
    expect([...answers]).toEqual([0, 2, 4, 6, 8, 10, 12]);
    expect(asked).toEqual([3, 3, 1]);
    expect(await askTeacher({ ...input, teacher: doubling(asked) })).toEqual(answers);
    expect(asked).toHaveLength(3);
    const values = Float64Array.from([0, 1, 2, 3, 4, 9, 6]);
    const changed: Table = { rows: 7, columns: [{ kind: "numeric", name: "x", values }] };
    await askTeacher({ ...input, table: changed, teacher: doubling(asked) });
    expect(asked).toEqual([3, 3, 1, 3]);
    await askTeacher({ ...input, table: changed, teacher: doubling(asked, "other") });
    expect(asked).toHaveLength(7);
  });
});

describe("augmentedRowCount", () => {
  it("is five a row up to a hundred thousand, unless a number is asked for", () => {
    const open = distillSchema.parse({});
    expect(augmentedRowCount(open, 100)).toBe(500);
    expect(augmentedRowCount(open, 70_000)).toBe(100_000);
    expect(augmentedRowCount(distillSchema.parse({ augmentedRows: 0 }), 100)).toBe(0);
  });
});
