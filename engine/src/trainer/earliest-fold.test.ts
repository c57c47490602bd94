import { expect, it } from "vitest";
import type { Table } from "../data/table.ts";
import { runConfigSchema } from "./config/config.ts";
import { prepareTable } from "./plan/prepare.ts";

/** One table of so many series of as many steps. */
function series(count: number, steps: number): Table {
  const rows = count * steps;
  return {
    rows,
    columns: [
      {
        kind: "categorical",
        name: "id",
        codes: Int32Array.from({ length: rows }, (_, i) => Math.floor(i / steps)),
        categories: Array.from({ length: count }, (_, s) => `s${s}`),
      },
      {
        kind: "numeric",
        name: "t",
        values: Float64Array.from({ length: rows }, (_, i) => i % steps),
      },
      {
        kind: "numeric",
        name: "y",
        values: Float64Array.from({ length: rows }, (_, i) => (i * 7) % 11),
      },
    ],
  };
}

function planOf(steps: number) {
  const config = runConfigSchema.parse({
    task: {
      taskKind: "forecasting",
      labelColumn: "y",
      timeColumn: "t",
      seriesColumns: ["id"],
      horizon: 4,
    },
    nCvSplits: 3,
  });
  return prepareTable(series(30, steps), config).plan;
}

it("leaves out families that the earliest fold is too short for, though the whole series are not", () => {
  const short = planOf(17);
  expect(short.leftOut).toContainEqual(expect.objectContaining({ family: "dlinear" }));
  expect(short.matrix.map(({ family }) => family)).not.toContain("dlinear");
  expect(planOf(60).matrix.map(({ family }) => family)).toContain("dlinear");
});
