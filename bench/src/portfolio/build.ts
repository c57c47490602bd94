/**
 * Chooses portfolios from what `collect.ts` has collected and writes them beside the families:
 * `node bench/src/portfolio/build.ts <collected.jsonl> [size]`. Prints what they are worth on data
 * sets that had no part in choosing them.
 */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { FAMILIES } from "../../../engine/src/families/index.ts";
import type { PortfolioEntry } from "../../../engine/src/families/portfolio.ts";
import { TASK_KINDS } from "../../../engine/src/tasks/index.ts";
import { textTable } from "../text-table.ts";
import { entryOf } from "./candidates.ts";
import { chooseGreedily, leaveOneOut, normalise, portfolioLoss } from "./choose.ts";
import type { LeftOutPortfolios } from "./left-out.ts";
import { lossTable, readLines } from "./lines.ts";

/** Configurations of a portfolio, the defaults included. */
const SIZE = 10;
/** Row 0 of every table is the defaults, which lead. */
const FIRST = [0];

const familiesFolder = join(import.meta.dirname, "../../../engine/src/families");

function build(path: string, size: number): void {
  const lines = readLines(path);
  const leftOut: Record<string, LeftOutPortfolios> = {};
  const report: string[][] = [];
  for (const family of FAMILIES) {
    const portfolio: Record<string, PortfolioEntry[]> = {};
    for (const task of TASK_KINDS) {
      const { points, losses, datasets } = lossTable(lines, family.id, task);
      // A kind that nobody has measured has no portfolio yet.
      if (datasets.length === 0) continue;
      const table = normalise(losses);
      const entries = points.map((point) => entryOf(point ?? {}));
      const columns = datasets.map((_, c) => c);
      const chosen = chooseGreedily(table, size, FIRST);
      portfolio[task] = chosen.slice(1).map((row) => entries[row]);
      const without = datasets.map((_, left) =>
        chooseGreedily(
          table,
          size,
          FIRST,
          columns.filter((c) => c !== left),
        ).slice(1),
      );
      const used = [...new Set(without.flat())].sort((a, b) => a - b);
      leftOut[`${family.id} ${task}`] = {
        entries: used.map((row) => entries[row]),
        without: Object.fromEntries(
          datasets.map((name, c) => [name, without[c].map((row) => used.indexOf(row))]),
        ),
      };
      const unseen = leaveOneOut(table, size, FIRST);
      const seen = [1, 2, 4, size].map((k) => portfolioLoss(table, chosen.slice(0, k), columns));
      report.push([
        `${family.id} ${task}`,
        `${datasets.length} × ${points.length}`,
        ...[1, 2, 4, size].map((k) => unseen[Math.min(k, unseen.length) - 1].toFixed(3)),
        seen[3].toFixed(3),
        randomLoss(table, size, columns).toFixed(3),
      ]);
    }
    writeJson(join(familiesFolder, family.id, "portfolio.json"), portfolio);
  }
  writeJson(join(import.meta.dirname, "left-out.json"), leftOut);
  const header = [
    "",
    "sets × configs",
    "1 unseen",
    "2",
    "4",
    `${size}`,
    `${size} seen`,
    `random ${size}`,
  ];
  process.stdout.write(`${textTable(header, report)}\n`);
}

/** What the defaults and the first configurations that were drawn at random give. */
function randomLoss(
  table: readonly (readonly number[])[],
  size: number,
  columns: readonly number[],
): number {
  const rows = Array.from({ length: Math.min(size, table.length) }, (_, row) => row);
  return portfolioLoss(table, rows, columns);
}

/** One entry a line, so that a change of one reads as one. */
function writeJson(path: string, value: Readonly<Record<string, unknown>>): void {
  const members = Object.entries(value).map(([name, each]) => {
    const body = Array.isArray(each)
      ? `[\n${each.map((entry) => `    ${JSON.stringify(entry)}`).join(",\n")}\n  ]`
      : JSON.stringify(each);
    return `  ${JSON.stringify(name)}: ${body}`;
  });
  writeFileSync(path, `{\n${members.join(",\n")}\n}\n`);
}

if (process.argv[1] === import.meta.filename) {
  const [path, size] = process.argv.slice(2);
  if (path === undefined) {
    process.stderr.write("Usage: build.ts <collected.jsonl> [size]\n");
    process.exitCode = 1;
  } else build(path, Number(size ?? SIZE));
}
