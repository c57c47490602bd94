/**
 * Whether intervals and sets hold what they say: on the data sets of a folder, over several random
 * splits and sizes, models trained by the engine's own search.
 */

import { join } from "node:path";
import { listDatasets, readFolder } from "../bench-data.ts";
import { shortNumber, textTable } from "../text-table.ts";
import { type HeldOut, heldOut } from "./held-out.ts";

export interface ConformalOptions {
  readonly folder: string;
  /** Data sets to take; empty = all. */
  readonly only: readonly string[];
  readonly seeds: number;
  readonly quick: boolean;
  readonly print: (text: string) => void;
}

const COVERAGE = 0.9;
/** What the mean over splits is asked to lie in. */
const ASKED: readonly [number, number] = [0.88, 0.92];
const TEST_ROWS = 5000;
const MOST_ROWS = 20_000;

export async function benchConformal(options: ConformalOptions): Promise<void> {
  const { folder, only, seeds, quick, print } = options;
  const sizes = quick ? [300] : [150, 1000, 4000];
  const kinds = quick ? [true] : [true, false];
  for (const ensemble of kinds) {
    for (const trainRows of sizes) {
      print(`\n${ensemble ? "Ensembles" : "Winners"} of ${trainRows} rows, nominal ${COVERAGE}\n`);
      const rows: string[][] = [];
      let within = 0;
      for (const { name, task } of listDatasets(folder)) {
        if (only.length > 0 && !only.includes(name)) continue;
        const data = await readFolder(join(folder, name), MOST_ROWS);
        const results: HeldOut[] = [];
        for (let seed = 0; seed < seeds; seed++) {
          results.push(
            await heldOut(data, {
              trainRows,
              testRows: TEST_ROWS,
              seed,
              ensemble,
              trials: quick ? 1 : 3,
              coverage: COVERAGE,
            }),
          );
        }
        const mean = (of: (result: HeldOut) => number | null | undefined): number =>
          results.reduce((sum, each) => sum + (of(each) ?? Number.NaN), 0) / results.length;
        const coverage = mean((each) => each.coverage);
        const inside = coverage >= ASKED[0] && coverage <= ASKED[1];
        const singles = task !== "regression" && mean((each) => each.size) < 1.005;
        if (inside || (singles && coverage >= ASKED[0])) within++;
        rows.push([
          name,
          String(results.reduce((sum, each) => sum + each.tested, 0)),
          percent(coverage),
          singles ? "labels alone" : inside ? "" : "outside",
          percent(mean(({ card }) => card.measured)),
          shortNumber(
            mean((each) => each.size),
            3,
          ),
          percent(mean((each) => each.easy)),
          percent(mean((each) => each.hard)),
          percent(mean((each) => each.worstClass)),
        ]);
        print(`${rows.at(-1)?.join("  ")}\n`);
      }
      print(
        `\n${textTable(["", "tested", "coverage", "", "out of fold", "size", "easy third", "hard third", "worst class"], rows)}\n`,
      );
      print(
        `Within ${percent(ASKED[0])} to ${percent(ASKED[1])}, or labels alone that are right more often: ${within} of ${rows.length}.\n`,
      );
    }
  }
}

function percent(share: number): string {
  return Number.isFinite(share) ? (100 * share).toFixed(1) : "–";
}
