/**
 * Single families by their defaults on the data sets of `--data`: networks beside RealMLP's and TabM's, trees beside
 * CatBoost's. One split for all, one metric; within 1 %, or within twice the deviation over seeds, counts as equal.
 */

import { join } from "node:path";
import type { Family } from "../../../engine/src/families/family.ts";
import { gbdt } from "../../../engine/src/families/gbdt/family.ts";
import { mlp } from "../../../engine/src/families/mlp/family.ts";
import { oblivious } from "../../../engine/src/families/oblivious/family.ts";
import { type BenchData, readFolder } from "../bench-data.ts";
import {
  type Contender,
  metricOf,
  ourDefaults,
  peerContender,
  type Result,
  runContest,
} from "../contest.ts";
import { type Findings, geometricMean } from "../findings/findings.ts";
import type { PeerProcess } from "../peer-process.ts";
import { deviation, mean, shortNumber, textTable } from "../text-table.ts";
import { stoppedFit } from "./stopped-fit.ts";

/** Ours, and whose defaults they are beside. */
const PAIRS: readonly {
  readonly family: Family;
  readonly against: readonly string[];
  readonly make: (data: BenchData, family: Family) => Contender;
}[] = [
  { family: mlp, against: ["realmlp", "tabm"], make: (data, family) => stoppedFit(data, family) },
  { family: oblivious, against: ["catboost"], make: (data, family) => ourDefaults(data, family) },
  { family: gbdt, against: ["catboost"], make: (data, family) => ourDefaults(data, family) },
];
const NEGLIGIBLE = 0.01;
/** Of the data sets, as good or better. */
const ASKED = 0.6;

export interface SingleFamiliesOptions {
  readonly folder: string;
  readonly datasets: readonly string[];
  readonly mostRows: number;
  readonly seeds: number;
  readonly peers: PeerProcess | null;
  readonly findings: Findings;
  readonly print: (text: string) => void;
}

export async function benchSingleFamilies(options: SingleFamiliesOptions): Promise<void> {
  const { folder, datasets, mostRows, seeds, peers, findings, print } = options;
  const against = [...new Set(PAIRS.flatMap((pair) => pair.against))];
  const own = PAIRS.map(({ family }) => family.id);
  const ratios = new Map<string, number[]>();
  const asGood = new Map<string, number>();
  const lines: string[][] = [];
  for (const name of datasets) {
    const data = await readFolder(join(folder, name), mostRows);
    const contenders = PAIRS.map(({ family, make }) => make(data, family));
    if (peers) {
      await peers.load(data);
      contenders.push(...against.map((library) => peerContender(peers, library)));
    }
    const results = await runContest(data, contenders, seeds);
    const line = [name, String(data.train.length), metricOf(data), ...results.map(described)];
    print(`${line.join("  ")}\n`);
    lines.push(line);
    for (const [p, pair] of PAIRS.entries()) {
      for (const other of results.slice(PAIRS.length)) {
        if (!pair.against.includes(other.name) || other.failure !== null) continue;
        if (results[p].failure !== null) continue;
        const key = `${pair.family.id} beside ${other.name}`;
        ratios.set(key, [...(ratios.get(key) ?? []), mean(other.scores) / mean(results[p].scores)]);
        if (isAsGood(results[p], other)) asGood.set(key, (asGood.get(key) ?? 0) + 1);
      }
    }
  }
  const header = ["", "train", "metric", ...own, ...(peers ? against : [])];
  print(`\nsingle families by defaults, held-out losses\n${textTable(header, lines)}\n`);
  for (const [key, each] of ratios) {
    const [ours, other] = key.split(" beside ");
    findings.compare({
      what: `defaults of ${ours}, held-out loss over ${each.length} data sets`,
      ...{ unit: "relative", better: "smaller", ours: 1, against: other },
      theirs: geometricMean(each),
    });
    findings.compare({
      what: `the same: as good or better; asked for: ${ASKED} of the sets`,
      ...{ unit: "share", better: "larger", ours: (asGood.get(key) ?? 0) / each.length },
      ...{ against: `${other}, asked for`, theirs: ASKED },
    });
  }
}

function isAsGood(ours: Result, other: Result): boolean {
  const noise = 2 * Math.hypot(deviation(ours.scores), deviation(other.scores));
  const allowed = Math.max(NEGLIGIBLE * mean(other.scores), noise);
  return mean(ours.scores) <= mean(other.scores) + allowed;
}

function described({ name, scores, failure }: Result): string {
  if (failure !== null) return `${name}: ${failure}`;
  return shortNumber(mean(scores));
}
