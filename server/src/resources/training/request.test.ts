/** The engine's configuration of a request, and what a request leaves open. */

import { ConfigError, DataError, runConfigMembers, runConfigSchema } from "@distillery/engine";
import { describe, expect, it } from "vitest";
import { trainerRunSchema } from "./request.ts";
import { toRunConfig, wantsEnsemble } from "./run-config.ts";
import { inWireNames, inWireWords, requestPath, snakeCase } from "./wire-names.ts";

const minimal = {
  dataset_id: "0c5d1f7e-6f6b-4e0e-9d59-2f6f4a1f5a11",
  task: { task_kind: "regression", label_column: "y" },
};

describe("whether trials are blended", () => {
  const cases: [string, object, boolean][] = [
    ["so it is by default", {}, true],
    ["in time too, where its trials are fitted on all rows", { time_column: "t" }, true],
    ["not where it is not wanted", { ensemble: false }, false],
    ["not with a teacher", { teacher_model_id: minimal.dataset_id }, false],
  ];
  it.each(cases)("%s", (_, more, wanted) => {
    const request = trainerRunSchema.parse({ ...minimal, ...more });
    expect(wantsEnsemble(request)).toBe(wanted);
    expect(toRunConfig(request).ensemble).toBe(wanted);
  });
});

describe("the engine's configuration", () => {
  const configOf = (more: object) =>
    runConfigSchema.parse(toRunConfig(trainerRunSchema.parse({ ...minimal, ...more })));

  it("can be asked for whole, in snake_case; earlier runs by their jobs", () => {
    const asked: object = trainerRunSchema.shape;
    const missing = Object.keys(runConfigMembers.shape).filter(
      (name) => !(snakeCase(name) in asked),
    );
    expect(missing).toEqual(["warmStart"]);
  });

  it("takes what is given, null where it means something, and the engine's defaults", () => {
    const config = configOf({
      n_cv_splits: null,
      n_trials_per_step: 7,
      task: { ...minimal.task, weight_column: "w", ignore_columns: null },
      monotone_constraints: null,
      hpo_space: { models: [{ family: "gbdt", search: null }] },
      teacher_model_id: minimal.dataset_id,
      distill: { teacher_weight: 0.5 },
    });
    expect(config).toMatchObject({
      nCvSplits: null,
      nTrialsPerStep: 7,
      task: { weightColumn: "w", ignoreColumns: [] },
      monotoneConstraints: {},
      hpoSpace: { models: [{ family: "gbdt", search: {}, fixed: {} }] },
      distill: { teacherWeight: 0.5, augmentation: "spunge", augmentedRows: null },
    });
    const { nCvSplits, coverage } = configOf({});
    expect({ nCvSplits, coverage }).toEqual({ nCvSplits: 5, coverage: 0.9 });
    const task = { task_kind: "forecasting", label_column: "y", time_column: "t", horizon: 3 };
    expect(configOf({ task }).nCvSplits).toBe(3);
  });

  it("shows null for what was not asked for, but for the number of trials", () => {
    const config: object = configOf({});
    expect(config).toMatchObject({
      filter: null,
      gridSize: null,
      timeBudgetS: null,
      distill: null,
    });
    expect(config).not.toHaveProperty("nTrials", null);
  });
});

it.each<[object, object, string | null]>([
  [{ weight_column: "y" }, {}, "task.weight_column"],
  [{ ignore_columns: ["x", "y"] }, {}, "task.ignore_columns.1"],
  [{}, { group_column: "y" }, "group_column"],
  [{}, { ignore_columns: ["y"] }, "ignore_columns.0"],
  [{ weight_column: "w" }, { time_column: "w" }, "task.weight_column"],
  // What stands beside the task has no say where the task has it too.
  [{ weight_column: "w", ignore_columns: [] }, { weight_column: "y", ignore_columns: ["y"] }, null],
])("roles that no column has together lie at one of them: %j with %j", (task, more, place) => {
  const parsed = trainerRunSchema.safeParse({
    ...minimal,
    ...more,
    task: { ...minimal.task, ...task },
  });
  expect(parsed.error?.issues[0]?.path.join(".") ?? null).toBe(place);
});

it("what the engine says of members in backquotes names those of the request", () => {
  const said = 'With `rareClasses` "merge", `filter`, `seriesColumns`; "`rareClass`" stays.';
  const told = 'With `rare_classes` "merge", `filter`, `series_columns`; "`rareClass`" stays.';
  expect(inWireNames(said)).toBe(told);
  const fault = inWireWords(new DataError(said, { column: "y", row: 3, member: "labelColumn" }));
  expect(fault).toMatchObject({ message: told, column: "y", row: 3, member: "labelColumn" });
  expect(inWireWords(new ConfigError(["nCvSplits"], said))).toMatchObject({
    message: told,
    path: ["nCvSplits"],
  });
  const other = new Error(said);
  expect(inWireWords(other)).toBe(other);
});

it("a fault lies where the request has the member; names of columns stay", () => {
  expect(requestPath(["task", "labelColumn"])).toEqual(["body", "task", "label_column"]);
  expect(requestPath(["warmStart", 0])).toEqual(["body", "warm_start_job_ids", 0]);
  expect(requestPath(["monotoneConstraints", "unitPrice"])).toEqual([
    "body",
    "monotone_constraints",
    "unitPrice",
  ]);
});
