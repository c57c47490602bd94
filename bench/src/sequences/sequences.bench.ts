/**
 * Predictions from sequences on the data sets of `--data`, with the splits that they came with, and
 * the processor seconds of a warm transformation beside aeon's, in turns, by one thread each.
 */

import { join } from "node:path";
import process from "node:process";
import { Arena } from "../../../engine/src/compute/arena.ts";
import { deriveKey } from "../../../engine/src/compute/random.ts";
import { MiniRocket } from "../../../engine/src/sequences/rocket/minirocket.ts";
import type { Findings } from "../findings/findings.ts";
import { median, shortNumber, textTable } from "../text-table.ts";
import { AeonProcess, type AeonTransform } from "./aeon-process.ts";
import { METHODS } from "./methods.ts";
import { readSequences, type SequenceData, sequenceFolders } from "./sequence-data.ts";

export interface SequencesOptions {
  readonly folder: string;
  /** Data sets to take; empty = all of sequences. */
  readonly only: readonly string[];
  readonly seeds: number;
  readonly python: string;
  readonly findings: Findings;
  readonly print: (text: string) => void;
}

const AEON_TRANSFORMS: readonly AeonTransform[] = ["minirocket", "multirocket"];
/** Before any is timed, until the kernels run as compiled at last. */
const WARMING = 5;
const TURNS = 9;

export async function benchSequences(options: SequencesOptions): Promise<void> {
  const { folder, only, seeds, python, findings, print } = options;
  const names = sequenceFolders(folder).filter((name) => only.length === 0 || only.includes(name));
  const aeon = await AeonProcess.start(python);
  if (aeon === null) print(`\nNot compared: ${python} has no aeon.\n`);
  const all: SequenceData[] = [];
  for (const name of names) all.push(await readSequences(join(folder, name)));
  try {
    // Before the rest leaves much to the collector of garbage.
    if (aeon) await printTimes(all, aeon, findings, print);
    await printScores(all, aeon, seeds, print);
  } finally {
    await aeon?.close();
  }
}

async function printTimes(
  all: readonly SequenceData[],
  aeon: AeonProcess,
  findings: Findings,
  print: (text: string) => void,
): Promise<void> {
  const times: string[][] = [];
  for (const data of all) {
    if (!(await aeon.load(data))) continue;
    const { ours, theirs, ratio } = await timed(data, aeon);
    times.push([data.name, shortNumber(ours), shortNumber(theirs), shortNumber(ratio, 3)]);
    findings.compare({
      ...{ what: `${data.name}, a warm MiniRocket`, unit: "CPU s", better: "smaller" },
      ...{ ours, against: `aeon ${aeon.version}`, theirs },
    });
  }
  print(
    `\nProcessor seconds of a warm MiniRocket of the test sequences, aeon ${aeon.version} in turns\n`,
  );
  print(`${textTable(["", "ours", "aeon", "times as fast"], times)}\n`);
}

async function printScores(
  all: readonly SequenceData[],
  aeon: AeonProcess | null,
  seeds: number,
  print: (text: string) => void,
): Promise<void> {
  const scores: string[][] = [];
  const ofClasses: number[][] = [];
  for (const data of all) {
    const figures = METHODS.map((method) =>
      mean(seeds, (seed) => score(data, method.predict(data, seed))),
    );
    if (data.classes > 0) ofClasses.push([...figures]);
    const known = aeon !== null && (await aeon.load(data));
    for (const transform of AEON_TRANSFORMS) {
      figures.push(known ? score(data, await aeon.predict(transform, 0)) : Number.NaN);
    }
    figures.push(data.published ?? Number.NaN);
    scores.push([data.name, ...figures.map((figure) => shortNumber(figure))]);
    print(`${scores.at(-1)?.join("  ")}\n`);
  }
  if (ofClasses.length > 0) {
    const overall = METHODS.map((_, i) => mean(ofClasses.length, (at) => ofClasses[at][i]));
    scores.push(["mean accuracy", ...overall.map((figure) => shortNumber(figure))]);
  }
  print(
    `\nAccuracy on the test sequences (root mean squared error for regression), means of ${seeds} seeds\n`,
  );
  const others = AEON_TRANSFORMS.map((transform) => `aeon ${transform}`);
  const header = ["", ...METHODS.map(({ name }) => name), ...others, "published"];
  print(`${textTable(header, scores)}\n`);
}

/** Medians of turns that follow each other, so that what else runs slows both. */
async function timed(
  data: SequenceData,
  aeon: AeonProcess,
): Promise<{ readonly ours: number; readonly theirs: number; readonly ratio: number }> {
  const { train, test } = data;
  const arena = Arena.create().handle();
  const fitted = MiniRocket.fit(train.set, null, deriveKey(0, "bench"));
  for (let i = 0; i < WARMING; i++) fitted.transform(test.set, null, arena);
  const seconds: { ours: number; theirs: number }[] = [];
  for (let turn = 0; turn < TURNS; turn++) {
    const begun = process.cpuUsage();
    fitted.transform(test.set, null, arena);
    const { user, system } = process.cpuUsage(begun);
    const ours = (user + system) / 1e6;
    seconds.push({ ours, theirs: await aeon.seconds("minirocket") });
  }
  const ratio = median(seconds.map(({ ours, theirs }) => theirs / ours));
  const [ours, theirs] = (["ours", "theirs"] as const).map((whose) =>
    median(seconds.map((turn) => turn[whose])),
  );
  return { ours, theirs, ratio };
}

/** Accuracy, or the root mean squared error. */
function score({ test, classes }: SequenceData, predictions: Float64Array): number {
  const { target } = test;
  if (classes > 0) return mean(target.length, (i) => (predictions[i] === target[i] ? 1 : 0));
  return Math.sqrt(mean(target.length, (i) => (predictions[i] - target[i]) ** 2));
}

function mean(count: number, of: (i: number) => number): number {
  return (
    Array.from({ length: count }, (_, i) => of(i)).reduce((sum, value) => sum + value, 0) / count
  );
}
