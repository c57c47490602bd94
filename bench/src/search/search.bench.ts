/**
 * Search strategies on real models, beside Optuna's default sampler: equal trials, engine, spaces,
 * folds and random keys; trials one after the other. What counts is the mean rank of the best
 * validation loss so far.
 *
 * The portfolio of a data set is one that was chosen without it (`portfolio/left-out.json`), so
 * that the figures say what to expect of data that nobody has seen.
 */

import { createHash } from "node:crypto";
import { join } from "node:path";
import { deriveKey } from "../../../engine/src/compute/random.ts";
import type { Family } from "../../../engine/src/families/family.ts";
import { familyById } from "../../../engine/src/families/index.ts";
import {
  distinctPoints,
  fitIntoSpace,
  type StartUpKind,
  samplerByName,
  suggestNext,
} from "../../../engine/src/search/index.ts";
import type { Observation } from "../../../engine/src/search/sampler.ts";
import type { Parameters, SearchSpace } from "../../../engine/src/search/space.ts";
import { readFolder } from "../bench-data.ts";
import type { Findings } from "../findings/findings.ts";
import { portfolioWithout } from "../portfolio/left-out.ts";
import { textTable } from "../text-table.ts";
import { makeObjective, type Objective } from "./objective.ts";
import { OptunaProcess } from "./optuna-process.ts";
import { ResultFile, type SearchResult, summarise } from "./search-results.ts";

/** Small enough that a thousand fits take minutes; all kinds of tasks and columns. */
const DATASETS = [
  "abalone",
  "airfoil_noise",
  "auto_mpg",
  "breast_cancer_wdbc",
  "car_evaluation",
  "cpu_act",
  "credit_g",
  "glass",
  "insurance_charges",
  "power_plant_ccpp",
  "telco_churn",
  "titanic",
  "wine_cultivar",
  "wine_quality",
];

const CHECKPOINTS = [20, 50, 100];
const OPTUNA = "optuna";
/** Those of this engine, by what they are called in tables. */
const OURS: Readonly<Record<string, { readonly startup: StartUpKind; readonly sampler: string }>> =
  {
    "portfolio, then tpe": { startup: "portfolio", sampler: "tpe" },
    "sobol, then tpe": { startup: "sobol", sampler: "tpe" },
    random: { startup: "random", sampler: "random" },
  };

/** Every strategy, the one that the others are held against first. */
export const STRATEGIES: readonly string[] = [
  "portfolio, then tpe",
  OPTUNA,
  "sobol, then tpe",
  "random",
];

export interface SearchBenchOptions {
  readonly quick: boolean;
  /** A folder of data sets; see `readFolder`. */
  readonly data: string;
  readonly datasets: readonly string[];
  readonly families: readonly string[];
  readonly strategies: readonly string[];
  readonly seeds: number;
  /** Where results are kept, so that a bench that was stopped goes on. */
  readonly results: string;
  readonly python: string;
  readonly findings: Findings;
  readonly print: (text: string) => void;
}

interface Problem {
  readonly objective: Objective;
  readonly family: Family;
  readonly space: SearchSpace;
  readonly portfolio: readonly Parameters[];
  readonly seed: number;
}

export async function benchSearch(options: SearchBenchOptions): Promise<void> {
  const { quick, findings, print } = options;
  const trials = quick ? 20 : 100;
  const file = new ResultFile(options.results);
  const optuna = await OptunaProcess.start(options.python);
  if (optuna === null) print(`\nOptuna is left out: ${options.python} does not have it.\n`);
  const strategies = options.strategies.filter((name) => name !== OPTUNA || optuna !== null);
  const results: SearchResult[] = [];
  try {
    for (const problem of problems(options)) {
      for (const strategy of strategies) {
        results.push(await search(await problem, strategy, trials, file, optuna));
      }
    }
  } finally {
    await optuna?.close();
  }
  const checkpoints = CHECKPOINTS.filter((each) => each <= trials);
  print(`\nBest validation loss of ${results.length / strategies.length} searches: mean rank\n`);
  const last = checkpoints.at(-1);
  if (last !== undefined) {
    const ranks = summarise(results, strategies, last);
    for (const [s, strategy] of strategies.entries()) {
      if (s === 0) continue;
      findings.compare({
        ...{ what: `${strategies[0]}, after ${last} trials`, unit: "mean rank" },
        ...{ better: "smaller", ours: ranks[0].meanRank, against: strategy },
        theirs: ranks[s].meanRank,
      });
    }
  }
  print(`${rankTable(results, strategies, checkpoints)}\n`);
}

