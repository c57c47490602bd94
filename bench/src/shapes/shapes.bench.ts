/**
 * Sums of shape functions beside InterpretML's, both by their defaults: losses on held-out rows, and time. Ours is
 * stopped by five folds and then learns from all rows, as in a run.
 */

import { join } from "node:path";
import { gam } from "../../../engine/src/families/gam/family.ts";
import type { AccuracyOptions } from "../accuracy.ts";
import { type BenchData, listDatasets, readFolder } from "../bench-data.ts";
import {
  medianOf,
  metricOf,
  ourDefaults,
  peerContender,
  type Result,
  runContest,
} from "../contest.ts";
import { type Findings, geometricMean } from "../findings/findings.ts";
import { mean, shortNumber, textTable } from "../text-table.ts";

/** Numbers and classes, small and middle, with many categories and without. */
export const SHAPES_DATASETS: readonly string[] = [
  "abalone",
  "airfoil_noise",
  "auto_mpg",
  "california_housing",
  "cpu_act",
  "insurance_charges",
  "power_plant_ccpp",
  "wine_quality",
  "breast_cancer_wdbc",
  "credit_g",
  "spambase",
  "telco_churn",
  "titanic",
  "car_evaluation",
  "glass",
  "vowel",
];

export async function benchShapes(options: AccuracyOptions): Promise<void> {
  const { folder, only, seeds, mostRows, peers, findings, print } = options;
  if (peers === null) print("\nshapes: InterpretML left out, since there are no peers\n");
  const rows: string[][] = [];
  const ratios: number[] = [];
  for (const { name } of listDatasets(folder).filter((each) => only.includes(each.name))) {
    const data = await readFolder(join(folder, name), mostRows);
    const contenders = [ourDefaults(data, gam, 5)];
    if (peers) {
      await peers.load(data);
      contenders.push(peerContender(peers, "interpret"));
    }
    const results = await runContest(data, contenders, seeds);
    rows.push([name, String(data.train.length), metricOf(data), ...results.flatMap(cellsOf)]);
    print(`${rows.at(-1)?.join("  ")}\n`);
    const ratio = compared(data, results, findings);
    if (ratio !== null) ratios.push(ratio);
  }
  const header = ["", "train", "metric", "ours", "seconds", "InterpretML", "seconds"];
  print(`\nMeans of ${seeds} seeds\n${textTable(header, rows)}\n`);
  if (ratios.length === 0) return;
  findings.compare({
    ...{ what: `loss over ${ratios.length} data sets`, unit: "relative", better: "smaller" },
    ...{ ours: 1, against: "InterpretML", theirs: geometricMean(ratios) },
  });
}

function cellsOf(result: Result): string[] {
  if (result.failure !== null) return [result.failure, "–"];
  return [
    shortNumber(mean(result.scores), 4),
    shortNumber(
      medianOf(result, ({ trainSeconds }) => trainSeconds),
      3,
    ),
  ];
}

/** @returns their loss over ours; null where either failed */
function compared(data: BenchData, results: readonly Result[], findings: Findings): number | null {
  const [ours, theirs] = results;
  if (theirs === undefined || ours.failure !== null || theirs.failure !== null) return null;
  const [own, others] = [mean(ours.scores), mean(theirs.scores)];
  findings.compare({
    ...{ what: data.name, unit: metricOf(data), better: "smaller" },
    ...{ ours: own, against: "InterpretML", theirs: others },
  });
  return others / own;
}
