/**
 * How good the search is: the best value found on standard test functions after a number of trials,
 * over seeds, beside random search and, where Python has it, Optuna's multivariate TPE on the same
 * functions. `node sampler-quality.ts [python]` prints the table.
 */

import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { deriveKey } from "../../engine/src/compute/random.ts";
import { samplerByName } from "../../engine/src/search/index.ts";
import type { Observation } from "../../engine/src/search/sampler.ts";
import type { Parameters, SearchSpace } from "../../engine/src/search/space.ts";

/** A function to minimise; its least value is 0. */
export interface TestFunction {
  readonly name: string;
  readonly space: SearchSpace;
  readonly value: (at: (name: string) => number, parameters: Parameters) => number;
}

function cube(dimensions: number, low: number, high: number): SearchSpace {
  return Object.fromEntries(
    Array.from({ length: dimensions }, (_, i) => [`x${i}`, { type: "float", low, high } as const]),
  );
}

const HARTMANN_ALPHA = [1, 1.2, 3, 3.2];
const HARTMANN_A = [
  [10, 3, 17, 3.5, 1.7, 8],
  [0.05, 10, 17, 0.1, 8, 14],
  [3, 3.5, 1.7, 10, 17, 8],
  [17, 8, 0.05, 10, 0.1, 14],
];
const HARTMANN_P = [
  [0.1312, 0.1696, 0.5569, 0.0124, 0.8283, 0.5886],
  [0.2329, 0.4135, 0.8307, 0.3736, 0.1004, 0.9991],
  [0.2348, 0.1451, 0.3522, 0.2883, 0.3047, 0.665],
  [0.4047, 0.8828, 0.8732, 0.5743, 0.1091, 0.0381],
];

/** The same definitions stand in `sampler_quality_peer.py`. */
export const TEST_FUNCTIONS: readonly TestFunction[] = [
  {
    name: "sphere (5)",
    space: cube(5, -5, 5),
    value: (x) => [0, 1, 2, 3, 4].reduce((sum, i) => sum + (x(`x${i}`) - 1) ** 2, 0),
  },
  {
    name: "branin (2)",
    space: { x0: { type: "float", low: -5, high: 10 }, x1: { type: "float", low: 0, high: 15 } },
    value: (x) =>
      (x("x1") - (5.1 / (4 * Math.PI ** 2)) * x("x0") ** 2 + (5 / Math.PI) * x("x0") - 6) ** 2 +
      10 * (1 - 1 / (8 * Math.PI)) * Math.cos(x("x0")) +
      10 -
      0.39788735772973816,
  },
  {
    name: "hartmann (6)",
    space: cube(6, 0, 1),
    value: (x) =>
      3.32236801141551 -
      HARTMANN_ALPHA.reduce((sum, alpha, i) => {
        const inner = HARTMANN_A[i].reduce(
          (total, a, j) => total + a * (x(`x${j}`) - HARTMANN_P[i][j]) ** 2,
          0,
        );
        return sum + alpha * Math.exp(-inner);
      }, 0),
  },
  {
    name: "rosenbrock (4)",
    space: cube(4, -2, 2),
    value: (x) =>
      [0, 1, 2].reduce(
        (sum, i) => sum + 100 * (x(`x${i + 1}`) - x(`x${i}`) ** 2) ** 2 + (1 - x(`x${i}`)) ** 2,
        0,
      ),
  },
  {
    name: "mixed conditional (7)",
    space: {
      rate: { type: "float", low: 1e-5, high: 1, log: true },
      units: { type: "int", low: 1, high: 512, log: true },
      layers: { type: "int", low: 1, high: 8 },
      kind: { type: "categorical", choices: ["a", "b", "c"] },
      alpha: { type: "float", low: 0, high: 1, when: { parameter: "kind", values: ["a"] } },
      beta: { type: "float", low: 0, high: 1, when: { parameter: "kind", values: ["b"] } },
      depth: { type: "int", low: 1, high: 20, when: { parameter: "kind", values: ["b"] } },
    },
    value: (x, { kind }) =>
      Math.log10(x("rate") / 3e-3) ** 2 +
      Math.log2(x("units") / 64) ** 2 / 4 +
      (x("layers") - 3) ** 2 / 8 +
      (kind === "a"
        ? 0.5 + 2 * Math.abs(x("alpha") - 0.3)
        : kind === "b"
          ? 3 * Math.abs(x("beta") - 0.8) + ((x("depth") - 12) / 8) ** 2
          : 1),
  },
];

export const TRIALS = 100;
export const SEEDS = 20;

function numberOf(parameters: Parameters, name: string): number {
  const value = parameters[name];
  if (typeof value !== "number") throw new TypeError(`${name} is ${value}, not a number.`);
  return value;
}

/** The best value after `TRIALS` trials, one a seed. */
export function bestValues(of: TestFunction, strategy: string): number[] {
  return Array.from({ length: SEEDS }, (_, seed) => {
    const sampler = samplerByName(strategy);
    const history: Observation[] = [];
    for (let trial = 0; trial < TRIALS; trial++) {
      const key = deriveKey(seed, "quality", trial);
      const parameters = sampler.suggest({ space: of.space, history, pending: [] }, key);
      const loss = of.value((name) => numberOf(parameters, name), parameters);
      history.push({ parameters, losses: [loss] });
    }
    return Math.min(...history.map(({ losses }) => losses?.[0] ?? Number.POSITIVE_INFINITY));
  });
}

export interface QualityRow {
  readonly function: string;
  /** Median over seeds of the best value, by strategy; Optuna's is absent where Python has none. */
  readonly medians: Readonly<Record<string, number>>;
}

/** @param python an interpreter that has Optuna; null leaves that column out */
export function samplerQuality(python: string | null): QualityRow[] {
  const peers = python === null ? null : optunaValues(python);
  return TEST_FUNCTIONS.map((of) => ({
    function: of.name,
    medians: {
      tpe: median(bestValues(of, "tpe")),
      ...(peers === null ? {} : { optuna: median(peers[of.name]) }),
      random: median(bestValues(of, "random")),
    },
  }));
}

function optunaValues(python: string): Record<string, number[]> | null {
  const script = fileURLToPath(new URL("./sampler_quality_peer.py", import.meta.url));
  const run = spawnSync(python, ["-W", "ignore", script, String(TRIALS), String(SEEDS)], {
    encoding: "utf8",
  });
  return run.status === 0 ? JSON.parse(run.stdout) : null;
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** The table as text: the median distance to the least value, by function and strategy. */
export function formatQuality(rows: readonly QualityRow[]): string {
  const strategies = Object.keys(rows[0].medians);
  const lines = rows.map((row) => [
    row.function,
    ...strategies.map((strategy) => row.medians[strategy].toPrecision(3)),
  ]);
  return [[`best of ${TRIALS}, median of ${SEEDS}`, ...strategies], ...lines]
    .map(([first, ...rest]) => first.padEnd(26) + rest.map((cell) => cell.padStart(10)).join(""))
    .join("\n");
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  process.stdout.write(`${formatQuality(samplerQuality(process.argv[2] ?? null))}\n`);
}
