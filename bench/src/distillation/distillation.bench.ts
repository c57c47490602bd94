/**
 * Students beside their teachers on held-out rows: the share of the teacher ensemble's lift over a
 * linear model that is kept, and at which part of its time and size.
 */

import process from "node:process";
import { deriveKey } from "../../../engine/src/compute/random.ts";
import { type Fidelity, fidelityOf } from "../../../engine/src/distill/fidelity.ts";
import { modelTeacher } from "../../../engine/src/distill/model-teacher.ts";
import type { Model } from "../../../engine/src/model/model.ts";
import { defaultMetric } from "../../../engine/src/tasks/fitting-metrics.ts";
import { type RunConfigInput, studentConfig } from "../../../engine/src/trainer/config/config.ts";
import { createPool } from "../../../engine/src/worker/pool.ts";
import { readFolder } from "../bench-data.ts";
import { median, shortNumber, textTable } from "../text-table.ts";
import { type Subject, subjectOf, teach, trainOn, trainStudent } from "./subjects.ts";

const DATA_SETS: readonly string[] = [
  "abalone",
  "airfoil_noise",
  "bike_sharing_hourly",
  "california_housing",
  "adult",
  "spambase",
  "telco_churn",
  "car_evaluation",
  "vowel",
  "letter",
];

export interface DistillationOptions {
  readonly quick: boolean;
  readonly folder: string;
  /** Only these data sets; empty = the bench's own. */
  readonly only: readonly string[];
  readonly print: (text: string) => void;
}

const HEADER = [
  "",
  "train",
  "metric",
  "linear",
  "teacher",
  "student",
  "lift kept",
  "95 %",
  "agreement",
  "time",
  "size",
];

export async function benchDistillation(options: DistillationOptions): Promise<void> {
  const { quick, folder, only, print } = options;
  const sizes = quick ? { rows: 600, trials: 1, folds: 3 } : { rows: 4000, trials: 4, folds: 5 };
  const pool = createPool();
  const shared = { nTrials: sizes.trials, nCvSplits: sizes.folds };
  const table: string[][] = [];
  try {
    for (const name of only.length > 0 ? only : DATA_SETS) {
      const subject = subjectOf(await readFolder(`${folder}/${name}`, 60_000), sizes.rows);
      const teacher = await trainOn(subject, { ...shared, ensemble: true }, pool);
      const baseline = await trainOn(
        subject,
        { ...shared, nTrials: 1, ensemble: false, modelFamilies: ["linear"] },
        pool,
      );
      const config = studentOf({ ...shared, task: subject.task });
      const lessons = await teach(subject, modelTeacher(teacher, "teacher"), config);
      const student = await trainStudent(subject, lessons, config, pool);
      const row = rowOf(subject, { teacher, baseline, student });
      print(`${row.join("  ")}\n`);
      table.push(row);
    }
  } finally {
    await pool.close();
  }
  print(`\nstudents on held-out rows, ${sizes.trials} trials a family, ${sizes.folds} folds\n`);
  print(`${textTable(HEADER, table)}\n`);
  print(
    "time: processor time of predicting the held-out rows, of the teacher's; size: of files.\n",
  );
}

function studentOf(config: RunConfigInput): Omit<RunConfigInput, "task"> {
  const { task: _, ...rest } = studentConfig(config);
  return rest;
}

interface Models {
  readonly teacher: Model;
  readonly baseline: Model;
  readonly student: Model;
}

function rowOf(subject: Subject, models: Models): string[] {
  const metric = defaultMetric(subject.task.taskKind);
  const predicted = (model: Model): Float64Array => model.predict(subject.test).values;
  const found = fidelityOf({
    task: { ...models.teacher.document.task },
    rows: Uint32Array.from(subject.testTarget.keys()),
    target: subject.testTarget,
    weights: null,
    student: predicted(models.student),
    teacher: predicted(models.teacher),
    baseline: predicted(models.baseline),
    metric,
    key: deriveKey(0, "bench", "fidelity"),
  });
  const { scores, lift } = found;
  return [
    subject.name,
    String(subject.train.rows),
    metric.name,
    ...[scores.baseline, scores.teacher, scores.student].map((score) =>
      shortNumber(score ?? Number.NaN, 4),
    ),
    lift ? shortNumber(lift.share, 3) : "–",
    lift ? `${shortNumber(lift.low, 3)} … ${shortNumber(lift.high, 3)}` : "no sure lift",
    agreementOf(found),
    shortNumber(timeRatio(subject, models), 2),
    shortNumber(bytesOf(models.student) / bytesOf(models.teacher), 2),
  ];
}

/** Of decisions; of values their correlation. */
function agreementOf({ agreement, correlation }: Fidelity): string {
  if (agreement !== null) return shortNumber(agreement, 3);
  return correlation === null ? "–" : `r ${shortNumber(correlation, 3)}`;
}

const TURNS = 5;

/** In turns, so that what else the machine does falls on both. */
function timeRatio({ test }: Subject, { teacher, student }: Models): number {
  const seconds = (model: Model): number => {
    const before = process.cpuUsage();
    model.predict(test);
    const { user, system } = process.cpuUsage(before);
    return user + system;
  };
  const ratios = Array.from({ length: TURNS }, () => {
    const slow = seconds(teacher);
    return seconds(student) / slow;
  });
  return median(ratios);
}

function bytesOf({ document }: Model): number {
  return document.files.reduce((sum, file) => sum + file.bytes, 0);
}