function* problems(options: SearchBenchOptions): Generator<Promise<Problem>> {
  const { quick, data } = options;
  const names = options.datasets.length > 0 ? options.datasets : DATASETS;
  for (let seed = 0; seed < (quick ? 1 : options.seeds); seed++) {
    for (const name of quick ? names.slice(0, 3) : names) {
      for (const id of options.families) {
        const family = familyById(id);
        if (family === undefined) throw new Error(`There is no model family "${id}".`);
        yield makeProblem(join(data, name), family, seed);
      }
    }
  }
}

async function makeProblem(folder: string, family: Family, seed: number): Promise<Problem> {
  const data = await readFolder(folder, Number.POSITIVE_INFINITY);
  const objective = makeObjective(data, { mostRows: 1000, folds: 3, fitted: 2, seed });
  const space = family.searchSpace(objective.shape);
  const portfolio = portfolioWithout(family, objective.shape, data.name);
  return {
    objective,
    family,
    space,
    portfolio: distinctPoints(portfolio.map((values) => fitIntoSpace(space, values))),
    seed,
  };
}

async function search(
  { objective, family, space, portfolio, seed }: Problem,
  strategy: string,
  trials: number,
  file: ResultFile,
  optuna: OptunaProcess | null,
): Promise<SearchResult> {
  const problem = `${objective.name} ${family.id}`;
  const start = OURS[strategy]?.startup === "portfolio" ? portfolio : portfolio.slice(0, 1);
  const basis = strategy === OPTUNA ? { strategy } : { strategy, start };
  const key = createHash("sha256")
    .update(JSON.stringify({ problem, seed, space, ...basis }))
    .digest("hex");
  const known = file.get(key, trials);
  if (known) return known;
  const history: Observation[] = [];
  if (strategy === OPTUNA) await optuna?.begin(space, seed);
  for (let trial = 0; trial < trials; trial++) {
    const parameters =
      strategy === OPTUNA && optuna !== null
        ? await optuna.suggest()
        : suggestOurs(strategy, { space, history, pending: [] }, start, trial, seed);
    const losses = objective.evaluate(family, parameters);
    const loss = losses === null ? null : losses.reduce((sum, each) => sum + each) / losses.length;
    history.push({ parameters, losses: loss === null ? null : [loss] });
    if (strategy === OPTUNA) await optuna?.tell(loss);
  }
  const losses = history.map((each) => each.losses?.[0] ?? null);
  const result = { key, problem, strategy, seed, losses };
  file.add(result);
  return result;
}

function suggestOurs(
  strategy: string,
  state: {
    readonly space: SearchSpace;
    readonly history: readonly Observation[];
    readonly pending: readonly Parameters[];
  },
  first: readonly Parameters[],
  trial: number,
  seed: number,
): Parameters {
  const own = OURS[strategy];
  if (own === undefined) throw new Error(`There is no strategy "${strategy}".`);
  return suggestNext(
    { kind: own.startup, first, key: deriveKey(seed, "sobol", 0) },
    samplerByName(own.sampler),
    state,
    trial,
    deriveKey(seed, "suggest", 0, trial),
  );
}

function rankTable(
  results: readonly SearchResult[],
  strategies: readonly string[],
  checkpoints: readonly number[],
): string {
  const summaries = checkpoints.map((trials) => summarise(results, strategies, trials));
  const percent = (share: number): string => `${Math.round(100 * share)} %`;
  return textTable(
    ["", ...checkpoints.flatMap((trials) => [`after ${trials}`, "loses to first", "ties"])],
    strategies.map((strategy, s) => [
      strategy,
      ...summaries.flatMap((summary) => [
        summary[s].meanRank.toFixed(2),
        ...(s === 0
          ? ["", ""]
          : [percent(summary[s].losesToFirst), percent(summary[s].tiesWithFirst)]),
      ]),
    ]),
  );
}
