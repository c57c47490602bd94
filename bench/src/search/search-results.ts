/** Searches that have been run, kept in a file, and what they say about the strategies. */

import { appendFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { dirname } from "node:path";

export interface SearchResult {
  /** Of all that the losses depend on: data, family, folds, seed, strategy. */
  readonly key: string;
  readonly problem: string;
  readonly strategy: string;
  readonly seed: number;
  /** Of each trial; null where it failed. */
  readonly losses: readonly (number | null)[];
}

export class ResultFile {
  readonly #path: string;
  readonly #known = new Map<string, SearchResult>();

  constructor(path: string) {
    this.#path = path;
    mkdirSync(dirname(path), { recursive: true });
    if (!existsSync(path)) return;
    for (const line of readFileSync(path, "utf8").split("\n")) {
      if (line === "") continue;
      const result = parseResult(JSON.parse(line));
      this.#known.set(result.key, result);
    }
  }

  /** A search of at least so many trials under that key. */
  get(key: string, trials: number): SearchResult | undefined {
    const known = this.#known.get(key);
    return known !== undefined && known.losses.length >= trials ? known : undefined;
  }

  add(result: SearchResult): void {
    this.#known.set(result.key, result);
    appendFileSync(this.#path, `${JSON.stringify(result)}\n`);
  }
}

function parseResult(value: unknown): SearchResult {
  const record: Record<string, unknown> = { ...(typeof value === "object" ? value : null) };
  const { key, problem, strategy, seed, losses } = record;
  if (
    typeof key !== "string" ||
    typeof problem !== "string" ||
    typeof strategy !== "string" ||
    typeof seed !== "number" ||
    !Array.isArray(losses)
  ) {
    throw new TypeError("A line of the result file is no search.");
  }
  return {
    key,
    problem,
    strategy,
    seed,
    losses: losses.map((each) => (typeof each === "number" ? each : null)),
  };
}

/** The least loss of the first `trials` ones; Infinity where all failed. */
export function bestAfter(losses: readonly (number | null)[], trials: number): number {
  return losses
    .slice(0, trials)
    .reduce<number>((best, loss) => Math.min(best, loss ?? best), Number.POSITIVE_INFINITY);
}

/** Ranks from 1, the least value first; equal values share the mean of their ranks. */
export function ranksOf(values: readonly number[]): number[] {
  return values.map((value) => {
    const below = values.filter((other) => other < value).length;
    const equal = values.filter((other) => other === value).length;
    return below + (equal + 1) / 2;
  });
}

export interface StrategySummary {
  readonly strategy: string;
  /** Mean over problems and seeds. */
  readonly meanRank: number;
  /** Share of problems and seeds where the first strategy is strictly better, and equal. */
  readonly losesToFirst: number;
  readonly tiesWithFirst: number;
}

/** Of searches that every strategy has run. */
export function summarise(
  results: readonly SearchResult[],
  strategies: readonly string[],
  trials: number,
): StrategySummary[] {
  const groups = Map.groupBy(results, ({ problem, seed }) => `${problem} ${seed}`);
  const rows: number[][] = [];
  for (const group of groups.values()) {
    const own = strategies.map((name) => group.find(({ strategy }) => strategy === name));
    const values = own.map((each) => bestAfter(each?.losses ?? [], trials));
    if (own.every((each) => each !== undefined)) rows.push(values);
  }
  const mean = (of: (values: readonly number[]) => number): number =>
    rows.reduce((sum, values) => sum + of(values), 0) / rows.length;
  return strategies.map((strategy, s) => ({
    strategy,
    meanRank: mean((values) => ranksOf(values)[s]),
    losesToFirst: mean((values) => (values[0] < values[s] ? 1 : 0)),
    tiesWithFirst: mean((values) => (values[0] === values[s] ? 1 : 0)),
  }));
}
