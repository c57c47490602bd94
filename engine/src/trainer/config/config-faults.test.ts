import { describe, expect, it } from "vitest";
import { parseRunConfig } from "./config-faults.ts";
import { ConfigError } from "./errors.ts";

const TASK = { taskKind: "regression", labelColumn: "y" };

function refused(config: unknown): ConfigError {
  try {
    parseRunConfig(config);
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
  throw new Error("It was taken.");
}

describe("parseRunConfig", () => {
  it.each<[string, object, RegExp]>([
    ["of the run", { task: TASK, coverag: 0.8 }, /^there is no member "coverag"; .* "coverage"/],
    [
      "of the task",
      { task: { ...TASK, weight_column: "w" } },
      /^task: there is no member "weight_column"; the closest: "weightColumn"/,
    ],
    [
      "of a list's item",
      { task: TASK, hpoSpace: { models: [{ family: "gbdt", serch: {} }] } },
      /^hpoSpace\.models\[0\]: there is no member "serch"; the closest: "search"/,
    ],
  ])("names the members that come nearest of one that there is none of, %s", (_, config, told) => {
    expect(refused(config).message).toMatch(told);
  });

  it("lies at the role that a column cannot have beside another", () => {
    const { path, message } = refused({ task: { ...TASK, ignoreColumns: ["x", "y"] } });
    expect(path).toEqual(["task", "ignoreColumns", 1]);
    expect(message).toMatch(/^task\.ignoreColumns\[1\]: "y" is the label, so it cannot be ignored/);
  });
});
