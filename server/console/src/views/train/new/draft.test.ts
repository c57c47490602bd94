import { expect, it } from "vitest";
import { EMPTY, isWritten, requestOf, type Subject, shownRequest, stepColumns } from "./draft.ts";

const subject: Subject = {
  datasetId: "3f1c2e7a-5b8d-4c9e-a1f0-6d2b7c8e9f10",
  label: "y",
  timeColumn: "",
  ...stepColumns(EMPTY, null),
  columns: [
    { name: "n", kind: "numeric", distinct: 9, missing: 0, isWhole: true, top: [], range: [0, 9] },
  ],
  kind: {
    task_kind: "regression",
    title: "",
    target: "value",
    least_classes: null,
    most_classes: null,
    row: "row",
    fields: [],
    required: [],
    metrics: ["rmse", "mae"],
    families: [],
    n_cv_splits: 5,
    teachable: true,
  },
};

it("leaves to the service what nobody has written", () => {
  expect(requestOf(EMPTY, subject)).toEqual({
    dataset_id: subject.datasetId,
    task: { task_kind: "regression", label_column: "y" },
    time_budget_s: 60,
  });
});

it("sends members of the kind alone, and a grid only for several metrics", () => {
  const draft = { ...EMPTY, time: "", horizon: "3", sweep: true, metrics: ["rmse"] };
  const request = requestOf(draft, subject);
  expect(request.task).not.toHaveProperty("horizon");
  expect(request).not.toHaveProperty("grid_size");
  const swept = requestOf({ ...draft, metrics: ["rmse", "mae"] }, subject);
  expect(swept).toMatchObject({ grid_size: 10, metrics: ["rmse", "mae"] });
  expect(requestOf({ ...EMPTY, validation: "holdout" }, subject)).toHaveProperty(
    "n_cv_splits",
    null,
  );
});

it("sends bounds of forecasts as numbers, or as none", () => {
  const kind = { ...subject.kind, fields: ["lower_bound", "upper_bound"] };
  const bounded = (lowerBound: string, upperBound: string) =>
    requestOf({ ...EMPTY, lowerBound, upperBound }, { ...subject, kind }).task;
  expect(bounded("0", " None ")).toMatchObject({ lower_bound: 0, upper_bound: "none" });
  expect(bounded("", "")).toEqual({ task_kind: "regression", label_column: "y" });
  expect(isWritten({ ...EMPTY, lowerBound: "none" })).toBe(true);
  expect(isWritten({ ...EMPTY, lowerBound: "zero" })).toBe(false);
});

it("compares a column with values of its type", () => {
  const conditions = [
    { id: 1, column: "n", op: "in", value: "1, 2" },
    { id: 2, column: "n", op: "is_null", value: "left over" },
  ] as const;
  expect(requestOf({ ...EMPTY, conditions }, subject).filter).toEqual({
    op: "and",
    exprs: [
      { column: "n", op: "in", value: [1, 2] },
      { column: "n", op: "is_null" },
    ],
  });
});

it("shows no secret, and asks for nothing that is no number", () => {
  const draft = {
    ...EMPTY,
    teacher: "url",
    teacherUrl: "https://t",
    teacherHeaders: "x-key: s3cret",
  };
  const request = requestOf({ ...draft, teacher: "url" }, subject);
  expect(request.teacher_headers).toEqual({ "x-key": "s3cret" });
  expect(JSON.stringify(shownRequest(request))).not.toContain("s3cret");
  expect(isWritten({ ...EMPTY, trials: "many" })).toBe(false);
  expect(isWritten(EMPTY)).toBe(true);
});

it("tells series and sequences apart as was guessed, until somebody chooses", () => {
  const series = { row: "series", name: "shop", order: "day" } as const;
  expect(stepColumns(EMPTY, series).seriesColumns).toEqual(["shop"]);
  expect(stepColumns({ ...EMPTY, seriesColumns: [] }, series).seriesColumns).toEqual([]);
  const sequences = { row: "sequences", name: "run", order: "at" } as const;
  expect(stepColumns(EMPTY, sequences)).toMatchObject({ sequenceColumn: "run", orderColumn: "at" });
  expect(stepColumns({ ...EMPTY, orderColumn: "" }, sequences).orderColumn).toBe("");
});
