/**
 * What a categorical column of many levels costs where it is noise, and brings where it is not: held-out
 * losses of the families' defaults with the column over those without it, on synthetic tables and on real
 * ones with a column of noise beside their own. 1.01 is a loss of one percent more.
 */

import { join } from "node:path";
import { deriveKey } from "../../../engine/src/compute/random.ts";
import { freeEncoded } from "../../../engine/src/data/encode.ts";
import type { Family } from "../../../engine/src/families/family.ts";
import { familyById } from "../../../engine/src/families/index.ts";
import { type BenchData, encodeBenchData, listDatasets, readFolder } from "../bench-data.ts";
import { scoreOf } from "../contest.ts";
import { type Findings, geometricMean } from "../findings/findings.ts";
import type { PeerProcess } from "../peer-process.ts";
import { textTable } from "../text-table.ts";
import {
  MEANINGS,
  type Meaning,
  syntheticLevels,
  withNoise,
  withoutLevels,
} from "./levels-data.ts";

export interface CategoriesOptions {
  /** A family with its defaults, or `gbdt:cat_noise=0` with some of them changed. */
  readonly families: readonly string[];
  readonly rows: readonly number[];
  readonly levels: readonly number[];
  readonly meanings?: readonly Meaning[];
  readonly seeds: number;
  /** Of real tables; null: synthetic ones alone. */
  readonly folder: string | null;
  readonly datasets: readonly string[];
  readonly mostRows: number;
  readonly peers: PeerProcess | null;
  readonly findings: Findings;
  readonly print: (text: string) => void;
}

/** Whatever fits and predicts the test rows. */
interface Fitter {
  readonly name: string;
  loss(data: BenchData, seed: number): Promise<number>;
}

/** Real tables of numbers alone. */
const NUMERIC = [
  "power_plant_ccpp",
  "cpu_act",
  "wine_quality",
  "california_housing",
  "htru2_pulsar",
];

export async function benchCategories(options: CategoriesOptions): Promise<void> {
  const { print, findings } = options;
  const fitters = fittersOf(options);
  for (const meaning of options.meanings ?? MEANINGS) {
    const rows: string[][] = [];
    const noise = new Map<string, number[]>();
    for (const count of options.levels) {
      const ratios = await onSynthetic(options, fitters, { count, meaning });
      rows.push([String(count), ...ratios.map((each) => geometricMean(each).toFixed(4))]);
      for (const [i, { name }] of fitters.entries()) {
        noise.set(name, [...(noise.get(name) ?? []), ...ratios[i]]);
      }
      print(`${meaning}  ${rows.at(-1)?.join("  ")}\n`);
    }
    print(
      `\nA column of ${meaning === "noise" ? "noise" : `${meaning} levels`}, loss with it over that without\n`,
    );
    print(`${textTable(["levels", ...fitters.map(({ name }) => name)], rows)}\n`);
    for (const [name, ratios] of noise) {
      findings.note(`${name}, levels that are ${meaning}`, "relative", geometricMean(ratios));
    }
  }
  if (options.folder !== null) await onTables(options, fitters, options.folder);
}

/** One list of ratios a fitter. */
async function onSynthetic(
  { rows, seeds }: CategoriesOptions,
  fitters: readonly Fitter[],
  levels: { readonly count: number; readonly meaning: Meaning },
): Promise<number[][]> {
  const ratios = fitters.map((): number[] => []);
  for (const kind of ["regression", "binclass"] as const) {
    for (const size of rows) {
      for (let seed = 0; seed < seeds; seed++) {
        const data = syntheticLevels(size, kind, levels, seed);
        await compare(fitters, data, withoutLevels(data), seed, ratios);
      }
    }
  }
  return ratios;
}

async function onTables(
  { datasets, mostRows, levels, seeds, print }: CategoriesOptions,
  fitters: readonly Fitter[],
  folder: string,
): Promise<void> {
  const wanted = datasets.length > 0 ? datasets : NUMERIC;
  const lines: string[][] = [];
  for (const { name } of listDatasets(folder).filter((each) => wanted.includes(each.name))) {
    const data = await readFolder(join(folder, name), mostRows);
    for (const count of levels) {
      const ratios = fitters.map((): number[] => []);
      for (let seed = 0; seed < seeds; seed++) {
        await compare(fitters, withNoise(data, count, seed), data, seed, ratios);
      }
      lines.push([name, String(count), ...ratios.map((each) => geometricMean(each).toFixed(4))]);
      print(`${lines.at(-1)?.join("  ")}\n`);
    }
  }
  print("\nA column of noise beside those of real tables\n");
  print(`${textTable(["", "levels", ...fitters.map(({ name }) => name)], lines)}\n`);
}

async function compare(
  fitters: readonly Fitter[],
  data: BenchData,
  without: BenchData,
  seed: number,
  ratios: number[][],
): Promise<void> {
  for (const [i, fitter] of fitters.entries()) {
    ratios[i].push((await fitter.loss(data, seed)) / (await fitter.loss(without, seed)));
  }
}

function fittersOf({ families, peers }: CategoriesOptions): Fitter[] {
  const ours = families.map((given): Fitter => {
    const [id, ...changes] = given.split(":");
    const family = familyById(id);
    if (family === undefined) throw new Error(`There is no family ${id}.`);
    const changed = Object.fromEntries(
      changes.map((change) => {
        const [name, value] = change.split("=");
        return [name, Number.isNaN(Number(value)) ? value : Number(value)];
      }),
    );
    return { name: given, loss: async (data, seed) => lossOf(family, data, seed, changed) };
  });
  if (peers === null) return ours;
  const theirs = ["lightgbm", "catboost"].filter((library) => peers.libraries.has(library));
  return [
    ...ours,
    ...theirs.map(
      (library): Fitter => ({
        name: library,
        async loss(data, seed) {
          await peers.load(data);
          return scoreOf(data, (await peers.fit(library, null, seed)).predictions);
        },
      }),
    ),
  ];
}

/** As the trainer fits a family: what stops by validation rows learns anew from all of them. */
function lossOf(
  family: Family,
  data: BenchData,
  seed: number,
  changed: Readonly<Record<string, string | number>>,
): number {
  const encoded = encodeBenchData(data, true);
  const shape = { rows: data.train.length, task: data.task, features: encoded.features };
  const parameters = { ...family.defaults(shape), ...changed };
  const context = {
    ...{ task: data.task, data: encoded, target: data.target, softTarget: null, weights: null },
    ...{ monotone: {}, key: deriveKey(seed, "bench") },
  };
  const held = (_: number, i: number): boolean => (i + seed) % 5 === 0;
  const stopped = family.fit(
    {
      ...context,
      trainRows: data.train.filter((row, i) => !held(row, i)),
      validRows: data.train.filter(held),
    },
    parameters,
  );
  const refitted = family.refitParameters?.(parameters, [stopped.facts]) ?? parameters;
  const model = family.fit({ ...context, trainRows: data.train, validRows: null }, refitted);
  const loss = scoreOf(data, model.predict(encoded, data.test));
  freeEncoded(encoded);
  return loss;
}
