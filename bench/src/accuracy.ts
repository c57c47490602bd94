/**
 * Scores of default settings on a folder of data sets, several seeds each, one split for all.
 *
 * Every library runs as its defaults say: gbdt stops early on a fifth of the training rows and then
 * learns from all of them; LightGBM and XGBoost train for a fixed 100 rounds, CatBoost for 1000,
 * and scikit-learn stops early above 10,000 rows. Early stopping is part of what is compared.
 *
 * A loss within two standard errors of the seeds' differences, or within 1 % of the best peer's,
 * counts as equal. Log-loss and RMSE on the held-out rows; lower is better.
 */

import { join } from "node:path";
import { listDatasets, readFolder } from "./bench-data.ts";
import {
  medianOf,
  metricOf,
  ourDefaults,
  peerContenders,
  type Result,
  runContest,
} from "./contest.ts";
import { type Findings, geometricMean } from "./findings/findings.ts";
import type { PeerProcess } from "./peer-process.ts";
import { deviation, mean, shortNumber, textTable } from "./text-table.ts";

export interface AccuracyOptions {
  readonly folder: string;
  /** Data sets to take; empty = all. */
  readonly only: readonly string[];
  readonly seeds: number;
  /** Rows of a data set at most, where its split is not given. */
  readonly mostRows: number;
  readonly peers: PeerProcess | null;
  readonly findings: Findings;
  readonly print: (text: string) => void;
}

/** Peers whose defaults count as the mark to reach. */
const MARKS = ["lightgbm", "xgboost"];
const NEGLIGIBLE = 0.01;

export async function benchAccuracy(options: AccuracyOptions): Promise<void> {
  const { folder, only, seeds, mostRows, peers, findings, print } = options;
  const datasets = listDatasets(folder).filter(
    ({ name }) => only.length === 0 || only.includes(name),
  );
  let header: string[] | null = null;
  const losses = new Map<string, number[]>();
  const tables = new Map<string, string[][]>();
  for (const { name, task } of datasets) {
    const data = await readFolder(join(folder, name), mostRows);
    const contenders = [ourDefaults(data)];
    if (peers) {
      await peers.load(data);
      contenders.push(...peerContenders(peers, null));
    }
    const results = await runContest(data, contenders, seeds);
    const [ours, ...others] = results;
    for (const { name: peer, scores, failure } of others) {
      const ratio = mean(scores) / mean(ours.scores);
      if (failure !== null || !Number.isFinite(ratio) || ratio <= 0) continue;
      losses.set(peer, [...(losses.get(peer) ?? []), ratio]);
    }
    header ??= ["", "train", "metric", ...results.map((result) => result.name), "verdict", "s"];
    const row = [
      name,
      String(data.train.length),
      metricOf(data),
      ...results.map(describe),
      verdict(results),
      shortNumber(
        medianOf(results[0], (fit) => fit.trainSeconds),
        3,
      ),
    ];
    tables.set(task, [...(tables.get(task) ?? []), row]);
    print(`${row.join("  ")}\n`);
    for (const result of results) {
      if (result.failure !== null) print(`${name}, ${result.name}: ${result.failure}\n`);
    }
  }
  for (const [task, rows] of tables) {
    print(`\n${task}: defaults, mean ± deviation over ${seeds} seeds\n`);
    print(`${textTable(header ?? [], rows)}\n`);
    print("Defaults differ in more than trees: of these, gbdt alone always stops early.\n");
  }
  for (const [peer, ratios] of losses) {
    findings.compare({
      what: `defaults of gbdt, held-out loss over ${ratios.length} data sets`,
      ...{ unit: "relative", better: "smaller", ours: 1, against: peer },
      theirs: geometricMean(ratios),
    });
  }
}

function describe({ scores, failure }: Result): string {
  if (failure !== null) return "failed";
  const centre = mean(scores);
  const spread = deviation(scores);
  // What summation leaves of equal scores is no noise.
  return `${shortNumber(centre)} ± ${shortNumber(spread > 1e-9 * centre ? spread : 0, 1)}`;
}

/** Beside the better of the marks. */
function verdict(results: readonly Result[]): string {
  const [ours, ...others] = results;
  const marks = others.filter(
    ({ name, failure }) => failure === null && MARKS.some((mark) => name.startsWith(mark)),
  );
  if (marks.length === 0 || ours.failure !== null) return "–";
  const best = marks.reduce((a, b) => (mean(b.scores) < mean(a.scores) ? b : a));
  const worst = marks.reduce((a, b) => (mean(b.scores) > mean(a.scores) ? b : a));
  const noise = (mark: Result): number =>
    Math.max(
      NEGLIGIBLE * mean(mark.scores),
      2 * Math.hypot(deviation(ours.scores), deviation(mark.scores)),
    );
  const gap = mean(ours.scores) - mean(best.scores);
  if (gap < -noise(best)) return "better than both";
  if (gap <= noise(best)) return "as the best";
  return mean(ours.scores) - mean(worst.scores) <= noise(worst) ? "as one of them" : "worse";
}
