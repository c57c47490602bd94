/**
 * What pruning saves and what it costs: the standard search with and without it, on samples of
 * data sets. Compute is the processor's time until the search is over; the score is that of the final model on rows
 * that the search did not see.
 */

import { join } from "node:path";
import { createPool } from "../../../engine/src/worker/pool.ts";
import { listDatasets, readFolder } from "../bench-data.ts";
import { type Findings, geometricMean } from "../findings/findings.ts";
import { mean, median, shortNumber, textTable } from "../text-table.ts";
import { type Searched, sampleOf, searchWith } from "./searched.ts";

/** Of all tasks, none so easy that its loss is next to nothing. */
const DATASETS = [
  "abalone",
  "airfoil_noise",
  "credit_g",
  "electricity_nsw",
  "glass",
  "insurance_charges",
  "lgbm_binary_higgs",
  "telco_churn",
  "wine_quality",
];

export interface PruningOptions {
  readonly folder: string;
  /** Empty: `DATASETS`. */
  readonly only: readonly string[];
  readonly seeds: number;
  readonly rows: number;
  readonly trials: number;
  readonly findings: Findings;
  readonly print: (text: string) => void;
}

interface Pair {
  readonly name: string;
  readonly all: Searched;
  readonly pruned: Searched;
}

export async function benchPruning(options: PruningOptions): Promise<void> {
  const { folder, only, seeds, rows, trials, findings, print } = options;
  const wanted = only.length > 0 ? only : DATASETS;
  const names = listDatasets(folder)
    .map(({ name }) => name)
    .filter((name) => wanted.includes(name));
  // One thread: two fits at once slow each other, and not both searches alike.
  const pool = createPool(1);
  const pairs: Pair[] = [];
  print(`\npruning: ${trials} trials a family, samples of ${rows} rows at most, ${seeds} seeds\n`);
  try {
    for (const name of names) {
      const data = await readFolder(join(folder, name), Number.POSITIVE_INFINITY);
      // Code that has just been loaded is slow, and one of the two would pay for it.
      if (pairs.length === 0) {
        const few = { pruning: true, seed: 0, trials: 4 };
        await searchWith(data, sampleOf(data, 200, 0), few, pool);
      }
      for (let seed = 0; seed < seeds; seed++) {
        const sample = sampleOf(data, rows, seed);
        const [pruned, all] = [
          await searchWith(data, sample, { pruning: true, seed, trials }, pool),
          await searchWith(data, sample, { pruning: false, seed, trials }, pool),
        ];
        pairs.push({ name, all, pruned });
        print(`${line({ name: `${name}, seed ${seed}`, all, pruned }).join("  ")}\n`);
      }
    }
  } finally {
    await pool.close();
  }
  const rowsOfTable = names.map((name) =>
    summary(
      name,
      pairs.filter((pair) => pair.name === name),
    ),
  );
  const header = ["", "cpu s", "with pruning", "saved", "folds", "loss", "with pruning", "change"];
  print(`\n${textTable(header, [...rowsOfTable, summary("all", pairs)])}\n`);
  for (const [unit, ratios] of [
    ["CPU s", pairs.map(({ all, pruned }) => all.seconds / pruned.seconds)],
    ["held-out loss", pairs.map(({ all, pruned }) => all.loss / pruned.loss)],
  ] as const) {
    findings.compare({
      ...{ what: `searches of ${trials} trials a family`, unit: `${unit}, relative` },
      ...{ better: "smaller", ours: 1, against: "without pruning" },
      theirs: geometricMean(ratios),
    });
  }
  const changes = pairs.map(change);
  print(
    `\nChange of the held-out loss: mean ${percent(mean(changes))} ± ${percent(standardError(changes))}, median ${percent(median(changes))}; ` +
      `better in ${changes.filter((each) => each < 0).length}, worse in ${changes.filter((each) => each > 0).length} of ${changes.length}.\n`,
  );
}

function line({ name, all, pruned }: Pair): string[] {
  return [
    name,
    shortNumber(all.seconds),
    shortNumber(pruned.seconds),
    percent(1 - pruned.seconds / all.seconds),
    `${pruned.folds} of ${all.folds}`,
    shortNumber(all.loss, 5),
    shortNumber(pruned.loss, 5),
    percent(pruned.loss / all.loss - 1),
  ];
}

/** Means over the pairs; losses of several data sets have none. */
function summary(name: string, pairs: readonly Pair[]): string[] {
  const same = new Set(pairs.map((pair) => pair.name)).size === 1;
  const of = (each: (pair: Pair) => number): number => mean(pairs.map(each));
  return [
    name,
    shortNumber(of(({ all }) => all.seconds)),
    shortNumber(of(({ pruned }) => pruned.seconds)),
    percent(of(saved)),
    percent(of(({ all, pruned }) => pruned.folds / all.folds)),
    same
      ? shortNumber(
          of(({ all }) => all.loss),
          5,
        )
      : "",
    same
      ? shortNumber(
          of(({ pruned }) => pruned.loss),
          5,
        )
      : "",
    percent(of(change)),
  ];
}

function saved({ all, pruned }: Pair): number {
  return 1 - pruned.seconds / all.seconds;
}

function change({ all, pruned }: Pair): number {
  return pruned.loss / all.loss - 1;
}

function standardError(values: readonly number[]): number {
  const centre = mean(values);
  const squares = values.reduce((sum, value) => sum + (value - centre) ** 2, 0);
  return Math.sqrt(squares / Math.max(1, values.length - 1) / values.length);
}

function percent(share: number): string {
  return `${(100 * share).toFixed(2)} %`;
}
