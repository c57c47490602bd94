/**
 * How the time and the memory of a fit grow with rows and columns, and how much sooner a search is through
 * on more threads: tables, exponents of the power laws through them, and drawings.
 */

import { mkdirSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import type { ComputePool } from "../../../engine/src/compute/pool.ts";
import { SYSTEM_CLOCK } from "../../../engine/src/trainer/clock/budget.ts";
import { runConfigSchema } from "../../../engine/src/trainer/config/config.ts";
import { MemoryRunStore } from "../../../engine/src/trainer/log/store.ts";
import { prepareTable } from "../../../engine/src/trainer/plan/prepare.ts";
import { RunDriver } from "../../../engine/src/trainer/run.ts";
import { createPool } from "../../../engine/src/worker/pool.ts";
import { type BenchData, syntheticData } from "../bench-data.ts";
import { ASKED_FOR, type Findings } from "../findings/findings.ts";
import { type MeasuredFit, measureFit } from "../measured-fit-process.ts";
import { median, shortNumber, textTable } from "../text-table.ts";
import { drawCurve } from "./drawing.ts";
import { fitPowerLaw } from "./power-law.ts";

export interface ScalingOptions {
  readonly quick: boolean;
  /** Folder into which drawings are written. */
  readonly plots: string;
  readonly findings: Findings;
  readonly print: (text: string) => void;
}

const COLUMNS = 28;
const ROUNDS = 10;
/** Time of a row among many, in that of a row among few. */
const ROWS_ASKED = 1.15;
/** How much sooner two threads are through. */
const TWO_THREADS_ASKED = 1.8;
const FOLDS = 8;

export async function benchScaling(options: ScalingOptions): Promise<void> {
  const { quick, findings, print } = options;
  const rows = quick ? [4000, 8000, 16_000] : [10_000, 30_000, 100_000, 300_000, 1_000_000];
  const columns = quick ? [8, 16, 32] : [8, 16, 32, 64, 128, 256];
  const wide = quick ? 4000 : 50_000;
  const byRows = measured(rows, (count) => measureFit(count, COLUMNS, ROUNDS), quick);
  await present("rows", `rows, of ${COLUMNS} columns`, byRows, options);
  if (!quick) {
    const perRow = byRows.map(({ size, seconds }) => seconds / size);
    findings.compare({
      ...{ what: `${rows.at(-1)} rows after ${rows.at(-3)}`, unit: "time a row, relative" },
      ...{ better: "smaller", ours: (perRow.at(-1) ?? Number.NaN) / (perRow.at(-3) ?? Number.NaN) },
      ...{ against: ASKED_FOR, theirs: ROWS_ASKED },
    });
  }
  const byColumns = measured(columns, (count) => measureFit(wide, count, ROUNDS), quick);
  await present("columns", `columns, of ${wide} rows`, byColumns, options);
  print("\nThreads\n");
  await threads(options);
}

interface Point {
  readonly size: number;
  readonly seconds: number;
  readonly bytes: number;
}

/** The least of some turns: what else runs only adds to a time. */
function measured(sizes: readonly number[], fit: (size: number) => MeasuredFit, quick: boolean) {
  return sizes.map((size): Point => {
    const turns = Array.from({ length: quick ? 1 : 3 }, () => fit(size));
    return {
      size,
      seconds: Math.min(...turns.map(({ binSeconds, trainSeconds }) => binSeconds + trainSeconds)),
      bytes: Math.min(...turns.map(({ peak }) => peak)),
    };
  });
}

async function present(
  name: string,
  axis: string,
  points: readonly Point[],
  { plots, findings, print }: ScalingOptions,
): Promise<void> {
  const curves = {
    time: { y: "seconds, bin and train", points: points.map((p) => [p.size, p.seconds] as const) },
    memory: { y: "peak MB", points: points.map((p) => [p.size, p.bytes / 1e6] as const) },
  };
  mkdirSync(plots, { recursive: true });
  for (const [figure, { y, points: drawn }] of Object.entries(curves)) {
    findings.note(`${figure} against ${name}`, "exponent", fitPowerLaw(drawn).exponent);
    writeFileSync(
      join(plots, `${figure}-by-${name}.svg`),
      await drawCurve({ x: axis, y, points: drawn }),
    );
  }
  const rows = points.map(({ size, seconds, bytes }) => [
    String(size),
    shortNumber(seconds),
    (bytes / 1e6).toFixed(0),
  ]);
  const exponents = Object.values(curves).map((curve) =>
    fitPowerLaw(curve.points).exponent.toFixed(2),
  );
  rows.push(["exponent", ...exponents]);
  print(`\ngbdt, ${ROUNDS} rounds, 255 leaves, one thread\n`);
  print(`${textTable([axis, "seconds", "peak MB"], rows)}\nDrawn in ${plots}\n`);
}

/** Whole runs of one configuration: eight fits side by side, and one fit with all threads to itself. */
async function threads({ quick, findings, print }: ScalingOptions): Promise<void> {
  const data = syntheticData(quick ? 4000 : 200_000, COLUMNS);
  const counts = new Set([1, Math.min(2, availableParallelism()), availableParallelism()]);
  const pools = new Map([...counts].map((count) => [count, createPool(count)]));
  const rows: string[][] = [];
  try {
    for (const [what, nCvSplits] of [
      [`${FOLDS} fits`, FOLDS],
      ["one fit", null],
    ] as const) {
      const seconds = new Map([...counts].map((count): [number, number[]] => [count, []]));
      // Threads start, and load what they run, in a turn that does not count.
      for (let turn = -1; turn < (quick ? 1 : 3); turn++) {
        for (const [count, pool] of pools) {
          const taken = await runSeconds(data, nCvSplits, pool);
          if (turn >= 0) seconds.get(count)?.push(taken);
        }
      }
      const alone = median(seconds.get(1) ?? []);
      for (const [count, turns] of seconds) {
        const times = alone / median(turns);
        rows.push([what, String(count), shortNumber(median(turns)), shortNumber(times, 3)]);
        if (count !== 2) continue;
        findings.compare({
          ...{ what: `${what}, two threads over one`, unit: "times as fast", better: "larger" },
          ...{ ours: times, against: ASKED_FOR, theirs: TWO_THREADS_ASKED },
        });
      }
    }
  } finally {
    for (const pool of pools.values()) await pool.close();
  }
  print(`${textTable(["", "threads", "seconds", "times as fast"], rows)}\n`);
}

async function runSeconds(
  { table, target }: BenchData,
  nCvSplits: number | null,
  pool: ComputePool,
): Promise<number> {
  const config = runConfigSchema.parse({
    task: { taskKind: "binclass", labelColumn: "y" },
    nTrials: 1,
    nCvSplits,
    ensemble: false,
    hpoSpace: {
      models: [{ family: "gbdt", fixed: { n_estimators: 50, early_stopping_rounds: 0 } }],
    },
  });
  const label = { kind: "numeric", name: "y", values: target } as const;
  const run = prepareTable({ rows: table.rows, columns: [...table.columns, label] }, config);
  const store = new MemoryRunStore();
  const driver = new RunDriver({ run, config, store, pool, startedAt: SYSTEM_CLOCK.now() });
  const begun = performance.now();
  await driver.drive();
  return (performance.now() - begun) / 1000;
}
