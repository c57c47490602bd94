import { expect, it } from "vitest";
import { readCsv } from "../../data/readers/csv.ts";
import type { DataShape } from "../../families/family.ts";
import { runConfigSchema } from "./config.ts";
import { ConfigError } from "./errors.ts";
import { monotoneFeatures } from "./monotone-features.ts";

const lines = [
  "a,same,left,group,word,w,y",
  "1,7,2,1,red,1,0",
  "2,7,3,2,blue,1,1",
  "3,7,5,2,red,2,2",
];
const shape: DataShape = {
  rows: 3,
  task: { kind: "regression", classes: [] },
  features: [{ name: "a", column: "a", kind: "numeric" }],
};

async function constrained(column: string) {
  const { table } = await readCsv([new TextEncoder().encode(`${lines.join("\n")}\n`)], {});
  const config = runConfigSchema.parse({
    task: {
      ...{ taskKind: "regression", labelColumn: "y", groupColumn: "group", weightColumn: "w" },
      ignoreColumns: ["left"],
    },
    monotoneConstraints: { [column]: 1 },
  });
  return monotoneFeatures(config, shape, table);
}

it("takes a column that features are made of", async () => {
  expect(await constrained("a")).toEqual({ a: 1 });
});

it.each([
  ["left", "(it is ignored)"],
  ["group", "(it groups the rows)"],
  ["w", "(it weighs the rows)"],
  ["y", "(it is the label)"],
  ["same", "(it has one value only, or none)"],
  ["word", '(it is categorical: row 1 holds "red")'],
  ["lefd", '(the closest: "left"'],
])("says why no constraint holds of %s", async (column, why) => {
  const error = await constrained(column).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(ConfigError);
  expect(error).toMatchObject({
    path: ["monotoneConstraints", column],
    message: expect.stringContaining(why),
  });
});
