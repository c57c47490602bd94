/**
 * Whether time budgets hold: runs of real and of awkward tables, each beside the budget that it was
 * given. The promise is an overrun of at most 3 %, or 1 s where that is more.
 */

import { mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { TASK_KINDS } from "../../../engine/src/tasks/index.ts";
import type { RunConfigInput } from "../../../engine/src/trainer/config/config.ts";
import type { TableFile } from "../../../engine/src/trainer/plan/run-table.ts";
import { readMeta } from "../bench-data.ts";
import { ASKED_FOR, type Findings } from "../findings/findings.ts";
import { shortNumber, textTable } from "../text-table.ts";
import { type BudgetedRun, runUnderBudget } from "./budgeted-run.ts";
import { MADE, REAL, writeMade } from "./subjects.ts";

/** Overruns up to this share of the budget, or up to so many seconds, keep the promise. */
const SHARE = 0.03;
const SECONDS = 1;
/** Of a budget, where trials remain. */
const USED_SHARE = 0.97;

export interface BudgetOptions {
  /** With the data sets of `REAL`; absent: the made ones alone. */
  readonly folder: string | undefined;
  /** Empty: all. */
  readonly only: readonly string[];
  readonly quick: boolean;
  readonly findings: Findings;
  readonly print: (text: string) => void;
}

interface Measured extends BudgetedRun {
  readonly name: string;
  readonly budget: number;
  /** Processes that wanted to run while it did, this one's threads among them. */
  readonly load: number;
}

interface Task {
  readonly name: string;
  readonly seconds: number;
  readonly file: () => TableFile;
  readonly config: RunConfigInput["task"];
}

export async function benchBudget(options: BudgetOptions): Promise<void> {
  const { findings, print } = options;
  const made = mkdtempSync(join(tmpdir(), "distillery-budget-data-"));
  const all: Measured[] = [];
  const cores = availableParallelism();
  print(`\nbudget: wall time beside the budget, ${cores} threads, reading to report\n`);
  try {
    for (const { name, seconds, file, config } of tasksOf(options, made)) {
      const run = await runUnderBudget(file(), { task: config, timeBudgetS: seconds });
      all.push({ name, budget: seconds, load: loadavg()[0], ...run });
      print(
        `${textTable(HEADER, [line(all[all.length - 1])])
          .split("\n")
          .slice(all.length > 1 ? 2 : 0)
          .join("\n")}\n`,
      );
    }
  } finally {
    rmSync(made, { recursive: true, force: true });
  }
  const broken = all.filter(({ seconds, budget }) => !keeps(seconds, budget));
  const spent = all.map(({ seconds, budget }) => seconds / budget);
  if (all.length > 0) {
    const ours = spent.reduce((sum, each) => sum + each, 0) / all.length;
    const shared = { better: "larger", against: ASKED_FOR } as const;
    findings.compare({
      ...{ ...shared, what: `of a budget used, mean of ${all.length}`, unit: "share" },
      ...{ ours, theirs: USED_SHARE },
    });
    const held = 1 - broken.length / all.length;
    findings.compare({
      ...{ ...shared, what: `of ${all.length} budgets held`, unit: "share", ours: held, theirs: 1 },
    });
  }
  print(
    `\n${all.length - broken.length} of ${all.length} budgets held (overrun ≤ ${100 * SHARE} % or ${SECONDS} s); on average ${shortNumber((100 * spent.reduce((sum, each) => sum + each, 0)) / Math.max(1, all.length), 3)} % of a budget was used\n`,
  );
}

function keeps(seconds: number, budget: number): boolean {
  return seconds - budget <= Math.max(SECONDS, SHARE * budget);
}

function tasksOf({ folder, only, quick }: BudgetOptions, made: string): Task[] {
  const real = (folder === undefined ? [] : REAL).map(({ name, seconds }): Task => {
    const meta = readMeta(join(folder ?? "", name));
    const file = meta.files.find((each) => /^(train|data)\./.test(each)) ?? "data.csv.gz";
    const taskKind = TASK_KINDS.find((each) => each === meta.task);
    if (taskKind === undefined) throw new Error(`${name} is of the task "${meta.task}".`);
    const path = join(folder ?? "", name, file);
    return {
      name,
      seconds,
      file: () => ({ path, format: "csv" }),
      config: { taskKind, labelColumn: meta.target, ignoreColumns: [...meta.leaks] },
    };
  });
  const awkward = MADE.map(
    (subject): Task => ({
      name: subject.name,
      seconds: subject.seconds,
      file: () => ({ path: writeMade(subject, made), format: "csv" }),
      config: { taskKind: subject.task, labelColumn: "y" },
    }),
  );
  const wanted = [...real, ...awkward].filter(
    ({ name }) => only.length === 0 || only.includes(name),
  );
  if (!quick) return wanted;
  // The smallest budget of each table, and none of the long ones.
  return wanted
    .filter(({ name }, at) => wanted.findIndex((other) => other.name === name) === at)
    .map((task) => ({ ...task, seconds: Math.min(10, task.seconds) }));
}

const HEADER = [
  "",
  "rows used",
  "budget s",
  "took s",
  "over %",
  "read",
  "search",
  "select",
  "fit",
  "save",
  "report",
  "trials",
  "fits cut",
  "refused",
  "score",
  "load",
  "",
];

function line({ name, budget, seconds, ends, state, load }: Measured): string[] {
  const short = (value: number): string => shortNumber(Math.max(0, value), 3);
  const finished = state.trials.filter(({ state: each }) => each === "finished");
  const cuts = finished.flatMap(({ folds }) =>
    folds.filter((fold) => fold?.state === "finished" && fold.cut),
  );
  const [score] = Object.values(state.selections[0].scores);
  return [
    name,
    String(state.plan?.rows ?? 0),
    String(budget),
    shortNumber(seconds),
    shortNumber((100 * (seconds - budget)) / budget, 3),
    short(ends.prepare),
    short(ends.search - ends.prepare),
    short(ends.select - ends.search),
    short(ends.fit - ends.select),
    short(ends.save - ends.fit),
    short(seconds - ends.save),
    String(finished.length),
    String(cuts.length),
    String(state.trials.filter(({ state: each }) => each === "refused").length),
    shortNumber(score ?? Number.NaN),
    load.toFixed(1),
    keeps(seconds, budget) ? "" : "OVER",
  ];
}
