/**
 * Whole runs beside other libraries: one thread each, equal settings, alternating in one run.
 * Times are medians; a ratio above 1 says how many times as long the other took.
 */

import { fileURLToPath } from "node:url";
import { type BenchData, type DatasetMeta, readFolder, syntheticData } from "./bench-data.ts";
import {
  medianOf,
  metricOf,
  ourEqual,
  peerContenders,
  type Result,
  runContest,
} from "./contest.ts";
import type { Findings } from "./findings/findings.ts";
import { javascriptPeers } from "./javascript-peers.ts";
import type { EqualSettings, PeerProcess } from "./peer-process.ts";
import { median, shortNumber, textTable } from "./text-table.ts";

/** The number of casual and of registered riders add up to the label. */
const BIKE_SHARING: DatasetMeta = {
  name: "bike_sharing_hourly",
  task: "regression",
  target: "cnt",
  files: ["data.csv.gz"],
  leaks: ["instant", "casual", "registered"],
};
const BIKE_ROWS = 17_379;
const FIXTURES = fileURLToPath(new URL("../../fixtures/", import.meta.url));

export interface WholeRunOptions {
  readonly quick: boolean;
  readonly peers: PeerProcess | null;
  readonly findings: Findings;
  readonly print: (text: string) => void;
}

export async function benchWholeRuns({
  quick,
  peers,
  findings,
  print,
}: WholeRunOptions): Promise<void> {
  const bike = await readFolder(`${FIXTURES}${BIKE_SHARING.name}`, BIKE_ROWS, BIKE_SHARING);
  const small = { rounds: quick ? 30 : 200, learning_rate: 0.1, leaves: 31, min_data: 20, l2: 1 };
  await compare(bike, small, { repeats: quick ? 1 : 3, peers, findings, print });

  const rows = quick ? 100_000 : 1_000_000;
  const large = { rounds: 10, learning_rate: 0.1, leaves: 255, min_data: 20, l2: 1 };
  await compare(syntheticData(rows, 28), large, { repeats: quick ? 1 : 3, peers, findings, print });

  await javascriptPeers(bike, quick ? 500 : 2000, findings, print);
}

interface CompareOptions {
  readonly repeats: number;
  readonly peers: PeerProcess | null;
  readonly findings: Findings;
  readonly print: (text: string) => void;
}

async function compare(
  data: BenchData,
  settings: EqualSettings,
  { repeats, peers, findings, print }: CompareOptions,
): Promise<void> {
  const contenders = [ourEqual(data, settings)];
  if (peers) {
    await peers.load(data);
    contenders.push(...peerContenders(peers, settings));
  }
  const results = await runContest(data, contenders, repeats);
  const { rounds, leaves, learning_rate } = settings;
  print(
    `\n${data.name}: ${data.train.length} training rows, ${rounds} rounds, ${leaves} leaves, learning rate ${learning_rate}, 1 thread, median of ${repeats}\n`,
  );
  print(`${resultTable(data, results)}\n`);
  noteResults(data, settings, results, findings);
  if (peers?.libraries.has("catboost")) {
    print("catboost grows symmetric trees, of at most as many leaves.\n");
  }
}

function noteResults(
  data: BenchData,
  { rounds, leaves }: EqualSettings,
  [ours, ...others]: readonly Result[],
  findings: Findings,
): void {
  const whole = (result: Result): number =>
    medianOf(result, (fit) => fit.binSeconds + fit.trainSeconds);
  const of = `${data.name}, ${data.train.length} rows, ${rounds} rounds, ${leaves} leaves`;
  for (const peer of others) {
    if (peer.failure !== null) continue;
    const shared = { better: "smaller", against: peer.name } as const;
    const seconds = { unit: "s, bin and train", ours: whole(ours), theirs: whole(peer) };
    findings.compare({ ...shared, what: of, ...seconds });
    const losses = { ours: median(ours.scores), theirs: median(peer.scores) };
    findings.compare({ ...shared, what: of, unit: `test ${metricOf(data)}`, ...losses });
  }
}

function resultTable(data: BenchData, results: readonly Result[]): string {
  const [ours] = results;
  const train = medianOf(ours, (fit) => fit.trainSeconds);
  const whole = medianOf(ours, (fit) => fit.binSeconds + fit.trainSeconds);
  return textTable(
    [
      "",
      "bin s",
      "train s",
      "ratio",
      "bin+train s",
      "ratio",
      "predict s",
      `test ${metricOf(data)}`,
    ],
    results.map((result) => {
      if (result.failure !== null) return [result.name, `failed: ${result.failure}`];
      const trained = medianOf(result, (fit) => fit.trainSeconds);
      const all = medianOf(result, (fit) => fit.binSeconds + fit.trainSeconds);
      return [
        result.name,
        shortNumber(medianOf(result, (fit) => fit.binSeconds)),
        shortNumber(trained),
        shortNumber(trained / train, 3),
        shortNumber(all),
        shortNumber(all / whole, 3),
        shortNumber(medianOf(result, (fit) => fit.predictSeconds)),
        shortNumber(median(result.scores), 6),
      ];
    }),
  );
}
