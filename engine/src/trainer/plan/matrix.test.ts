import { describe, expect, it } from "vitest";
import type { DataShape } from "../../families/family.ts";
import { type RunConfigInput, runConfigSchema } from "../config/config.ts";
import { ConfigError } from "../config/errors.ts";
import { buildMatrix, checkTrialsAsked, type Matrix } from "./matrix.ts";

const shape: DataShape = {
  rows: 1000,
  task: { kind: "regression", classes: [] },
  features: [
    { kind: "numeric", name: "x", column: "x" },
    { kind: "categorical", name: "c", column: "c", categories: ["a", "b"] },
  ],
};

function build(more: Partial<RunConfigInput> = {}): Matrix {
  const task = { taskKind: "regression", labelColumn: "y" } as const;
  return buildMatrix(runConfigSchema.parse({ task, ...more }), shape);
}

const families = ({ rows }: Matrix): string[] => rows.map(({ family }) => family);

function faultOf(more: Partial<RunConfigInput>): ConfigError {
  try {
    build(more);
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
  throw new Error("It was not refused.");
}

describe("buildMatrix", () => {
  it("picks a set by the data's shape and says why, for those in and those out", () => {
    const matrix = build();
    expect(families(matrix)).toContain("gbdt");
    for (const { reason } of [...matrix.rows, ...matrix.leftOut]) expect(reason).not.toBe("");
  });

  it("keeps the order of the request, and one row for a family named twice", () => {
    expect(families(build({ modelFamilies: ["linear", "gbdt", "linear"] }))).toEqual([
      "linear",
      "gbdt",
    ]);
  });

  it("makes a row of each space, and of each family without one", () => {
    const models = [
      { family: "gbdt", fixed: { num_leaves: 7 } },
      { family: "gbdt", fixed: { num_leaves: 63 } },
    ];
    const matrix = build({ modelFamilies: ["gbdt", "linear"], hpoSpace: { models } });
    expect(families(matrix)).toEqual(["gbdt", "gbdt", "linear"]);
    expect(matrix.rows.map(({ fixed }) => fixed["num_leaves"])).toEqual([7, 63, undefined]);
    expect(matrix.rows[0].space).not.toHaveProperty("num_leaves");
  });

  it("moves the first trial into the range that is searched", () => {
    const search = { learning_rate: { type: "float", low: 0.2, high: 0.3 } } as const;
    const [row] = build({ hpoSpace: { models: [{ family: "gbdt", search }] } }).rows;
    expect(row.portfolio[0]["learning_rate"]).toBe(0.2);
  });

  it("covers every parameter: those not searched are held", () => {
    for (const { space, fixed, portfolio } of build().rows) {
      for (const point of portfolio) {
        for (const name of Object.keys(point)) expect(space).toHaveProperty([name]);
      }
      for (const name of Object.keys(fixed)) expect(space).not.toHaveProperty([name]);
    }
  });

  const faults: [string, Partial<RunConfigInput>, (string | number)[], RegExp][] = [
    [
      "an unknown family",
      { modelFamilies: ["gbm"] },
      ["modelFamilies", 0],
      /not a model family.*gbdt/,
    ],
    ["a family to come", { modelFamilies: ["knn"] }, ["modelFamilies", 0], /not available yet/],
    [
      "a space of a family that is not in the run",
      { modelFamilies: ["gbdt"], hpoSpace: { models: [{ family: "linear" }] } },
      ["hpoSpace", "models", 0, "family"],
      /not among/,
    ],
    [
      "an unknown parameter",
      { hpoSpace: { models: [{ family: "gbdt", fixed: { depth: 3 } }] } },
      ["hpoSpace", "models", 0, "fixed", "depth"],
      /Unknown parameter "depth"/,
    ],
    [
      "a range beyond what is legal",
      {
        hpoSpace: {
          models: [
            { family: "gbdt", search: { learning_rate: { type: "float", low: 0.1, high: 50 } } },
          ],
        },
      },
      ["hpoSpace", "models", 0, "search", "learning_rate"],
      /50/,
    ],
    [
      "a constraint that the family cannot keep",
      { modelFamilies: ["gbdt", "random_forest"], monotoneConstraints: { x: 1 } },
      ["modelFamilies", 1],
      /cannot keep the effect of x monotone; these can: gbdt/,
    ],
  ];
  it.each(faults)("refuses %s", (_, more, path, message) => {
    const fault = faultOf(more);
    expect(fault.path).toEqual(path);
    expect(fault.message).toMatch(message);
  });

  it("leaves families out of a default set that cannot keep constraints", () => {
    const { rows, leftOut } = build({ monotoneConstraints: { x: 1 } });
    expect(rows.map(({ family }) => family)).not.toContain("random_forest");
    expect(leftOut).toContainEqual({
      family: "random_forest",
      reason: "It cannot keep monotone constraints.",
    });
  });
});

it("checkTrialsAsked names a row that the search has not", () => {
  const row = { family: "gbdt", reason: "", space: {}, fixed: {}, portfolio: [] };
  expect(() => checkTrialsAsked({ trialsAsked: [[0, 1], [1]] }, [row, row])).not.toThrow();
  expect(() => checkTrialsAsked({ trialsAsked: [[0], [1, 2]] }, [row, row])).toThrow(
    "The search has 2 rows of families, counted from 0; there is no row 2.",
  );
});
