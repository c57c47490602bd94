import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { historyRows, readSeriesSet } from "./series-sets.ts";

it("reads series whose names are quoted, and gives their rows as they were", () => {
  const folder = mkdtempSync(join(tmpdir(), "series-sets-"));
  try {
    const meta = { frequency: "yearly", seasonality: 1, horizon: 1 };
    writeFileSync(join(folder, "meta.json"), JSON.stringify(meta));
    const rows = ['"Hay, ""North""",2001,4,x', "plain,2001,7,y"];
    writeFileSync(join(folder, "train.csv"), `unique_id,ds,y,kind\n${rows.join("\n")}\n`);
    writeFileSync(
      join(folder, "test.csv"),
      `unique_id,ds,y,kind\n${rows.join("\n").replaceAll("2001", "2002")}\n`,
    );
    const set = readSeriesSet(folder, "", 1);
    expect(set.series.map(({ id, history, future }) => [id, [...history], [...future]])).toEqual([
      ['Hay, "North"', [4], [4]],
      ["plain", [7], [7]],
    ]);
    expect(historyRows(folder, set).trim().split("\n").slice(1)).toEqual(rows);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
