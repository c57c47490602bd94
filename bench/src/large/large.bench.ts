/**
 * Boosting of 255 leaves from Parquet files of a million rows and of ten, through `train`: processor time of a
 * row, and the peak of memory of the process, from reading to the loaded model.
 */

import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { ASKED_FOR, type Findings } from "../findings/findings.ts";
import { shortNumber, textTable } from "../text-table.ts";
import { writeParquet } from "./parquet-data.ts";

export interface LargeOptions {
  readonly quick: boolean;
  readonly findings: Findings;
  readonly print: (text: string) => void;
}

const CHILD = fileURLToPath(new URL("trained-file.ts", import.meta.url));
const FEATURES = 28;
const ROUNDS = 10;
/** Time of a row among many, in that of a row among few. */
const ROWS_ASKED = 1.15;
/** So many times the bins, and so many bytes. */
const TIMES_BINNED = 2.5;
const BESIDE = 300e6;

const pointSchema = z.object({ seconds: z.number(), cpu: z.number(), peak: z.number() });
const trainedSchema = z.object({
  /** When events came for the last time, and the loaded model. */
  points: z.object({
    planned: pointSchema,
    fold_finished: pointSchema,
    fitted: pointSchema,
    loaded: pointSchema,
  }),
  fitSeconds: z.number(),
  fitBytes: z.number(),
  loss: z.number(),
});

export async function benchLarge({ quick, findings, print }: LargeOptions): Promise<void> {
  const sizes = quick ? [20_000, 200_000] : [1_000_000, 10_000_000];
  const folder = mkdtempSync(join(tmpdir(), "bench-large-"));
  const measured: { rows: number; trained: z.output<typeof trainedSchema> }[] = [];
  print(
    `\nlarge: gbdt from Parquet by \`train\`, ${ROUNDS} rounds of 255 leaves, a holdout split and a fit on all rows, one thread\n`,
  );
  try {
    for (const rows of sizes) {
      const path = join(folder, `${rows}.parquet`);
      await writeParquet(path, rows, FEATURES);
      print(`${rows} rows: ${(statSync(path).size / 1e6).toFixed(0)} MB of Parquet\n`);
      measured.push({ rows, trained: trainFrom(path) });
      rmSync(path);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  const megabytes = (bytes: number): string => (bytes / 1e6).toFixed(0);
  const bins = (rows: number): number => rows * (Math.ceil(FEATURES / 16) * 16 + FEATURES);
  const allowed = (rows: number): number => TIMES_BINNED * bins(rows) + BESIDE;
  const table = measured.map(({ rows, trained: { points, loss } }) => [
    String(rows),
    ...[points.planned, points.fold_finished, points.fitted, points.loaded].flatMap(
      ({ cpu, peak }) => [shortNumber(cpu), megabytes(peak)],
    ),
    megabytes(bins(rows)),
    megabytes(allowed(rows)),
    shortNumber(loss, 5),
  ]);
  const header = [
    "rows",
    "planned, CPU s",
    "peak MB",
    "fold",
    "peak MB",
    "fitted",
    "peak MB",
    "loaded",
    "peak MB",
    "bins MB",
    "allowed MB",
    "log_loss",
  ];
  print(`${textTable(header, table)}\nload ${loadavg()[0].toFixed(1)}\n`);
  const [few, many] = measured;
  const perRow = ({ rows, trained }: (typeof measured)[number]): number =>
    trained.points.loaded.cpu / rows;
  const what = `${many.rows} × ${FEATURES} from Parquet`;
  findings.compare({
    ...{ what: `${what}, after ${few.rows}`, unit: "CPU time a row, relative", better: "smaller" },
    ...{ ours: perRow(many) / perRow(few), against: ASKED_FOR, theirs: ROWS_ASKED },
  });
  findings.compare({
    ...{ what, unit: "peak MB", better: "smaller", ours: many.trained.points.loaded.peak / 1e6 },
    ...{ against: ASKED_FOR, theirs: allowed(many.rows) / 1e6 },
  });
}

function trainFrom(path: string): z.output<typeof trainedSchema> {
  const child = spawnSync(process.execPath, [CHILD, path, String(ROUNDS), "1"], {
    encoding: "utf8",
  });
  if (child.status !== 0) throw new Error(`The measured process failed: ${child.stderr}`);
  return trainedSchema.parse(JSON.parse(child.stdout));
}
