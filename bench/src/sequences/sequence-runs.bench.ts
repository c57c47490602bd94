/**
 * Whole runs with all defaults under a time budget on the sequences of `--data`, learned from the training
 * part that a set came with and scored on its test part, over several random states; beside MiniRocket under a
 * ridge regression in the same process, and published figures.
 */

import { createReadStream, createWriteStream, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import type { Model } from "../../../engine/src/index.ts";
import { train } from "../../../engine/src/index.ts";
import type { Findings } from "../findings/findings.ts";
import { mean, shortNumber, textTable } from "../text-table.ts";
import { METHODS } from "./methods.ts";
import {
  readSequences,
  type SequenceFiles,
  sequenceFiles,
  sequenceFolders,
} from "./sequence-data.ts";

export interface SequenceRunsOptions {
  readonly folder: string;
  /** Data sets to take; empty = all of sequences. */
  readonly only: readonly string[];
  /** Random states of each run. */
  readonly seeds: number;
  /** Of wall time, for each run. */
  readonly seconds: number;
  readonly findings: Findings;
  readonly print: (text: string) => void;
}

/** Accuracy, or of values the root mean squared error. */
interface Scored {
  readonly score: number;
  /** Of classes, mean over the test sequences. */
  readonly logLoss: number;
}

export async function benchSequenceRuns(options: SequenceRunsOptions): Promise<void> {
  const { folder, only, seeds, seconds, findings, print } = options;
  const alone = METHODS.filter(({ name }) => name === "minirocket");
  const rows: string[][] = [];
  /** Of sets of classes that have a published figure: ours, MiniRocket's here and as published. */
  const compared: [number, number, number][] = [];
  print(`\nwhole runs of ${seconds} s, ${seeds} random states each\n`);
  for (const name of sequenceFolders(folder)) {
    if (only.length > 0 && !only.includes(name)) continue;
    const data = await readSequences(join(folder, name));
    const runs: Scored[] = [];
    for (let seed = 0; seed < seeds; seed++) {
      runs.push(await scoredRun(sequenceFiles(join(folder, name)), seconds, seed));
    }
    const [plain] = alone.map((method) =>
      mean(
        Array.from({ length: seeds }, (_, seed) => {
          const said = method.predict(data, seed);
          const { target } = data.test;
          if (data.classes > 0) return mean([...target].map((y, i) => Number(said[i] === y)));
          return Math.sqrt(mean([...target].map((y, i) => (said[i] - y) ** 2)));
        }),
      ),
    );
    const ours = mean(runs.map(({ score }) => score));
    const spread =
      Math.max(...runs.map(({ score }) => score)) - Math.min(...runs.map(({ score }) => score));
    if (data.published !== null) compared.push([ours, plain, data.published]);
    rows.push([
      name,
      ...[ours, spread, plain, data.published ?? Number.NaN, data.publishedBest ?? Number.NaN].map(
        (figure) => shortNumber(figure),
      ),
      data.classes > 0 ? shortNumber(mean(runs.map(({ logLoss }) => logLoss))) : "",
    ]);
    print(`${rows.at(-1)?.join("  ")}\n`);
  }
  if (compared.length > 0) {
    const [ours, plain, published] = ([0, 1, 2] as const).map((place) =>
      mean(compared.map((each) => each[place])),
    );
    const what = `whole runs of ${seconds} s, mean of ${compared.length} sets`;
    const shared = { what, unit: "accuracy", better: "larger", ours } as const;
    findings.compare({ ...shared, against: "MiniRocket and ridge, here", theirs: plain });
    findings.compare({ ...shared, against: "MiniRocket as published", theirs: published });
    const figures = [shortNumber(ours), "", shortNumber(plain), shortNumber(published), "", ""];
    rows.push([`mean of ${compared.length} published`, ...figures]);
  }
  const header = [
    "",
    "whole run",
    "range",
    "minirocket, ridge",
    "MiniRocket published",
    "HC2 published",
    "log-loss",
  ];
  print(
    `\nAccuracy on the test sequences (root mean squared error of values), means of ${seeds} random states\n`,
  );
  print(`${textTable(header, rows)}\n`);
}

async function scoredRun(
  files: SequenceFiles,
  timeBudgetS: number,
  randomState: number,
): Promise<Scored> {
  const home = mkdtempSync(join(tmpdir(), "distillery-sequences-"));
  try {
    const { model } = await train(
      { path: await plainFile(files.train, home), format: "csv" },
      {
        task: {
          taskKind: files.kind,
          labelColumn: files.label,
          sequenceColumn: files.sequence,
          orderColumn: files.order,
        },
        timeBudgetS,
        randomState,
      },
      { threads: 2 },
    );
    return await scoreOf(model, files);
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

async function plainFile(path: string, home: string): Promise<string> {
  if (!path.endsWith(".gz")) return path;
  const plain = join(home, "train.csv");
  await pipeline(createReadStream(path), createGunzip(), createWriteStream(plain));
  return plain;
}

async function scoreOf(model: Model, files: SequenceFiles): Promise<Scored> {
  const { table, labels } = await files.test();
  const predicted = model.predict(table);
  const { values, outputs, keys } = predicted;
  const { classes } = model.document.task;
  const truth = (keys ?? []).map((key) => {
    const label = labels.get(String(key["id"]));
    if (label === undefined) throw new Error("An answer is of none of the sequences.");
    return label;
  });
  if (truth.length !== labels.size) throw new Error("Not all test sequences are answered.");
  if (classes.length === 0) {
    const squares = truth.map((label, i) => (values[i] - Number(label)) ** 2);
    return { score: Math.sqrt(mean(squares)), logLoss: Number.NaN };
  }
  const said = model.decide(predicted);
  const probabilityOf = (i: number, label: number): number => {
    if (outputs > 1) return values[i * outputs + label];
    return label === 1 ? values[i] : 1 - values[i];
  };
  const right = truth.map((label, i) => Number(classes[said[i]] === label));
  const losses = truth.map(
    (label, i) => -Math.log(Math.max(1e-15, probabilityOf(i, classes.indexOf(label)))),
  );
  return { score: mean(right), logLoss: mean(losses) };
}
