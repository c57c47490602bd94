/**
 * Losses of many configurations of each family on the data sets of a folder, for choosing
 * portfolios from: `node bench/src/portfolio/collect.ts <folder> <out.jsonl>`, with
 * `--minutes` of CPU time (default 30), `--families` and `--tasks` (default all).
 *
 * The first configuration is the default. A few follow at random, then TPE goes on, each time
 * towards what would complement the best portfolio of the configurations so far. What is in the
 * output file already is not computed again.
 */

import { appendFileSync, readFileSync } from "node:fs";
import process from "node:process";
import { parseArgs } from "node:util";
import { deriveKey } from "../../../engine/src/compute/random.ts";
import type { Family } from "../../../engine/src/families/family.ts";
import { FAMILIES, serves } from "../../../engine/src/families/index.ts";
import { applyEntry, type PortfolioEntry } from "../../../engine/src/families/portfolio.ts";
import { fitIntoSpace } from "../../../engine/src/search/fit-into-space.ts";
import { tpeSampler } from "../../../engine/src/search/index.ts";
import { TASK_KINDS, type TaskKind } from "../../../engine/src/tasks/index.ts";
import { listDatasets, readFolder } from "../bench-data.ts";
import { makeObjective, type Objective } from "../search/objective.ts";
import { entryOf, entrySpace } from "./candidates.ts";
import { chooseGreedily, normalise, portfolioLoss } from "./choose.ts";
import { type LossTable, lossTable, readLines } from "./lines.ts";

/** Of more than this many rows that INDEX.csv lists, a data set takes long just to read. */
const TOO_LARGE = 300_000;
/** Configurations at random before TPE goes on. */
const RANDOM = 12;

async function loadObjectives(folder: string, tasks: readonly TaskKind[]): Promise<Objective[]> {
  const sizes = new Map(
    readFileSync(`${folder}/INDEX.csv`, "utf8")
      .split(/\r?\n/)
      .map((line) => line.split(","))
      .map(([name, , size]) => [name, Number.parseInt(size ?? "", 10)]),
  );
  const objectives: Objective[] = [];
  for (const { name, task } of listDatasets(folder)) {
    if (!tasks.includes(task)) continue;
    if ((sizes.get(name) ?? 0) > TOO_LARGE) continue;
    try {
      const data = await readFolder(`${folder}/${name}`, Number.POSITIVE_INFINITY);
      const mostRows = data.task.classes.length > 4 ? 1000 : 3000;
      const few = data.train.length + data.test.length < 600;
      objectives.push(makeObjective(data, { mostRows, folds: 3, fitted: few ? 3 : 1, seed: 0 }));
    } catch (error) {
      process.stderr.write(`${name} is left out: ${String(error)}\n`);
    }
  }
  return objectives;
}

/** The next configuration: null (the defaults), a random one, or one by TPE. */
function nextPoint(family: Family, task: TaskKind, index: number, table: LossTable) {
  if (index === 0) return null;
  const space = entrySpace(family, task);
  const distances = normalise(table.losses);
  const columns = table.datasets.map((_, c) => c);
  // What is to be complemented: nothing, the best, the best two, …
  const base = index < 2 ? [] : chooseGreedily(distances, (index - 1) % 5);
  const history = table.points.flatMap((point, row) =>
    point === null
      ? []
      : [{ parameters: point, losses: [portfolioLoss(distances, [...base, row], columns)] }],
  );
  return tpeSampler({ startupTrials: RANDOM }).suggest(
    { space, history, pending: [] },
    deriveKey(0, "portfolio", family.id, task, index),
  );
}

function evaluate(objective: Objective, family: Family, entry: PortfolioEntry): number | null {
  const { shape } = objective;
  const space = family.searchSpace(shape);
  const values = applyEntry(entry, family.defaults(shape), family.parameters());
  try {
    const losses = objective.evaluate(family, fitIntoSpace(space, values));
    return losses === null ? null : losses.reduce((sum, loss) => sum + loss, 0) / losses.length;
  } catch (error) {
    process.stderr.write(`${family.id} failed on ${objective.name}: ${String(error)}\n`);
    return null;
  }
}

interface CollectOptions {
  readonly minutes: number;
  readonly families: readonly Family[];
  readonly tasks: readonly TaskKind[];
}

async function collect(folder: string, out: string, options: CollectOptions): Promise<void> {
  const objectives = await loadObjectives(folder, options.tasks);
  const lines = readLines(out);
  const isOver = () => process.cpuUsage().user / 6e7 > options.minutes;
  for (let index = 0; !isOver(); index++) {
    for (const family of options.families) {
      for (const task of options.tasks.filter((each) => serves(family, each))) {
        const own = objectives.filter((objective) => objective.task.kind === task);
        const known = lines.filter(
          (line) => line.family === family.id && line.task === task && line.index === index,
        );
        const point =
          known[0]?.point ?? nextPoint(family, task, index, lossTable(lines, family.id, task));
        for (const objective of own) {
          if (isOver()) return;
          if (known.some(({ dataset }) => dataset === objective.name)) continue;
          const started = performance.now();
          const loss = evaluate(objective, family, entryOf(point ?? {}));
          const seconds = (performance.now() - started) / 1000;
          const dataset = objective.name;
          const line = { family: family.id, task, index, point, dataset, loss, seconds };
          lines.push(line);
          appendFileSync(out, `${JSON.stringify(line)}\n`);
        }
      }
    }
  }
}

if (process.argv[1] === import.meta.filename) {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      minutes: { type: "string", default: "30" },
      families: { type: "string", default: FAMILIES.map(({ id }) => id).join(",") },
      tasks: { type: "string", default: TASK_KINDS.join(",") },
    },
  });
  const [folder, out] = positionals;
  if (folder === undefined || out === undefined) {
    process.stderr.write(
      "Usage: collect.ts <folder> <out.jsonl> [--minutes 30] [--families …] [--tasks …]\n",
    );
    process.exitCode = 1;
  } else {
    await collect(folder, out, {
      minutes: Number(values.minutes),
      families: FAMILIES.filter(({ id }) => values.families.split(",").includes(id)),
      tasks: TASK_KINDS.filter((task) => values.tasks.split(",").includes(task)),
    });
  }
}
